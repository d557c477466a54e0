/* Matches atoms and renumbers codes. */
#include "cli/relabel.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
    int32_t index;
    float value;
} entry;

static int by_index(const void *a, const void *b) {
    const entry *left = a, *right = b;
    return (left->index > right->index) - (left->index < right->index);
}

/* What becomes of each true atom: the atom of the model, and 1 or -1; index -1: none. */
static dltf_status find_counterparts(dltf_matrix truth, dltf_model_view view, entry *counterparts) {
    int32_t *match = malloc((size_t)view.m * sizeof *match);
    float *true_atom = malloc((size_t)view.n * sizeof *true_atom);
    dltf_status status = match && true_atom ? DLTF_OK : DLTF_MEMORY;
    if (status == DLTF_OK)
        status = dltf_match(dltf_matrix_f32(view.dictionary, view.m, view.n), truth, match, NULL);
    for (int64_t j = 0; j < truth.rows; j++)
        counterparts[j].index = -1;
    for (int64_t i = 0; status == DLTF_OK && i < view.m; i++) {
        if (match[i] < 0)
            continue;
        double product = 0;
        dltf_matrix_row(truth, match[i], true_atom);
        for (int64_t d = 0; d < view.n; d++)
            product += (double)true_atom[d] * (double)view.dictionary[i * view.n + d];
        counterparts[match[i]] = (entry){(int32_t)i, product < 0 ? -1.0F : 1.0F};
    }
    free(match);
    free(true_atom);
    return status;
}

/* Entries without a counterpart are dropped. */
static dltf_status renumber(dltf_csr from, const entry *counterparts, int64_t atoms, dltf_codes **made) {
    int64_t total = from.indptr[from.rows], kept = 0;
    int64_t *indptr = calloc((size_t)from.rows + 1, sizeof *indptr);
    int32_t *indices = malloc((size_t)(total + 1) * sizeof *indices);
    float *values = malloc((size_t)(total + 1) * sizeof *values);
    entry *row = malloc((size_t)(from.cols + 1) * sizeof *row);
    dltf_status status = indptr && indices && values && row ? DLTF_OK : DLTF_MEMORY;
    for (int64_t i = 0; status == DLTF_OK && i < from.rows; i++) {
        size_t count = 0;
        for (int64_t e = from.indptr[i]; e < from.indptr[i + 1]; e++) {
            entry to = counterparts[from.indices[e]];
            if (to.index >= 0)
                row[count++] = (entry){to.index, to.value * from.values[e]};
        }
        qsort(row, count, sizeof *row, by_index);
        for (size_t e = 0; e < count; e++, kept++) {
            indices[kept] = row[e].index;
            values[kept] = row[e].value;
        }
        indptr[i + 1] = kept;
    }
    if (status == DLTF_OK)
        status = dltf_codes_new((dltf_csr){from.rows, atoms, indptr, indices, values, NULL}, made);
    free(indptr);
    free(indices);
    free(values);
    free(row);
    return status;
}

dltf_status relabel_codes(dltf_matrix truth, const dltf_model *model, dltf_codes **codes) {
    dltf_model_view view = dltf_model_get(model);
    dltf_codes *made = NULL;
    entry *counterparts = malloc((size_t)truth.rows * sizeof *counterparts);
    if (!counterparts)
        return DLTF_MEMORY;
    dltf_status status = find_counterparts(truth, view, counterparts);
    if (status == DLTF_OK)
        status = renumber(dltf_codes_csr(*codes), counterparts, view.m, &made);
    free(counterparts);
    if (status != DLTF_OK)
        return status;
    dltf_codes_free(*codes);
    *codes = made;
    return DLTF_OK;
}
