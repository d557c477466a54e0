/* max_k with AVX-512 where bytes can be compressed. */
#define OWN_LIST
#include "kernels/avx512/select_bytes.h"
#include "kernels/avx512/select_passes.h"

/* Sixty-four scores at a time; most blocks have no more than 16 above the cut. */
static inline __attribute__((always_inline)) int64_t list_keys(const float *scores, int64_t m, bool positive,
                                                               uint32_t cut, int32_t *index, float *value) {
    const __m512i bound = _mm512_set1_epi32((int)cut + 1);
    int64_t count = 0;
    for (int64_t j = 0; j < m; j += BLOCK) {
        __m512i bits[VECTORS];
        if (j + BLOCK <= m)
            load_block(scores + j, BLOCK, bits);
        else
            load_block(scores + j, m - j, bits);
        __mmask64 chosen = reaching(bits, positive, bound);
        __m512i rest = positions(chosen);
        int64_t last = count + __builtin_popcountll(_cvtmask64_u64(chosen));
        for (; count < last; count += LANES) {
            __m512i position = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(rest));
            _mm512_storeu_si512(index + count, _mm512_add_epi32(position, _mm512_set1_epi32((int)j)));
            _mm512_storeu_si512(value + count, pick(bits, position));
            rest = _mm512_shuffle_i64x2(rest, rest, 0x39); /* the next 16 to the front */
        }
        count = last;
    }
    return count;
}

static int64_t list_above(const float *scores, int64_t m, bool positive, uint32_t cut, int32_t *index,
                          float *value) {
    return positive ? list_keys(scores, m, true, cut, index, value)
                    : list_keys(scores, m, false, cut, index, value);
}

void dl_select_avx512popcnt(const float *S, int64_t stride, int64_t rows, int64_t m, int64_t k, bool positive,
                            uint32_t *keys, int32_t *count, int32_t *index, float *value) {
    output out = {index, value, rows * k};
    (void)keys;
    if (selects_few(m, k))
        select_small(S, stride, rows, m, k, positive, count, out);
    else
        select_rows(S, stride, rows, m, k, positive, count, out);
}

void dl_kth_of_group(const __m512i keys[GROUP], int64_t k, int32_t kth[GROUP]) {
    __m512i v[GROUP];
    for (int r = 0; r < GROUP; r++)
        v[r] = keys[r];
    kth_of_rows(v, k, kth);
}

void dl_cuts_of_group(const candidate_list list[GROUP], int64_t k, bool positive, int32_t cut[GROUP]) {
    cuts_of_lists(list, k, positive, cut);
}
