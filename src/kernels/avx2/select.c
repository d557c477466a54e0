/* max_k with AVX2: the passes over scores. Small k: see avx2/select_small.c. */
#include "kernels/avx2/select.h"
#include "kernels/select_few.h"
#include "kernels/select_search.h"

static inline int64_t sum_of(__m256i counts) {
    __m128i four = _mm_add_epi32(_mm256_castsi256_si128(counts), _mm256_extracti128_si256(counts, 1));
    __m128i two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
    return _mm_cvtsi128_si32(two) + _mm_extract_epi32(two, 1);
}

static inline float total_of(__m256 sums) {
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(sums), _mm256_extractf128_ps(sums, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(two) + _mm_cvtss_f32(_mm_movehdup_ps(two));
}

static inline __attribute__((always_inline)) int64_t count_keys(const float *scores, int64_t m, bool positive,
                                                                uint32_t cut) {
    const __m256i bound = _mm256_set1_epi32((int)cut);
    __m256i count = _mm256_setzero_si256();
    for (int64_t j = 0; j < m; j += LANES) /* a true comparison is -1 */
        count = _mm256_sub_epi32(count, _mm256_cmpgt_epi32(keys_of(load(scores, j, m), positive), bound));
    return sum_of(count);
}

static int64_t count_above(const float *scores, int64_t m, bool positive, uint32_t cut) {
    return positive ? count_keys(scores, m, true, cut) : count_keys(scores, m, false, cut);
}

static summary summarise(const float *scores, int64_t m, bool positive) {
    const __m256i none = _mm256_setzero_si256();
    __m256i zeros = _mm256_setzero_si256();
    __m256 square[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()}; /* two, to hide the latency */
    for (int64_t j = 0; j < m; j += LANES) {
        __m256i keys = keys_of(load(scores, j, m), positive);
        __m256 values = _mm256_castsi256_ps(keys), sum = _mm256_fmadd_ps(values, values, square[0]);
        zeros = _mm256_sub_epi32(zeros, _mm256_cmpeq_epi32(keys, none));
        square[0] = square[1];
        square[1] = sum;
    }
    int64_t padded = (m + LANES - 1) / LANES * LANES;
    return (summary){padded - sum_of(zeros), total_of(_mm256_add_ps(square[0], square[1]))};
}

static inline __attribute__((always_inline)) int32_t emit_keys(const float *scores, const int32_t *listed,
                                                               int64_t m, bool positive, uint32_t cut,
                                                               int64_t ties, int32_t base, output out) {
    const __m256i bound = _mm256_set1_epi32((int)cut), eight = _mm256_set1_epi32(LANES);
    __m256i places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    int32_t kept = 0;
    places = _mm256_add_epi32(places, _mm256_set1_epi32(base));
    for (int64_t j = 0; j < m; j += LANES) {
        __m256i bits = load(scores, j, m), keys = keys_of(bits, positive);
        unsigned chosen = bits_of(_mm256_cmpgt_epi32(keys, bound));
        if (ties > 0) {
            unsigned equal = lowest_bits(bits_of(_mm256_cmpeq_epi32(keys, bound)), ties);
            ties -= __builtin_popcount(equal);
            chosen |= equal;
        }
        append(out, kept, chosen, listed ? load(listed, j, m) : places, bits);
        places = _mm256_add_epi32(places, eight);
        kept += __builtin_popcount(chosen);
    }
    return kept;
}

int32_t dl_select_row_avx2(const float *scores, int64_t m, int64_t k, bool positive, output out) {
    expectation e = expect(m, k);
    return select_row(scores, m, k, positive, &e, out);
}

void dl_select_avx2(const float *S, int64_t stride, int64_t rows, int64_t m, int64_t k, bool positive,
                    uint32_t *keys, int32_t *count, int32_t *index, float *value) {
    output out = {index, value, rows * k};
    int64_t i = selects_few(m, k) ? dl_select_small_avx2(S, stride, rows, m, k, positive, count, out) : 0;
    (void)keys;
    select_rows(S + i * stride, stride, rows - i, m, k, positive, count + i, output_at(out, i, k));
}

int64_t dl_above_avx2(const float *scores, int64_t m, bool positive, uint32_t cut, int32_t base,
                      int32_t *index, float *value) {
    return emit(scores, NULL, m, positive, cut, 0, base, (output){index, value, m});
}
