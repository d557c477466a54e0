/* Hamming distances with the popcount instructions of AVX-512 (VPOPCNTDQ). */
#include "kernels/level/level.h"
#include "kernels/level/table.h"

#include <immintrin.h>

enum { LANES_OF_WORDS = 8, VECTORS = DL_CODES / LANES_OF_WORDS };

/* The 32 sums, in order, as 16-bit numbers: lane l of vector v becomes element 8 v + l. */
static inline __m512i narrow(const __m512i sum[VECTORS]) {
    const __m512i order = _mm512_set_epi16(31, 27, 23, 19, 15, 11, 7, 3, 30, 26, 22, 18, 14, 10, 6, 2, 29, 25,
                                           21, 17, 13, 9, 5, 1, 28, 24, 20, 16, 12, 8, 4, 0);
    __m512i low = _mm512_or_si512(sum[0], _mm512_slli_epi64(sum[1], 16));
    __m512i high = _mm512_or_si512(sum[2], _mm512_slli_epi64(sum[3], 16));
    return _mm512_permutexvar_epi16(order, _mm512_or_si512(low, _mm512_slli_epi64(high, 32)));
}

void dl_hamming_avx512popcnt(const uint64_t *planes, int64_t words, int64_t rows, const uint64_t *query,
                             uint16_t *distances) {
    for (int64_t r = 0; r < rows; r += DL_CODES) {
        __m512i sum[VECTORS];
        DL_UNROLL
        for (int v = 0; v < VECTORS; v++)
            sum[v] = _mm512_setzero_si512();
        for (int64_t w = 0; w < words; w++) {
            __m512i q = _mm512_set1_epi64((long long)query[w]);
            DL_UNROLL
            for (int v = 0; v < VECTORS; v++) {
                __m512i x = _mm512_loadu_si512(planes + w * rows + r + v * LANES_OF_WORDS);
                sum[v] = _mm512_add_epi64(sum[v], _mm512_popcnt_epi64(_mm512_xor_si512(x, q)));
            }
        }
        _mm512_storeu_si512(distances + r, narrow(sum));
    }
}

/* The kernels of AVX-512 with VNNI, those with a second version, and those of this level alone. */
#define FROM_ALL(name) DL_LEVELLED(dl_##name)
#define FROM_AVX512 FROM_ALL
#define FROM_VNNI FROM_ALL
#define FROM_POPCNT(name) dl_##name##_avx512popcnt
#define FROM_ALL_AND_POPCNT FROM_POPCNT

const dl_kernels dl_kernels_avx512popcnt = {
    .level = "avx512popcnt",
#define DL_KERNEL(levels, result, name, parameters) .name = FROM_##levels(name),
#include "kernels/list.h"
};
