/* Hamming distances with AVX2: the ones of a nibble by a table lookup of all bytes at once (W. Mula), bytes
 * added over words, and the sums of bytes at the end. */
#include "kernels/level/level.h"

#include <immintrin.h>

/* A byte holds the sum of this many words: 8 bits each. Rows of a block fill VECTORS registers. */
enum { WORDS_PER_BYTE = 31, VECTORS = 4, BLOCK = 4 * VECTORS };

static inline __m256i ones_of_bytes(__m256i x) {
    const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2,
                                           2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i nibble = _mm256_set1_epi8(15);
    __m256i low = _mm256_shuffle_epi8(table, _mm256_and_si256(x, nibble));
    __m256i high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(x, 4), nibble));
    return _mm256_add_epi8(low, high);
}

/* The 16 sums, in order, as 16-bit numbers. */
static inline __m256i narrow(const __m256i sum[VECTORS]) {
    __m256i first = _mm256_packus_epi32(sum[0], sum[1]), second = _mm256_packus_epi32(sum[2], sum[3]);
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    return _mm256_permutevar8x32_epi32(_mm256_packus_epi32(first, second), order);
}

static inline void block(const uint64_t *planes, int64_t words, int64_t rows, const uint64_t *query,
                         uint16_t *distances) {
    __m256i sum[VECTORS], bytes[VECTORS];
    DL_UNROLL
    for (int v = 0; v < VECTORS; v++)
        sum[v] = _mm256_setzero_si256();
    for (int64_t first = 0; first < words; first += WORDS_PER_BYTE) {
        int64_t last = first + WORDS_PER_BYTE < words ? first + WORDS_PER_BYTE : words;
        DL_UNROLL
        for (int v = 0; v < VECTORS; v++)
            bytes[v] = _mm256_setzero_si256();
        for (int64_t w = first; w < last; w++) {
            __m256i q = _mm256_set1_epi64x((long long)query[w]);
            DL_UNROLL
            for (int v = 0; v < VECTORS; v++) {
                __m256i x = _mm256_loadu_si256((const __m256i *)(planes + w * rows + 4 * v));
                bytes[v] = _mm256_add_epi8(bytes[v], ones_of_bytes(_mm256_xor_si256(x, q)));
            }
        }
        DL_UNROLL
        for (int v = 0; v < VECTORS; v++)
            sum[v] = _mm256_add_epi64(sum[v], _mm256_sad_epu8(bytes[v], _mm256_setzero_si256()));
    }
    _mm256_storeu_si256((__m256i *)distances, narrow(sum));
}

void DL_LEVELLED(dl_hamming)(const uint64_t *planes, int64_t words, int64_t rows, const uint64_t *query,
                             uint16_t *distances) {
    for (int64_t r = 0; r < rows; r += BLOCK)
        block(planes + r, words, rows, query, distances + r);
}
