/* How often the a-posteriori certificate proves a support, on the paper's synthetic problem with the true
 * dictionary: for the true supports, those of the thresholded feature, and wrong ones (one atom exchanged),
 * which must never be proven. Not in the paper. */
#include "experiments/recovery.h"
#include "experiments/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double QUANTILE = 0.99;
enum { SAMPLES_QUICK = 200 };

static const char *const methods[] = {"true", "feature", "exchanged", NULL};
static const char *const metrics[] = {"proven", "correct", "wrong_proofs", "fits", "seconds", NULL};
enum { PROVEN, CORRECT, WRONG_PROOFS, FITS, SECONDS };

enum { NOISES = 3, KS = 5 };
static const double noises[NOISES] = {0.01, 0.03, 0.1};
static const int ks[KS] = {4, 6, 8, 10, 12};

static double noise_of(int setting) {
    return noises[setting / KS];
}

static int k_of(int setting) {
    return ks[setting % KS];
}

static bool in_quick(int setting) {
    return k_of(setting) == 4 || k_of(setting) == 8;
}

static void describe(bool quick, int setting, json_t *row) {
    (void)quick;
    json_object_set_new(row, "noise", json_real(noise_of(setting)));
    json_object_set_new(row, "k", json_integer(k_of(setting)));
}

static dltf_synthetic_options problem_spec(bool quick, int setting, int64_t seed) {
    dltf_synthetic_options spec = recovery_problem(quick, k_of(setting), seed);
    spec.noise = noise_of(setting);
    spec.samples = quick ? SAMPLES_QUICK : spec.samples;
    return spec;
}

static void protocol(bool quick, json_t *object) {
    dltf_synthetic_options spec = problem_spec(quick, 0, 0);
    json_object_set_new(object, "n", json_integer(spec.n));
    json_object_set_new(object, "m", json_integer(spec.m));
    json_object_set_new(object, "samples", json_integer(spec.samples));
    json_object_set_new(object, "dictionary", json_string("the true one"));
    json_object_set_new(object, "codes", json_string("k ones at random positions"));
    json_object_set_new(object, "noise_bound", json_string("the quantile of sigma chi_n"));
    json_object_set_new(object, "quantile", json_real(QUANTILE));
    json_object_set_new(object, "proven",
                        json_string("share of the correct supports; wrong_proofs: share of the others"));
}

/* The true codes with one atom of each replaced by a neighbouring index outside the support. */
static dltf_status exchange(dltf_csr truth, dltf_codes **codes) {
    int64_t entries = truth.indptr[truth.rows];
    int32_t *indices = malloc((size_t)entries * sizeof *indices);
    if (!indices)
        return DLTF_MEMORY;
    memcpy(indices, truth.indices, (size_t)entries * sizeof *indices);
    for (int64_t i = 0; i < truth.rows; i++) {
        int64_t first = truth.indptr[i], last = truth.indptr[i + 1] - 1, s = last;
        if (indices[last] + 1 < truth.cols)
            indices[last]++;
        else { /* search down from the end for the first gap */
            while (s > first && indices[s - 1] == indices[s] - 1)
                s--;
            indices[s]--;
        }
    }
    truth.indices = indices;
    dltf_status status = dltf_codes_new(truth, codes);
    free(indices);
    return status;
}

static void summarise(const uint8_t *flags, int64_t samples, double *values) {
    double proven = 0, correct = 0, wrong = 0, fits = 0, all = (double)samples;
    for (int64_t i = 0; i < samples; i++) {
        const uint8_t *f = flags + i * DLTF_FLAG_COUNT;
        proven += f[DLTF_FLAG_PROVEN] && f[DLTF_FLAG_CANDIDATE];
        wrong += f[DLTF_FLAG_PROVEN] && !f[DLTF_FLAG_CANDIDATE];
        correct += f[DLTF_FLAG_CANDIDATE];
        fits += f[DLTF_FLAG_FITS];
    }
    values[PROVEN] = correct > 0 ? proven / correct : NAN;
    values[CORRECT] = correct / all;
    values[WRONG_PROOFS] = correct < all ? wrong / (all - correct) : NAN;
    values[FITS] = fits / all;
}

static dltf_status certify(const experiment_cell *cell, const dltf_synthetic *problem,
                           const dltf_codes *candidates, double *values) {
    dltf_certify_options options = dltf_certify_options_default();
    options.k = k_of(cell->setting);
    options.threads = cell->request->threads;
    dltf_matrix X = dltf_synthetic_samples(problem, true);
    dltf_model *model = NULL;
    uint8_t *flags = malloc((size_t)X.rows * DLTF_FLAG_COUNT);
    dltf_status status = flags ? DLTF_OK : DLTF_MEMORY;
    if (status == DLTF_OK)
        status = support_tied_model(dltf_synthetic_dictionary(problem), options.k, &model);
    if (status == DLTF_OK)
        status = dltf_noise_bound(X.cols, noise_of(cell->setting), QUANTILE, &options.noise);
    double begin = dl_seconds();
    if (status == DLTF_OK)
        status = dltf_samples_certify(model, X, dltf_synthetic_codes(problem, true), candidates, &options,
                                      cell->progress, cell->context, flags);
    if (status == DLTF_OK)
        summarise(flags, X.rows, values);
    values[SECONDS] = dl_seconds() - begin;
    free(flags);
    dltf_model_free(model);
    return status;
}

static dltf_status measure(const experiment_cell *cell, double *values) {
    dltf_synthetic_options spec = problem_spec(cell->request->quick, cell->setting, cell->seed);
    dltf_synthetic *problem = NULL;
    dltf_codes *wrong = NULL;
    dltf_status status = dltf_synthetic_new(&spec, NULL, NULL, &problem);
    if (status == DLTF_OK && strcmp(cell->method, "exchanged") == 0)
        status = exchange(dltf_codes_csr(dltf_synthetic_codes(problem, true)), &wrong);
    if (status == DLTF_OK) {
        const dltf_codes *truth = dltf_synthetic_codes(problem, true);
        const dltf_codes *candidates = wrong ? wrong : strcmp(cell->method, "true") == 0 ? truth : NULL;
        status = certify(cell, problem, candidates, values);
    }
    dltf_codes_free(wrong);
    dltf_synthetic_free(problem);
    return status;
}

const experiment experiment_certificates = {
    .name = "certificates",
    .summary = "share of supports proven from a sample and a noise bound",
    .details = "Not in the paper.",
    .methods = methods,
    .metrics = metrics,
    .larger_is_better = true,
    .settings = NOISES * KS,
    .in_quick = in_quick,
    .describe = describe,
    .protocol = protocol,
    .measure = measure,
};
