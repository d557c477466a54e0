/* The choice of a dataset, and what it is. */
#include "io/formats/hdf5_dataset.h"

#include "base/memory.h"
#include "io/files/bytes.h"

#include <stdio.h>

enum { MAX_NAME = 256, CACHE = 64 << 20, DEFLATE_RATIO = 1032 };

/* ---- What a dataset is ---- */

/* Type and shape; false if it does not have numbers. */
static bool describe(const dl_hdf5 *h, hid_t set, dl_elements *e) {
    hsize_t shape[DL_MAX_AXES] = {0};
    hid_t type = h->H5Dget_type(set), space = h->H5Dget_space(set);
    H5T_class_t class = h->H5Tget_class(type);
    *e = (dl_elements){.item = (int64_t)h->H5Tget_size(type), .rank = h->H5Sget_simple_extent_ndims(space)};
    e->kind = class == H5T_FLOAT ? 'f' : h->H5Tget_sign(type) == H5T_SGN_NONE ? 'u' : 'i';
    bool numbers = class == H5T_FLOAT || (class == H5T_INTEGER && e->item <= 8);
    if (class == H5T_FLOAT && e->item > 4) /* long double becomes double */
        e->item = sizeof(double);
    numbers = numbers && e->rank >= 0 && e->rank <= DL_MAX_AXES &&
              h->H5Sget_simple_extent_dims(space, shape, NULL) >= 0;
    for (int a = 0; numbers && a < e->rank; a++) {
        numbers = shape[a] <= INT64_MAX;
        e->shape[a] = (int64_t)shape[a];
    }
    h->H5Tclose(type);
    h->H5Sclose(space);
    return numbers;
}

/* ---- The choice ---- */

typedef struct search {
    const dl_hdf5 *h;
    int floats, numbers;
    char of_floats[MAX_NAME], of_numbers[MAX_NAME]; /* the last one found */
    char list[400];
    size_t used;
} search;

static herr_t visit(hid_t object, const char *name, const H5O_info_t *info, void *context) {
    search *s = context;
    dl_elements e;
    if (info->type != H5O_TYPE_DATASET || strlen(name) >= MAX_NAME)
        return 0;
    hid_t set = s->h->H5Dopen2(object, name, H5P_DEFAULT);
    bool numbers = set >= 0 && describe(s->h, set, &e);
    if (set >= 0)
        s->h->H5Dclose(set);
    if (!numbers)
        return 0;
    s->numbers++;
    strcpy(s->of_numbers, name);
    if (e.kind == 'f') {
        s->floats++;
        strcpy(s->of_floats, name);
    }
    if (s->used + DL_SHOWN + 8 < sizeof s->list)
        s->used += (size_t)snprintf(s->list + s->used, sizeof s->list - s->used, "%s'%s'",
                                    s->used ? ", " : "", DL_PRINTABLE(name, (int64_t)strlen(name)));
    return 0;
}

static dltf_status choose(const dl_hdf5 *h, hid_t file, char name[MAX_NAME]) {
    search s = {.h = h};
    if (h->H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, &s) < 0)
        return dl_fail(DLTF_FORMAT, "corrupt: its datasets cannot be listed");
    if (s.numbers == 0)
        return dl_fail(DLTF_FORMAT, "contains no dataset of numbers");
    if (s.floats > 1 || (s.floats == 0 && s.numbers > 1))
        return dl_fail(DLTF_FORMAT, "contains several datasets (%s): choose one with FILE.h5:NAME", s.list);
    strcpy(name, s.floats == 1 ? s.of_floats : s.of_numbers);
    return DLTF_OK;
}

static dltf_status not_found(const dl_hdf5 *h, hid_t file, const char *name) {
    search s = {.h = h};
    h->H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, &s);
    return dl_fail(DLTF_FORMAT, "dataset '%s' not found; the file contains %s",
                   DL_PRINTABLE(name, (int64_t)strlen(name)), s.numbers ? s.list : "no dataset of numbers");
}

/* ---- Opening ---- */

/* The elements must be in the file, which stores them at most as densely as deflate can. */
static dltf_status check_storage(const dl_hdf5 *h, const dl_hdf5_dataset *d) {
    hid_t properties = h->H5Dget_create_plist(d->set);
    int external = h->H5Pget_external_count(properties);
    h->H5Pclose(properties);
    if (external != 0)
        return dl_fail(DLTF_FORMAT, "keeps its data in other files, which is not supported");
    int64_t stored = (int64_t)h->H5Dget_storage_size(d->set);
    if (d->elements.bytes / DEFLATE_RATIO > stored)
        return dl_fail(DLTF_FORMAT, "truncated: shape declares %s bytes, file stores %s",
                       DL_COMMAS(d->elements.bytes), DL_COMMAS(stored));
    return DLTF_OK;
}

/* With a cache that holds large chunks, which otherwise would be unpacked again for every row. */
static hid_t open_set(const dl_hdf5 *h, hid_t file, const char *name) {
    enum { SLOTS = 521 };
    hid_t access = h->H5Pcreate(*h->dataset_access);
    h->H5Pset_chunk_cache(access, SLOTS, CACHE, 1);
    hid_t set = h->H5Dopen2(file, name, access);
    h->H5Pclose(access);
    return set;
}

dltf_status dl_hdf5_dataset_open(const dl_hdf5 *h, const char *path, const char *name, dl_hdf5_dataset *d) {
    const unsigned read_only = 0; /* H5F_ACC_RDONLY, a macro that calls a function */
    char chosen[MAX_NAME];
    dltf_type type;
    *d = (dl_hdf5_dataset){.set = -1, .file = h->H5Fopen(path, read_only, H5P_DEFAULT)};
    if (d->file < 0)
        return dl_fail(DLTF_FORMAT, "is a truncated or corrupt HDF5 file");
    dltf_status status = name ? DLTF_OK : choose(h, d->file, chosen);
    if (status != DLTF_OK)
        return status;
    d->set = open_set(h, d->file, name ? name : chosen);
    if (d->set < 0)
        return not_found(h, d->file, name ? name : chosen);
    if (!describe(h, d->set, &d->elements))
        return dl_fail(DLTF_FORMAT, "dataset '%s' does not contain numbers: expected floats or integers",
                       DL_PRINTABLE(name ? name : chosen, (int64_t)strlen(name ? name : chosen)));
    status = dl_elements_measure(&d->elements);
    if (status == DLTF_OK)
        status = dl_elements_type(&d->elements, &type);
    return status == DLTF_OK ? check_storage(h, d) : status;
}

void dl_hdf5_dataset_close(const dl_hdf5 *h, dl_hdf5_dataset *d) {
    if (d->set >= 0)
        h->H5Dclose(d->set);
    if (d->file >= 0)
        h->H5Fclose(d->file);
}
