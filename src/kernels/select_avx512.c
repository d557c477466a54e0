/* max_k with AVX-512. Small k: 16 rows at a time, with a bound from the maxima of lanes. Otherwise: the cut
 * between kept and dropped scores is found by counting, starting from the cut of Gaussian scores.
 *
 * Scores are compared by their bits, as integers: the order of nonnegative floats, with NaN above all. */
#include "kernels/level/level.h"

#include <immintrin.h>
#include <math.h>
#include <string.h>

enum { LANES = 16, GROUP = 16, MAX_SMALL_K = 12 };

/* The key that ranks a score: its magnitude bits, 0 if it must not be kept. */
static inline __attribute__((always_inline)) __m512i keys_of(__m512i bits, bool positive) {
    __m512i magnitude = _mm512_and_si512(bits, _mm512_set1_epi32(0x7fffffff));
    if (!positive)
        return magnitude;
    /* Negative numbers are excluded; NaN and infinity are not, so that the caller sees them. */
    __mmask16 excluded =
        _mm512_mask_cmplt_epi32_mask(_mm512_movepi32_mask(bits), magnitude, _mm512_set1_epi32(0x7f800000));
    return _mm512_mask_mov_epi32(magnitude, excluded, _mm512_setzero_si512());
}

/* The keys of sixteen scores from position j of m, zero past the end. */
static inline __m512i load_keys(const float *scores, int64_t j, int64_t m, bool positive) {
    __mmask16 valid = (__mmask16)(m - j >= LANES ? 0xffff : (1 << (m - j)) - 1);
    return keys_of(_mm512_castps_si512(_mm512_maskz_loadu_ps(valid, scores + j)), positive);
}

/* ---- The search for the cut ---- */

