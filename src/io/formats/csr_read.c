/* Sparse data matrices. They stay sparse in memory: 12 bytes per entry, 8 per row. */
#include "base/memory.h"
#include "data/array.h"
#include "io/formats/csr.h"

#include <inttypes.h>
#include <stdlib.h>

/* The memory of an array: the view, followed by what it points to. */
typedef struct content {
    dltf_csr view;
    int64_t *indptr;
    int32_t *indices;
    double *values;
} content;

static content *content_new(int64_t rows, int64_t cols, int64_t entries) {
    int64_t head = (int64_t)sizeof(content), wide = rows + 1 + entries;
    content *made = dl_alloc(head + wide * 8 + entries * 4, 1);
    if (!made)
        return NULL;
    made->indptr = (int64_t *)(made + 1);
    made->values = (double *)(made->indptr + rows + 1);
    made->indices = (int32_t *)(made->values + entries);
    made->view = (dltf_csr){rows, cols, made->indptr, made->indices, NULL, made->values};
    return made;
}

static dltf_status copy_values(const dl_elements *data, double *values) {
    if (data->kind == 'i' || data->kind == 'u')
        return dl_elements_convert(data, DLTF_F64, values);
    for (int64_t i = 0; i < data->count; i++)
        values[i] = dl_elements_real(data, i);
    return DLTF_OK;
}

typedef struct entry {
    int64_t place; /* in the file */
    double value;
    int32_t index;
} entry;

static int compare_entries(const void *a, const void *b) {
    const entry *left = a, *right = b;
    if (left->index != right->index)
        return left->index < right->index ? -1 : 1;
    return (left->place > right->place) - (left->place < right->place);
}

/* Sorts the entries begin .. *end-1 by column and adds those of the same column in the order of the file. */
static dltf_status merge_row(content *c, int64_t begin, int64_t *end, bool single) {
    int64_t count = *end - begin, kept = begin;
    entry *entries = DL_NEW(entry, count);
    if (!entries)
        return DLTF_MEMORY;
    for (int64_t i = 0; i < count; i++)
        entries[i] = (entry){i, c->values[begin + i], c->indices[begin + i]};
    qsort(entries, (size_t)count, sizeof *entries, compare_entries);
    for (int64_t i = 0; i < count; i++) {
        if (i > 0 && entries[i].index == entries[i - 1].index) {
            double sum = c->values[kept - 1] + entries[i].value;
            c->values[kept - 1] = single ? (double)(float)sum : sum;
            continue;
        }
        c->indices[kept] = entries[i].index;
        c->values[kept++] = entries[i].value;
    }
    dl_free(entries);
    *end = kept;
    return DLTF_OK;
}

/* Checks the indices. Entries move forward in place where duplicates disappear. */
static dltf_status copy_rows(const dl_csr_parts *p, content *c) {
    bool single = p->data.elements.item <= 4 && p->data.elements.kind == 'f';
    int64_t kept = 0, e = 0;
    for (int64_t row = 0; row < p->rows; row++) {
        int64_t begin = kept, end = dl_elements_integer(&p->indptr.elements, row + 1);
        bool ascending = true;
        for (; e < end; e++, kept++) {
            int64_t index = dl_elements_integer(&p->indices.elements, e);
            if (index < 0 || index >= p->cols)
                return dl_fail(DLTF_FORMAT,
                               "row %" PRId64 " has index %" PRId64 ", out of range for %" PRId64 " columns",
                               row, index, p->cols);
            c->indices[kept] = (int32_t)index;
            c->values[kept] = c->values[e];
            ascending = ascending && (kept == begin || c->indices[kept - 1] < c->indices[kept]);
        }
        dltf_status status = ascending ? DLTF_OK : merge_row(c, begin, &kept, single);
        if (status != DLTF_OK)
            return status;
        c->indptr[row + 1] = kept;
    }
    return DLTF_OK;
}

dltf_status dl_csr_load(const dl_zip *zip, dltf_array **array) {
    dltf_status status = DLTF_OK;
    dl_csr_parts p = {0};
    content *c = NULL;
    dltf_array *made = NULL;
    DL_TRY(dl_csr_open(zip, "fViu", &p));
    if (p.rows == 0)
        DL_TRY(dl_fail(DLTF_FORMAT, "contains no rows"));
    DL_TRY_HANDLE(made, ARRAY);
    made->memory = c = content_new(p.rows, p.cols, p.indices.elements.count);
    if (!c) {
        status = DLTF_MEMORY;
        goto done;
    }
    DL_TRY(copy_values(&p.data.elements, c->values));
    DL_TRY(copy_rows(&p, c));
    made->matrix = dltf_matrix_sparse(&c->view);
    *array = made;
    made = NULL;
done:
    dltf_array_free(made);
    dl_csr_close(&p);
    return status;
}
