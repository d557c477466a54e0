/* Selection by bisection: nonnegative floats are ordered like their bit patterns, so the k-th largest
 * magnitude is found by halving an integer interval and counting; every pass is a branch-free loop that
 * vectorises. */
#include "kernels/select.h"

#include "kernels/dispatch.h"

#include <string.h>

/* Magnitude bits of each score (0 for scores that may not be kept); returns how many are not 0. */
DL_KERNEL static int32_t make_keys(const float *scores, int64_t m, bool positive, uint32_t *keys,
                                   uint32_t *largest) {
    const uint32_t sign_rule = positive ? 0x80000000u : 0, infinity = 0x7f800000u;
    uint32_t most = 0;
    int32_t nonzero = 0;
    for (int64_t i = 0; i < m; i++) {
        uint32_t bits;
        memcpy(&bits, &scores[i], sizeof bits);
        uint32_t magnitude = bits & 0x7fffffffu;
        /* A NaN keeps its key whatever its sign: it is then selected and the caller sees it. */
        uint32_t key = (bits & sign_rule) && magnitude <= infinity ? 0 : magnitude;
        keys[i] = key;
        nonzero += key != 0;
        most = key > most ? key : most;
    }
    *largest = most;
    return nonzero;
}

DL_KERNEL static int32_t count_above(const uint32_t *keys, int64_t m, uint32_t cut) {
    int32_t count = 0;
    for (int64_t i = 0; i < m; i++)
        count += keys[i] > cut;
    return count;
}

/* The smallest cut with at most k keys above it; stops early at any cut with exactly k. */
static uint32_t find_cut(const uint32_t *keys, int64_t m, int64_t k, uint32_t largest, int32_t *above) {
    uint32_t low = 0, high = largest; /* more than k above low, at most k above high */
    int32_t above_high = 0;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        int32_t count = count_above(keys, m, middle);
        if (count > k) {
            low = middle;
        } else {
            high = middle;
            above_high = count;
            if (count == k)
                break;
        }
    }
    *above = above_high;
    return high;
}

int64_t dl_select(const float *scores, int64_t m, int64_t k, bool positive, uint32_t *keys, int32_t *indices,
                  float *values) {
    uint32_t largest = 0, cut = 0;
    int32_t nonzero = make_keys(scores, m, positive, keys, &largest);
    int64_t ties = 0; /* how many entries equal to the cut are kept */
    if (nonzero > k) {
        int32_t above = 0;
        cut = find_cut(keys, m, k, largest, &above);
        ties = k - above;
    }
    int64_t kept = 0;
    for (int64_t i = 0; i < m; i++) {
        if (keys[i] < cut || keys[i] == 0)
            continue;
        if (keys[i] == cut && ties-- <= 0)
            continue;
        indices[kept] = (int32_t)i;
        values[kept++] = scores[i];
    }
    return kept;
}