static int64_t count_above(const float *scores, int64_t m, bool positive, uint32_t cut) {
    __m512i bound = _mm512_set1_epi32((int)cut);
    int64_t count = 0;
    for (int64_t j = 0; j < m; j += LANES)
        count += __builtin_popcount(_mm512_cmpgt_epi32_mask(load_keys(scores, j, m, positive), bound));
    return count;
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

/* Largest key, number of keys that are not 0, and the sum of squares. */
typedef struct summary {
    uint32_t largest;
    int64_t nonzero;
    float square;
} summary;

static summary summarise(const float *scores, int64_t m, bool positive) {
    __m512i largest = _mm512_setzero_si512();
    __m512 square = _mm512_setzero_ps();
    int64_t nonzero = 0;
    for (int64_t j = 0; j < m; j += LANES) {
        __m512i keys = load_keys(scores, j, m, positive);
        __m512 values = _mm512_castsi512_ps(keys);
        largest = _mm512_max_epi32(largest, keys);
        nonzero += __builtin_popcount(_mm512_test_epi32_mask(keys, keys));
        square = _mm512_fmadd_ps(values, values, square);
    }
    return (summary){(uint32_t)_mm512_reduce_max_epi32(largest), nonzero, _mm512_reduce_add_ps(square)};
}

/* Where the cut is expected: for Gaussian scores. In standard deviations. */
typedef struct expectation {
    int64_t m, k;
    float cut;     /* above which k of m magnitudes lie (Abramowitz & Stegun 26.2.22) */
    float density; /* magnitudes per standard deviation there */
} expectation;

static expectation expect(int64_t m, int64_t k) {
    float t = sqrtf(-2 * logf(fminf((float)k / (float)m, 0.999f) / 2));
    float cut = t - (2.30753f + 0.27061f * t) / (1 + 0.99229f * t + 0.04481f * t * t);
    return (expectation){m, k, cut, 0.79788f * expf(-0.5f * cut * cut) * (float)m};
}

/* The smallest cut with at most k keys above it, or any with exactly k; requires more than k non-zero keys.
 * Newton steps with the density expected at the cut while they stay inside the bracket, bisection of the bits
 * otherwise: 31 bisections suffice for any scores. */
static uint32_t find_cut(const float *scores, int64_t m, bool positive, summary s, expectation e,
                         int64_t *above) {
    enum { GUESSES = 8 };
    uint32_t low = 0, high = s.largest; /* more than k above low, at most k above high */
    float deviation = sqrtf(s.square / (float)s.nonzero), step = deviation / e.density;
    float guess = deviation * e.cut;
    *above = 0;
    for (int pass = 0; high - low > 1; pass++) {
        uint32_t cut = pass < GUESSES && guess > 0 && guess < from_bits(high) ? to_bits(guess) : 0;
        if (cut <= low || cut >= high)
            cut = low + (high - low) / 2;
        int64_t count = count_above(scores, m, positive, cut);
        if (count > e.k) {
            low = cut;
        } else {
            high = cut;
            *above = count;
            if (count == e.k)
                break;
        }
        guess = from_bits(cut) + (float)(count - e.k) * step;
    }
    return high;
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

/* Writes the scores above the cut and the first `ties` of those equal to it; positions count from `base`. */
static int32_t emit(const float *scores, int64_t m, bool positive, uint32_t cut, int64_t ties, int32_t base,
                    int32_t *index, float *value) {
    const __m512i steps = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i bound = _mm512_set1_epi32((int)cut);
    int32_t kept = 0;
    for (int64_t j = 0; j < m; j += LANES) {
        __m512i keys = load_keys(scores, j, m, positive);
        __mmask16 chosen = _mm512_cmpgt_epi32_mask(keys, bound);
        if (ties > 0) {
            __mmask16 equal = lowest_bits(_mm512_cmpeq_epi32_mask(keys, bound), ties);
            ties -= __builtin_popcount(equal);
            chosen |= equal;
        }
        if (!chosen)
            continue;
        __mmask16 front = (__mmask16)((1u << __builtin_popcount(chosen)) - 1);
        __mmask16 valid = (__mmask16)(m - j >= LANES ? 0xffff : (1 << (m - j)) - 1);
        __m512 values = _mm512_maskz_loadu_ps(valid, scores + j);
        __m512i places = _mm512_add_epi32(steps, _mm512_set1_epi32(base + (int)j));
        /* Compressed in a register, then stored: the memory form of the instruction is slow on some CPUs. */
        _mm512_mask_storeu_epi32(index + kept, front, _mm512_maskz_compress_epi32(chosen, places));
        _mm512_mask_storeu_ps(value + kept, front, _mm512_maskz_compress_ps(chosen, values));
        kept += __builtin_popcount(chosen);
    }
    return kept;
}

static int32_t select_row(const float *scores, int64_t m, expectation e, bool positive, int32_t *index,
                          float *value) {
    summary s = summarise(scores, m, positive);
    if (s.nonzero <= e.k)
        return emit(scores, m, positive, 0, 0, 0, index, value);
    if (s.nonzero != e.m)
        e = expect(s.nonzero, e.k);
    int64_t above = 0;
    uint32_t cut = find_cut(scores, m, positive, s, e, &above);
    return emit(scores, m, positive, cut, e.k - above, 0, index, value);
}

/* ---- Sixteen rows at a time ---- */

static inline __attribute__((always_inline)) void transpose(__m512i r[GROUP]) {
    __m512i t[GROUP];
    DL_UNROLL
    for (int i = 0; i < GROUP; i += 2) {
        t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
    }
    DL_UNROLL
    for (int i = 0; i < GROUP; i += 4) {
        r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
        r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
        r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
        r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    DL_UNROLL
    for (int i = 0; i < 4; i++) {
        t[i] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0x88);
        t[i + 4] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0xdd);
        t[i + 8] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0x88);
        t[i + 12] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0xdd);
    }
    DL_UNROLL
    for (int i = 0; i < 4; i++) {
        r[i] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0x88);
        r[i + 8] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0xdd);
        r[i + 4] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0x88);
        r[i + 12] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0xdd);
    }
}

/* Sorts 16 vectors lane by lane, largest first: Batcher's odd-even merge sort, written out so that all
 * vectors stay in registers. */
#define ORDER(i, j)                                                                                          \
    do {                                                                                                     \
        __m512i larger = _mm512_max_epi32(v[i], v[j]);                                                       \
        v[j] = _mm512_min_epi32(v[i], v[j]);                                                                 \
        v[i] = larger;                                                                                       \
    } while (0)

