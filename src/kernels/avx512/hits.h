/* Lists of scores above a cut, filled from registers with AVX-512. */
#ifndef DL_KERNELS_AVX512_HITS_H
#define DL_KERNELS_AVX512_HITS_H

#include "kernels/avx512/select.h"

enum { HIT_VECTORS = 4, ALL_EXIST = 0xffff };

/* Appends those of `exist` x V vectors of scores that rank above the cut to list r, V a constant where this
 * is inlined; the first is that of atom `first`. Few vectors have any. */
static inline __attribute__((always_inline)) void append_hits(dl_candidates hits, int64_t r, int32_t first,
                                                              bool positive, uint32_t cut, const size_t V,
                                                              const __m512i bits[HIT_VECTORS],
                                                              const __mmask16 exist[HIT_VECTORS]) {
    const __m512i steps = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i bound = _mm512_set1_epi32((int)cut);
    __mmask16 hit[HIT_VECTORS];
    unsigned any = 0;
    DL_UNROLL
    for (size_t v = 0; v < V; v++) {
        hit[v] = _mm512_mask_cmpgt_epi32_mask(exist[v], keys_of(bits[v], positive), bound);
        any |= hit[v];
    }
    if (!any)
        return;
    output list = {hits.index + r * hits.room, hits.value + r * hits.room, hits.room};
    int64_t count = hits.count[r];
    DL_UNROLL
    for (size_t v = 0; v < V; v++) {
        __m512i places = _mm512_add_epi32(steps, _mm512_set1_epi32(first + (int32_t)v * LANES));
        append(list, count, hit[v], places, bits[v]);
        count += __builtin_popcount(hit[v]);
    }
    hits.count[r] = count;
}

#endif
