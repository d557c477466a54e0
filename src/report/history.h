/* Options and history of a learner as JSON, for reports and CSV files. */
#ifndef REPORT_HISTORY_H
#define REPORT_HISTORY_H

#include "base/options.h"
#include "dltf/learn.h"

#include <jansson.h>

/* An array of flat objects, one per iteration. */
json_t *history_rows(const dltf_iteration *history, int64_t count);

/* An object with all options of a table. */
json_t *history_options(dl_option_table table, const void *values);

#endif
