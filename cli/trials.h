/* Trials: short training runs on part of the data, and what their codes explain of held-out samples. */
#ifndef CLI_TRIALS_H
#define CLI_TRIALS_H

#include "program/program.h"

/* The samples of all trials, in an order in which every beginning is spread evenly over the data. The first
 * `held_out` of them are never trained on. */
typedef struct trial_data {
    float *rows;
    int64_t N, n, held_out;
    double variance; /* sum of ||x - mean||^2 over the samples held out */
    int64_t seed, threads;
    int64_t bad_row, bad_column; /* of the data: a value that is not finite in single precision */
} trial_data;

/* What trials vary. */
typedef struct setting {
    bool center, remove_mean, unit_norm;
    int64_t m, k;
    dltf_select select;
    dltf_encoder_kind encoder;
} setting;

typedef struct trial {
    setting with;
    int64_t samples;                     /* seen in training: those of several epochs count several times */
    double unexplained, raw_unexplained; /* sum ||x - xhat||^2 / sum ||x - mean||^2 of the samples held out,
                                          * after refit and by raw codes: comparable between kinds of
                                          * preprocessing. What preprocessing took from a sample, its mean
                                          * and norm, is given back. Infinite if training was not possible. */
    double entries;                      /* per code */
    double unused_share;                 /* of the atoms, in codes of the samples held out */
    double train_seconds, code_seconds;  /* CPU time: of training, of coding a sample */
} trial;

/* CPU time of all threads of the process so far. */
double cpu_seconds(void);

/* At most `most` rows. most_k: the largest k of all trials, which determines how many samples are held out.
 * Returns DLTF_MEMORY, DLTF_DATA if a value is not finite, or DLTF_OK. */
dltf_status trial_data_new(dltf_matrix X, int64_t most, int64_t most_k, trial_data *data);
void trial_data_free(trial_data *data);

/* Trains with t->samples and measures. Returns DLTF_CANCELLED if `progress` cancelled. */
dltf_status trial_run(const trial_data *data, trial *t, dltf_progress_fn progress, void *context);

/* Expected CPU time, in units that are about the same for all trials: of training, and with measuring. */
double trial_train_work(const trial_data *data, const setting *with, int64_t samples);
double trial_work(const trial_data *data, const trial *t);

#endif
