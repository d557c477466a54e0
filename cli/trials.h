/* Trials: short training runs on part of the data, and their errors on held-out samples. */
#ifndef CLI_TRIALS_H
#define CLI_TRIALS_H

#include "dltf.h"

/* The samples of all trials: rows of the data, evenly spread. */
typedef struct trial_data {
    float *rows;
    double *mean; /* of the columns */
    int64_t N, n;
    int64_t seed, threads;
    int64_t bad_row, bad_column; /* of the data: a value that is not finite in single precision */
} trial_data;

typedef struct trial {
    bool center, remove_mean;
    int64_t m, k;
    dltf_encoder_kind encoder;
    double seconds_limit; /* of the learned encoder; 0: none */

    bool done;
    int64_t samples;               /* held out */
    double raw_error, refit_error; /* of the codes, as dltf train reports them: relative to the samples as
                                    * preprocessed */
    double variance_error; /* after refit, relative to the variance of the samples: comparable between kinds
                            * of preprocessing */
    double unused_share;
    double train_seconds, code_microseconds; /* of the trial; of a sample, one thread or more */
} trial;

/* At most `most` rows. Returns DLTF_MEMORY, DLTF_DATA if a value is not finite, or DLTF_OK. */
dltf_status trial_data_new(dltf_matrix X, int64_t most, trial_data *data);
void trial_data_free(trial_data *data);

/* Trains and measures. Returns DLTF_CANCELLED if `progress` cancelled. */
dltf_status trial_run(const trial_data *data, trial *t, dltf_progress_fn progress, void *context);

/* Time of a trial relative to others, before any was run. */
double trial_weight(const trial *t, int64_t n);

#endif
