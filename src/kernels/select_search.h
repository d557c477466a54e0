/* max_k by counting: the cut between kept and dropped scores is found with a few counts, starting from where
 * it is expected. A file that includes this defines the three passes over scores for its instruction set. */
#ifndef DL_KERNELS_SELECT_SEARCH_H
#define DL_KERNELS_SELECT_SEARCH_H

#include "kernels/select_output.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { MAX_LISTED = 1024, LIST_SLACK = 64, LARGEST_KEY = 0x7fffffff };

/* Number of keys that are not 0, and the sum of squares. */
typedef struct summary {
    int64_t nonzero;
    float square;
} summary;

static summary summarise(const float *scores, int64_t m, bool positive);

/* How many keys are above a cut. */
static int64_t count_above(const float *scores, int64_t m, bool positive, uint32_t cut);

/* Writes the scores above the cut and the first `ties` of those equal to it, with their positions, which
 * count from `base`, or with the indices of `listed`. Returns how many. `positive`, and whether there is a
 * list, are constants where this is inlined. */
static inline __attribute__((always_inline)) int32_t emit_keys(const float *scores, const int32_t *listed,
                                                               int64_t m, bool positive, uint32_t cut,
                                                               int64_t ties, int32_t base, output out);

static int32_t emit(const float *scores, const int32_t *listed, int64_t m, bool positive, uint32_t cut,
                    int64_t ties, int32_t base, output out) {
    if (listed)
        return positive ? emit_keys(scores, listed, m, true, cut, ties, base, out)
                        : emit_keys(scores, listed, m, false, cut, ties, base, out);
    return positive ? emit_keys(scores, NULL, m, true, cut, ties, base, out)
                    : emit_keys(scores, NULL, m, false, cut, ties, base, out);
}

/* The lowest `count` set bits of a mask. */
static unsigned lowest_bits(unsigned mask, int64_t count) {
    unsigned kept = 0;
    for (; mask && count > 0; count--) {
        kept |= mask & -mask;
        mask &= mask - 1;
    }
    return kept;
}

/* Lists all scores above the cut, m <= MAX_LISTED; up to LIST_SLACK entries past the last may be overwritten.
 * A file with a faster way than `emit` defines OWN_LIST. */
static int64_t list_above(const float *scores, int64_t m, bool positive, uint32_t cut, int32_t *index,
                          float *value);

#ifndef OWN_LIST
static int64_t list_above(const float *scores, int64_t m, bool positive, uint32_t cut, int32_t *index,
                          float *value) {
    return emit(scores, NULL, m, positive, cut, 0, 0, (output){index, value, MAX_LISTED});
}
#endif

static float from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t to_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Where the cut is expected, as a multiple of the root of the mean square of the scores that are not zero. */
typedef struct expectation {
    float cut;
    float density; /* scores per unit there */
} expectation;

/* For Gaussian scores: the cut above which k of m magnitudes lie (Abramowitz & Stegun 26.2.22). */
static expectation expect(int64_t m, int64_t k) {
    float t = sqrtf(-2 * logf(fminf((float)k / (float)m, 0.999f) / 2));
    float cut = t - (2.30753f + 0.27061f * t) / (1 + 0.99229f * t + 0.04481f * t * t);
    return (expectation){cut, 0.79788f * expf(-0.5f * cut * cut) * (float)m};
}

/* What is known of a cut: more than k keys are above `low`, `above` <= k are above `high`. */
typedef struct bracket {
    uint32_t low, high;
    int64_t above;
} bracket;

/* Narrows the bracket until `high` is the smallest cut with at most k keys above it, or any with exactly k.
 * Newton steps with the expected density while they stay inside the bracket, bisection of the bits otherwise:
 * 31 bisections suffice for any scores. */
static void find_cut(const float *scores, int64_t m, int64_t k, bool positive, float guess, float step,
                     bracket *b) {
    enum { GUESSES = 8 };
    for (int pass = 0; b->high - b->low > 1 && b->above < k; pass++) {
        uint32_t cut = pass < GUESSES && guess > 0 ? to_bits(guess) : 0;
        if (cut <= b->low || cut >= b->high)
            cut = b->low + (b->high - b->low) / 2;
        int64_t count = count_above(scores, m, positive, cut);
        if (count > k) {
            b->low = cut;
        } else {
            b->high = cut;
            b->above = count;
        }
        guess = from_bits(cut) + (float)(count - k) * step;
    }
}

/* Moves the expectation towards the cut of a row: rows of a call resemble each other more than they resemble
 * Gaussian numbers. */
static void learn(expectation *e, uint32_t cut, float unit, float weight) {
    float multiple = from_bits(cut) / unit;
    if (multiple > 0 && multiple < 1e4f)
        e->cut += weight * (multiple - e->cut);
}

/* Selects among the scores above a cut that probably leaves a few more than k: passes over the list cost
 * little. Returns -1 if it left fewer. */
static int32_t select_listed(const float *scores, int64_t m, int64_t k, bool positive, uint32_t low,
                             float step, uint32_t *cut, output out) {
    _Alignas(64) int32_t index[MAX_LISTED + LIST_SLACK];
    _Alignas(64) float value[MAX_LISTED + LIST_SLACK];
    int64_t count = list_above(scores, m, positive, low, index, value);
    if (count < k)
        return -1;
    bracket b = {low, count == k ? low : LARGEST_KEY, count == k ? k : 0};
    find_cut(value, count, k, positive, from_bits(low) + (float)(count - k) * step, step, &b);
    *cut = b.high;
    return emit(value, index, count, positive, b.high, k - b.above, 0, out);
}

static int32_t select_row(const float *scores, int64_t m, int64_t k, bool positive, expectation *e,
                          output out) {
    summary s = summarise(scores, m, positive);
    if (s.nonzero <= k)
        return emit(scores, NULL, m, positive, 0, 0, 0, out);
    float unit = sqrtf(s.square / (float)s.nonzero), step = unit / e->density, weight = 0.125f;
    float guess = unit * e->cut, low = guess - (2 + 1.5f * sqrtf((float)k)) * step;
    if (m <= MAX_LISTED && 4 * k <= m && low > 0) {
        uint32_t cut = 0;
        int32_t kept = select_listed(scores, m, k, positive, to_bits(low), step, &cut, out);
        if (kept >= 0) {
            learn(e, cut, unit, weight);
            return kept;
        }
        weight = 0.5f; /* the expectation is far off */
    }
    bracket b = {0, LARGEST_KEY, 0};
    find_cut(scores, m, k, positive, guess, step, &b);
    learn(e, b.high, unit, weight);
    return emit(scores, NULL, m, positive, b.high, k - b.above, 0, out);
}

/* max_k of rows that are `stride` apart, as dl_select. */
static void select_rows(const float *S, int64_t stride, int64_t rows, int64_t m, int64_t k, bool positive,
                        int32_t *count, output out) {
    expectation e = expect(m, k);
    for (int64_t i = 0; i < rows; i++)
        count[i] = select_row(S + i * stride, m, k, positive, &e, output_at(out, i, k));
}

#endif
