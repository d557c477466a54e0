/* Measures of codes, for `dltf evaluate` and `dltf report`. */
#ifndef CLI_EVALUATION_FACTS_H
#define CLI_EVALUATION_FACTS_H

#include "dltf.h"
#include "report/facts.h"

/* `uses`: of the m atoms; sorted here. */
void evaluation_facts(facts *f, const dltf_evaluation *e, int64_t *uses, int64_t m);

#endif
