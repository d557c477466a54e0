/* dltf_bind_get: the content of every kind of object by name. One row of the table for each kind. */
#include "api/bind_suggest.h"
#include "api/bind_top.h"
#include "api/values.h"
#include "base/text.h"
#include "data/array.h"
#include "dltf/measure.h"
#include "hash/hasher.h"
#include "learning/history_columns.h"

#include <string.h>

static void get_array(const void *object, dltf_values *values) {
    static const char *const types[] = {"float32", "float64", "uint8", "rows", "sparse"};
    const dltf_array *array = object;
    const dltf_matrix *matrix = &array->matrix;
    dl_tensor_type element;
    DL_PUT_NUMBER(values, *matrix, rows);
    DL_PUT_NUMBER(values, *matrix, cols);
    dl_values_put_text(values, "type", types[matrix->type]);
    DL_PUT_NUMBER(values, *array, channels);
    DL_PUT_NUMBER(values, *array, height);
    DL_PUT_NUMBER(values, *array, width);
    if (dl_type_named(types[matrix->type], &element) && matrix->row_stride == matrix->cols &&
        matrix->col_stride == 1)
        DL_PUT_ARRAY(values, *matrix, data, element, matrix->rows, matrix->cols);
}

static void get_codes(const void *object, dltf_values *values) {
    dltf_csr csr = dltf_codes_csr(object);
    int64_t entries = csr.indptr[csr.rows];
    DL_PUT_NUMBER(values, csr, rows);
    DL_PUT_NUMBER(values, csr, cols);
    DL_PUT_ARRAY(values, csr, indptr, DL_TENSOR_I64, csr.rows + 1, 0);
    DL_PUT_ARRAY(values, csr, indices, DL_TENSOR_I32, entries, 0);
    DL_PUT_ARRAY(values, csr, values, DL_TENSOR_F32, entries, 0);
}

static void get_model(const void *object, dltf_values *values) {
    dltf_model_view view = dltf_model_get(object);
    DL_PUT_NUMBER(values, view, m);
    DL_PUT_NUMBER(values, view, n);
    DL_PUT_NUMBER(values, view, k);
    DL_PUT_NUMBER(values, view, unit_norm);
    DL_PUT_NUMBER(values, view, remove_mean);
    DL_PUT_NUMBER(values, view, layer_norm);
    DL_PUT_NUMBER(values, view, factor);
    dl_values_put_text(values, "select", view.select == DLTF_SELECT_POSITIVE ? "positive" : "abs");
    DL_PUT_ARRAY(values, view, dictionary, DL_TENSOR_F32, view.m, view.n);
    DL_PUT_ARRAY(values, view, encoder, DL_TENSOR_F32, view.m, view.n);
    DL_PUT_ARRAY(values, view, bias, DL_TENSOR_F32, view.m, 0);
    DL_PUT_ARRAY(values, view, mean, DL_TENSOR_F32, view.n, 0);
    DL_PUT_ARRAY(values, view, deviation, DL_TENSOR_F32, view.n, 0);
    DL_PUT_ARRAY(values, view, offset, DL_TENSOR_F32, view.n, 0);
    DL_PUT_ARRAY(values, view, scale, DL_TENSOR_F32, view.m, 0);
    DL_PUT_ARRAY(values, view, threshold, DL_TENSOR_F32, view.m, 0);
}

/* ---- Learning ---- */

/* A column of the history as a vector. */
static void get_column(const dltf_learner *learner, const dl_history_column *column, int64_t records,
                       dltf_values *values) {
    bool real = column->kind == DL_HISTORY_REAL;
    char *to = dl_values_add_vector(values, column->name, real ? DL_TENSOR_F64 : DL_TENSOR_I64, records);
    for (int64_t i = 0; to && i < records; i++) {
        dltf_iteration record;
        dltf_learner_history(learner, i, &record);
        memcpy(to + i * 8, (const char *)&record + column->offset, 8);
    }
}

static void get_stages(const dltf_learner *learner, int64_t records, dltf_values *values) {
    dl_text lines = {0};
    for (int64_t i = 0; i < records; i++) {
        dltf_iteration record;
        dltf_learner_history(learner, i, &record);
        dl_text_append(&lines, "%s\n", record.stage);
    }
    dl_values_fail(values, dl_text_status(&lines));
    dl_values_put_text(values, "stage", lines.data ? lines.data : "");
    dl_text_free(&lines);
}

