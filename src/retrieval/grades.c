/* Ranks of distances. The spherical Hamming distance of two codes is the number of bits that differ, divided
 * by the number of bits that are 1 in both; infinite without such bits. Fractions with the same value have
 * the same grade. */
#include "retrieval/grades.h"

#include "base/memory.h"

#include <stdlib.h>

typedef struct fraction {
    int32_t differing, common;
} fraction;

/* a/b against c/d as a d against c b, with 1/0 for all infinite ones. */
static int compare(const void *left, const void *right) {
    const fraction *x = left, *y = right;
    int64_t a = x->common > 0 ? x->differing : 1, b = x->common;
    int64_t c = y->common > 0 ? y->differing : 1, d = y->common;
    return (a * d > c * b) - (a * d < c * b);
}

static dltf_status make_table(dl_grades *grades) {
    dltf_status status = DLTF_OK;
    int64_t bits = grades->bits, count = 0;
    fraction *fractions = NULL;
    DL_TRY_NEW(grades->table, (bits + 1) * (bits + 1));
    DL_TRY_NEW(fractions, (bits + 1) * (bits + 2) / 2);
    for (int32_t differing = 0; differing <= bits; differing++)
        for (int32_t common = 0; common <= bits - differing; common++)
            fractions[count++] = (fraction){differing, common};
    qsort(fractions, (size_t)count, sizeof *fractions, compare);
    for (int64_t i = 0; i < count; i++) {
        if (i > 0 && compare(&fractions[i - 1], &fractions[i]) != 0)
            grades->count++;
        grades->table[fractions[i].differing * (bits + 1) + fractions[i].common] = (int32_t)grades->count;
    }
    grades->count++;
done:
    dl_free(fractions);
    if (status != DLTF_OK) {
        dl_free(grades->table);
        grades->table = NULL;
    }
    return status;
}

dltf_status dl_grades_make(dltf_hash_distance distance, int64_t bits, dl_grades *grades) {
    *grades = (dl_grades){.bits = bits};
    if (distance == DLTF_DISTANCE_SPHERICAL)
        return make_table(grades);
    grades->count = bits + 1;
    return DLTF_OK;
}

void dl_grades_free(dl_grades *grades) {
    dl_free(grades->table);
}
