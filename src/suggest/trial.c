/* One trial: a training on some samples, and its codes of samples held out. */
#include "suggest/trial.h"

#include "base/clock.h"
#include "base/memory.h"
#include "data/matrix.h"

#include <math.h>

/* Samples that training itself holds out to follow its error. By default there are up to 2,000, whose coding
 * takes longer than a short training. */
enum { OBSERVED = 100 };

/* ---- Samples ---- */

static int64_t common_divisor(int64_t a, int64_t b) {
    return b == 0 ? a : common_divisor(b, a % b);
}

/* Multiples of it, modulo N, visit all numbers below N, and the first of them are spread evenly. */
static int64_t golden_stride(int64_t N) {
    int64_t stride = (int64_t)(0.6180339887 * (double)N);
    while (common_divisor(N, stride) != 1)
        stride++;
    return stride;
}

/* A fifth of the samples, at most 1,000, and fewer if their least-squares values take long. */
static int64_t held_out(int64_t N, int64_t n, int64_t most_k) {
    const double flops = 2e9;
    double affordable = flops / ((double)most_k * (double)most_k * (double)n);
    return (int64_t)fmin((double)N / 5, fmin(fmax(affordable, 100), 1000));
}

static void measure_variance(dl_trial_data *data) {
    for (int64_t j = 0; j < data->n; j++) {
        double sum = 0, squares = 0;
        for (int64_t i = 0; i < data->held_out; i++)
            sum += (double)data->rows[i * data->n + j];
        for (int64_t i = 0; i < data->held_out; i++)
            squares += pow((double)data->rows[i * data->n + j] - sum / (double)data->held_out, 2);
        data->variance += squares;
    }
}

dltf_status dl_trial_data_new(dltf_matrix X, int64_t most, int64_t most_k, dl_trial_data *data) {
    int64_t N = X.rows < most ? X.rows : most, n = X.cols, stride = golden_stride(N);
    *data = (dl_trial_data){.N = N, .n = n, .held_out = held_out(N, n, most_k)};
    data->rows = DL_NEW(float, N *n);
    if (!data->rows)
        return DLTF_MEMORY;
    for (int64_t i = 0; i < N; i++) {
        float *row = data->rows + i * n;
        int64_t from = (int64_t)((double)(i * stride % N) * (double)X.rows / (double)N);
        dltf_matrix_row(X, from, row);
        for (int64_t j = 0; j < n; j++)
            if (!isfinite(row[j]))
                return dl_fail_about(
                    DLTF_DATA, DLTF_SUBJECT_DATA,
                    "row %lld, column %lld is not a finite number in single precision (counting from 0): "
                    "replace it, or rescale the data",
                    (long long)from, (long long)j);
    }
    measure_variance(data);
    return DLTF_OK;
}

void dl_trial_data_release(dl_trial_data *data) {
    dl_free(data->rows);
    data->rows = NULL;
}

/* ---- Cost ---- */

double dl_trial_train_work(const dl_trial_data *data, const dl_setting *with, int64_t samples) {
    /* in samples: starting and following a training; the stages before encoder best */
    const double overhead = 1e4, distilling = 1.5e6;
    double seen = (double)samples + overhead + (with->encoder == DLTF_ENCODER_BEST ? distilling : 0);
    return seen * (double)(with->m + 64) * (double)(data->n + 16);
}

double dl_trial_work(const dl_trial_data *data, const dl_trial *t) {
    double sample = (double)(t->with.m + 2 * t->with.k * t->with.k) * (double)data->n;
    return dl_trial_train_work(data, &t->with, t->samples) + (double)data->held_out * sample;
}

/* ---- Training ---- */

static dltf_status train(const dl_trial_data *data, dl_trial *t, dltf_progress_fn progress, void *context,
                         dltf_model **model) {
    int64_t rows = data->N - data->held_out < t->samples ? data->N - data->held_out : t->samples;
    dltf_train_options options = dltf_train_options_default();
    options.m = t->with.m;
    options.k = t->with.k;
    options.center = t->with.center ? DLTF_YES : DLTF_NO;
    options.remove_mean = t->with.remove_mean;
    options.unit_norm = t->with.unit_norm;
    options.select = t->with.select;
    options.encoder = t->with.encoder;
    options.seed = data->seed;
    options.threads = data->threads;
    options.epochs = (double)t->samples / (double)rows;
    options.validation = rows > 10 * OBSERVED ? (double)OBSERVED / (double)rows : 0;
    dltf_matrix X = dltf_matrix_f32(data->rows + data->held_out * data->n, rows, data->n);
    dltf_learner *learner = NULL;
    dltf_outcome outcome = DLTF_CONVERGED;
    dltf_status status = dltf_learner_new(X, NULL, &options, &learner);
    if (status == DLTF_OK)
        status = dltf_learner_run(learner, progress, context, &outcome);
    if (status == DLTF_OK && outcome == DLTF_INTERRUPTED)
        status = DLTF_CANCELLED;
    if (status == DLTF_OK)
        status = dltf_learner_model(learner, model);
    dltf_learner_free(learner);
    return status;
}

