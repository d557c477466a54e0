/* The paper's comparison of running times: the thresholded feature against orthogonal matching pursuit for
 * 10,000 samples at k = 8, and the coherence of the dictionaries. Both coders are prepared beforehand and run
 * alternately; the best of several rounds counts. */
#include "experiments/figures.h"
#include "experiments/recovery.h"
#include "experiments/support.h"
#include "report/bars.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { k = 8, ROUNDS = 15 };

static const char *const methods[] = {"original", "dltf", NULL};
static const char *const metrics[] = {"ratio", "threshold_ms", "omp_ms", "coherence", NULL};
enum { RATIO, THRESHOLD_MS, OMP_MS, COHERENCE };

static const double paper_ratio[] = {3.69 / 0.25};
static const experiment_paper paper[] = {{"dltf", 1, paper_ratio}, {NULL, 0, NULL}};

static void describe(bool quick, int setting, json_t *row) {
    (void)setting;
    json_object_set_new(row, "samples", json_integer(recovery_problem(quick, k, 0).samples));
    json_object_set_new(row, "k", json_integer(k));
}

static void protocol(bool quick, json_t *object) {
    dltf_synthetic_options spec = recovery_problem(quick, k, 0);
    json_object_set_new(object, "n", json_integer(spec.n));
    json_object_set_new(object, "m", json_integer(spec.m));
    json_object_set_new(object, "noise", json_real(spec.noise));
    json_object_set_new(object, "rounds", json_integer(ROUNDS));
    json_object_set_new(object, "ratio",
                        json_string("time of omp / time of the thresholded feature, best of the rounds; "
                                    "the paper: 3.69 s / 0.25 s"));
    json_object_set_new(object, "paper_coherence", json_string("original 0.49, dltf 0.56"));
}

static dltf_status make_model(const experiment_cell *cell, const dltf_synthetic *problem,
                              const dltf_synthetic_options *spec, dltf_model **model) {
    if (!recovery_is_learned(cell->method))
        return support_tied_model(dltf_synthetic_dictionary(problem), spec->k, model);
    dltf_train_options options = recovery_options(cell, spec);
    return dltf_train(dltf_synthetic_samples(problem, false), &options, cell->progress, cell->context, model);
}

/* Codes of a test set; discarded. */
typedef struct codes {
    int32_t *count, *index;
    float *value;
} codes;

static dltf_status time_run(dltf_encoder *encoder, dltf_matrix X, const codes *out, double *best) {
    double begin = dl_seconds();
    dltf_status status = dltf_encoder_run(encoder, X, out->count, out->index, out->value);
    *best = fmin(*best, 1e3 * (dl_seconds() - begin));
    return status;
}

static dltf_status time_coders(const dltf_model *model, dltf_matrix X, int64_t threads, double *values) {
    size_t rows = (size_t)X.rows;
    codes out = {malloc(rows * sizeof *out.count), malloc(rows * k * sizeof *out.index),
                 malloc(rows * k * sizeof *out.value)};
    dltf_encode_options encoding = dltf_encode_options_default();
    dltf_encoder *threshold = NULL, *omp = NULL;
    dltf_status status = out.count && out.index && out.value ? DLTF_OK : DLTF_MEMORY;
    encoding.threads = threads;
    if (status == DLTF_OK)
        status = dltf_encoder_new(model, &encoding, &threshold);
    encoding.coder = DLTF_CODER_OMP;
    if (status == DLTF_OK)
        status = dltf_encoder_new(model, &encoding, &omp);
    values[THRESHOLD_MS] = values[OMP_MS] = INFINITY;
    for (int round = 0; round < ROUNDS && status == DLTF_OK; round++) {
        status = time_run(threshold, X, &out, &values[THRESHOLD_MS]);
        if (status == DLTF_OK)
            status = time_run(omp, X, &out, &values[OMP_MS]);
    }
    values[RATIO] = values[OMP_MS] / values[THRESHOLD_MS];
    dltf_encoder_free(threshold);
    dltf_encoder_free(omp);
    free(out.count);
    free(out.index);
    free(out.value);
    return status;
}

static dltf_status measure(const experiment_cell *cell, double *values) {
    dltf_synthetic_options spec = recovery_problem(cell->request->quick, k, cell->seed);
    dltf_synthetic *problem = NULL;
    dltf_model *model = NULL;
    dltf_status status = dltf_synthetic_new(&spec, NULL, NULL, &problem);
    if (status == DLTF_OK)
        status = make_model(cell, problem, &spec, &model);
    if (status == DLTF_OK)
        status = time_coders(model, dltf_synthetic_samples(problem, true), cell->request->threads, values);
    if (status == DLTF_OK) {
        dltf_model_view view = dltf_model_get(model);
        status = dltf_coherence(dltf_matrix_f32(view.dictionary, view.m, view.n), &values[COHERENCE]);
    }
    dltf_model_free(model);
    dltf_synthetic_free(problem);
    return status;
}

/* ---- Figure ---- */

/* One bar for each method and coder. */
static dltf_status figure(const experiment_request *request, const json_t *rows, const char *folder) {
    static const struct {
        const char *metric, *coder;
    } coders[] = {{"threshold_ms", "thresholded feature"}, {"omp_ms", "OMP"}};
    enum { CODERS = sizeof coders / sizeof *coders, MOST_BARS = 8 };
    bar bars[MOST_BARS];
    int count = 0;
    for (size_t i = 0; i < json_array_size(rows); i++)
        for (int c = 0; c < CODERS && count < MOST_BARS; c++) {
            const json_t *row = json_array_get(rows, i);
            bar *next = &bars[count++];
            snprintf(next->name, sizeof next->name, "%s, %s", coders[c].coder,
                     json_string_value(json_object_get(row, "method")));
            next->value = json_number_value(json_object_get(row, coders[c].metric));
            next->colour = c;
        }
    char title[80];
    snprintf(title, sizeof title, "Time to code %lld samples at k = %d, by dictionary",
             (long long)recovery_problem(request->quick, k, 0).samples, k);
    char *text = bars_svg(title, "milliseconds", bars, count);
    return figures_save(text, folder, "timing.svg");
}

const experiment experiment_timing = {
    .name = "timing",
    .summary = "running time of the thresholded feature against OMP, and coherence",
    .methods = methods,
    .metrics = metrics,
    .larger_is_better = true,
    .settings = 1,
    .describe = describe,
    .protocol = protocol,
    .paper = paper,
    .measure = measure,
    .figure = figure,
};
