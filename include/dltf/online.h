/* dltf/online.h: learning a dictionary from a stream of samples, in one pass and with bounded memory. */
#ifndef DLTF_ONLINE_H
#define DLTF_ONLINE_H

#include "dltf/learn.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Learns dictionary and encoder (DLTF_ENCODER_LEARNED) from samples that arrive in pieces and are not kept.
 * The model does not depend on how the samples are divided into pieces. */
typedef struct dltf_online dltf_online;

/* For samples of n entries. Of the options, m, k, seed, threads, select, init, center, remove_mean,
 * unit_norm, validation and memory are used; epochs, seconds and tolerance, and options of other encoders and
 * methods, must have their defaults. `validation` is the share of the stream that is held out; 0: a
 * twentieth. The mean that `center` subtracts, and whether auto does, come from the first samples
 * (dltf_online_first). `start` as in dltf_learner_new. */
DLTF_API dltf_status dltf_online_new(int64_t n, const dltf_model *start, const dltf_train_options *options,
                                     dltf_online **online);
/* The next samples, any number of them. After a failure because of a sample, those before it have been
 * added. */
DLTF_API dltf_status dltf_online_add(dltf_online *online, dltf_matrix X);

typedef struct dltf_online_view {
    int64_t samples;  /* added so far, */
    int64_t held_out; /* so many of them held out */
    int64_t steps;    /* of gradient descent */
    double error; /* relative error of recent held-out samples, as of the last step; NaN before the first */
} dltf_online_view;

DLTF_API void dltf_online_get_sized(const dltf_online *online, dltf_online_view *found, size_t size);
static inline dltf_online_view dltf_online_get(const dltf_online *online) {
    dltf_online_view found;
    dltf_online_get_sized(online, &found, sizeof found);
    return found;
}

/* The options in use, with m, k and encoder filled in. */
DLTF_API void dltf_online_options_sized(const dltf_online *online, dltf_train_options *found, size_t size);
static inline dltf_train_options dltf_online_options(const dltf_online *online) {
    dltf_train_options found;
    dltf_online_options_sized(online, &found, sizeof found);
    return found;
}

/* Learning begins after this many samples, and continues after every further so many. */
DLTF_API int64_t dltf_online_first(const dltf_online *online);

/* The model of all samples added so far. Does not change the learner, which may continue. */
DLTF_API dltf_status dltf_online_model(const dltf_online *online, dltf_model **model);
/* Errors of that model on the newest held-out samples, at most 2,000. */
DLTF_API dltf_status dltf_online_quality_sized(const dltf_online *online, const dltf_model *model,
                                               dltf_quality *quality, size_t size);
static inline dltf_status dltf_online_quality(const dltf_online *online, const dltf_model *model,
                                              dltf_quality *quality) {
    return dltf_online_quality_sized(online, model, quality, sizeof *quality);
}

/* The complete state, as a checkpoint: continuing it gives the same bytes as without the interruption. */
DLTF_API dltf_status dltf_online_save(const dltf_online *online, const char *path);
DLTF_API dltf_status dltf_online_resume(const char *path, int64_t threads, dltf_online **online);
/* The same in memory: the bytes of the file. dltf_bytes_free frees them. */
DLTF_API dltf_status dltf_online_write(const dltf_online *online, uint8_t **bytes, int64_t *size);
DLTF_API dltf_status dltf_online_read(const void *bytes, int64_t size, int64_t threads, dltf_online **online);
DLTF_API void dltf_online_free(dltf_online *online);

#ifdef __cplusplus
}
#endif

#endif
