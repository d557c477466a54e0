/* Sparse codes in compressed rows. */
#include "data/codes.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

dltf_status dl_codes_alloc(int64_t rows, int64_t cols, int64_t entries, dltf_codes **codes) {
    dltf_status status = DLTF_OK;
    dltf_codes *made = NULL;
    DL_TRY_HANDLE(made, CODES);
    made->rows = rows;
    made->cols = cols;
    DL_TRY_NEW(made->indptr, rows + 1);
    DL_TRY_NEW(made->indices, entries);
    DL_TRY_NEW(made->values, entries);
    *codes = made;
    made = NULL;
done:
    dltf_codes_free(made);
    return status;
}

void dl_codes_compress(dltf_codes *codes, const int32_t *count, int64_t k) {
    int64_t at = 0;
    for (int64_t i = 0; i < codes->rows; i++) {
        for (int64_t s = i * k; s < i * k + count[i]; s++) {
            codes->indices[at] = codes->indices[s];
            codes->values[at] = codes->values[s];
            at += codes->values[s] != 0;
        }
        codes->indptr[i + 1] = at;
    }
}

static dltf_status check_row(dltf_csr csr, int64_t row) {
    int64_t previous = -1;
    for (int64_t e = csr.indptr[row]; e < csr.indptr[row + 1]; e++) {
        int64_t index = csr.indices[e];
        if (index < 0 || index >= csr.cols)
            return dl_fail_about(DLTF_DATA, DLTF_SUBJECT_CODES,
                                 "row %lld: index %lld is out of range for %lld columns", (long long)row,
                                 (long long)index, (long long)csr.cols);
        if (index <= previous)
            return dl_fail_about(DLTF_DATA, DLTF_SUBJECT_CODES,
                                 "row %lld: index %lld follows %lld: indices must be strictly ascending",
                                 (long long)row, (long long)index, (long long)previous);
        if (!isfinite(csr.values[e]) || csr.values[e] == 0)
            return dl_fail_about(DLTF_DATA, DLTF_SUBJECT_CODES, "row %lld, column %lld is %s", (long long)row,
                                 (long long)index,
                                 csr.values[e] == 0 ? "an explicit zero: remove it" : "not finite");
        previous = index;
    }
    return DLTF_OK;
}

dltf_status dl_codes_check(dltf_csr csr) {
    if (csr.rows < 0 || csr.rows > DL_MOST_ELEMENTS || csr.cols < 1 || csr.cols > INT32_MAX || !csr.indptr)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_CODES, "invalid shape %lld x %lld",
                             (long long)csr.rows, (long long)csr.cols);
    if (!dl_is_aligned(csr.indptr, sizeof *csr.indptr) || !dl_is_aligned(csr.indices, sizeof *csr.indices) ||
        !dl_is_aligned(csr.values, sizeof *csr.values))
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_CODES,
                             "the address of an array is not a multiple of the size of its elements");
    if (csr.indptr[0] != 0)
        return dl_fail_about(DLTF_DATA, DLTF_SUBJECT_CODES, "indptr starts at %lld instead of 0",
                             (long long)csr.indptr[0]);
    if (csr.indptr[csr.rows] > 0 && (!csr.indices || !csr.values))
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_CODES, "indices or values are missing");
    for (int64_t row = 0; row < csr.rows; row++) {
        if (csr.indptr[row + 1] < csr.indptr[row] || csr.indptr[row + 1] > csr.indptr[csr.rows])
            return dl_fail_about(DLTF_DATA, DLTF_SUBJECT_CODES, "indptr decreases at row %lld",
                                 (long long)row);
        dltf_status status = check_row(csr, row);
        if (status != DLTF_OK)
            return status;
    }
    return DLTF_OK;
}

dltf_status dltf_codes_new(dltf_csr csr, dltf_codes **codes) {
    DL_CLEAR(codes);
    DL_REQUIRE(codes);
    dltf_status status = dl_codes_check(csr);
    if (status != DLTF_OK)
        return status;
    int64_t entries = csr.indptr[csr.rows];
    dltf_codes *made = NULL;
    status = dl_codes_alloc(csr.rows, csr.cols, entries, &made);
    if (status != DLTF_OK)
        return status;
    memcpy(made->indptr, csr.indptr, (size_t)(csr.rows + 1) * sizeof *made->indptr);
    if (entries > 0) {
        memcpy(made->indices, csr.indices, (size_t)entries * sizeof *made->indices);
        memcpy(made->values, csr.values, (size_t)entries * sizeof *made->values);
    }
    *codes = made;
    return DLTF_OK;
}

dltf_csr dltf_codes_csr(const dltf_codes *codes) {
    if (!codes)
        return (dltf_csr){0};
    return (dltf_csr){codes->rows, codes->cols, codes->indptr, codes->indices, codes->values, NULL};
}

dltf_status dltf_codes_unused(const dltf_codes *codes, int64_t *atoms) {
    DL_REQUIRE(codes, atoms);
    bool *used = DL_NEW(bool, codes->cols);
    if (!used)
        return DLTF_MEMORY;
    *atoms = codes->cols;
    for (int64_t e = 0; e < codes->indptr[codes->rows]; e++) {
        *atoms -= !used[codes->indices[e]];
        used[codes->indices[e]] = true;
    }
    dl_free(used);
    return DLTF_OK;
}

void dltf_codes_free(dltf_codes *codes) {
    if (!codes)
        return;
    dl_free(codes->indptr);
    dl_free(codes->indices);
    dl_free(codes->values);
    dl_free(codes);
}
