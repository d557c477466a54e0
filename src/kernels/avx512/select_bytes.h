/* max_k with AVX-512 for small k: candidates of 64 scores at a time, where bytes can be compressed (VBMI2).
 */
#ifndef DL_KERNELS_AVX512_SELECT_BYTES_H
#define DL_KERNELS_AVX512_SELECT_BYTES_H

#include "kernels/avx512/select_small.h"

enum { BLOCK = 64, VECTORS = BLOCK / LANES };

/* Sixty-four scores, of which `left` exist; zero past the end. */
static inline __attribute__((always_inline)) void load_block(const float *scores, int64_t left,
                                                             __m512i bits[VECTORS]) {
    DL_UNROLL
    for (int v = 0; v < VECTORS; v++) {
        int64_t here = left - v * LANES;
        __mmask16 exist = (__mmask16)(here >= LANES ? 0xffff : here > 0 ? (1 << here) - 1 : 0);
        bits[v] = left >= BLOCK ? _mm512_loadu_si512(scores + v * LANES)
                                : _mm512_maskz_loadu_epi32(exist, scores + v * LANES);
    }
}

/* Which of 64 scores reach the bound. */
static inline __attribute__((always_inline)) __mmask64 reaching(const __m512i bits[VECTORS], bool positive,
                                                                __m512i bound) {
    __mmask16 chosen[VECTORS];
    DL_UNROLL
    for (int v = 0; v < VECTORS; v++)
        chosen[v] = _mm512_cmpge_epi32_mask(keys_of(bits[v], positive), bound);
    return _mm512_kunpackd(_mm512_kunpackw(chosen[3], chosen[2]), _mm512_kunpackw(chosen[1], chosen[0]));
}

/* The scores at up to 16 positions of 64. */
static inline __attribute__((always_inline)) __m512i pick(const __m512i bits[VECTORS], __m512i position) {
    __mmask16 second = _mm512_test_epi32_mask(position, _mm512_set1_epi32(BLOCK / 2));
    return _mm512_mask_mov_epi32(_mm512_permutex2var_epi32(bits[0], position, bits[1]), second,
                                 _mm512_permutex2var_epi32(bits[2], position, bits[3]));
}

/* The positions of the chosen ones of 64 scores, as bytes. */
static inline __attribute__((always_inline)) __m512i positions(__mmask64 chosen) {
    const __m512i places =
        _mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43,
                        42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22,
                        21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    return _mm512_maskz_compress_epi8(chosen, places);
}

/* Appends the chosen ones of the 64 scores from j on. */
static inline __attribute__((always_inline)) void append_chosen(const __m512i bits[VECTORS], int64_t j,
                                                                __mmask64 chosen, candidate_list *list) {
    int64_t at = list->count & (2 * LANES - 1); /* a long list may wrap */
    __m128i position = _mm512_castsi512_si128(positions(chosen));
    _mm256_storeu_si256((__m256i *)(list->place + at),
                        _mm256_add_epi16(_mm256_cvtepu8_epi16(position), _mm256_set1_epi16((short)j)));
    _mm512_storeu_si512(list->value + at, pick(bits, _mm512_cvtepu8_epi32(position)));
    list->count += __builtin_popcountll(_cvtmask64_u64(chosen));
}

/* Appends those of the scores from j on, 64 of them or as many as there are, that reach the bound. */
static inline __attribute__((always_inline)) void append_block(const float *scores, int64_t j, int64_t m,
                                                               bool positive, __m512i bound,
                                                               candidate_list *list) {
    __m512i bits[VECTORS];
    load_block(scores + j, m - j, bits);
    append_chosen(bits, j, reaching(bits, positive, bound), list);
}

/* Ends a list: the rest of the first vector ranks last. No bound means no list. */
static inline __attribute__((always_inline)) void end_list(int32_t bound, candidate_list *list) {
    _mm512_storeu_si512(list->value + (list->count & (2 * LANES - 1)), _mm512_setzero_si512());
    if (bound <= 0)
        list->count = LANES + 1;
}

static inline __attribute__((always_inline)) void candidates(const float *scores, int64_t m, bool positive,
                                                             int32_t bound, candidate_list *list) {
    const __m512i at_least = _mm512_set1_epi32(bound);
    int64_t j = 0;
    list->count = 0;
    for (; j + BLOCK <= m; j += BLOCK)
        append_block(scores, j, j + BLOCK, positive, at_least, list);
    if (j < m)
        append_block(scores, j, m, positive, at_least, list);
    end_list(bound, list);
}

/* For avx512/features_bytes.c: kth_of_rows and cuts_of_lists, which the compiler orders badly with the
 * options that suit the tiles there. */
void dl_kth_of_group(const __m512i keys[GROUP], int64_t k, int32_t kth[GROUP]);
void dl_cuts_of_group(const candidate_list list[GROUP], int64_t k, bool positive, int32_t cut[GROUP]);

#endif
