/* Distances of binary codes as grades 0, 1, ...: equal distances have equal grades, larger ones larger
 * grades.
 */
#ifndef DL_RETRIEVAL_GRADES_H
#define DL_RETRIEVAL_GRADES_H

#include "base/status.h"
#include "dltf/hash.h"

typedef struct dl_grades {
    int64_t count;  /* of different grades */
    int64_t bits;   /* of a code */
    int32_t *table; /* spherical: by (differing, common) bits, rows of bits + 1; NULL: Hamming distance */
} dl_grades;

dltf_status dl_grades_make(dltf_hash_distance distance, int64_t bits, dl_grades *grades);
void dl_grades_free(dl_grades *grades);

/* The grade of two codes with this many differing bits, and ones_a and ones_b bits that are 1. */
static inline int64_t dl_grades_get(const dl_grades *grades, int64_t differing, int64_t ones_a,
                                    int64_t ones_b) {
    if (!grades->table)
        return differing;
    return grades->table[differing * (grades->bits + 1) + (ones_a + ones_b - differing) / 2];
}

#endif