/* ---- Measuring ---- */

/* ||x - xhat||^2, where xhat is what dltf_decode returns plus what it lacks: the mean of the entries of the
 * sample; with unit_norm also its norm and the mean of all samples. */
static double residual(const dl_setting *s, const float *mean, const float *x, const float *decoded,
                       int64_t n) {
    double own_mean = 0, norm = 0, sum = 0;
    bool lacks_mean = s->unit_norm && s->center;
    for (int64_t j = 0; j < n && s->remove_mean; j++)
        own_mean += (double)x[j] / (double)n;
    for (int64_t j = 0; j < n; j++)
        norm += pow((double)x[j] - own_mean - (lacks_mean ? (double)mean[j] : 0), 2);
    double scale = s->unit_norm ? sqrt(norm) : 1;
    for (int64_t j = 0; j < n; j++)
        sum +=
            pow((double)x[j] - own_mean - (lacks_mean ? (double)mean[j] : 0) - scale * (double)decoded[j], 2);
    return sum;
}

static dltf_status measure_unexplained(const dl_trial_data *data, const dl_setting *s,
                                       const dltf_model *model, const dltf_codes *codes, double *share) {
    float *decoded = DL_NEW(float, data->held_out * data->n);
    dltf_status status = decoded ? dltf_decode(model, codes, decoded) : DLTF_MEMORY;
    double sum = 0;
    for (int64_t i = 0; i < data->held_out && status == DLTF_OK; i++)
        sum +=
            residual(s, dltf_model_get(model).mean, data->rows + i * data->n, decoded + i * data->n, data->n);
    *share = data->variance > 0 ? sum / data->variance : sum > 0 ? INFINITY : 0;
    dl_free(decoded);
    return status;
}

static dltf_status count_entries(const dltf_codes *codes, dl_trial *t) {
    dltf_csr Z = dltf_codes_csr(codes);
    int64_t unused = 0;
    dltf_status status = dltf_codes_unused(codes, &unused);
    t->entries = (double)Z.indptr[Z.rows] / (double)Z.rows;
    t->unused_share = (double)unused / (double)Z.cols;
    return status;
}

static dltf_status measure(const dl_trial_data *data, const dltf_model *model, dl_trial *t,
                           dltf_progress_fn progress, void *context) {
    dltf_matrix X = dltf_matrix_f32(data->rows, data->held_out, data->n);
    dltf_codes *codes = NULL, *refitted = NULL;
    dltf_encode_options encoding = dltf_encode_options_default();
    encoding.threads = data->threads;
    double begin = dl_cpu_seconds();
    dltf_status status = dltf_encode(model, X, &encoding, progress, context, &codes);
    t->code_seconds = (dl_cpu_seconds() - begin) / (double)data->held_out;
    if (status == DLTF_OK)
        status = count_entries(codes, t);
    if (status == DLTF_OK)
        status = measure_unexplained(data, &t->with, model, codes, &t->raw_unexplained);
    if (status == DLTF_OK)
        status = dltf_refit(model, X, codes, data->threads, &refitted);
    if (status == DLTF_OK)
        status = measure_unexplained(data, &t->with, model, refitted, &t->unexplained);
    dltf_codes_free(codes);
    dltf_codes_free(refitted);
    return status;
}

dltf_status dl_trial_run(const dl_trial_data *data, dl_trial *t, dltf_progress_fn progress, void *context) {
    dltf_model *model = NULL;
    double begin = dl_cpu_seconds();
    t->unexplained = t->raw_unexplained = INFINITY;
    dltf_status status = train(data, t, progress, context, &model);
    t->train_seconds = dl_cpu_seconds() - begin;
    if (status == DLTF_OK)
        status = measure(data, model, t, progress, context);
    dltf_model_free(model);
    return status;
}