static void get_learner(const void *object, dltf_values *values) {
    int64_t records = dltf_learner_history(object, 0, NULL);
    int count = 0;
    const dl_history_column *columns = dl_history_columns(&count);
    dl_values_put_number(values, "records", (double)records);
    for (int i = 0; i < count; i++)
        if (columns[i].kind == DL_HISTORY_TEXT)
            get_stages(object, records, values);
        else
            get_column(object, &columns[i], records, values);
}

static void get_online(const void *object, dltf_values *values) {
    dltf_online_view now = dltf_online_get(object);
    DL_PUT_NUMBER(values, now, samples);
    DL_PUT_NUMBER(values, now, held_out);
    DL_PUT_NUMBER(values, now, steps);
    DL_PUT_NUMBER(values, now, error);
    dl_values_put_number(values, "first", (double)dltf_online_first(object));
}

/* ---- Clusters ---- */

static void get_clusters(const void *object, dltf_values *values) {
    dltf_clusters_view view = dltf_clusters_get(object);
    DL_PUT_NUMBER(values, view, samples);
    DL_PUT_NUMBER(values, view, clusters);
    DL_PUT_NUMBER(values, view, cols);
    DL_PUT_ARRAY(values, view, assignment, DL_TENSOR_I32, view.samples, 0);
    DL_PUT_ARRAY(values, view, centers, DL_TENSOR_F32, view.clusters, view.cols);
    DL_PUT_ARRAY(values, view, sizes, DL_TENSOR_I64, view.clusters, 0);
    DL_PUT_NUMBER(values, view, inertia);
    DL_PUT_NUMBER(values, view, restart);
    DL_PUT_NUMBER(values, view, iterations);
    DL_PUT_NUMBER(values, view, converged);
}

static void get_pca(const void *object, dltf_values *values) {
    dltf_pca_view view = dltf_pca_get(object);
    DL_PUT_NUMBER(values, view, n);
    DL_PUT_NUMBER(values, view, d);
    DL_PUT_ARRAY(values, view, mean, DL_TENSOR_F32, view.n, 0);
    DL_PUT_ARRAY(values, view, components, DL_TENSOR_F32, view.d, view.n);
    DL_PUT_ARRAY(values, view, variances, DL_TENSOR_F64, view.d, 0);
    DL_PUT_NUMBER(values, view, total_variance);
}

static void get_landmarks(const void *object, dltf_values *values) {
    dltf_landmarks_view view = dltf_landmarks_get(object);
    DL_PUT_NUMBER(values, view, m);
    DL_PUT_NUMBER(values, view, n);
    DL_PUT_NUMBER(values, view, k);
    DL_PUT_NUMBER(values, view, d);
    dl_values_put_array(values, "dictionary", DL_TENSOR_F32, view.m, view.n,
                        dltf_model_get(view.model).dictionary);
    DL_PUT_ARRAY(values, view, map, DL_TENSOR_F32, view.m, view.d);
}

/* ---- Hashes and search ---- */

static void get_hasher(const void *object, dltf_values *values) {
    const dltf_hasher *hasher = object;
    dltf_hasher_view view = dltf_hasher_get(hasher);
    dl_values_put_text(values, "method", view.name);
    DL_PUT_NUMBER(values, view, bits);
    DL_PUT_NUMBER(values, view, n);
    DL_PUT_NUMBER(values, view, k);
    for (int i = 0; i < hasher->content.count; i++) {
        const dl_tensor *tensor = &hasher->content.tensors[i];
        dl_values_put_array(values, tensor->name, tensor->type, tensor->rows,
                            tensor->rank == 2 ? tensor->cols : 0, tensor->data);
    }
}

static void get_index(const void *object, dltf_values *values) {
    dltf_index_view view = dltf_index_get(object);
    DL_PUT_NUMBER(values, view, rows);
    DL_PUT_NUMBER(values, view, bytes);
    DL_PUT_ARRAY(values, view, hashes, DL_TENSOR_U8, view.rows, view.bytes);
    DL_PUT_NUMBER(values, view, tables);
    DL_PUT_NUMBER(values, view, table_bytes);
}

static void get_neighbours(const void *object, dltf_values *values) {
    dltf_neighbours_view view = dltf_neighbours_get(object);
    int64_t entries = view.indptr[view.queries];
    DL_PUT_NUMBER(values, view, queries);
    DL_PUT_NUMBER(values, view, k);
    DL_PUT_NUMBER(values, view, rows);
    DL_PUT_ARRAY(values, view, indptr, DL_TENSOR_I64, view.queries + 1, 0);
    DL_PUT_ARRAY(values, view, indices, DL_TENSOR_I64, entries, 0);
    DL_PUT_ARRAY(values, view, distances, DL_TENSOR_I32, entries, 0);
    dl_values_put_text(values, "method", view.method == DLTF_SEARCH_FLAT ? "flat" : "multi-index");
}

