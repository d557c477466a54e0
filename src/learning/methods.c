/* The methods of learning: which stages run, in which order. A stage without iterations is skipped. */
#include "learning/stage.h"

#include <string.h>

/* Tied: scores come from the dictionary itself, which is moved for that. */
static const dl_stage *const tied[] = {&dl_stage_minibatch, &dl_stage_tied, &dl_stage_admm, NULL};

/* Tight, dual, distilled: the dictionary of the data, and an encoder made for it. */
static const dl_stage *const untied[] = {&dl_stage_minibatch, &dl_stage_polish, &dl_stage_encoder, NULL};

static const dl_stage *const ksvd[] = {&dl_stage_ksvd, NULL};

const dl_stage *const *dl_method_stages(const dltf_train_options *options) {
    if (options->method == DLTF_METHOD_KSVD)
        return ksvd;
    return options->encoder == DLTF_ENCODER_TIED ? tied : untied;
}

#define LIST_STAGE(name) &dl_stage_##name,

const dl_stage *dl_stage_find(const char *name) {
    static const dl_stage *const all[] = {DL_STAGES(LIST_STAGE)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    return NULL;
}
