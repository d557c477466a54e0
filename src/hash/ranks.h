/* Distances of binary codes as ranks 0, 1, ...: equal distances have equal ranks, larger ones larger ranks.
 */
#ifndef DL_HASH_RANKS_H
#define DL_HASH_RANKS_H

#include "base/status.h"

typedef struct dl_grades {
    int64_t count;  /* of different ranks */
    int64_t bits;   /* of a code */
    int32_t *table; /* spherical: by (differing, common) bits, rows of bits + 1; NULL: Hamming distance */
} dl_grades;

dltf_status dl_grades_make(dltf_hash_distance distance, int64_t bits, dl_grades *ranks);
void dl_grades_free(dl_grades *ranks);

/* The rank of two codes with this many differing bits, and ones_a and ones_b bits that are 1. */
static inline int64_t dl_grades_get(const dl_grades *ranks, int64_t differing, int64_t ones_a,
                                    int64_t ones_b) {
    if (!ranks->table)
        return differing;
    return ranks->table[differing * (ranks->bits + 1) + (ones_a + ones_b - differing) / 2];
}

#endif
