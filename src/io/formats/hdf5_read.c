/* Datasets as matrices: whole, or row by row. */
#include "base/integer.h"
#include "base/memory.h"
#include "data/array.h"
#include "data/matrix.h"
#include "data/source.h"
#include "io/formats/hdf5.h"
#include "io/formats/hdf5_dataset.h"

#include <math.h>
#include <string.h>

static hid_t memory_type(const dl_hdf5 *h, dltf_type type) {
    return *(type == DLTF_U8 ? h->bytes : type == DLTF_F32 ? h->floats : h->doubles);
}

/* Integers of 64 bits that a double cannot hold were rounded. */
static dltf_status check_exact(const dl_elements *e, const double *values, int64_t count) {
    for (int64_t i = 0; e->kind != 'f' && e->item == 8 && i < count; i++)
        if (fabs(values[i]) > 0x1p53)
            return dl_fail(DLTF_DATA,
                           "has an integer near %.0f: integers beyond 2^53 cannot be represented exactly",
                           values[i]);
    return DLTF_OK;
}

static dltf_status cannot_read(void) {
    return dl_fail(DLTF_FORMAT,
                   "truncated or corrupt: the dataset cannot be read, or needs a filter that is not "
                   "installed");
}

/* ---- Whole ---- */

static dltf_status read_all(const dl_hdf5 *h, const dl_hdf5_dataset *d, dltf_array *made) {
    dltf_type type = DLTF_F32;
    int64_t rows = 0, cols = 0;
    dltf_status status = dl_elements_type(&d->elements, &type);
    if (status != DLTF_OK)
        return status;
    dl_elements_shape(&d->elements, &rows, &cols);
    dl_elements_remark(&d->elements, made->remark, sizeof made->remark);
    made->memory = dl_alloc(d->elements.count, (size_t)dl_type_size(type));
    if (!made->memory)
        return DLTF_MEMORY;
    if (h->H5Dread(d->set, memory_type(h, type), H5S_ALL, H5S_ALL, H5P_DEFAULT, made->memory) < 0)
        return cannot_read();
    made->matrix = (dltf_matrix){made->memory, type, rows, cols, cols, 1};
    return type == DLTF_F64 ? check_exact(&d->elements, made->memory, d->elements.count) : DLTF_OK;
}

dltf_status dl_hdf5_load(dl_file *file, const char *name, dltf_array **array) {
    const dl_hdf5 *h = NULL;
    dl_hdf5_dataset d;
    if (!file->path)
        return dl_fail(DLTF_FORMAT, "is an HDF5 file, which cannot be read from a stream: pass a file name");
    dltf_array *made = dl_array_new();
    if (!made)
        return DLTF_MEMORY;
    dltf_status status = dl_hdf5_enter(&h);
    if (status == DLTF_OK) {
        status = dl_hdf5_dataset_open(h, file->path, name, &d);
        d.elements.columns_axis = dl_file_axis(file);
        if (status == DLTF_OK)
            status = read_all(h, &d, made);
        dl_hdf5_dataset_close(h, &d);
        dl_hdf5_leave();
    }
    if (status == DLTF_OK)
        *array = made;
    else
        dltf_array_free(made);
    return status;
}

/* ---- By rows ---- */

/* A call of libhdf5 takes as long as reading thousands of numbers: rows are read in blocks, of which the last
 * few are kept, so that several threads find theirs. */
enum { SLOTS = 16, BLOCK_VALUES = 1 << 13 };

typedef struct rows {
    char *path;
    dl_hdf5_dataset dataset;
    int64_t cols;
    int64_t block;        /* rows of a block; one at the end of the axis may have fewer */
    int64_t first[SLOTS]; /* first row of the block in a slot; -1: none */
    double *values;       /* SLOTS x block x cols */
} rows;

/* Selects the rows from `row` on that have their places in the last axis that numbers rows: at most `most`,
 * whose number is returned, or -1. The axes behind it make up a row. */
static int64_t select_rows(const dl_hdf5 *h, const rows *r, int64_t row, int64_t most, hid_t space) {
    const dl_elements *e = &r->dataset.elements;
    hsize_t first[DL_MAX_AXES] = {0}, count[DL_MAX_AXES];
    int64_t inside = 1, index = row, selected = 1;
    int axis = e->rank - 1;
    for (; axis >= 0 && inside < r->cols; axis--) {
        inside *= e->shape[axis];
        count[axis] = (hsize_t)e->shape[axis];
    }
    for (bool last = true; axis >= 0; axis--, last = false) {
        int64_t place = index % e->shape[axis];
        if (last)
            selected = most < e->shape[axis] - place ? most : e->shape[axis] - place;
        first[axis] = (hsize_t)place;
        count[axis] = last ? (hsize_t)selected : 1;
        index /= e->shape[axis];
    }
    return h->H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL) >= 0 ? selected : -1;
}

