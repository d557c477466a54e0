/* The methods of learning: which stages run, in which order. A stage without iterations is skipped. */
#include "learning/stage.h"

#include <string.h>

/* Scores come from the dictionary itself, which is adapted to that use. */
#define TIED(STAGE)                                                                                          \
    STAGE(minibatch) /* least-squares dictionary of dual codes, batch by batch */                            \
    STAGE(tied)      /* the paper's model without Q, towards a tight frame */                                \
    STAGE(admm)      /* the paper's model, all four steps */                                                 \
    STAGE(spread)    /* towards a smaller coherence */

/* The dictionary that fits the data best, and an encoder made for it. */
#define UNTIED(STAGE)                                                                                        \
    STAGE(minibatch)                                                                                         \
    STAGE(polish)   /* least-squares dictionary of multi-pass codes */                                       \
    STAGE(encoder)  /* tight, dual or distilled */                                                           \
    STAGE(finetune) /* of the distilled encoder, by gradients */

/* The same with a distilled encoder, then gradients from there: the better of both is kept. */
#define BEST(STAGE)                                                                                          \
    STAGE(minibatch)                                                                                         \
    STAGE(polish)                                                                                            \
    STAGE(encoder)                                                                                           \
    STAGE(finetune)                                                                                          \
    STAGE(gradient)

#define KSVD(STAGE) STAGE(ksvd)

/* K-SVD from a start that is close: from samples it ends in poor minima where k is large. */
#define OMP(STAGE)                                                                                           \
    STAGE(minibatch)                                                                                         \
    STAGE(ksvd)

/* Dictionary and encoder together, by gradients. */
#define LEARNED(STAGE) STAGE(gradient)

#define DECLARE(name) extern const dl_stage dl_stage_##name;
#define ADDRESS(name) &dl_stage_##name,

TIED(DECLARE)
UNTIED(DECLARE)
BEST(DECLARE)
KSVD(DECLARE)
LEARNED(DECLARE)

static const dl_stage *const tied[] = {TIED(ADDRESS) NULL};
static const dl_stage *const untied[] = {UNTIED(ADDRESS) NULL};
static const dl_stage *const best[] = {BEST(ADDRESS) NULL};
static const dl_stage *const ksvd[] = {KSVD(ADDRESS) NULL};
static const dl_stage *const omp[] = {OMP(ADDRESS) NULL};
static const dl_stage *const learned[] = {LEARNED(ADDRESS) NULL};

const dl_stage *const *dl_method_stages(const dltf_train_options *options) {
    if (options->method == DLTF_METHOD_KSVD)
        return ksvd;
    if (options->method == DLTF_METHOD_OMP)
        return omp;
    switch (options->encoder) {
    case DLTF_ENCODER_TIED:
        return tied;
    case DLTF_ENCODER_LEARNED:
        return learned;
    case DLTF_ENCODER_BEST:
        return best;
    case DLTF_ENCODER_AUTO:
    case DLTF_ENCODER_TIGHT:
    case DLTF_ENCODER_DUAL:
    case DLTF_ENCODER_DISTILLED:
        break;
    }
    return untied;
}

const dl_stage *dl_stage_find(const char *name) {
    static const dl_stage *const all[] = {TIED(ADDRESS) UNTIED(ADDRESS) BEST(ADDRESS) KSVD(ADDRESS)
                                              LEARNED(ADDRESS)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    return NULL;
}
