/* dltf_codes_load: the five arrays that scipy.sparse.save_npz writes for a CSR matrix. Codes are stricter
 * than SciPy: within a row, indices ascend without duplicates and no value is zero. Unsorted indices and
 * zeros are repaired; duplicates are an error. */
#include "base/memory.h"
#include "data/codes.h"
#include "io/bytes.h"
#include "io/codes.h"
#include "io/npz.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* An array of the archive, and the memory it points into. */
typedef struct part {
    dl_elements elements;
    dl_file content;
} part;

typedef struct parts {
    part format, shape, indptr, indices, data;
} parts;

static dltf_status get(const dl_zip *zip, const char *name, const char *kinds, int rank, part *p) {
    char file[32];
    snprintf(file, sizeof file, "%s.npy", name);
    if (!dl_zip_find(zip, file))
        return dl_fail(DLTF_FORMAT,
                       "contains no sparse codes: array '%s' not found; write codes with dltf encode or "
                       "scipy.sparse.save_npz",
                       name);
    dltf_status status = dl_npz_get(zip, name, &p->elements, &p->content);
    if (status == DLTF_OK && (!strchr(kinds, p->elements.kind) || p->elements.rank != rank))
        status = dl_fail(DLTF_FORMAT, "array '%s' has an unexpected type or shape%s", name,
                         kinds[0] == 'f' ? ": convert with matrix.astype(\"float32\")" : "");
    return status;
}

/* b'csr' or 'csr'; UCS-4 has the character in the first or last of four bytes. */
static dltf_status check_format(const dl_elements *format) {
    char text[16] = "";
    int64_t width = format->kind == 'U' ? 4 : 1;
    bool last = format->kind == 'U' && format->swapped == dl_host_is_little();
    for (int64_t i = 0; i < format->item / width && i < 15; i++)
        text[i] = (char)format->data[i * width + (last ? 3 : 0)];
    if (strcmp(text, "csr") == 0)
        return DLTF_OK;
    return dl_fail(DLTF_FORMAT, "is a sparse matrix in '%s' format: convert with matrix.tocsr()",
                   DL_PRINTABLE(text, (int64_t)strlen(text)));
}

/* Checks the format first: other formats lack some of the arrays, and that message would be less helpful. */
static dltf_status get_parts(const dl_zip *zip, parts *p) {
    dltf_status status = DLTF_OK;
    DL_TRY(get(zip, "format", "SU", 0, &p->format));
    DL_TRY(check_format(&p->format.elements));
    DL_TRY(get(zip, "shape", "iu", 1, &p->shape));
    DL_TRY(get(zip, "indptr", "iu", 1, &p->indptr));
    DL_TRY(get(zip, "indices", "iu", 1, &p->indices));
    DL_TRY(get(zip, "data", "f", 1, &p->data));
done:
    return status;
}

/* Checks what reading the entries relies on: shape, array lengths, an indptr within bounds. */
static dltf_status check_frame(const parts *p, int64_t *rows, int64_t *cols) {
    const dl_elements *indptr = &p->indptr.elements;
    int64_t entries = p->indices.elements.count;
    if (p->shape.elements.count != 2)
        return dl_fail(DLTF_FORMAT, "array 'shape' must have two elements");
    *rows = dl_elements_integer(&p->shape.elements, 0);
    *cols = dl_elements_integer(&p->shape.elements, 1);
    if (*rows < 0 || *cols < 1 || *cols > INT32_MAX)
        return dl_fail(DLTF_FORMAT, "shape %" PRId64 " x %" PRId64 " is out of range", *rows, *cols);
    if (indptr->count - 1 != *rows)
        return dl_fail(DLTF_FORMAT,
                       "'indptr' has %" PRId64 " elements for %" PRId64 " rows: expected rows + 1",
                       indptr->count, *rows);
    if (p->data.elements.count != entries)
        return dl_fail(DLTF_FORMAT, "'data' has %" PRId64 " elements, but 'indices' has %" PRId64,
                       p->data.elements.count, entries);
    int64_t previous = 0;
    for (int64_t i = 0; i < indptr->count; i++) {
        int64_t place = dl_elements_integer(indptr, i);
        if (place < previous || place > entries || (i == 0 && place != 0))
            return dl_fail(DLTF_FORMAT,
                           "'indptr' element %" PRId64 " is %" PRId64
                           ": out of order or out of range (%" PRId64 " entries)",
                           i, place, entries);
        previous = place;
    }
    return DLTF_OK;
}

/* Copies the non-zero entries. */
static dltf_status copy_rows(const parts *p, dltf_codes *codes) {
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
    parts p = {0};
    int64_t rows = 0, cols = 0;
    dltf_codes *made = NULL;
    if (!dl_zip_recognise(file->bytes, file->size))
        return dl_fail(DLTF_FORMAT,
                       "is not a .npz file; codes are written by dltf encode or scipy.sparse.save_npz");
    DL_TRY(dl_zip_open(file->bytes, file->size, &zip));
    DL_TRY(get_parts(&zip, &p));
    DL_TRY(check_frame(&p, &rows, &cols));
    DL_TRY(dl_codes_alloc(rows, cols, p.indices.elements.count, &made));
    DL_TRY(copy_rows(&p, made));
    DL_TRY(sort_rows(made));
    DL_TRY(dl_codes_check(dltf_codes_csr(made)));
    *codes = made;
    made = NULL;
done:
    dltf_codes_free(made);
    dl_file_close(&p.format.content);
    dl_file_close(&p.shape.content);
    dl_file_close(&p.indptr.content);
    dl_file_close(&p.indices.content);
    dl_file_close(&p.data.content);
    dl_zip_close(&zip);
    return status;
}

dltf_status dltf_codes_load(const char *path, dltf_codes **codes) {
    dl_file file;
    *codes = NULL;
    dltf_status status = dl_file_open(path, &file);
    if (status == DLTF_OK) {
        status = dl_codes_parse(&file, codes);
        dl_file_close(&file);
    }
    return dl_file_result(status, path);
}
