/* Groups of atoms and their owners. */
#include "learning/ranks/atoms.h"

#include "comm/comm.h"

/* Few, for their sums take room x n entries each, and enough to divide a large dictionary. */
int64_t dl_atom_groups(int64_t m) {
    const int64_t atoms = 4096;
    int64_t groups = 4;
    while (groups * atoms < m)
        groups *= 2;
    return groups;
}

int64_t dl_atoms_first_group(int64_t m, int rank) {
    return dl_comm_first(dl_atom_groups(m), rank);
}

int64_t dl_atoms_first(int64_t m, int rank) {
    return dl_atom_group_first(m, dl_atom_groups(m), dl_atoms_first_group(m, rank));
}

/* Adds the part of the subtree `all` that is in first .. end - 1. */
static int64_t add_spans(dl_span all, int64_t first, int64_t end, int64_t widest, dl_span *spans) {
    int64_t last = all.first + all.count, half = all.count / 2;
    if (all.first >= end || last <= first)
        return 0;
    if (all.first >= first && last <= end && all.count <= widest) {
        if (spans)
            *spans = all;
        return 1;
    }
    int64_t low = add_spans((dl_span){all.first, half}, first, end, widest, spans);
    return low + add_spans((dl_span){all.first + half, half}, first, end, widest, spans ? spans + low : NULL);
}

int64_t dl_atom_spans(int64_t groups, int64_t first, int64_t end, int64_t widest, dl_span *spans) {
    return add_spans((dl_span){0, groups}, first, end, widest, spans);
}
