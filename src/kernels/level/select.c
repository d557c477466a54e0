/* Selection by bisection: nonnegative floats are ordered like their bit patterns, so the k-th largest
 * magnitude is found by halving an integer interval and counting; every pass is a branch-free loop that
 * vectorises. */
#include "kernels/level/level.h"

#include <string.h>

/* Magnitude bits of a score, 0 if it must not be kept. NaN and infinity keep their key whatever their sign,
 * so that they are selected and the caller sees them. */
static inline uint32_t key_of(float score, bool positive) {
    uint32_t bits;
    memcpy(&bits, &score, sizeof bits);
    uint32_t magnitude = bits & 0x7fffffffu;
    bool excluded = positive && bits > 0x80000000u && magnitude < 0x7f800000u;
    return excluded ? 0 : magnitude;
}

/* The keys of all scores; returns how many are not 0. */
static int32_t make_keys(const float *scores, int64_t m, bool positive, uint32_t *keys, uint32_t *largest) {
    uint32_t most = 0;
    int32_t nonzero = 0;
    for (int64_t i = 0; i < m; i++) {
        uint32_t key = key_of(scores[i], positive);
        keys[i] = key;
        nonzero += key != 0;
        most = key > most ? key : most;
    }
    *largest = most;
    return nonzero;
}

static int32_t count_above(const uint32_t *keys, int64_t m, uint32_t cut) {
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

static int64_t select_row(const float *scores, int64_t m, int64_t k, bool positive, uint32_t *keys,
                          int32_t *indices, float *values) {
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

void DL_LEVELLED(dl_select)(const float *S, int64_t stride, int64_t rows, int64_t m, int64_t k, bool positive,
                            uint32_t *keys, int32_t *count, int32_t *index, float *value) {
    for (int64_t i = 0; i < rows; i++)
        count[i] = (int32_t)select_row(S + i * stride, m, k, positive, keys, index + i * k, value + i * k);
}

int64_t DL_LEVELLED(dl_above)(const float *scores, int64_t m, bool positive, uint32_t cut, int32_t base,
                              int32_t *index, float *value) {
    int64_t kept = 0;
    for (int64_t i = 0; i < m; i++) {
        if (key_of(scores[i], positive) <= cut)
            continue;
        index[kept] = base + (int32_t)i;
        value[kept++] = scores[i];
    }
    return kept;
}
