/* Trials: short training runs on part of the data, and what their codes explain of held-out samples. */
#ifndef DL_SUGGEST_TRIAL_H
#define DL_SUGGEST_TRIAL_H

#include "dltf/encode.h"
#include "dltf/learn.h"

/* The samples of all trials, in an order in which every beginning is spread evenly over the data. The first
 * `held_out` of them are never trained on. */
typedef struct dl_trial_data {
    float *rows;
    int64_t N, n, held_out;
    double variance; /* sum of ||x - mean||^2 over the samples held out */
    int64_t seed, threads;
} dl_trial_data;

/* What trials vary. */
typedef struct dl_setting {
    bool center, remove_mean, unit_norm;
    int64_t m, k;
    dltf_select select;
    dltf_encoder_kind encoder;
} dl_setting;

typedef struct dl_trial {
    dl_setting with;
    int64_t samples;                     /* seen in training: those of several epochs count several times */
    double unexplained, raw_unexplained; /* sum ||x - xhat||^2 / sum ||x - mean||^2 of the samples held out,
                                          * after refit and by raw codes: comparable between kinds of
                                          * preprocessing. What preprocessing took from a sample, its mean
                                          * and norm, is given back. Infinite if training was not possible. */
    double entries;                      /* per code */
    double unused_share;                 /* of the atoms, in codes of the samples held out */
    double train_seconds, code_seconds;  /* CPU time: of training, of coding a sample */
} dl_trial;

/* At most `most` rows. most_k: the largest k of all trials, which determines how many samples are held out.
 * Free `data` also after a failure. */
dltf_status dl_trial_data_new(dltf_matrix X, int64_t most, int64_t most_k, dl_trial_data *data);
/* Frees the samples; the sizes remain. */
void dl_trial_data_release(dl_trial_data *data);

/* Trains with t->samples and measures. Returns DLTF_CANCELLED if `progress` cancelled. */
dltf_status dl_trial_run(const dl_trial_data *data, dl_trial *t, dltf_progress_fn progress, void *context);

/* Expected CPU time, in units that are about the same for all trials: of training, and with measuring. */
double dl_trial_train_work(const dl_trial_data *data, const dl_setting *with, int64_t samples);
double dl_trial_work(const dl_trial_data *data, const dl_trial *t);

#endif
