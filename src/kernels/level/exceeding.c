/* Scores above cuts of their own. Few are, so that most groups are passed over after one comparison. */
#include "kernels/level/level.h"

enum { GROUP = 32 };

static inline bool any_exceeds(const float *scores, const float *cut) {
    int32_t any = 0;
    for (int i = 0; i < GROUP; i++)
        any |= !(scores[i] <= cut[i]);
    return any;
}

int64_t DL_LEVELLED(dl_exceeding)(const float *scores, const float *cut, int64_t m, int32_t base,
                                  int32_t *index, float *value) {
    int64_t kept = 0;
    for (int64_t first = 0; first < m; first += GROUP) {
        int64_t end = m - first < GROUP ? m : first + GROUP;
        if (end - first == GROUP && !any_exceeds(scores + first, cut + first))
            continue;
        for (int64_t i = first; i < end; i++) {
            if (scores[i] <= cut[i])
                continue;
            index[kept] = base + (int32_t)i;
            value[kept++] = scores[i];
        }
    }
    return kept;
}
