/* Selection of small distances. Nearly all are too large: blocks without any hit are skipped by their
 * minimum, which compiles to vector instructions. */
#include "kernels/level/level.h"

static inline int64_t list_block(const uint16_t *distances, int64_t first, int64_t last, uint16_t bound,
                                 uint16_t *positions, int64_t listed) {
    for (int64_t i = first; i < last; i++) {
        positions[listed] = (uint16_t)i;
        listed += distances[i] < bound;
    }
    return listed;
}

int64_t DL_LEVELLED(dl_nearer)(const uint16_t *distances, int64_t count, uint16_t bound,
                               uint16_t *positions) {
    enum { BLOCK = 64 };
    int64_t listed = 0, i = 0;
    for (; i + BLOCK <= count; i += BLOCK) {
        uint16_t least = UINT16_MAX;
        for (int l = 0; l < BLOCK; l++)
            least = distances[i + l] < least ? distances[i + l] : least;
        if (least < bound)
            listed = list_block(distances, i, i + BLOCK, bound, positions, listed);
    }
    return list_block(distances, i, count, bound, positions, listed);
}
