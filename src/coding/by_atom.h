/* Entries of fixed-width codes, grouped by atom. */
#ifndef DL_CODING_BY_ATOM_H
#define DL_CODING_BY_ATOM_H

#include "coding/feature.h"

/* The entries of atom j are Z.value[entry[e]] for start[j] <= e < start[j+1], in the order of the samples;
 * the sample of an entry is entry[e] / Z.k. */
typedef struct dl_by_atom {
    int64_t m;
    int64_t first;  /* of these atoms in the codes, whose other entries are left out; 0 unless the caller sets
                       it */
    int64_t *start; /* m + 2 */
    int64_t *entry;
} dl_by_atom;

/* For codes of at most `entries` entries: rows times k. */
dltf_status dl_by_atom_alloc(dl_by_atom *by_atom, int64_t m, int64_t entries);
void dl_by_atom_free(dl_by_atom *by_atom);

/* Groups the entries of Z. O(m + entries). */
void dl_by_atom_sort(dl_by_atom *by_atom, dl_slots Z);

/* The entries of one atom: a view. */
typedef struct dl_atom_entries {
    int64_t count;
    const int64_t *entry;
} dl_atom_entries;

static inline dl_atom_entries dl_by_atom_of(const dl_by_atom *by_atom, int64_t j) {
    int64_t first = by_atom->start[j];
    return (dl_atom_entries){by_atom->start[j + 1] - first, by_atom->entry + first};
}

#endif
