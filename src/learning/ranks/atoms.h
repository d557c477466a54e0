/* How ranks divide the atoms of a dictionary.
 *
 * Atoms are cut into groups, whose number is a power of two that depends only on m; a rank has whole groups.
 * Sums over atoms go by groups, which are the leaves of a binary tree: the ranks add up the largest subtrees
 * that they have, then the tree above these, so that sums have the same bytes for any number of ranks. */
#ifndef DL_LEARNING_RANKS_ATOMS_H
#define DL_LEARNING_RANKS_ATOMS_H

#include "base/integer.h"
#include "base/parallel.h"
#include "base/status.h"
#include "kernels/kernels.h"

int64_t dl_atom_groups(int64_t m);

/* The first atom of a group, of so many: whole panels. */
static inline int64_t dl_atom_group_first(int64_t m, int64_t groups, int64_t group) {
    return dl_min(dl_tiles(m, DL_PANEL) * group / groups * DL_PANEL, m);
}

/* The first group, and the first atom, of a rank. */
int64_t dl_atoms_first_group(int64_t m, int rank);
int64_t dl_atoms_first(int64_t m, int rank);

/* Groups of a subtree. */
typedef struct dl_span {
    int64_t first, count;
} dl_span;

/* The largest subtrees, of at most `widest` groups, that make up groups first .. end - 1 of `groups`. Returns
 * their number; `spans` may be NULL. */
int64_t dl_atom_spans(int64_t groups, int64_t first, int64_t end, int64_t widest, dl_span *spans);

#endif
