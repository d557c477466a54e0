/* The five arrays that scipy.sparse.save_npz writes for a CSR matrix. */
#include "io/formats/csr.h"

#include "io/files/bytes.h"
#include "io/formats/npz.h"

#include <inttypes.h>

static dltf_status get(const dl_zip *zip, const char *name, const char *kinds, int rank, dl_csr_part *p) {
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
static dltf_status get_parts(const dl_zip *zip, const char *kinds, dl_csr_parts *p) {
    dltf_status status = DLTF_OK;
    DL_TRY(get(zip, "format", "SU", 0, &p->format));
    DL_TRY(check_format(&p->format.elements));
    DL_TRY(get(zip, "shape", "iu", 1, &p->shape));
    DL_TRY(get(zip, "indptr", "iu", 1, &p->indptr));
    DL_TRY(get(zip, "indices", "iu", 1, &p->indices));
    DL_TRY(get(zip, "data", kinds, 1, &p->data));
done:
    return status;
}

/* Checks what reading the entries relies on: shape, array lengths, an indptr within bounds. */
static dltf_status check_frame(dl_csr_parts *p) {
    const dl_elements *indptr = &p->indptr.elements;
    int64_t entries = p->indices.elements.count;
    if (p->shape.elements.count != 2)
        return dl_fail(DLTF_FORMAT, "array 'shape' must have two elements");
    p->rows = dl_elements_integer(&p->shape.elements, 0);
    p->cols = dl_elements_integer(&p->shape.elements, 1);
    if (p->rows < 0 || p->cols < 1 || p->cols > INT32_MAX)
        return dl_fail(DLTF_FORMAT, "shape %" PRId64 " x %" PRId64 " is out of range", p->rows, p->cols);
    if (indptr->count - 1 != p->rows)
        return dl_fail(DLTF_FORMAT,
                       "'indptr' has %" PRId64 " elements for %" PRId64 " rows: expected rows + 1",
                       indptr->count, p->rows);
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

dltf_status dl_csr_open(const dl_zip *zip, const char *kinds, dl_csr_parts *parts) {
    dltf_status status = get_parts(zip, kinds, parts);
    return status == DLTF_OK ? check_frame(parts) : status;
}

void dl_csr_close(dl_csr_parts *parts) {
    dl_file_close(&parts->format.content);
    dl_file_close(&parts->shape.content);
    dl_file_close(&parts->indptr.content);
    dl_file_close(&parts->indices.content);
    dl_file_close(&parts->data.content);
}
