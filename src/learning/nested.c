/* Nested dictionaries: which prefixes of the atoms are dictionaries of their own. */
#include "learning/nested.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "comm/comm.h"
#include "data/prefixes.h"
#include "kernels/packed.h"

/* Whole panels, so that products end where a prefix does; and enough atoms to choose k from. */
int dl_nested_prefixes(int64_t m, int64_t k, int64_t *prefix) {
    int count = 0;
    prefix[count++] = m;
    for (int64_t share = 2; count < DL_PREFIXES; share *= 2) {
        int64_t atoms = dl_tiles(dl_tiles(m, share), DL_PANEL) * DL_PANEL;
        if (atoms <= k || atoms >= prefix[count - 1])
            break;
        prefix[count++] = atoms;
    }
    return count;
}

dltf_status dl_nested_admit(int64_t m, int64_t k) {
    int64_t prefix[DL_PREFIXES];
    if (dl_nested_prefixes(m, k, prefix) == 1)
        return dl_fail_option(DLTF_ARGUMENT, "nested",
                              "%lld atoms with k = %lld have no prefix: m must be above %d, and half of it "
                              "above k",
                              (long long)m, (long long)k, DL_PANEL);
    if (dl_comm_size() > 1)
        return dl_fail_option(DLTF_ARGUMENT, "nested",
                              "training with several ranks does not support it: run it as one process");
    return DLTF_OK;
}

dltf_status dl_nested_note(int64_t m, int64_t k, dl_notes *notes) {
    int64_t prefix[DL_PREFIXES], ascending[DL_PREFIXES];
    int count = dl_nested_prefixes(m, k, prefix);
    for (int q = 0; q < count; q++)
        ascending[q] = prefix[count - 1 - q];
    return dl_prefixes_note(ascending, count, notes);
}
