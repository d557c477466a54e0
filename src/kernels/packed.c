/* Packing: done once per model or dictionary, so that products read the matrix in one stream. */
#include "kernels/packed.h"

#include "base/integer.h"
#include "base/memory.h"

dltf_status dl_packed_alloc(dl_packed *packed, int64_t m, int64_t n) {
    dltf_status status = DLTF_OK;
    *packed = (dl_packed){.m = m, .n = n, .panels = (m + DL_PANEL - 1) / DL_PANEL};
    int64_t rows = packed->panels * DL_PANEL, entries = 0;
    if (!dl_multiply(rows, n, &entries))
        return dl_fail(DLTF_MEMORY, "a score matrix of %lld x %lld is too large", (long long)m, (long long)n);
    DL_TRY_NEW(packed->data, entries);
    DL_TRY_NEW(packed->bias, rows);
done:
    if (status != DLTF_OK)
        dl_packed_free(packed);
    return status;
}

void dl_packed_free(dl_packed *packed) {
    dl_free(packed->data);
    dl_free(packed->bias);
    *packed = (dl_packed){0};
}

/* The first entry of row j; its entries are DL_PANEL apart. */
static float *row_of(const dl_packed *packed, int64_t j) {
    return packed->data + j / DL_PANEL * packed->n * DL_PANEL + j % DL_PANEL;
}

void dl_packed_fill_panel(dl_packed *packed, int64_t panel, const float *E, const float *bias) {
    int64_t n = packed->n, first = panel * DL_PANEL, last = dl_min(first + DL_PANEL, packed->m);
    if (last - first == DL_PANEL)
        dl_kernels_now()->interleave(row_of(packed, first), DL_PANEL, E + first * n, n, n);
    for (int64_t j = first; j < last; j++) {
        float *row = row_of(packed, j);
        for (int64_t d = 0; d < n && last - first < DL_PANEL; d++)
            row[d * DL_PANEL] = E[j * n + d];
    }
    dl_packed_fill_bias(packed, panel, bias);
}

void dl_packed_fill_bias(dl_packed *packed, int64_t panel, const float *bias) {
    int64_t first = panel * DL_PANEL, last = dl_min(first + DL_PANEL, packed->m);
    for (int64_t j = first; j < last; j++)
        packed->bias[j] = bias ? -bias[j] : 0;
}

void dl_packed_fill(dl_packed *packed, const float *E, const float *bias) {
    for (int64_t panel = 0; panel < packed->panels; panel++)
        dl_packed_fill_panel(packed, panel, E, bias);
}

dl_packed dl_packed_range(const dl_packed *packed, int64_t panel, int64_t atoms) {
    return (dl_packed){.m = atoms,
                       .n = packed->n,
                       .panels = (atoms + DL_PANEL - 1) / DL_PANEL,
                       .data = packed->data + panel * packed->n * DL_PANEL,
                       .bias = packed->bias + panel * DL_PANEL};
}

void dl_packed_fill_f64(dl_packed *packed, const double *E) {
    int64_t n = packed->n;
    for (int64_t j = 0; j < packed->m; j++) {
        float *row = row_of(packed, j);
        for (int64_t d = 0; d < n; d++)
            row[d * DL_PANEL] = (float)E[j * n + d];
        packed->bias[j] = 0;
    }
}
