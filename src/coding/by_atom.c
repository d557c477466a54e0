/* A counting sort: sums over the samples of an atom then have a single owner and need no locks. */
#include "coding/by_atom.h"

#include "base/memory.h"

#include <string.h>

dltf_status dl_by_atom_alloc(dl_by_atom *by_atom, int64_t m, int64_t entries) {
    dltf_status status = DLTF_OK;
    *by_atom = (dl_by_atom){.m = m};
    DL_TRY_NEW(by_atom->start, m + 2);
    DL_TRY_NEW(by_atom->entry, entries);
done:
    if (status != DLTF_OK)
        dl_by_atom_free(by_atom);
    return status;
}

void dl_by_atom_free(dl_by_atom *by_atom) {
    dl_free(by_atom->start);
    dl_free(by_atom->entry);
    *by_atom = (dl_by_atom){0};
}

/* The number of an entry's atom among those that are sorted; m if it is another one. */
static int64_t atom_of(const dl_by_atom *by_atom, int32_t index) {
    int64_t j = index - by_atom->first;
    return j >= 0 && j < by_atom->m ? j : by_atom->m;
}

/* Entries of other atoms come last, where nobody looks. */
void dl_by_atom_sort(dl_by_atom *by_atom, dl_slots Z) {
    int64_t m = by_atom->m, *start = by_atom->start;
    memset(start, 0, (size_t)(m + 2) * sizeof *start);
    for (int64_t i = 0; i < Z.rows; i++)
        for (int64_t e = i * Z.k; e < i * Z.k + Z.count[i]; e++)
            start[atom_of(by_atom, Z.index[e]) + 1]++;
    for (int64_t j = 0; j < m; j++)
        start[j + 1] += start[j];
    for (int64_t i = 0; i < Z.rows; i++)
        for (int64_t e = i * Z.k; e < i * Z.k + Z.count[i]; e++)
            by_atom->entry[start[atom_of(by_atom, Z.index[e])]++] = e;
    for (int64_t j = m; j > 0; j--) /* each start has moved to that of the next atom */
        start[j] = start[j - 1];
    start[0] = 0;
}
