/* max_k with AVX-512 for small k: candidates of 16 scores at a time. */
#include "kernels/avx512/select_small.h"

static inline __attribute__((always_inline)) void candidates(const float *scores, int64_t m, bool positive,
                                                             int32_t bound, candidate_list *list) {
    const __m512i at_least = _mm512_set1_epi32(bound), sixteen = _mm512_set1_epi32(LANES);
    __m512i places = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    int64_t count = 0, most = 0;
    _mm512_store_si512(list->value, _mm512_setzero_si512());
    for (int64_t j = 0; j < m; j += LANES) {
        __m512i bits = j + LANES <= m ? _mm512_loadu_si512(scores + j)
                                      : _mm512_maskz_loadu_epi32((__mmask16)((1 << (m - j)) - 1), scores + j);
        __mmask16 chosen = _mm512_cmpge_epi32_mask(keys_of(bits, positive), at_least);
        int64_t found = __builtin_popcount(chosen), at = count & (2 * LANES - 1); /* a long list may wrap */
        /* Half a vector each: more than 8 of 16 are rarely chosen, and full stores cost twice as much. */
        __m256i listed = _mm512_castsi512_si256(_mm512_maskz_compress_epi32(chosen, places));
        _mm_storeu_si128((__m128i *)(list->place + at), _mm256_cvtepi32_epi16(listed));
        _mm256_storeu_si256((__m256i *)(list->value + at),
                            _mm512_castsi512_si256(_mm512_maskz_compress_epi32(chosen, bits)));
        places = _mm512_add_epi32(places, sixteen);
        most = found > most ? found : most;
        count += found;
    }
    list->count = bound > 0 && most <= LANES / 2 ? count : LANES + 1;
}

void dl_select_small_avx512(const float *S, int64_t stride, int64_t rows, int64_t m, int64_t k, bool positive,
                            int32_t *count, output out) {
    select_small(S, stride, rows, m, k, positive, count, out);
}
