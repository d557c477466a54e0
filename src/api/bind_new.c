/* dltf_bind_new: objects from arrays and numbers by name. */
#include "api/values.h"
#include "cluster/landmarks.h"

#include <string.h>

/* An array of floats whose sizes are those of others, or still open (-1). */
static dltf_status get_floats(const dltf_values *values, const char *name, int64_t *rows, int64_t *cols,
                              const float **floats) {
    const void *data = NULL;
    dltf_status status = dl_values_get_array(values, name, DL_TENSOR_F32, rows, cols, &data);
    *floats = data;
    return status;
}

static dltf_status get_vector(const dltf_values *values, const char *name, int64_t length,
                              const float **floats) {
    int64_t none = 0;
    return get_floats(values, name, &length, &none, floats);
}

/* A matrix that must be there. */
static dltf_status need_matrix(const dltf_values *values, const char *name, int64_t *rows, int64_t *cols,
                               const float **floats) {
    dltf_status status = get_floats(values, name, rows, cols, floats);
    if (status == DLTF_OK && !*floats)
        return dl_fail(DLTF_ARGUMENT, "'%s' is missing", name);
    if (status == DLTF_OK && *cols == 0)
        return dl_fail(DLTF_ARGUMENT, "'%s' is a vector: expected a matrix", name);
    return status;
}

/* A size that follows from the arrays, and may be given as well. */
static dltf_status check_size(const dltf_values *values, const char *name, int64_t size) {
    int64_t given = size;
    dltf_status status = dl_values_get_integer(values, name, &given);
    if (status == DLTF_OK && given != size)
        return dl_fail(DLTF_ARGUMENT, "'%s' is %lld, but the arrays have %lld", name, (long long)given,
                       (long long)size);
    return status;
}

static dltf_status need_number(const dltf_values *values, const char *name, int64_t *number) {
    if (!dl_values_has(values, name))
        return dl_fail(DLTF_ARGUMENT, "'%s' is missing", name);
    return dl_values_get_integer(values, name, number);
}

/* ---- Kinds ---- */

static const char *const model_names[] = {
    "m",    "n",         "k",      "unit_norm", "remove_mean", "select", "dictionary", "encoder", "bias",
    "mean", "deviation", "offset", "scale",     "threshold",   "factor", "layer_norm", NULL};

static dltf_status get_select(const dltf_values *values, dltf_select *select) {
    const char *text = "abs";
    *select = DLTF_SELECT_ABS;
    if (!dl_values_has(values, "select"))
        return DLTF_OK;
    dltf_status status = dltf_values_text(values, "select", &text);
    if (status != DLTF_OK)
        return status;
    if (strcmp(text, "positive") == 0)
        *select = DLTF_SELECT_POSITIVE;
    else if (strcmp(text, "abs") != 0)
        return dl_fail(DLTF_ARGUMENT, "'select' is '%s': expected abs or positive", text);
    return DLTF_OK;
}

static dltf_status new_model(const dltf_values *values, void **object) {
    dltf_status status = DLTF_OK;
    dltf_model_view parts = {.m = -1, .n = -1};
    dltf_model *model = NULL;
    DL_TRY(need_matrix(values, "dictionary", &parts.m, &parts.n, &parts.dictionary));
    DL_TRY(get_floats(values, "encoder", &parts.m, &parts.n, &parts.encoder));
    DL_TRY(get_vector(values, "bias", parts.m, &parts.bias));
    DL_TRY(get_vector(values, "mean", parts.n, &parts.mean));
    DL_TRY(get_vector(values, "deviation", parts.n, &parts.deviation));
    DL_TRY(get_vector(values, "offset", parts.n, &parts.offset));
    DL_TRY(get_vector(values, "scale", parts.m, &parts.scale));
    DL_TRY(get_vector(values, "threshold", parts.m, &parts.threshold));
    DL_TRY(check_size(values, "m", parts.m));
    DL_TRY(check_size(values, "n", parts.n));
    DL_TRY(need_number(values, "k", &parts.k));
    DL_TRY(dl_values_get_flag(values, "unit_norm", &parts.unit_norm));
    DL_TRY(dl_values_get_flag(values, "remove_mean", &parts.remove_mean));
    DL_TRY(dl_values_get_flag(values, "layer_norm", &parts.layer_norm));
    if (dl_values_has(values, "factor"))
        DL_TRY(dltf_values_number(values, "factor", &parts.factor));
    DL_TRY(get_select(values, &parts.select));
    DL_TRY(dltf_model_new(&parts, &model));
    *object = model;
done:
    return status;
}

static const char *const pca_names[] = {"n", "d", "mean", "components", "variances", "total_variance", NULL};

static dltf_status new_pca(const dltf_values *values, void **object) {
    dltf_status status = DLTF_OK;
    dltf_pca_view parts = {.n = -1, .d = -1};
    dltf_pca *pca = NULL;
    const void *variances = NULL;
    int64_t none = 0;
    DL_TRY(need_matrix(values, "components", &parts.d, &parts.n, &parts.components));
    DL_TRY(get_vector(values, "mean", parts.n, &parts.mean));
    DL_TRY(dl_values_get_array(values, "variances", DL_TENSOR_F64, &parts.d, &none, &variances));
    DL_TRY(check_size(values, "n", parts.n));
    DL_TRY(check_size(values, "d", parts.d));
    DL_TRY(dltf_values_number(values, "total_variance", &parts.total_variance));
    parts.variances = variances;
    DL_TRY(dltf_pca_new(&parts, &pca)); /* fails if mean or variances are missing */
    *object = pca;
done:
    return status;
}

static const char *const landmark_names[] = {"m", "n", "k", "d", "dictionary", "map", NULL};

static dltf_status new_landmarks(const dltf_values *values, void **object) {
    dltf_status status = DLTF_OK;
    int64_t m = -1, n = -1, k = 0, d = -1;
    const float *dictionary = NULL, *map = NULL;
    dltf_landmarks *landmarks = NULL;
    DL_TRY(need_matrix(values, "dictionary", &m, &n, &dictionary));
    DL_TRY(need_matrix(values, "map", &m, &d, &map));
    DL_TRY(check_size(values, "m", m));
    DL_TRY(check_size(values, "n", n));
    DL_TRY(check_size(values, "d", d));
    DL_TRY(need_number(values, "k", &k));
    DL_TRY(dl_landmarks_new(m, n, k, d, dictionary, map, &landmarks));
    *object = landmarks;
done:
    return status;
}

static const struct maker {
    const char *kind;
    const char *const *names;
    dltf_status (*make)(const dltf_values *values, void **object);
} makers[] = {
    {"model", model_names, new_model},
    {"pca", pca_names, new_pca},
    {"landmarks", landmark_names, new_landmarks},
};

enum { MAKERS = sizeof makers / sizeof *makers };

dltf_status dltf_bind_new(const char *kind, const dltf_values *values, void **object) {
    DL_CLEAR(object);
    DL_REQUIRE(kind, values, object);
    int found = 0;
    while (found < MAKERS && strcmp(makers[found].kind, kind) != 0)
        found++;
    if (found == MAKERS)
        return dl_fail(DLTF_ARGUMENT, "objects of kind '%s' cannot be made from values", kind);
    dltf_status status = dl_values_check_names(values, makers[found].names);
    return status == DLTF_OK ? makers[found].make(values, object) : status;
}
