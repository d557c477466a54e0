/* dltf/suggest.h: which options to train with, found by short trainings on a part of the data. */
#ifndef DLTF_SUGGEST_H
#define DLTF_SUGGEST_H

#include "dltf/learn.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dltf_suggest_options {
    size_t size;        /* of this struct: dltf_suggest_options_default sets it */
    const char *m, *k;  /* sizes to try, such as "128,256"; NULL: chosen from the data */
    dltf_select select; /* DLTF_SELECT_MODEL: try both others */
    bool unit_norm;     /* in all trials */
    double seconds;     /* budget: CPU time of the process during the call */
    int64_t samples;    /* to use at most */
    int64_t seed, threads;
} dltf_suggest_options;

DLTF_API void dltf_suggest_options_init(dltf_suggest_options *options, size_t size);
static inline dltf_suggest_options dltf_suggest_options_default(void) {
    dltf_suggest_options options;
    dltf_suggest_options_init(&options, sizeof options);
    return options;
}

/* All trials, and the one that was chosen. dltf_bind_get gives them. */
typedef struct dltf_suggestion dltf_suggestion;

/* Tries combinations of preprocessing, m, k and selection on few samples, the better ones on more, and at the
 * end encoder best. A costlier setting must explain more of held-out samples. No trial is begun that is not
 * expected to fit the budget; if it suffices for all, the suggestion depends on X, seed and options only. */
DLTF_API dltf_status dltf_suggest(dltf_matrix X, const dltf_suggest_options *options,
                                  dltf_progress_fn progress, void *context, dltf_suggestion **suggestion);

/* The suggestion: options for dltf_train, with the seed and threads of the search. If no trial ended within
 * the budget, they rest on no measurement. */
DLTF_API void dltf_suggestion_options_sized(const dltf_suggestion *suggestion, dltf_train_options *found,
                                            size_t size);
static inline dltf_train_options dltf_suggestion_options(const dltf_suggestion *suggestion) {
    dltf_train_options found;
    dltf_suggestion_options_sized(suggestion, &found, sizeof found);
    return found;
}
DLTF_API void dltf_suggestion_free(dltf_suggestion *suggestion);

#ifdef __cplusplus
}
#endif

#endif
