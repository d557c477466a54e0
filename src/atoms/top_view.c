/* Reading a dltf_top. */
#include "atoms/top.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/sized.h"
#include "data/codes.h"

#include <math.h>
#include <stdlib.h>

int64_t dltf_top_samples(const dltf_top *top) {
    return top ? top->samples : 0;
}

int64_t dltf_top_atoms(const dltf_top *top) {
    return top ? top->m : 0;
}

static dltf_status check_atom(const dltf_top *top, int64_t atom) {
    if (atom >= 0 && atom < top->m)
        return DLTF_OK;
    return dl_fail(DLTF_ARGUMENT, "atom %lld: out of range; atoms are numbered from 0 to %lld",
                   (long long)atom, (long long)top->m - 1);
}

static int64_t bars_in_use(const dltf_top *top, int64_t atom) {
    int64_t count = DL_TOP_BARS;
    while (count > 0 && top->bars[atom * DL_TOP_BARS + count - 1] == 0)
        count--;
    return count;
}

dltf_status dltf_top_get_sized(const dltf_top *top, int64_t atom, dltf_top_atom *found, size_t size) {
    DL_REQUIRE(top, found);
    dltf_status status = check_atom(top, atom);
    if (status != DLTF_OK)
        return status;
    const dl_atom_use *use = &top->atoms[atom];
    dl_examples largest = dl_top_list(top, atom, DL_TOP_LARGEST),
                random = dl_top_list(top, atom, DL_TOP_RANDOM);
    int64_t bars = bars_in_use(top, atom);
    dltf_top_atom own = {.uses = use->uses,
                         .mean = use->uses > 0 ? use->sum / (double)use->uses : 0,
                         .largest = (double)use->largest,
                         .top = largest.items,
                         .random = random.items,
                         .top_count = *largest.count,
                         .random_count = *random.count,
                         .bars = top->bars + atom * DL_TOP_BARS,
                         .bar_count = bars,
                         .bar_width = use->range / DL_TOP_BARS,
                         .intervals = (bars + DL_TOP_BARS_PER_INTERVAL - 1) / DL_TOP_BARS_PER_INTERVAL};
    DL_WRITE_STRUCT(dltf_top_atom, found, size, &own);
    return DLTF_OK;
}

dltf_status dltf_top_interval_get_sized(const dltf_top *top, int64_t atom, int64_t interval,
                                        dltf_top_interval *found, size_t size) {
    DL_REQUIRE(top, found);
    dltf_status status = check_atom(top, atom);
    if (status == DLTF_OK && (interval < 0 || interval >= DL_TOP_INTERVALS))
        status = dl_fail(DLTF_ARGUMENT, "interval %lld: out of range; intervals are numbered from 0 to %d",
                         (long long)interval, DL_TOP_INTERVALS - 1);
    if (status != DLTF_OK)
        return status;
    dl_examples list = dl_top_list(top, atom, DL_TOP_FIRST_INTERVAL + (int)interval);
    double width = top->atoms[atom].range / DL_TOP_INTERVALS;
    dltf_top_interval own = {.min = (double)interval * width,
                             .max = (double)(interval + 1) * width,
                             .examples = list.items,
                             .count = *list.count};
    const int64_t *bars = top->bars + atom * DL_TOP_BARS + interval * DL_TOP_BARS_PER_INTERVAL;
    for (int i = 0; i < DL_TOP_BARS_PER_INTERVAL; i++)
        own.uses += bars[i];
    DL_WRITE_STRUCT(dltf_top_interval, found, size, &own);
    return DLTF_OK;
}

/* ---- Order of atoms ---- */

typedef struct ranked {
    double key;
    int32_t atom;
} ranked;

static int larger_first(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key) - (x->key > y->key)
                            : (x->atom > y->atom) - (x->atom < y->atom);
}

dltf_status dltf_top_by_use(const dltf_top *top, int32_t *atoms) {
    DL_REQUIRE(top, atoms);
    dltf_status status = DLTF_OK;
    ranked *order = NULL;
    DL_TRY_NEW(order, top->m);
    for (int64_t j = 0; j < top->m; j++)
        order[j] = (ranked){(double)top->atoms[j].uses, (int32_t)j};
    qsort(order, (size_t)top->m, sizeof *order, larger_first);
    for (int64_t j = 0; j < top->m; j++)
        atoms[j] = order[j].atom;
done:
    dl_free(order);
    return status;
}

dltf_status dltf_top_correlated(const dltf_top *top, int64_t atom, int64_t most, int32_t *atoms,
                                double *pearson, int64_t *found) {
    DL_REQUIRE(top, atoms, pearson, found);
    ranked *order = NULL;
    double *r = NULL;
    *found = 0;
    dltf_status status = check_atom(top, atom);
    if (status == DLTF_OK && most < 0)
        status = dl_fail(DLTF_ARGUMENT, "most = %lld: expected at least 0", (long long)most);
    if (status != DLTF_OK)
        return status;
    DL_TRY_NEW(order, top->m);
    DL_TRY_NEW(r, top->m);
    dl_code_sample_pearson(&top->codes, atom, r);
    for (int64_t j = 0; j < top->m; j++)
        order[j] = (ranked){r[j], (int32_t)j};
    qsort(order, (size_t)top->m, sizeof *order, larger_first);
    for (int64_t j = 0; j < top->m && j < most && order[j].key > 0; j++, ++*found) {
        atoms[j] = order[j].atom;
        pearson[j] = order[j].key;
    }
done:
    dl_free(order);
    dl_free(r);
    return status;
}

/* ---- As a matrix ---- */

static int by_row(const void *a, const void *b) {
    const dltf_example *x = a, *y = b;
    return (x->row > y->row) - (x->row < y->row);
}

static void copy_sorted(dl_examples list, dltf_example *space, dltf_codes *to, int64_t atom) {
    int64_t entry = to->indptr[atom];
    for (int32_t i = 0; i < *list.count; i++)
        space[i] = list.items[i];
    qsort(space, (size_t)*list.count, sizeof *space, by_row);
    for (int32_t i = 0; i < *list.count; i++, entry++) {
        to->indices[entry] = (int32_t)space[i].row;
        to->values[entry] = space[i].value;
    }
    to->indptr[atom + 1] = entry;
}

dltf_status dltf_top_codes(const dltf_top *top, dltf_codes **codes) {
    DL_CLEAR(codes);
    DL_REQUIRE(top, codes);
    dltf_status status = DLTF_OK;
    dltf_codes *made = NULL;
    dltf_example *space = NULL;
    if (top->samples > INT32_MAX)
        return dl_fail(DLTF_DATA, "%lld samples are more columns than a sparse matrix can have",
                       (long long)top->samples);
    int64_t entries = 0;
    for (int64_t j = 0; j < top->m; j++)
        entries += *dl_top_list(top, j, DL_TOP_LARGEST).count;
    DL_TRY(dl_codes_alloc(top->m, top->samples, dl_max(1, entries), &made));
    DL_TRY_NEW(space, top->options.top);
    for (int64_t j = 0; j < top->m; j++)
        copy_sorted(dl_top_list(top, j, DL_TOP_LARGEST), space, made, j);
    *codes = made;
    made = NULL;
done:
    dl_free(space);
    dltf_codes_free(made);
    return status;
}
