/* One trial: a learner on the rows, its quality on held-out ones, the time of an encoder. */
#include "cli/trials.h"

#include <math.h>
#include <stdlib.h>

enum { SAMPLES_SEEN = 150000, CODING_ROUNDS = 3 };
static const double VALIDATION = 0.2;

dltf_status trial_data_new(dltf_matrix X, int64_t most, trial_data *data) {
    int64_t N = X.rows < most ? X.rows : most, n = X.cols;
    *data = (trial_data){.N = N, .n = n};
    data->rows = malloc((size_t)(N * n) * sizeof *data->rows);
    data->mean = calloc((size_t)n, sizeof *data->mean);
    if (!data->rows || !data->mean)
        return DLTF_MEMORY;
    for (int64_t i = 0; i < N; i++) {
        float *row = data->rows + i * n;
        int64_t from = (int64_t)((double)i * (double)X.rows / (double)N);
        dltf_matrix_row(X, from, row);
        for (int64_t j = 0; j < n; j++) {
            if (!isfinite(row[j])) {
                data->bad_row = from;
                data->bad_column = j;
                return DLTF_DATA;
            }
            data->mean[j] += (double)row[j] / (double)N;
        }
    }
    return DLTF_OK;
}

void trial_data_free(trial_data *data) {
    free(data->rows);
    free(data->mean);
    *data = (trial_data){.rows = NULL};
}

double trial_weight(const trial *t, int64_t n) {
    /* best trains a distilled encoder first, tied its own dictionary: several times the work */
    double factor = t->encoder == DLTF_ENCODER_LEARNED ? 1 : t->encoder == DLTF_ENCODER_BEST ? 3 : 2;
    return factor * (double)(t->m + 64) * (double)(n + 16);
}

/* Of a sample as preprocessed. Centering uses the mean of all rows here, training that of the training rows:
 * they hardly differ. */
static double energy(const trial_data *data, const float *x, bool center, bool remove_mean) {
    double own_mean = 0, sum = 0;
    for (int64_t j = 0; j < data->n && remove_mean; j++)
        own_mean += (x[j] - (center ? data->mean[j] : 0)) / (double)data->n;
    for (int64_t j = 0; j < data->n; j++) {
        double value = x[j] - (center ? data->mean[j] : 0) - own_mean;
        sum += value * value;
    }
    return sum;
}

/* The error in units that do not depend on preprocessing, which subtracts the same from a sample and from its
 * reconstruction and so leaves residuals unchanged. */
static void compare_to_variance(const trial_data *data, const dltf_learner *learner, trial *t) {
    double preprocessed = 0, variance = 0;
    for (int64_t i = 0; i < t->samples; i++) {
        const float *x = data->rows + dltf_learner_quality_row(learner, i) * data->n;
        preprocessed += energy(data, x, t->center, t->remove_mean);
        variance += energy(data, x, true, false);
    }
    t->variance_error = variance > 0 ? t->refit_error * preprocessed / variance : NAN;
}

/* Best of a few rounds over the first rows. */
static dltf_status time_coding(const trial_data *data, const dltf_learner *learner, trial *t) {
    int64_t rows = data->N < 1000 ? data->N : 1000;
    size_t entries = (size_t)(rows * t->k);
    int32_t *count = malloc((size_t)rows * sizeof *count), *index = malloc(entries * sizeof *index);
    float *value = malloc(entries * sizeof *value);
    dltf_model *model = NULL;
    dltf_encoder *encoder = NULL;
    dltf_encode_options encoding = dltf_encode_options_default();
    encoding.threads = data->threads;
    dltf_status status = count && index && value ? dltf_learner_model(learner, &model) : DLTF_MEMORY;
    if (status == DLTF_OK)
        status = dltf_encoder_new(model, &encoding, &encoder);
    t->code_microseconds = INFINITY;
    for (int round = 0; round < CODING_ROUNDS && status == DLTF_OK; round++) {
        double begin = dltf_seconds();
        status = dltf_encoder_run(encoder, dltf_matrix_f32(data->rows, rows, data->n), count, index, value);
        t->code_microseconds = fmin(t->code_microseconds, 1e6 * (dltf_seconds() - begin) / (double)rows);
    }
    dltf_encoder_free(encoder);
    dltf_model_free(model);
    free(count);
    free(index);
    free(value);
    return status;
}

static dltf_status measure(const trial_data *data, const dltf_learner *learner, trial *t) {
    dltf_quality quality;
    dltf_status status = dltf_learner_quality(learner, &quality);
    if (status != DLTF_OK)
        return status;
    t->samples = quality.samples;
    t->raw_error = quality.raw_error;
    t->refit_error = quality.refit_error;
    t->unused_share = quality.unused_share;
    compare_to_variance(data, learner, t);
    return time_coding(data, learner, t);
}

static dltf_train_options options_of(const trial_data *data, const trial *t) {
    dltf_train_options options = dltf_train_options_default();
    options.m = t->m;
    options.k = t->k;
    options.center = t->center ? DLTF_YES : DLTF_NO;
    options.remove_mean = t->remove_mean;
    options.encoder = t->encoder;
    options.seed = data->seed;
    options.threads = data->threads;
    options.validation = VALIDATION;
    if (t->encoder == DLTF_ENCODER_LEARNED || t->encoder == DLTF_ENCODER_BEST)
        options.epochs = fmax(1, SAMPLES_SEEN / (double)data->N);
    if (t->encoder == DLTF_ENCODER_LEARNED)
        options.seconds = t->seconds_limit;
    return options;
}

dltf_status trial_run(const trial_data *data, trial *t, dltf_progress_fn progress, void *context) {
    dltf_train_options options = options_of(data, t);
    dltf_learner *learner = NULL;
    dltf_outcome outcome = DLTF_CONVERGED;
    double begin = dltf_seconds();
    dltf_status status =
        dltf_learner_new(dltf_matrix_f32(data->rows, data->N, data->n), &options, NULL, &learner);
    if (status == DLTF_OK)
        status = dltf_learner_run(learner, progress, context, &outcome);
    t->train_seconds = dltf_seconds() - begin;
    if (status == DLTF_OK && outcome == DLTF_INTERRUPTED)
        status = DLTF_CANCELLED;
    if (status == DLTF_OK)
        status = measure(data, learner, t);
    t->done = status == DLTF_OK;
    dltf_learner_free(learner);
    return status;
}