static dltf_status read_block(const dl_hdf5 *h, const rows *r, int64_t row, double *out) {
    hid_t space = h->H5Dget_space(r->dataset.set);
    int64_t count = select_rows(h, r, row, r->block, space);
    const hsize_t length = count > 0 ? (hsize_t)(count * r->cols) : 1;
    hid_t memory = h->H5Screate_simple(1, &length, NULL);
    bool done = count > 0 && h->H5Dread(r->dataset.set, *h->doubles, memory, space, H5P_DEFAULT, out) >= 0;
    h->H5Sclose(space);
    h->H5Sclose(memory);
    return done ? DLTF_OK : cannot_read();
}

/* The first row of the block that has a row. */
static int64_t block_of(const rows *r, int64_t row) {
    const dl_elements *e = &r->dataset.elements;
    int64_t inside = 1, length = 1;
    for (int axis = e->rank - 1; axis >= 0; axis--)
        if (inside < r->cols)
            inside *= e->shape[axis];
        else {
            length = e->shape[axis];
            break;
        }
    return row - row % length % r->block;
}

static dltf_status read_row(void *context, int64_t row, double *out) {
    rows *r = context;
    const dl_hdf5 *h = NULL;
    int64_t first = block_of(r, row), slot = first / r->block % SLOTS;
    double *values = r->values + slot * r->block * r->cols;
    dltf_status status = dl_hdf5_enter(&h);
    if (status == DLTF_OK) {
        if (r->first[slot] != first)
            status = read_block(h, r, first, values);
        r->first[slot] = status == DLTF_OK ? first : -1;
        if (status == DLTF_OK)
            memcpy(out, values + (row - first) * r->cols, (size_t)r->cols * sizeof *out);
        dl_hdf5_leave();
    }
    if (status == DLTF_OK)
        status = check_exact(&r->dataset.elements, out, r->cols);
    return dl_file_result(status, r->path);
}

static void close_rows(void *context) {
    rows *r = context;
    const dl_hdf5 *h = NULL;
    if (dl_hdf5_enter(&h) == DLTF_OK) {
        dl_hdf5_dataset_close(h, &r->dataset);
        dl_hdf5_leave();
    }
    dl_free(r->path);
    dl_free(r->values);
    dl_free(r);
}

static dltf_status open_rows(const char *path, const dl_reading *reading, rows *r) {
    const dl_hdf5 *h = NULL;
    dltf_status status = dl_hdf5_enter(&h);
    if (status != DLTF_OK)
        return status;
    status = dl_hdf5_dataset_open(h, path, reading->member, &r->dataset);
    r->dataset.elements.columns_axis = reading->columns_axis;
    dl_hdf5_leave();
    return status;
}

static dltf_status open(const char *path, const dl_reading *reading, dltf_array **array) {
    dltf_status status = DLTF_OK;
    int64_t count = 0;
    rows *r = NULL;
    dltf_array *made = NULL;
    DL_TRY_NEW(r, 1);
    r->dataset = (dl_hdf5_dataset){.file = -1, .set = -1};
    DL_TRY_NEW(r->path, (int64_t)strlen(path) + 1);
    strcpy(r->path, path);
    DL_TRY(open_rows(path, reading, r));
    made = dl_array_new();
    if (!made) {
        status = DLTF_MEMORY;
        goto done;
    }
    dl_elements_shape(&r->dataset.elements, &count, &r->cols);
    dl_elements_remark(&r->dataset.elements, made->remark, sizeof made->remark);
    r->block = dl_max(1, dl_min(BLOCK_VALUES / r->cols, count));
    for (int i = 0; i < SLOTS; i++)
        r->first[i] = -1;
    DL_TRY_NEW(r->values, SLOTS * r->block * r->cols);
    DL_TRY(dltf_source_new(count, r->cols, read_row, r, &made->source));
    dl_source_extend(made->source, (dl_source_extras){NULL, close_rows});
    made->matrix = dltf_source_matrix(made->source);
    r = NULL;
    *array = made;
    made = NULL;
done:
    if (r)
        close_rows(r);
    dltf_array_free(made);
    return status;
}

dltf_status dl_hdf5_describe(const dl_file *start, int64_t size, dl_row_layout *layout) {
    (void)start, (void)size;
    *layout = (dl_row_layout){.open = open};
    return DLTF_OK;
}
