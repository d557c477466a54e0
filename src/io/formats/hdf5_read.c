/* Datasets as matrices: whole, or row by row. */
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
    dltf_array *made = DL_NEW(dltf_array, 1);
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

typedef struct rows {
    char *path;
    dl_hdf5_dataset dataset;
    int64_t cols;
} rows;

/* Selects a row: of several axes the last one, or all but the first. */
static bool select_row(const dl_hdf5 *h, const dl_elements *e, int64_t cols, int64_t row, hid_t space) {
    hsize_t first[DL_MAX_AXES] = {0}, count[DL_MAX_AXES];
    int64_t inside = 1, index = row;
    int axis = e->rank - 1;
    for (; axis >= 0 && inside < cols; axis--) { /* the axes within a row */
        inside *= e->shape[axis];
        count[axis] = (hsize_t)e->shape[axis];
    }
    for (; axis >= 0; axis--) { /* those that number the rows */
        first[axis] = (hsize_t)(index % e->shape[axis]);
        count[axis] = 1;
        index /= e->shape[axis];
    }
    return h->H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL) >= 0;
}

static dltf_status read_row(void *context, int64_t row, double *out) {
    rows *r = context;
    const dl_hdf5 *h = NULL;
    const hsize_t length = (hsize_t)r->cols;
    dltf_status status = dl_hdf5_enter(&h);
    if (status == DLTF_OK) {
        hid_t space = h->H5Dget_space(r->dataset.set), memory = h->H5Screate_simple(1, &length, NULL);
        if (!select_row(h, &r->dataset.elements, r->cols, row, space) ||
            h->H5Dread(r->dataset.set, *h->doubles, memory, space, H5P_DEFAULT, out) < 0)
            status = cannot_read();
        h->H5Sclose(space);
        h->H5Sclose(memory);
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
    DL_TRY_NEW(made, 1);
    dl_elements_shape(&r->dataset.elements, &count, &r->cols);
    dl_elements_remark(&r->dataset.elements, made->remark, sizeof made->remark);
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
