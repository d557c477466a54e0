/* dltf_codes_load: the five arrays that scipy.sparse.save_npz writes for a CSR matrix. Codes are stricter
 * than SciPy: within a row, indices ascend without duplicates and no value is zero. Unsorted indices and
 * zeros are repaired; duplicates are an error. */
#include "base/memory.h"
#include "data/codes.h"
#include "io/formats/codes.h"
#include "io/formats/csr.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Copies the non-zero entries. */
static dltf_status copy_rows(const dl_csr_parts *p, dltf_codes *codes) {
    int64_t kept = 0, entry = 0;
    for (int64_t row = 0; row < codes->rows; row++) {
        int64_t end = dl_elements_integer(&p->indptr.elements, row + 1);
        for (; entry < end; entry++) {
            int64_t index = dl_elements_integer(&p->indices.elements, entry);
            float value = (float)dl_elements_real(&p->data.elements, entry);
            if (index < 0 || index >= codes->cols)
                return dl_fail(DLTF_FORMAT,
                               "row %" PRId64 " has index %" PRId64 ", out of range for %" PRId64 " columns",
                               row, index, codes->cols);
            if (!isfinite(value))
                return dl_fail(DLTF_DATA, "row %" PRId64 ", column %" PRId64 " is not a finite float32", row,
                               index);
            if (value == 0.0f)
                continue;
            codes->indices[kept] = (int32_t)index;
            codes->values[kept] = value;
            kept++;
        }
        codes->indptr[row + 1] = kept;
    }
    return DLTF_OK;
}

typedef struct entry {
    int32_t index;
    float value;
} entry;

static int compare_entries(const void *a, const void *b) {
    const entry *left = a, *right = b;
    return (left->index > right->index) - (left->index < right->index);
}

static dltf_status sort_row(dltf_codes *codes, int64_t row) {
    int64_t begin = codes->indptr[row], count = codes->indptr[row + 1] - begin;
    entry *entries = DL_NEW(entry, count);
    if (!entries)
        return DLTF_MEMORY;
    for (int64_t i = 0; i < count; i++)
        entries[i] = (entry){codes->indices[begin + i], codes->values[begin + i]};
    qsort(entries, (size_t)count, sizeof *entries, compare_entries);
    for (int64_t i = 0; i < count; i++) {
        codes->indices[begin + i] = entries[i].index;
        codes->values[begin + i] = entries[i].value;
    }
    dl_free(entries);
    return DLTF_OK;
}

static dltf_status sort_rows(dltf_codes *codes) {
    for (int64_t row = 0; row < codes->rows; row++) {
        int64_t begin = codes->indptr[row], end = codes->indptr[row + 1];
        bool sorted = true;
        for (int64_t i = begin + 1; i < end; i++)
            sorted &= codes->indices[i - 1] < codes->indices[i];
        dltf_status status = sorted ? DLTF_OK : sort_row(codes, row);
        if (status != DLTF_OK)
            return status;
        for (int64_t i = begin + 1; i < end; i++)
            if (codes->indices[i - 1] == codes->indices[i])
                return dl_fail(DLTF_FORMAT,
                               "row %" PRId64 " has column %" PRId32
                               " twice: call matrix.sum_duplicates() and save again",
                               row, codes->indices[i]);
    }
    return DLTF_OK;
}

dltf_status dl_codes_parse(const dl_file *file, dltf_codes **codes) {
    dltf_status status = DLTF_OK;
    dl_zip zip = {0};
    dl_csr_parts p = {0};
    dltf_codes *made = NULL;
    if (!dl_zip_recognise(file->bytes, file->size))
        return dl_fail(DLTF_FORMAT,
                       "is not a .npz file; codes are written by dltf encode or scipy.sparse.save_npz");
    DL_TRY(dl_zip_open(file->bytes, file->size, &zip));
    DL_TRY(dl_csr_open(&zip, "f", &p));
    DL_TRY(dl_codes_alloc(p.rows, p.cols, p.indices.elements.count, &made));
    DL_TRY(copy_rows(&p, made));
    DL_TRY(sort_rows(made));
    DL_TRY(dl_codes_check(dltf_codes_csr(made)));
    *codes = made;
    made = NULL;
done:
    dltf_codes_free(made);
    dl_csr_close(&p);
    dl_zip_close(&zip);
    return status;
}

dltf_status dltf_codes_load(const char *path, dltf_codes **codes) {
    DL_CLEAR(codes);
    DL_REQUIRE(path, codes);
    dl_file file;
    dltf_status status = dl_file_open(path, &file);
    if (status == DLTF_OK) {
        status = dl_codes_parse(&file, codes);
        dl_file_close(&file);
    }
    return dl_file_result(status, path);
}
