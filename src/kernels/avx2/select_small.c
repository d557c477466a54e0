/* max_k with AVX2 for small k: 8 rows at a time, with a bound from the maxima of 16 classes of scores. */
#include "kernels/avx2/select.h"

#define WORDS __m256i
#define WORDS_MAX _mm256_max_epi32
#define WORDS_MIN _mm256_min_epi32
#include "kernels/select_few.h"

enum { GROUP = 8, PAIR = 2 * LANES };

/* Eight vectors to the columns of the matrix whose rows they are. */
static inline __attribute__((always_inline)) void transpose(__m256i r[GROUP]) {
    __m256i t[GROUP];
    DL_UNROLL
    for (int i = 0; i < GROUP; i += 2) {
        t[i] = _mm256_unpacklo_epi32(r[i], r[i + 1]);
        t[i + 1] = _mm256_unpackhi_epi32(r[i], r[i + 1]);
    }
    DL_UNROLL
    for (int i = 0; i < GROUP; i += 4) {
        r[i] = _mm256_unpacklo_epi64(t[i], t[i + 2]);
        r[i + 1] = _mm256_unpackhi_epi64(t[i], t[i + 2]);
        r[i + 2] = _mm256_unpacklo_epi64(t[i + 1], t[i + 3]);
        r[i + 3] = _mm256_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    DL_UNROLL
    for (int i = 0; i < 4; i++) {
        t[i] = _mm256_permute2x128_si256(r[i], r[i + 4], 0x20);
        t[i + 4] = _mm256_permute2x128_si256(r[i], r[i + 4], 0x31);
    }
    DL_UNROLL
    for (int i = 0; i < GROUP; i++)
        r[i] = t[i];
}

/* The k-th largest of the 16 keys of each of 8 rows; v[r] and v[8 + r] hold those of row r. */
static inline __attribute__((always_inline)) void kth_of_rows(__m256i v[2 * GROUP], int64_t k,
                                                              int32_t kth[GROUP]) {
    transpose(v);
    transpose(v + GROUP);
    SORT_16();
    _mm256_storeu_si256((__m256i *)kth, v[k - 1]);
}

/* The largest key of each class of a row: those of even vectors and those of odd ones, lane by lane. */
static inline __attribute__((always_inline)) void class_maxima(const float *scores, int64_t m, bool positive,
                                                               __m256i *even, __m256i *odd) {
    int64_t j = 0;
    *even = *odd = _mm256_setzero_si256();
    for (; j + PAIR <= m; j += PAIR) {
        *even = _mm256_max_epi32(*even, keys_of(load(scores, j, j + LANES), positive));
        *odd = _mm256_max_epi32(*odd, keys_of(load(scores, j + LANES, j + PAIR), positive));
    }
    if (j < m)
        *even = _mm256_max_epi32(*even, keys_of(load(scores, j, m), positive));
    if (j + LANES < m)
        *odd = _mm256_max_epi32(*odd, keys_of(load(scores, j + LANES, m), positive));
}

/* Appends those of eight scores from position j of m on that rank above `below`. */
static inline __attribute__((always_inline)) void append_scores(const float *scores, int64_t j, int64_t m,
                                                                bool positive, __m256i below,
                                                                candidate_list *list) {
    __m256i bits = load(scores, j, m);
    unsigned chosen = bits_of(_mm256_cmpgt_epi32(keys_of(bits, positive), below));
    __m128i lanes = _mm_loadl_epi64((const __m128i *)&places_of_bits[chosen]);
    int64_t at = list->count & (2 * CLASSES - 1); /* a long list may wrap */
    _mm_storeu_si128((__m128i *)(list->place + at),
                     _mm_add_epi16(_mm_cvtepu8_epi16(lanes), _mm_set1_epi16((short)j)));
    _mm256_storeu_si256((__m256i *)(list->value + at),
                        _mm256_permutevar8x32_epi32(bits, _mm256_cvtepu8_epi32(lanes)));
    list->count += __builtin_popcount(chosen);
}

/* Lists the scores that reach the bound, in order. The rest of the first 16 values is zero, so that it ranks
 * last. */
static inline __attribute__((always_inline)) void candidates(const float *scores, int64_t m, bool positive,
                                                             int32_t bound, candidate_list *list) {
    const __m256i below = _mm256_set1_epi32(bound - 1), zero = _mm256_setzero_si256();
    int64_t j = 0;
    list->count = 0;
    for (; j + LANES <= m; j += LANES)
        append_scores(scores, j, j + LANES, positive, below, list);
    if (j < m)
        append_scores(scores, j, m, positive, below, list);
    float *end = list->value + (list->count & (2 * CLASSES - 1));
    _mm256_storeu_si256((__m256i *)end, zero);
    _mm256_storeu_si256((__m256i *)(end + LANES), zero);
    if (bound <= 0)
        list->count = CLASSES + 1;
}

/* The keys of half a list. */
static inline __attribute__((always_inline)) __m256i keys_at(const candidate_list *list, int64_t e,
                                                             bool positive) {
    return keys_of(_mm256_load_si256((const __m256i *)(list->value + e)), positive);
}

/* Writes the entries of a list that rank above `below`; returns how many. */
static inline __attribute__((always_inline)) int32_t keep(const candidate_list *list, bool positive,
                                                          __m256i below, output out) {
    int32_t kept = 0;
    DL_UNROLL
    for (int e = 0; e < CLASSES; e += LANES) {
        __m256i bits = _mm256_load_si256((const __m256i *)(list->value + e));
        __m256i places = _mm256_cvtepu16_epi32(_mm_load_si128((const __m128i *)(list->place + e)));
        unsigned chosen = bits_of(_mm256_cmpgt_epi32(keys_of(bits, positive), below));
        append(out, kept, chosen, places, bits);
        kept += __builtin_popcount(chosen);
    }
    return kept;
}

/* One group of 8 rows; `positive` is a constant where this is inlined. */
static inline __attribute__((always_inline)) void select_group(const float *S, int64_t stride, int64_t m,
                                                               int64_t k, bool positive, int32_t *count,
                                                               output out) {
    __m256i v[2 * GROUP];
    int32_t bound[GROUP], cut[GROUP];
    candidate_list list[GROUP];
    for (int r = 0; r < GROUP; r++)
        class_maxima(S + r * stride, m, positive, &v[r], &v[GROUP + r]);
    kth_of_rows(v, k, bound);
    for (int r = 0; r < GROUP; r++)
        candidates(S + r * stride, m, positive, bound[r], &list[r]);
    for (int r = 0; r < GROUP; r++) {
        v[r] = keys_at(&list[r], 0, positive);
        v[GROUP + r] = keys_at(&list[r], LANES, positive);
    }
    kth_of_rows(v, k, cut);
    for (int r = 0; r < GROUP; r++) {
        const __m256i below = _mm256_set1_epi32(cut[r] - 1);
        output row = output_at(out, r, k);
        unsigned chosen = bits_of(_mm256_cmpgt_epi32(keys_at(&list[r], 0, positive), below)) |
                          bits_of(_mm256_cmpgt_epi32(keys_at(&list[r], LANES, positive), below)) << LANES;
        bool exact = list[r].count <= CLASSES && __builtin_popcount(chosen) == k; /* no tie at the cut */
        count[r] = exact ? keep(&list[r], positive, below, row)
                         : dl_select_row_avx2(S + r * stride, m, k, positive, row);
    }
}

int64_t dl_select_small_avx2(const float *S, int64_t stride, int64_t rows, int64_t m, int64_t k,
                             bool positive, int32_t *count, output out) {
    int64_t i = 0;
    for (; i + GROUP <= rows; i += GROUP)
        if (positive)
            select_group(S + i * stride, stride, m, k, true, count + i, output_at(out, i, k));
        else
            select_group(S + i * stride, stride, m, k, false, count + i, output_at(out, i, k));
    return i;
}
