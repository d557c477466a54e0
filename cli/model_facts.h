/* What a model is, for `dltf inspect` and `dltf report`. */
#ifndef CLI_MODEL_FACTS_H
#define CLI_MODEL_FACTS_H

#include "dltf.h"
#include "report/facts.h"

/* Sizes, selection, encoder, preprocessing. */
void model_facts(facts *f, const char *path, dltf_model_view view);
/* How it was trained: its notes. */
void model_notes(facts *f, const dltf_model *model);

#endif
