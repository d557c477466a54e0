/* A stage of training: one kind of iteration, with its own state.
 *
 * learner.c runs the stages of a method (methods.c) one after the other. A stage changes the dictionary of
 * the learner and keeps everything else behind its own pointer. To add one: a file stage_NAME.c that defines
 * the row dl_stage_NAME, and NAME in a list of methods.c. */
#ifndef DL_LEARNING_STAGE_H
#define DL_LEARNING_STAGE_H

#include "data/field.h"
#include "learning/history.h"

/* Work is counted in samples of stage `gradient`, so that the bar moves evenly from stage to stage. Weights
 * of the other stages are rounded means of measurements on patches, images and synthetic samples. The algebra
 * of an iteration that does not depend on the number of samples counts as so many samples. */
enum { DL_ALGEBRA_WORK = 1000 };

typedef struct dl_stage {
    const char *name;     /* in checkpoints, histories and messages: never change it */
    unsigned columns;     /* of the history: what it records, from enum dl_column */
    const char *diverged; /* remedy when values are not finite, for the message */
    const char *saving;   /* remedy when memory is short, for the message */
    bool needs_gram;      /* the m x m matrices of the learner */
    bool makes_encoder;   /* after its first iteration the learner has an untied encoder */
    bool whole;           /* an iteration changes stored state midway, and so cannot be cancelled there */
    bool by_atoms;        /* ranks can share the atoms: the stage needs only those of the rank, and all its
                             fields with m rows are those of atoms */
    bool holds_out;       /* some samples are held out from all stages, for this one to measure errors on */

    /* Iterations that the options ask for; 0: the stage is skipped. */
    int64_t (*length)(const dltf_learner *l);
    /* Rejects sizes that the stage does not support, before anything is allocated; NULL: supports all. */
    dltf_status (*admit)(const dltf_learner *l);
    /* Memory that `create` allocates. */
    double (*bytes)(const dltf_learner *l);
    /* Of one iteration. */
    int64_t (*work)(const dltf_learner *l);

    /* Called before the first iteration, or when a checkpoint is resumed. After a failure the learner calls
     * `free` on the partial state. */
    dltf_status (*create)(dltf_learner *l, void **state);
    /* Changes the dictionary and the state, fills in the record. DLTF_CANCELLED leaves both as they were, or
     * such that the iteration, called again, goes on there (`partway` of the learner). The same holds at
     * every poll (base/meter.h), unless `whole`. */
    dltf_status (*iterate)(dltf_learner *l, void *state, int64_t index, dltf_iteration *record);
    /* Whether the stage has converged, which it never has with tolerance 0, or is out of time; `before` is
     * the previous record, NULL after the first iteration. NULL: the stage always runs all its iterations. */
    bool (*converged)(const dltf_learner *l, const dltf_iteration *now, const dltf_iteration *before);
    /* How the stage has ended, called after its last iteration. NULL: converged, or all iterations done. */
    dltf_outcome (*outcome)(const dltf_learner *l);
    /* Samples that the steps have used, called after an iteration. NULL: not counted. */
    int64_t (*seen)(const dltf_learner *l);
    void (*free)(void *state);

    /* Tensors that a checkpoint stores; `restored` checks and completes what was read back. NULL: none. */
    int (*fields)(const dltf_learner *l, void *state, dl_field *fields);
    dltf_status (*restored)(const dltf_learner *l, void *state);
    /* Copies to the learner what iterations have changed while it is `ahead`; NULL: the learner is always up
     * to date, and no iteration can be resumed partway. */
    void (*publish)(const dltf_learner *l, void *state);
    /* The scratch file that some of them are in; NULL: none. */
    const dl_scratch *(*scratch)(const void *state);
    int divided_fields; /* at the end of the list: a row for every training sample, of which the memory has
                           those of this rank */
} dl_stage;

/* The stages of the method that complete options ask for, in order, NULL-terminated. */
const dl_stage *const *dl_method_stages(const dltf_train_options *options);

/* NULL if there is no stage of that name. */
const dl_stage *dl_stage_find(const char *name);

#endif
