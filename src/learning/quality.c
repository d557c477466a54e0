/* Errors of the model that a training has reached, on samples that no stage learns from. */
#include "base/integer.h"
#include "base/memory.h"
#include "base/sized.h"
#include "data/matrix.h"
#include "data/model.h"
#include "dltf/encode.h"
#include "learning/learner.h"
#include "learning/learner_facts.h"
#include "learning/ranks/measure.h"

#include <math.h>

enum { MOST_TRAINING_SAMPLES = 2000 }; /* that stand in for samples held out */

int64_t dl_learner_check_count(const dltf_learner *l) {
    return l->holdout.held_out > 0 ? l->holdout.held_out : dl_min(l->N, MOST_TRAINING_SAMPLES);
}

int64_t dl_learner_quality_row(const dltf_learner *l, int64_t i) {
    if (!l)
        return 0;
    if (l->holdout.held_out > 0)
        return dl_holdout_row(&l->holdout, i);
    return (int64_t)((double)i * (double)l->N / (double)dl_learner_check_count(l));
}

/* `count` of the samples to measure errors on, evenly spread. */
static dltf_status gather(const dltf_learner *l, int64_t count, double **rows) {
    *rows = DL_NEW(double, count * l->n);
    if (!*rows)
        return DLTF_MEMORY;
    for (int64_t i = 0; i < count; i++)
        dl_matrix_row(l->samples.X, dl_learner_quality_row(l, i * dl_learner_check_count(l) / count),
                      *rows + i * l->n);
    return dl_matrix_status(l->samples.X);
}

dltf_status dl_mean_share(const dl_samples *samples, double *share) {
    dltf_status status = DLTF_OK;
    dltf_matrix X = samples->X;
    double *row = NULL, *sum = NULL, energy = 0, of_mean = 0;
    float *x = NULL;
    DL_TRY_NEW(row, X.cols);
    DL_TRY_NEW(sum, X.cols);
    DL_TRY_NEW(x, X.cols);
    for (int64_t i = 0; i < X.rows; i++) {
        dl_samples_row(samples, i, row, x);
        for (int64_t j = 0; j < X.cols; j++) {
            sum[j] += row[j];
            energy += row[j] * row[j];
        }
    }
    for (int64_t j = 0; j < X.cols; j++)
        of_mean += sum[j] * sum[j];
    *share = energy > 0 ? of_mean / (double)X.rows / energy : 0;
done:
    dl_free(row);
    dl_free(sum);
    dl_free(x);
    return status;
}

static dltf_status measure_codes(const dltf_model *model, dltf_matrix X, const dltf_codes *codes, int threads,
                                 double *error, double *explained) {
    dltf_reconstruction found;
    dltf_status status = dltf_reconstruction_measure(model, X, codes, threads, &found);
    if (status == DLTF_OK) {
        *error = found.relative_error;
        *explained = found.explained_variance;
    }
    return status;
}

dltf_status dl_model_quality(const dltf_model *model, dltf_matrix X, int threads, dltf_quality *quality) {
    dltf_status status = DLTF_OK;
    dltf_codes *codes = NULL, *refitted = NULL;
    int64_t unused = 0;
    dltf_encode_options encoding = dltf_encode_options_default();
    encoding.threads = threads;
    DL_TRY(dltf_encode(model, X, &encoding, NULL, NULL, &codes));
    DL_TRY(measure_codes(model, X, codes, threads, &quality->raw_error, &quality->raw_explained));
    quality->entries = (double)dltf_codes_csr(codes).indptr[X.rows] / (double)X.rows;
    DL_TRY(dltf_codes_unused(codes, &unused));
    quality->unused_share = (double)unused / (double)dltf_model_get(model).m;
    dl_samples samples = dl_model_samples(model, X);
    DL_TRY(dl_mean_share(&samples, &quality->mean_share));
    DL_TRY(dltf_refit(model, X, codes, threads, &refitted));
    DL_TRY(measure_codes(model, X, refitted, threads, &quality->refit_error, &quality->refit_explained));
done:
    dltf_codes_free(codes);
    dltf_codes_free(refitted);
    return status;
}

static dltf_status measure_omp(const dltf_learner *l, const dltf_model *model, dltf_matrix X,
                               dltf_quality *quality) {
    dltf_codes *codes = NULL;
    dltf_encode_options encoding = dltf_encode_options_default();
    encoding.threads = l->threads;
    encoding.coder = DLTF_CODER_OMP;
    dltf_status status = dltf_encode(model, X, &encoding, NULL, NULL, &codes);
    if (status == DLTF_OK)
        status = measure_codes(model, X, codes, l->threads, &quality->omp_error, &quality->omp_explained);
    dltf_codes_free(codes);
    return status;
}

static dltf_status measure(const dltf_learner *l, const dltf_model *model, int64_t count, bool omp,
                           dltf_quality *quality) {
    dltf_status status = DLTF_OK;
    dltf_model *made = NULL;
    double *rows = NULL;
    *quality = (dltf_quality){
        .samples = count, .held_out = l->holdout.held_out > 0, .omp_error = NAN, .omp_explained = NAN};
    DL_TRY(gather(l, count, &rows));
    dltf_matrix X = dltf_matrix_f64(rows, count, l->n);
    if (dl_learner_shares_atoms(l)) {
        status = dl_shared_quality(l, X, quality);
        goto done;
    }
    if (!model)
        DL_TRY(dltf_learner_model(l, &made));
    model = model ? model : made;
    DL_TRY(dl_model_quality(model, X, l->threads, quality));
    if (omp)
        DL_TRY(measure_omp(l, model, X, quality));
done:
    dltf_model_free(made);
    dl_free(rows);
    return status;
}

dltf_status dltf_learner_quality_sized(const dltf_learner *learner, const dltf_model *model,
                                       dltf_quality *quality, size_t size) {
    DL_REQUIRE(learner, quality);
    dltf_quality own;
    dltf_status status = measure(learner, model, dl_learner_check_count(learner),
                                 learner->options.method != DLTF_METHOD_DLTF, &own);
    if (status == DLTF_OK)
        DL_WRITE_STRUCT(dltf_quality, quality, size, &own);
    return status;
}

/* Measurements of the history are to take a few percent of the training: on so few samples, the same ones
 * throughout, that the least squares take a fraction of a second, and not often if a model, which has to be
 * made for each, takes as long as the iterations between them. */
static int64_t history_samples(const dltf_learner *l) {
    const double flops = 2e8, share = 0.002;
    const int64_t least = 50, most = 500;
    double sample = (double)l->k * (double)l->k * (double)l->n;
    double count = fmin(flops / sample, share * (double)dl_learner_work(l));
    return dl_min(dl_learner_check_count(l), dl_integer(count, least, most));
}

int64_t dl_learner_measurements(const dltf_learner *l) {
    const double share = 0.02, of_model = 500,
                 most = 10; /* of_model: samples that could be coded meanwhile */
    double cost = (double)history_samples(l) + of_model;
    return dl_integer(share * (double)dl_learner_work(l) / cost, 1, (int64_t)most);
}

dltf_status dl_learner_monitor(const dltf_learner *l, dltf_iteration *record) {
    dltf_quality quality;
    dltf_status status = measure(l, NULL, history_samples(l), false, &quality);
    if (status == DLTF_OK) {
        record->raw_error = quality.raw_error;
        record->refit_error = quality.refit_error;
        record->explained_variance = quality.raw_explained;
        record->refit_explained_variance = quality.refit_explained;
    }
    return status;
}
