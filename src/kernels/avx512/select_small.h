/* max_k with AVX-512 for small k: 16 rows at a time, with a bound from the maxima of lanes. A file that
 * includes this defines how the scores that reach the bound are listed. */
#ifndef DL_KERNELS_AVX512_SELECT_SMALL_H
#define DL_KERNELS_AVX512_SELECT_SMALL_H

#include "kernels/avx512/select.h"
#include "kernels/avx512/transpose.h"

#define WORDS __m512i
#define WORDS_MAX _mm512_max_epi32
#define WORDS_MIN _mm512_min_epi32
#include "kernels/select_few.h"

enum { GROUP = 16 };

/* Sorts 16 vectors lane by lane, largest first. */
static inline __attribute__((always_inline)) void sort_lanes(__m512i v[GROUP]) {
    SORT_16();
}

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

/* The k-th largest of 16 keys of each of 16 rows. */
static inline __attribute__((always_inline)) void kth_of_rows(__m512i v[GROUP], int64_t k,
                                                              int32_t kth[GROUP]) {
    dl_transpose(v);
    sort_lanes(v);
    _mm512_storeu_si512(kth, v[k - 1]);
}

/* For each of 16 rows a bound that at least k of its keys reach: the k-th largest of the maxima of its 16
 * lanes. */
static inline __attribute__((always_inline)) void bounds_of_rows(const float *S, int64_t stride, int64_t m,
                                                                 int64_t k, bool positive,
                                                                 int32_t bound[GROUP]) {
    __m512i v[GROUP];
    for (int r = 0; r < GROUP; r++)
        v[r] = lane_maxima(S + r * stride, m, positive);
    kth_of_rows(v, k, bound);
}

/* Lists the scores that reach the bound, in order. The rest of the first vector of values is zero, so that
 * it ranks last. */
static inline void candidates(const float *scores, int64_t m, bool positive, int32_t bound,
                              candidate_list *list);

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
                                                       int64_t k, output out) {
    __m512i places = _mm512_cvtepu16_epi32(_mm256_load_si256((const __m256i *)list->place));
    __m512i bits = _mm512_load_si512(list->value);
    if (k > LANES / 2 || out.room < LANES / 2) {
        append(out, 0, chosen, places, bits);
        return;
    }
    /* Half a vector each: full stores cost twice as much. */
    _mm256_storeu_si256((__m256i *)out.index,
                        _mm512_castsi512_si256(_mm512_maskz_compress_epi32(chosen, places)));
    _mm256_storeu_si256((__m256i *)out.value,
                        _mm512_castsi512_si256(_mm512_maskz_compress_epi32(chosen, bits)));
}

/* One row with small k: like a group, but by ranks, since there are no other rows to sort along with. */
static inline int32_t select_one(const float *scores, int64_t m, int64_t k, bool positive, output out) {
    __m512i largest = lane_maxima(scores, m, positive);
    __mmask16 kth = _mm512_cmpeq_epi32_mask(ranks(largest, LANES), _mm512_set1_epi32((int)k - 1));
    candidate_list list;
    candidates(scores, m, positive, _mm512_mask_reduce_max_epi32(kth, largest), &list);
    if (list.count > LANES)
        return dl_select_row_avx512(scores, m, k, positive, out);
    __m512i rank = ranks(keys_of(_mm512_load_si512(list.value), positive), list.count);
    keep(&list, _mm512_cmplt_epi32_mask(rank, _mm512_set1_epi32((int)k)), k, out);
    return (int32_t)k;
}

/* The k-th largest key of each list. */
static inline __attribute__((always_inline)) void cuts_of_lists(const candidate_list list[GROUP], int64_t k,
                                                                bool positive, int32_t cut[GROUP]) {
    __m512i v[GROUP];
    for (int r = 0; r < GROUP; r++)
        v[r] = keys_of(_mm512_load_si512(list[r].value), positive);
    kth_of_rows(v, k, cut);
}

/* Writes those of a list that reach the cut; whether these are exactly k. They are more if there is a tie at
 * the cut, and the list may be too long to be used. */
static inline __attribute__((always_inline)) bool keep_above(const candidate_list *list, int32_t cut,
                                                             int64_t k, bool positive, output out) {
    __m512i keys = keys_of(_mm512_load_si512(list->value), positive);
    __mmask16 chosen = _mm512_cmpge_epi32_mask(keys, _mm512_set1_epi32(cut));
    if (list->count > LANES || __builtin_popcount(chosen) != k)
        return false;
    keep(list, chosen, k, out);
    return true;
}

/* One group of 16 rows; `positive` is a constant where this is inlined. */
static inline __attribute__((always_inline)) void select_group(const float *S, int64_t stride, int64_t m,
                                                               int64_t k, bool positive, int32_t *count,
                                                               output out) {
    int32_t bound[GROUP], cut[GROUP];
    candidate_list list[GROUP];
    bounds_of_rows(S, stride, m, k, positive, bound);
    /* In separate loops: a list loaded whole right after it was stored in pieces causes a stall. */
    for (int r = 0; r < GROUP; r++)
        candidates(S + r * stride, m, positive, bound[r], &list[r]);
    cuts_of_lists(list, k, positive, cut);
    for (int r = 0; r < GROUP; r++) {
        output row = output_at(out, r, k);
        count[r] = (int32_t)k;
        if (!keep_above(&list[r], cut[r], k, positive, row))
            count[r] = dl_select_row_avx512(S + r * stride, m, k, positive, row);
    }
}

/* Any number of rows, if selects_few(m, k). */
static inline void select_small(const float *S, int64_t stride, int64_t rows, int64_t m, int64_t k,
                                bool positive, int32_t *count, output out) {
    int64_t i = 0;
    for (; i + GROUP <= rows; i += GROUP)
        if (positive)
            select_group(S + i * stride, stride, m, k, true, count + i, output_at(out, i, k));
        else
            select_group(S + i * stride, stride, m, k, false, count + i, output_at(out, i, k));
    for (; i < rows; i++)
        count[i] = select_one(S + i * stride, m, k, positive, output_at(out, i, k));
}

#endif