/* clang-format off */
static inline __attribute__((always_inline)) void sort_lanes(__m512i v[GROUP]) {
    ORDER(0, 1); ORDER(2, 3); ORDER(4, 5); ORDER(6, 7); ORDER(8, 9); ORDER(10, 11); ORDER(12, 13); ORDER(14, 15);
    ORDER(0, 2); ORDER(1, 3); ORDER(4, 6); ORDER(5, 7); ORDER(8, 10); ORDER(9, 11); ORDER(12, 14); ORDER(13, 15);
    ORDER(1, 2); ORDER(5, 6); ORDER(9, 10); ORDER(13, 14); ORDER(0, 4); ORDER(1, 5); ORDER(2, 6); ORDER(3, 7);
    ORDER(8, 12); ORDER(9, 13); ORDER(10, 14); ORDER(11, 15); ORDER(2, 4); ORDER(3, 5); ORDER(10, 12); ORDER(11, 13);
    ORDER(1, 2); ORDER(3, 4); ORDER(5, 6); ORDER(9, 10); ORDER(11, 12); ORDER(13, 14); ORDER(0, 8); ORDER(1, 9);
    ORDER(2, 10); ORDER(3, 11); ORDER(4, 12); ORDER(5, 13); ORDER(6, 14); ORDER(7, 15); ORDER(4, 8); ORDER(5, 9);
    ORDER(6, 10); ORDER(7, 11); ORDER(2, 4); ORDER(3, 5); ORDER(6, 8); ORDER(7, 9); ORDER(10, 12); ORDER(11, 13);
    ORDER(1, 2); ORDER(3, 4); ORDER(5, 6); ORDER(7, 8); ORDER(9, 10); ORDER(11, 12); ORDER(13, 14);
}
/* clang-format on */

/* The largest key of each of the 16 lanes of a row. */
static inline __attribute__((always_inline)) __m512i lane_maxima(const float *scores, int64_t m,
                                                                 bool positive) {
    __m512i largest = _mm512_setzero_si512();
    int64_t j = 0;
    for (; j + LANES <= m; j += LANES)
        largest = _mm512_max_epi32(largest, keys_of(_mm512_loadu_si512(scores + j), positive));
    if (j < m)
        largest = _mm512_max_epi32(largest, load_keys(scores, j, m, positive));
    return largest;
}

/* For each of 16 rows a bound that at least k of its keys reach: the k-th largest of the maxima of its 16
 * lanes. */
static inline __attribute__((always_inline)) void bounds_of_rows(const float *S, int64_t stride, int64_t m,
                                                                 int64_t k, bool positive,
                                                                 int32_t bound[GROUP]) {
    __m512i v[GROUP];
    for (int r = 0; r < GROUP; r++)
        v[r] = lane_maxima(S + r * stride, m, positive);
    transpose(v);
    sort_lanes(v);
    _mm512_storeu_si512(bound, v[k - 1]);
}

/* Positions and values of the scores that reach a bound. Aligned for the loads; most stores are not. */
typedef struct candidate_list {
    _Alignas(64) int32_t place[3 * LANES];
    float value[3 * LANES];
    int64_t count; /* more than LANES: too many, the list is not usable */
} candidate_list;

static inline __attribute__((always_inline)) void candidates(const float *scores, int64_t m, bool positive,
                                                             int32_t bound, candidate_list *list) {
    const __m512i at_least = _mm512_set1_epi32(bound), sixteen = _mm512_set1_epi32(LANES);
    __m512i places = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    int64_t count = 0, most = 0;
    _mm512_store_si512(list->value, _mm512_setzero_si512()); /* unused entries rank last */
    for (int64_t j = 0; j < m; j += LANES) {
        __m512i bits = j + LANES <= m ? _mm512_loadu_si512(scores + j)
                                      : _mm512_maskz_loadu_epi32((__mmask16)((1 << (m - j)) - 1), scores + j);
        __mmask16 chosen = _mm512_cmpge_epi32_mask(keys_of(bits, positive), at_least);
        int64_t found = __builtin_popcount(chosen), at = count & (2 * LANES - 1); /* a long list may wrap */
        /* Half a vector each: more than 8 of 16 are rarely chosen, and full stores cost twice as much. */
        _mm256_storeu_si256((__m256i *)(list->place + at),
                            _mm512_castsi512_si256(_mm512_maskz_compress_epi32(chosen, places)));
        _mm256_storeu_si256((__m256i *)(list->value + at),
                            _mm512_castsi512_si256(_mm512_maskz_compress_epi32(chosen, bits)));
        places = _mm512_add_epi32(places, sixteen);
        most = found > most ? found : most;
        count += found;
    }
    list->count = bound > 0 && most <= LANES / 2 ? count : LANES + 1;
}

/* For each of the first `count` keys, how many are larger, or equal and earlier. */
static inline __attribute__((always_inline)) __m512i ranks(__m512i keys, int64_t count) {
    __m512i rank = _mm512_setzero_si512();
    for (int64_t j = 0; j < count; j++) {
        __m512i other = _mm512_permutexvar_epi32(_mm512_set1_epi32((int)j), keys);
        __mmask16 after = (__mmask16)(0xfffeu << j);
        __mmask16 beaten = (__mmask16)(_mm512_cmpgt_epi32_mask(other, keys) |
                                       (_mm512_cmpeq_epi32_mask(other, keys) & after));
        rank = _mm512_mask_add_epi32(rank, beaten, rank, _mm512_set1_epi32(1));
    }
    return rank;
}

