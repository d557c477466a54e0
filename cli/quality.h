/* Errors of codes in reports: relative error, explained variance, entries per code, unused atoms. */
#ifndef CLI_QUALITY_H
#define CLI_QUALITY_H

#include "cli/output.h"

/* Explained variance and entries per code. Undefined values are null in JSON. */
void quality_explained(facts *f, double explained);
void quality_entries(facts *f, double entries);

/* All of a trained model. `samples`: those that were measured, such as "2,000 held-out samples"; `remark`
 * follows them once. Without samples, JSON has nulls and the text nothing. */
void quality_report(facts *f, const dltf_quality *quality, const char *samples, const char *remark);

#endif
