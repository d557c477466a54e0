/* dltf/bind.h: evaluation, and what each atom stands for. */
#include "api/bind_top.h"
#include "api/bind.h"
#include "data/array.h"
#include "dltf/atoms.h"

static void put_evaluation(dltf_values *values, dltf_evaluation found) {
    DL_PUT_NUMBER(values, found, samples);
    DL_PUT_NUMBER(values, found, explained_variance);
    DL_PUT_NUMBER(values, found, relative_error);
    DL_PUT_NUMBER(values, found, refit_explained_variance);
    DL_PUT_NUMBER(values, found, refit_relative_error);
    DL_PUT_NUMBER(values, found, refit_samples);
    DL_PUT_NUMBER(values, found, l0);
    DL_PUT_NUMBER(values, found, l1);
    DL_PUT_NUMBER(values, found, mse);
    DL_PUT_NUMBER(values, found, cossim);
    DL_PUT_NUMBER(values, found, l2_norm_in);
    DL_PUT_NUMBER(values, found, l2_norm_out);
    DL_PUT_NUMBER(values, found, l2_ratio);
    DL_PUT_NUMBER(values, found, relative_reconstruction_bias);
    DL_PUT_NUMBER(values, found, frac_alive);
}

dltf_status dltf_bind_evaluate(const dltf_model *model, const dltf_array *X, const dltf_options *options,
                               dltf_report_fn report, void *context, dltf_values **found) {
    DL_CLEAR(found);
    DL_REQUIRE(model, X, found);
    dl_call call;
    dltf_evaluation measured = {0};
    dltf_values *made = NULL;
    dltf_status status = dl_call_begin(&call, "encode", options, report, context);
    if (status == DLTF_OK)
        status = dltf_values_new(&made);
    if (status != DLTF_OK)
        return status;
    int64_t *uses = dl_values_add_vector(made, "uses", DL_TENSOR_I64, dltf_model_get(model).m);
    if (uses)
        dl_values_fail(made,
                       dltf_evaluate(model, X->matrix, call.options, call.progress, &call, uses, &measured));
    put_evaluation(made, measured);
    return dl_values_finish(made, found);
}

dltf_status dltf_bind_top_find(const dltf_model *model, const dltf_array *X, const dltf_options *encoding,
                               const dltf_options *options, dltf_report_fn report, void *context,
                               dltf_top **top) {
    DL_CLEAR(top);
    DL_REQUIRE(model, X, top);
    dl_call call, other;
    dltf_status status = dl_call_begin(&call, "encode", encoding, report, context);
    if (status == DLTF_OK)
        status = dl_call_begin(&other, "top", options, NULL, NULL);
    if (status != DLTF_OK)
        return status;
    return dltf_top_find(model, X->matrix, call.options, other.options, call.progress, &call, top);
}

/* ---- Content ---- */

static void put_atoms(const dltf_top *top, int64_t m, dltf_values *values) {
    int64_t *uses = dl_values_add_vector(values, "uses", DL_TENSOR_I64, m);
    double *mean = dl_values_add_vector(values, "mean", DL_TENSOR_F64, m);
    double *largest = dl_values_add_vector(values, "largest", DL_TENSOR_F64, m);
    for (int64_t j = 0; uses && mean && largest && j < m; j++) {
        dltf_top_atom found;
        dl_values_fail(values, dltf_top_get(top, j, &found));
        uses[j] = found.uses;
        mean[j] = found.mean;
        largest[j] = found.largest;
    }
}

/* The samples of all atoms in a row: those of atom j are entries indptr[j] .. indptr[j+1]-1. */
static void put_examples(const dltf_top *top, int64_t m, bool random, dltf_values *values) {
    int64_t entries = 0;
    dltf_top_atom found;
    int64_t *indptr =
        dl_values_add_vector(values, random ? "random_indptr" : "top_indptr", DL_TENSOR_I64, m + 1);
    for (int64_t j = 0; indptr && j < m; j++) {
        dl_values_fail(values, dltf_top_get(top, j, &found));
        indptr[j] = entries;
        entries += random ? found.random_count : found.top_count;
        indptr[j + 1] = entries;
    }
    int64_t *rows = dl_values_add_vector(values, random ? "random_rows" : "top_rows", DL_TENSOR_I64, entries);
    float *value =
        dl_values_add_vector(values, random ? "random_values" : "top_values", DL_TENSOR_F32, entries);
    for (int64_t j = 0; rows && value && j < m; j++) {
        dl_values_fail(values, dltf_top_get(top, j, &found));
        const dltf_example *from = random ? found.random : found.top;
        for (int64_t e = indptr[j]; e < indptr[j + 1]; e++) {
            rows[e] = from[e - indptr[j]].row;
            value[e] = from[e - indptr[j]].value;
        }
    }
}

void dl_bind_get_top(const void *object, dltf_values *values) {
    const dltf_top *top = object;
    int64_t m = dltf_top_atoms(top);
    dl_values_put_number(values, "samples", (double)dltf_top_samples(top));
    dl_values_put_number(values, "m", (double)m);
    put_atoms(top, m, values);
    put_examples(top, m, false, values);
    put_examples(top, m, true, values);
}
