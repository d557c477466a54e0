/* Support recovery: encodes a test set, relabels atoms by their best one-to-one match, compares supports. */
#include "experiments/support.h"

#include <math.h>
#include <stdlib.h>

/* Keeps the seed of the random dictionary away from that of the true one. */
static const int64_t RANDOM_SEED_OFFSET = 1000000007;

dltf_status support_tied_model(dltf_matrix dictionary, int64_t k, dltf_model **model) {
    float *atoms = malloc((size_t)(dictionary.rows * dictionary.cols) * sizeof *atoms);
    if (!atoms)
        return DLTF_MEMORY;
    for (int64_t j = 0; j < dictionary.rows; j++)
        dltf_matrix_row(dictionary, j, atoms + j * dictionary.cols);
    dltf_model_view parts = {.m = dictionary.rows, .n = dictionary.cols, .k = k, .dictionary = atoms};
    parts.select = DLTF_SELECT_ABS;
    dltf_status status = dltf_model_new(&parts, model);
    free(atoms);
    return status;
}

dltf_status support_random_model(int64_t n, int64_t m, int64_t k, int64_t seed, dltf_model **model) {
    dltf_synthetic_options spec = {
        sizeof(dltf_synthetic_options), n, m, k, 1, 0.0, seed + RANDOM_SEED_OFFSET, DLTF_ENTRIES_ONES};
    dltf_synthetic *other = NULL;
    dltf_status status = dltf_synthetic_new(&spec, NULL, NULL, &other);
    if (status == DLTF_OK)
        status = support_tied_model(dltf_synthetic_dictionary(other), k, model);
    dltf_synthetic_free(other);
    return status;
}

static int compare_floats(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void summarise_cosines(float *cosine, int64_t m, int64_t true_atoms, support_result *result) {
    int64_t above_99 = 0, above_90 = 0;
    for (int64_t j = 0; j < m; j++) {
        above_99 += cosine[j] > 0.99f;
        above_90 += cosine[j] > 0.9f;
    }
    result->recovered_99 = (double)above_99 / (double)true_atoms;
    result->recovered_90 = (double)above_90 / (double)true_atoms;
    qsort(cosine, (size_t)m, sizeof *cosine, compare_floats);
    result->median_cosine = (cosine[(m - 1) / 2] + cosine[m / 2]) / 2;
}

/* Fills `match` (m entries) and the figures on recovered atoms. */
static dltf_status match_atoms(dltf_model_view view, dltf_matrix truth, int32_t *match,
                               support_result *result) {
    float *cosine = malloc((size_t)view.m * sizeof *cosine);
    if (!cosine)
        return DLTF_MEMORY;
    dltf_status status = dltf_match(dltf_matrix_f32(view.dictionary, view.m, view.n), truth, match, cosine);
    if (status == DLTF_OK)
        summarise_cosines(cosine, view.m, truth.rows, result);
    free(cosine);
    return status;
}

dltf_status support_measure(const dltf_model *model, const support_truth *truth,
                            const dltf_encode_options *encoding, bool matched, dltf_progress_fn progress,
                            void *context, support_result *result) {
    dltf_model_view view = dltf_model_get(model);
    *result = (support_result){.recovered_99 = NAN, .recovered_90 = NAN, .median_cosine = NAN};
    int32_t *match = matched ? malloc((size_t)view.m * sizeof *match) : NULL;
    if (matched && !match)
        return DLTF_MEMORY;
    dltf_codes *codes = NULL;
    dltf_support_score score = {0};
    dltf_status status = matched ? match_atoms(view, truth->dictionary, match, result) : DLTF_OK;
    if (status == DLTF_OK)
        status = dltf_encode(model, truth->samples, encoding, progress, context, &codes);
    if (status == DLTF_OK)
        status = dltf_supports_score(codes, truth->codes, match, &score);
    result->ave_dif = score.ave_dif;
    result->exact = score.exact;
    dltf_codes_free(codes);
    free(match);
    return status;
}