/* Writes the chosen k of a list. */
static inline __attribute__((always_inline)) void keep(const candidate_list *list, __mmask16 chosen,
                                                       int64_t k, int32_t *index, float *value) {
    __m512i places = _mm512_load_si512(list->place), bits = _mm512_load_si512(list->value);
    __mmask16 front = (__mmask16)((1u << k) - 1);
    _mm512_mask_storeu_epi32(index, front, _mm512_maskz_compress_epi32(chosen, places));
    _mm512_mask_storeu_epi32(value, front, _mm512_maskz_compress_epi32(chosen, bits));
}

/* One row with small k: like a group, but by ranks, since there are no other rows to sort along with. */
static int32_t select_small(const float *scores, int64_t m, int64_t k, bool positive, int32_t *index,
                            float *value) {
    __m512i largest = lane_maxima(scores, m, positive);
    __mmask16 kth = _mm512_cmpeq_epi32_mask(ranks(largest, LANES), _mm512_set1_epi32((int)k - 1));
    candidate_list list;
    candidates(scores, m, positive, _mm512_mask_reduce_max_epi32(kth, largest), &list);
    if (list.count > LANES)
        return select_row(scores, m, expect(m, k), positive, index, value);
    __m512i rank = ranks(keys_of(_mm512_load_si512(list.value), positive), list.count);
    keep(&list, _mm512_cmplt_epi32_mask(rank, _mm512_set1_epi32((int)k)), k, index, value);
    return (int32_t)k;
}

/* The k-th largest key of each list. */
static inline __attribute__((always_inline)) void cuts_of_lists(const candidate_list list[GROUP], int64_t k,
                                                                bool positive, int32_t cut[GROUP]) {
    __m512i v[GROUP];
    for (int r = 0; r < GROUP; r++)
        v[r] = keys_of(_mm512_load_si512(list[r].value), positive);
    transpose(v);
    sort_lanes(v);
    _mm512_storeu_si512(cut, v[k - 1]);
}

/* One group of 16 rows; `positive` is a constant where this is inlined. */
static inline __attribute__((always_inline)) void select_group(const float *S, int64_t stride, int64_t m,
                                                               int64_t k, bool positive, int32_t *count,
                                                               int32_t *index, float *value) {
    int32_t bound[GROUP], cut[GROUP];
    candidate_list list[GROUP];
    bounds_of_rows(S, stride, m, k, positive, bound);
    /* In separate loops: a list loaded whole right after it was stored in pieces causes a stall. */
    for (int r = 0; r < GROUP; r++)
        candidates(S + r * stride, m, positive, bound[r], &list[r]);
    cuts_of_lists(list, k, positive, cut);
    for (int r = 0; r < GROUP; r++) {
        __m512i keys = keys_of(_mm512_load_si512(list[r].value), positive);
        __mmask16 chosen = _mm512_cmpge_epi32_mask(keys, _mm512_set1_epi32(cut[r]));
        bool exact = list[r].count <= LANES && __builtin_popcount(chosen) == k; /* no tie at the cut */
        count[r] = (int32_t)k;
        if (exact)
            keep(&list[r], chosen, k, index + r * k, value + r * k);
        else
            count[r] = select_row(S + r * stride, m, expect(m, k), positive, index + r * k, value + r * k);
    }
}

void dl_select_avx512(const float *S, int64_t stride, int64_t rows, int64_t m, int64_t k, bool positive,
                      uint32_t *keys, int32_t *count, int32_t *index, float *value) {
    int64_t i = 0;
    (void)keys;
    for (; k <= MAX_SMALL_K && i + GROUP <= rows; i += GROUP)
        if (positive)
            select_group(S + i * stride, stride, m, k, true, count + i, index + i * k, value + i * k);
        else
            select_group(S + i * stride, stride, m, k, false, count + i, index + i * k, value + i * k);
    for (; k <= MAX_SMALL_K && i < rows; i++)
        count[i] = select_small(S + i * stride, m, k, positive, index + i * k, value + i * k);
    expectation e = i < rows ? expect(m, k) : (expectation){0};
    for (; i < rows; i++)
        count[i] = select_row(S + i * stride, m, e, positive, index + i * k, value + i * k);
}

int64_t dl_above_avx512(const float *scores, int64_t m, bool positive, uint32_t cut, int32_t base,
                        int32_t *index, float *value) {
    return emit(scores, m, positive, cut, 0, base, index, value);
}
