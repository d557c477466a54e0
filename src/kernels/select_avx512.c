/* max_k with AVX-512: the cut between kept and dropped scores is found by counting, starting from where it is
 * expected. Small k: see select_small_avx512.c. */
#include "kernels/select_avx512.h"

#include <math.h>
#include <string.h>

enum { MAX_LISTED = 1024, LARGEST_KEY = 0x7fffffff };

static inline __attribute__((always_inline)) int64_t count_keys(const float *scores, int64_t m, bool positive,
                                                                uint32_t cut) {
    const __m512i bound = _mm512_set1_epi32((int)cut), one = _mm512_set1_epi32(1);
    __m512i count = _mm512_setzero_si512();
    int64_t j = 0;
    for (; j + LANES <= m; j += LANES) {
        __m512i keys = keys_of(_mm512_loadu_si512(scores + j), positive);
        count = _mm512_mask_add_epi32(count, _mm512_cmpgt_epi32_mask(keys, bound), count, one);
    }
    if (j < m)
        count = _mm512_mask_add_epi32(
            count, _mm512_cmpgt_epi32_mask(load_keys(scores, j, m, positive), bound), count, one);
    return _mm512_reduce_add_epi32(count);
}

static int64_t count_above(const float *scores, int64_t m, bool positive, uint32_t cut) {
    return positive ? count_keys(scores, m, true, cut) : count_keys(scores, m, false, cut);
}

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

/* Number of keys that are not 0, and the sum of squares. */
typedef struct summary {
    int64_t nonzero;
    float square;
} summary;

static inline __attribute__((always_inline)) summary summarise_keys(const float *scores, int64_t m,
                                                                    bool positive) {
    __m512i nonzero = _mm512_setzero_si512();
    __m512 square[2] = {_mm512_setzero_ps(), _mm512_setzero_ps()}; /* two, to hide the latency */
    for (int64_t j = 0; j < m; j += LANES) {
        __m512i keys = j + LANES <= m ? keys_of(_mm512_loadu_si512(scores + j), positive)
                                      : load_keys(scores, j, m, positive);
        __m512 values = _mm512_castsi512_ps(keys), sum = _mm512_fmadd_ps(values, values, square[0]);
        nonzero =
            _mm512_mask_add_epi32(nonzero, _mm512_test_epi32_mask(keys, keys), nonzero, _mm512_set1_epi32(1));
        square[0] = square[1];
        square[1] = sum;
    }
    return (summary){_mm512_reduce_add_epi32(nonzero),
                     _mm512_reduce_add_ps(_mm512_add_ps(square[0], square[1]))};
}

static summary summarise(const float *scores, int64_t m, bool positive) {
    return positive ? summarise_keys(scores, m, true) : summarise_keys(scores, m, false);
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

/* The lowest `count` set bits of a mask. */
static __mmask16 lowest_bits(__mmask16 mask, int64_t count) {
    unsigned left = mask, kept = 0;
    for (; left && count > 0; count--) {
        kept |= left & -left;
        left &= left - 1;
    }
    return (__mmask16)kept;
}

/* Writes the scores above the cut and the first `ties` of those equal to it, with their positions, which
 * count from `base`, or with the indices of `listed`. */
static inline __attribute__((always_inline)) int32_t emit_keys(const float *scores, const int32_t *listed,
                                                               int64_t m, bool positive, uint32_t cut,
                                                               int64_t ties, int32_t base, output out) {
    const __m512i bound = _mm512_set1_epi32((int)cut), sixteen = _mm512_set1_epi32(LANES);
    __m512i places = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    int32_t kept = 0;
    places = _mm512_add_epi32(places, _mm512_set1_epi32(base));
    for (int64_t j = 0; j < m; j += LANES) {
        __mmask16 exist = (__mmask16)(m - j >= LANES ? 0xffff : (1 << (m - j)) - 1);
        __m512i bits = _mm512_maskz_loadu_epi32(exist, scores + j), keys = keys_of(bits, positive);
        __mmask16 chosen = _mm512_cmpgt_epi32_mask(keys, bound);
        if (ties > 0) {
            __mmask16 equal = lowest_bits(_mm512_cmpeq_epi32_mask(keys, bound), ties);
            ties -= __builtin_popcount(equal);
            chosen |= equal;
        }
        append(out, kept, chosen, listed ? _mm512_maskz_loadu_epi32(exist, listed + j) : places, bits);
        places = _mm512_add_epi32(places, sixteen);
        kept += __builtin_popcount(chosen);
    }
    return kept;
}

static int32_t emit(const float *scores, int64_t m, bool positive, uint32_t cut, int64_t ties, int32_t base,
                    output out) {
    return positive ? emit_keys(scores, NULL, m, true, cut, ties, base, out)
                    : emit_keys(scores, NULL, m, false, cut, ties, base, out);
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
    _Alignas(64) int32_t index[MAX_LISTED];
    _Alignas(64) float value[MAX_LISTED];
    int64_t count = emit(scores, m, positive, low, 0, 0, (output){index, value, MAX_LISTED});
    if (count < k)
        return -1;
    bracket b = {low, count == k ? low : LARGEST_KEY, count == k ? k : 0};
    find_cut(value, count, k, positive, from_bits(low) + (float)(count - k) * step, step, &b);
    *cut = b.high;
    return positive ? emit_keys(value, index, count, true, b.high, k - b.above, 0, out)
                    : emit_keys(value, index, count, false, b.high, k - b.above, 0, out);
}

static int32_t select_row(const float *scores, int64_t m, int64_t k, bool positive, expectation *e,
                          output out) {
    summary s = summarise(scores, m, positive);
    if (s.nonzero <= k)
        return emit(scores, m, positive, 0, 0, 0, out);
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
    return emit(scores, m, positive, b.high, k - b.above, 0, out);
}

int32_t dl_select_row_avx512(const float *scores, int64_t m, int64_t k, bool positive, output out) {
    expectation e = expect(m, k);
    return select_row(scores, m, k, positive, &e, out);
}

void dl_select_avx512(const float *S, int64_t stride, int64_t rows, int64_t m, int64_t k, bool positive,
                      uint32_t *keys, int32_t *count, int32_t *index, float *value) {
    output out = {index, value, rows * k};
    (void)keys;
    if (k <= DL_SMALL_K) {
        dl_select_small_avx512(S, stride, rows, m, k, positive, count, out);
        return;
    }
    expectation e = expect(m, k);
    for (int64_t i = 0; i < rows; i++)
        count[i] = select_row(S + i * stride, m, k, positive, &e, output_at(out, i, k));
}

int64_t dl_above_avx512(const float *scores, int64_t m, bool positive, uint32_t cut, int32_t base,
                        int32_t *index, float *value) {
    return emit(scores, m, positive, cut, 0, base, (output){index, value, m});
}
