/* Selection of small distances with AVX-512: compares 32 at a time and lists the bits of the mask. */
#include "kernels/level/level.h"

#include <immintrin.h>

enum { LANES_OF_SHORTS = 32 };

int64_t DL_LEVELLED(dl_nearer)(const uint16_t *distances, int64_t count, uint16_t bound,
                               uint16_t *positions) {
    const __m512i bounds = _mm512_set1_epi16((short)bound);
    int64_t listed = 0;
    for (int64_t i = 0; i < count; i += LANES_OF_SHORTS) {
        int64_t left = count - i;
        __mmask32 lanes = left >= LANES_OF_SHORTS ? 0xffffffff : (1u << left) - 1;
        __m512i x = _mm512_maskz_loadu_epi16(lanes, distances + i);
        for (uint32_t hits = _mm512_mask_cmplt_epu16_mask(lanes, x, bounds); hits; hits &= hits - 1)
            positions[listed++] = (uint16_t)(i + __builtin_ctz(hits));
    }
    return listed;
}
