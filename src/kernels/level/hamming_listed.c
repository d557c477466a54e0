/* Hamming distances of scattered codes. Fetching them takes longer than counting their bits. */
#include "kernels/level/level.h"
#include "kernels/word.h"

void DL_LEVELLED(dl_hamming_listed)(const uint8_t *codes, int64_t width, const uint32_t *listed,
                                    int64_t count, const uint8_t *query, uint16_t *distances) {
    for (int64_t e = 0; e < count; e++) {
        const uint8_t *code = codes + (int64_t)listed[e] * width;
        int64_t sum = 0;
        for (int64_t b = 0; b < width; b += 8)
            sum += __builtin_popcountll(dl_code_word(code, width, b) ^ dl_code_word(query, width, b));
        distances[e] = (uint16_t)sum;
    }
}
