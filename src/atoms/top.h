/* The internals of a dltf_top. */
#ifndef DL_ATOMS_TOP_H
#define DL_ATOMS_TOP_H

#include "atoms/code_sample.h"
#include "atoms/examples.h"
#include "base/handle.h"

/* Bars of the histogram of an atom, and intervals of eight bars. When a value is out of range, the range is
 * doubled: neighbouring bars are added up and neighbouring intervals merged. */
enum { DL_TOP_BARS = 64, DL_TOP_INTERVALS = 8, DL_TOP_BARS_PER_INTERVAL = DL_TOP_BARS / DL_TOP_INTERVALS };

/* Lists of an atom: top, random, then one for each interval. */
enum {
    DL_TOP_LARGEST,
    DL_TOP_RANDOM,
    DL_TOP_FIRST_INTERVAL,
    DL_TOP_LISTS = DL_TOP_FIRST_INTERVAL + DL_TOP_INTERVALS
};

typedef struct dl_atom_use {
    int64_t uses;
    double sum, range; /* of magnitudes; of the histogram: a power of two, 0 without uses */
    float largest;
} dl_atom_use;

struct dltf_top {
    dl_handle handle;
    int64_t m, samples;
    int threads;
    dltf_top_options options;
    dl_atom_use *atoms;     /* m */
    int64_t *bars;          /* m x DL_TOP_BARS */
    int32_t *counts;        /* m x DL_TOP_LISTS */
    dltf_example *examples; /* m x room of all lists */
    dltf_example *merged;   /* per thread: room of an interval */
    dl_code_sample codes;
};

/* For codes of at most k entries; rows: -1 if unknown. */
dltf_status dl_top_new(int64_t m, int64_t k, int64_t rows, int threads, const dltf_top_options *options,
                       dltf_top **top);
/* Adds the codes of samples `first`, first + 1, ... Pieces must be added in order. */
void dl_top_add(dltf_top *top, int64_t first, dltf_csr codes);

dl_examples dl_top_list(const dltf_top *top, int64_t atom, int list);

#endif
