/* Learners side by side on images, their descriptors, patches and synthetic data: error of held-out samples
 * for dictionaries from half as many atoms as entries of a sample to eight times as many. Not in the paper.
 */
#include "experiments/experiment.h"
#include "experiments/learners_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIZES = 3, SPARSITIES = 2, KSVD_ITERATIONS = 20 };

/* With a larger product m k, K-SVD takes minutes and codes of omp tens of seconds. */
enum { MOST_MK = 30000 };
enum { MOST_FOR_BEST = 512 }; /* for more atoms the default is learned */

static const char *const methods[] = {"dltf", "learned", "ksvd", NULL};

enum { RAW, REFIT, OMP, UNUSED, SECONDS };
static const char *const metrics[] = {"raw_error", "refit_error", "omp_error", "unused", "cpu_seconds", NULL};

/* ---- Settings ---- */

static int set_of(int setting) {
    return setting / (SIZES * SPARSITIES);
}

static int64_t m_of(int setting) {
    int64_t n = learners_set_columns(set_of(setting));
    const int64_t all[SIZES] = {n / 2, 2 * n, 8 * n};
    return all[setting / SPARSITIES % SIZES];
}

static int64_t k_of(int setting) {
    int64_t n = learners_set_columns(set_of(setting));
    return setting % SPARSITIES == 0 ? n / 32 : n / 8;
}

static bool is_small(int setting) {
    return m_of(setting) * k_of(setting) <= MOST_MK;
}

/* Small samples, and not the largest of their dictionaries. */
static bool in_quick(int setting) {
    return learners_set_columns(set_of(setting)) == 64 && setting / SPARSITIES % SIZES < 2;
}

static void describe(bool quick, int setting, json_t *row) {
    (void)quick;
    json_object_set_new(row, "data", json_string(learners_set_name(set_of(setting))));
    json_object_set_new(row, "n", json_integer(learners_set_columns(set_of(setting))));
    json_object_set_new(row, "m", json_integer(m_of(setting)));
    json_object_set_new(row, "k", json_integer(k_of(setting)));
}

static void protocol(bool quick, json_t *object) {
    learners_data_protocol(quick, object);
    json_object_set_new(object, "raw_error",
                        json_string("sum ||x - Wz||^2 / sum ||x||^2 of held-out samples, z of one pass"));
    json_object_set_new(object, "refit_error",
                        json_string("the same with z by least squares on its support"));
    json_object_set_new(object, "omp_error", json_string("the same with codes of omp; for m k <= 30,000"));
    json_object_set_new(object, "unused", json_string("share of atoms in no code of a held-out sample"));
    json_object_set_new(object, "cpu_seconds", json_string("of training, summed over threads"));
    json_object_set_new(object, "dltf",
                        json_string("trained without options; the same as learned for m > 512"));
    json_object_set_new(object, "learned", json_string("--encoder learned with its default budget"));
    json_object_set_new(object, "ksvd", json_string("tied encoder; m k <= 30,000"));
    json_object_set_new(object, "ksvd_iterations", json_integer(KSVD_ITERATIONS));
}

static bool applies(const experiment_request *request, const char *method, int setting) {
    return learners_set_exists(set_of(setting), request->data) &&
           (strcmp(method, "learned") == 0 || is_small(setting)) &&
           (strcmp(method, "dltf") != 0 || m_of(setting) <= MOST_FOR_BEST);
}

static const char *notice(const experiment_request *request) {
    return learners_data_notice(request->data);
}

/* ---- One cell ---- */

static dltf_train_options options_of(const experiment_cell *cell) {
    dltf_train_options options = dltf_train_options_default();
    options.m = m_of(cell->setting);
    options.k = k_of(cell->setting);
    options.seed = cell->seed;
    options.threads = cell->request->threads;
    options.center = learners_set_centered(set_of(cell->setting)) ? DLTF_YES : DLTF_NO;
    if (strcmp(cell->method, "learned") == 0)
        options.encoder = DLTF_ENCODER_LEARNED;
    if (strcmp(cell->method, "ksvd") == 0) {
        options.method = DLTF_METHOD_KSVD;
        options.update = DLTF_UPDATE_EXACT;
        options.encoder = DLTF_ENCODER_TIED;
        options.iterations = KSVD_ITERATIONS;
    }
    return options;
}

static dltf_status unused_share(const dltf_codes *codes, double *share) {
    dltf_csr csr = dltf_codes_csr(codes);
    bool *used = calloc((size_t)csr.cols, sizeof *used);
    if (!used)
        return DLTF_MEMORY;
    int64_t count = 0;
    for (int64_t i = 0; i < csr.indptr[csr.rows]; i++) {
        count += !used[csr.indices[i]];
        used[csr.indices[i]] = true;
    }
    *share = 1 - (double)count / (double)csr.cols;
    free(used);
    return DLTF_OK;
}

static dltf_status error_of(const dltf_model *model, dltf_matrix X, const dltf_encode_options *encoding,
                            double *error, double *unused) {
    dltf_codes *codes = NULL;
    dltf_status status = dltf_encode(model, X, encoding, NULL, NULL, &codes);
    if (status == DLTF_OK)
        status = dltf_reconstruction_error(model, X, codes, error);
    if (status == DLTF_OK && unused)
        status = unused_share(codes, unused);
    dltf_codes_free(codes);
    return status;
}

static dltf_status evaluate(const experiment_cell *cell, const dltf_model *model, dltf_matrix X,
                            double *values) {
    dltf_encode_options encoding = dltf_encode_options_default();
    encoding.threads = cell->request->threads;
    values[OMP] = NAN;
    dltf_status status = error_of(model, X, &encoding, &values[RAW], &values[UNUSED]);
    encoding.refit = true;
    if (status == DLTF_OK)
        status = error_of(model, X, &encoding, &values[REFIT], NULL);
    encoding.refit = false;
    encoding.coder = DLTF_CODER_OMP;
    if (status == DLTF_OK && is_small(cell->setting))
        status = error_of(model, X, &encoding, &values[OMP], NULL);
    return status;
}

/* CPU time, since learners are compared on machines that have other work, too. */
static double cpu_seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static dltf_status measure(const experiment_cell *cell, double *values) {
    dltf_train_options options = options_of(cell);
    learners_data data = {0};
    dltf_model *model = NULL;
    dltf_status status = learners_data_load(set_of(cell->setting), cell->request, cell->seed, &data);
    double begin = cpu_seconds();
    if (status == DLTF_OK)
        status = dltf_train(data.training, &options, cell->progress, cell->context, &model);
    values[SECONDS] = cpu_seconds() - begin;
    if (status == DLTF_OK)
        status = evaluate(cell, model, data.test, values);
    dltf_model_free(model);
    learners_data_free(&data);
    return status;
}

const experiment experiment_learners = {
    .name = "learners",
    .summary = "learners on images, patches and synthetic data: held-out error",
    .details =
        "Not in the paper. dltf is training without options, which for more than 512 atoms is learned. ksvd "
        "is run for m k of at most 30,000: more would take it minutes.",
    .methods = methods,
    .metrics = metrics,
    .settings = LEARNERS_SETS * SIZES * SPARSITIES,
    .in_quick = in_quick,
    .describe = describe,
    .protocol = protocol,
    .applies = applies,
    .notice = notice,
    .measure = measure,
};