static void get_image(const void *object, dltf_values *values) {
    dltf_image_view view = dltf_image_get(object);
    DL_PUT_NUMBER(values, view, width);
    DL_PUT_NUMBER(values, view, height);
    DL_PUT_NUMBER(values, view, channels);
    DL_PUT_NUMBER(values, view, bits);
    DL_PUT_ARRAY(values, view, planes, DL_TENSOR_F32, view.channels * view.height, view.width);
}

/* ---- Synthetic problems ---- */

static void get_set(const dltf_synthetic *problem, bool test, const char *const names[4],
                    dltf_values *values) {
    dltf_matrix X = dltf_synthetic_samples(problem, test);
    dltf_csr csr = dltf_codes_csr(dltf_synthetic_codes(problem, test));
    int64_t entries = csr.indptr[csr.rows];
    dl_values_put_array(values, names[0], DL_TENSOR_F32, X.rows, X.cols, X.data);
    dl_values_put_array(values, names[1], DL_TENSOR_I64, csr.rows + 1, 0, csr.indptr);
    dl_values_put_array(values, names[2], DL_TENSOR_I32, entries, 0, csr.indices);
    dl_values_put_array(values, names[3], DL_TENSOR_F32, entries, 0, csr.values);
}

static void get_synthetic(const void *object, dltf_values *values) {
    static const char *const training[] = {"samples", "indptr", "indices", "values"};
    static const char *const test[] = {"test.samples", "test.indptr", "test.indices", "test.values"};
    dltf_matrix W0 = dltf_synthetic_dictionary(object);
    dl_values_put_array(values, "dictionary", DL_TENSOR_F32, W0.rows, W0.cols, W0.data);
    get_set(object, false, training, values);
    get_set(object, true, test, values);
}

static const struct kind {
    const char *name;
    dl_handle handle;
    void (*get)(const void *object, dltf_values *values);
} kinds[] = {
    {"array", DL_HANDLE_ARRAY, get_array},
    {"codes", DL_HANDLE_CODES, get_codes},
    {"model", DL_HANDLE_MODEL, get_model},
    {"learner", DL_HANDLE_LEARNER, get_learner},
    {"online", DL_HANDLE_ONLINE, get_online},
    {"clusters", DL_HANDLE_CLUSTERS, get_clusters},
    {"pca", DL_HANDLE_PCA, get_pca},
    {"landmarks", DL_HANDLE_LANDMARKS, get_landmarks},
    {"hasher", DL_HANDLE_HASHER, get_hasher},
    {"index", DL_HANDLE_INDEX, get_index},
    {"neighbours", DL_HANDLE_NEIGHBOURS, get_neighbours},
    {"image", DL_HANDLE_IMAGE, get_image},
    {"synthetic", DL_HANDLE_SYNTHETIC, get_synthetic},
    {"top", DL_HANDLE_TOP, dl_bind_get_top},
    {"suggestion", DL_HANDLE_SUGGESTION, dl_bind_get_suggestion},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* The kind of an object, as it says itself; NULL if it is none of these. */
static const struct kind *kind_of(const void *object) {
    dl_handle handle;
    memcpy(&handle, object, sizeof handle);
    for (int i = 0; i < KINDS; i++)
        if (kinds[i].handle == handle)
            return &kinds[i];
    return NULL;
}

dltf_status dltf_bind_get(const char *kind, const void *object, dltf_values **values) {
    DL_CLEAR(values);
    DL_REQUIRE(kind, object, values);
    dltf_values *made = NULL;
    int found = 0;
    while (found < KINDS && strcmp(kinds[found].name, kind) != 0)
        found++;
    if (found == KINDS)
        return dl_fail(DLTF_ARGUMENT, "unknown kind of object '%s'", kind);
    const struct kind *own = kind_of(object);
    if (own != &kinds[found])
        return dl_fail(DLTF_ARGUMENT, "the object is not of kind '%s'%s%s%s", kind,
                       own ? ", but of kind '" : "", own ? own->name : "", own ? "'" : "");
    dltf_status status = dltf_values_new(&made);
    if (status != DLTF_OK)
        return status;
    kinds[found].get(object, made);
    return dl_values_finish(made, values);
}
