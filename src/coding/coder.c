/* Work space and the two halves of a thresholded feature: scores of a tile by one matrix product, then max_k.
 */
#include "coding/coder.h"

#include "base/memory.h"
#include "kernels/select.h"
#include "linalg/blas.h"

dltf_status dl_slots_alloc(dl_slots *slots, int64_t rows, int64_t k) {
    dltf_status status = DLTF_OK;
    int64_t entries = 0;
    *slots = (dl_slots){.rows = rows, .k = k};
    if (!dl_multiply(rows, k, &entries))
        return dl_fail(DLTF_MEMORY, "%lld codes of %lld entries are too many", (long long)rows, (long long)k);
    DL_TRY_NEW(slots->count, rows);
    DL_TRY_NEW(slots->index, entries);
    DL_TRY_NEW(slots->value, entries);
done:
    if (status != DLTF_OK)
        dl_slots_free(slots);
    return status;
}

void dl_slots_free(dl_slots *slots) {
    dl_free(slots->count);
    dl_free(slots->index);
    dl_free(slots->value);
    *slots = (dl_slots){0};
}

dl_slots dl_slots_from(const dl_slots *slots, int64_t first, int64_t rows) {
    int64_t k = slots->k;
    return (dl_slots){rows, k, slots->count + first, slots->index + first * k, slots->value + first * k};
}

dltf_status dl_workspaces_alloc(int threads, int64_t m, int64_t n, dl_workspace **spaces) {
    dltf_status status = DLTF_OK;
    dl_workspace *made = NULL;
    DL_TRY_NEW(made, threads);
    for (int t = 0; t < threads; t++) {
        DL_TRY_NEW(made[t].row, n);
        DL_TRY_NEW(made[t].X, DL_TILE * n);
        DL_TRY_NEW(made[t].scores, DL_TILE * m);
        DL_TRY_NEW(made[t].keys, m);
    }
    *spaces = made;
    made = NULL;
done:
    dl_workspaces_free(made, threads);
    return status;
}

void dl_workspaces_free(dl_workspace *spaces, int threads) {
    if (!spaces)
        return;
    for (int t = 0; t < threads; t++) {
        dl_free(spaces[t].row);
        dl_free(spaces[t].X);
        dl_free(spaces[t].scores);
        dl_free(spaces[t].keys);
    }
    dl_free(spaces);
}

void dl_score_tile(const dl_coder *coder, const float *X, int64_t rows, float *scores) {
    dl_product_nt(X, coder->E, rows, coder->m, coder->n, scores);
    if (!coder->bias)
        return;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < coder->m; j++)
            scores[i * coder->m + j] -= coder->bias[j];
}

void dl_threshold_tile(const dl_coder *coder, const float *scores, int64_t rows, uint32_t *keys,
                       dl_slots out) {
    for (int64_t i = 0; i < rows; i++)
        out.count[i] = (int32_t)dl_select(scores + i * coder->m, coder->m, coder->k, coder->positive, keys,
                                          out.index + i * out.k, out.value + i * out.k);
}
