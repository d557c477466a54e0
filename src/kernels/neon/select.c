/* max_k with NEON: the passes over scores. Scores are compared by their bits, as integers: the order of
 * nonnegative floats, with NaN above all. */
#include "kernels/level/level.h"
#include "kernels/select_search.h"

#include <arm_neon.h>

enum { LANES = 4 };

/* Four words from position j of m on, zero past the end. */
static inline __attribute__((always_inline)) uint32x4_t load(const void *words, int64_t j, int64_t m) {
    const char *from = (const char *)words + j * (int64_t)sizeof(uint32_t);
    uint32x4_t loaded = vdupq_n_u32(0);
    if (m - j >= LANES)
        memcpy(&loaded, from, sizeof loaded);
    else
        memcpy(&loaded, from, (size_t)(m - j) * sizeof(uint32_t));
    return loaded;
}

/* The keys that rank scores: their magnitude bits, 0 if they must not be kept. */
static inline __attribute__((always_inline)) uint32x4_t keys_of(uint32x4_t bits, bool positive) {
    uint32x4_t magnitude = vandq_u32(bits, vdupq_n_u32(0x7fffffff));
    if (!positive)
        return magnitude;
    /* Negative numbers are excluded; NaN and infinity are not, so that the caller sees them. */
    uint32x4_t negative = vcgtq_u32(bits, vdupq_n_u32(0x80000000));
    uint32x4_t finite = vcltq_u32(magnitude, vdupq_n_u32(0x7f800000));
    return vbicq_u32(magnitude, vandq_u32(negative, finite));
}

static int64_t count_above(const float *scores, int64_t m, bool positive, uint32_t cut) {
    const uint32x4_t bound = vdupq_n_u32(cut);
    uint32x4_t count = vdupq_n_u32(0);
    for (int64_t j = 0; j < m; j += LANES) /* a true comparison is -1 */
        count = vsubq_u32(count, vcgtq_u32(keys_of(load(scores, j, m), positive), bound));
    return vaddvq_u32(count);
}

static summary summarise(const float *scores, int64_t m, bool positive) {
    uint32x4_t nonzero = vdupq_n_u32(0);
    float32x4_t square[2] = {vdupq_n_f32(0), vdupq_n_f32(0)}; /* two, to hide the latency */
    for (int64_t j = 0; j < m; j += LANES) {
        uint32x4_t keys = keys_of(load(scores, j, m), positive);
        float32x4_t values = vreinterpretq_f32_u32(keys), sum = vfmaq_f32(square[0], values, values);
        nonzero = vsubq_u32(nonzero, vtstq_u32(keys, keys));
        square[0] = square[1];
        square[1] = sum;
    }
    return (summary){vaddvq_u32(nonzero), vaddvq_f32(vaddq_f32(square[0], square[1]))};
}

/* One bit for each lane of a comparison. */
static inline unsigned bits_of(uint32x4_t comparison) {
    static const uint32_t bit[LANES] = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(comparison, vld1q_u32(bit)));
}

/* Brings the words whose bits are set in a mask to the front. */
static inline uint32x4_t compress(unsigned mask, uint32x4_t words) {
#define WORD(w) 4 * (w), 4 * (w) + 1, 4 * (w) + 2, 4 * (w) + 3
#define ORDER(a, b, c, d)                                                                                    \
    { WORD(a), WORD(b), WORD(c), WORD(d) }
    static const uint8_t order[1 << LANES][16] = {
        ORDER(0, 1, 2, 3), ORDER(0, 1, 2, 3), ORDER(1, 0, 2, 3), ORDER(0, 1, 2, 3),
        ORDER(2, 0, 1, 3), ORDER(0, 2, 1, 3), ORDER(1, 2, 0, 3), ORDER(0, 1, 2, 3),
        ORDER(3, 0, 1, 2), ORDER(0, 3, 1, 2), ORDER(1, 3, 0, 2), ORDER(0, 1, 3, 2),
        ORDER(2, 3, 0, 1), ORDER(0, 2, 3, 1), ORDER(1, 2, 3, 0), ORDER(0, 1, 2, 3)};
    return vreinterpretq_u32_u8(vqtbl1q_u8(vreinterpretq_u8_u32(words), vld1q_u8(order[mask])));
}

/* Stores `count` words, or all four where they fit. */
static inline void store(void *to, bool fits, int count, uint32x4_t words) {
    if (fits)
        memcpy(to, &words, sizeof words);
    else
        memcpy(to, &words, (size_t)count * sizeof(uint32_t));
}

static inline __attribute__((always_inline)) int32_t emit_keys(const float *scores, const int32_t *listed,
                                                               int64_t m, bool positive, uint32_t cut,
                                                               int64_t ties, int32_t base, output out) {
    static const uint32_t steps[LANES] = {0, 1, 2, 3};
    const uint32x4_t bound = vdupq_n_u32(cut);
    int32_t kept = 0;
    for (int64_t j = 0; j < m; j += LANES) {
        uint32x4_t bits = load(scores, j, m), keys = keys_of(bits, positive);
        unsigned chosen = bits_of(vcgtq_u32(keys, bound));
        if (ties > 0) {
            unsigned equal = lowest_bits(bits_of(vceqq_u32(keys, bound)), ties);
            ties -= __builtin_popcount(equal);
            chosen |= equal;
        }
        if (!chosen)
            continue;
        uint32x4_t places =
            listed ? load(listed, j, m) : vaddq_u32(vld1q_u32(steps), vdupq_n_u32((uint32_t)(base + j)));
        int count = __builtin_popcount(chosen);
        bool fits = kept + LANES <= out.room;
        store(out.index + kept, fits, count, compress(chosen, places));
        store(out.value + kept, fits, count, compress(chosen, bits));
        kept += count;
    }
    return kept;
}

void DL_LEVELLED(dl_select)(const float *S, int64_t stride, int64_t rows, int64_t m, int64_t k, bool positive,
                            uint32_t *keys, int32_t *count, int32_t *index, float *value) {
    (void)keys;
    select_rows(S, stride, rows, m, k, positive, count, (output){index, value, rows * k});
}

int64_t DL_LEVELLED(dl_above)(const float *scores, int64_t m, bool positive, uint32_t cut, int32_t base,
                              int32_t *index, float *value) {
    return emit(scores, NULL, m, positive, cut, 0, base, (output){index, value, m});
}
