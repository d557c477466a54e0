/* Fixed point: see dltf_micro.h.
 *
 * Why fixed point cannot overflow, and how exact it is.
 *
 * Let q be the integer weights of a row, w = s q + s d its weights, |d| <= 1/2, where s = scale * factor. Let
 * x = t (u + h) be the sample, u its rounded entries, t = input_scale * 2^exponent, |h| <= 1/2, or 1/2 +
 * 2^-(e+1) if the mean, rounded to 1/256 of a step, was subtracted before the division by 2^e. Then
 *
 *     |w x - s t q u| <= s t (sum |u| / 2 + sum |q| |h| + n |h| / 2).
 *
 * A mean c that the model subtracts is a part of the bias, as s q c: this adds at most s sum |c| / 2.
 *
 * q u is exact. 8 bits: |u|, |q| <= 127, a segment of 512 columns gives |256 q u| <= 256 * 512 * 127^2 <
 * 2^31; `shift` is at least the logarithm of the number of segments, at most 6, and 256 q u >> shift is
 * exact. 16 bits: |q u| < 2^30 n <= 2^45 in 64 bits; `shift` makes it smaller than 2^31 and rounds down. The
 * product with factor / 2^16 < 1/2 rounds down once more; a score is therefore below 2^30 in magnitude. So is
 * a bias: the difference fits 32 bits. In units of value_scale * 2^exponent, rounding by `shift` changes a
 * score by less than 1/2, rounding of the product by less than 1, and rounding of the bias, when the model is
 * exported and when it is divided by a power of two, by at most 3/4: together by less than 9/4. A factor is
 * rounded to an integer when the model is exported, before its q are chosen: that costs nothing. */
#include "dltf_micro_parts.h"

/* ---- Fixed point: pairs of 16-bit numbers ---- */

static inline uint32_t pair(int32_t low, int32_t high) {
    return ((uint32_t)low & 0xffff) | (uint32_t)high << 16;
}

#if defined __ARM_FEATURE_DSP && defined __ARM_FEATURE_SIMD32
#include <arm_acle.h> /* of the compiler, like stdint.h; Cortex-M4, M7, M33 and later */

/* sum + the products of the low and of the high halves, modulo 2^32. */
static inline uint32_t add_products(uint32_t sum, uint32_t a, uint32_t b) {
    return (uint32_t)__smlad((int16x2_t)a, (int16x2_t)b, (int32_t)sum);
}

static inline int64_t add_products_long(int64_t sum, uint32_t a, uint32_t b) {
    return __smlald((int16x2_t)a, (int16x2_t)b, sum);
}

/* Adds four weights of 8 bits times four entries, times 256, in three instructions. The low half of w is
 * 256 w1 + w0, and
 *     (256 w1 + w0) u1 + w0 (256 u0 - u1) = 256 (w1 u1 + w0 u0);
 * likewise the high half: no weights but w0 and w2 have to be extracted. |256 u0 - u1| <= 257 * 127 fits. */
static inline uint32_t add_four(uint32_t sum, uint32_t w, uint64_t u) {
    uint32_t low_bytes = (uint32_t)__sxtb16((int8x4_t)w);
    return add_products(add_products(sum, w, (uint32_t)u), low_bytes, (uint32_t)(u >> 32));
}

/* a * b / 2^16, rounded down. */
static inline int32_t scaled(int32_t a, int16_t b) {
    return __smlawb(a, b, 0);
}

/* Inlined, the loops below would not have all registers for themselves. */
#define KEEP_APART __attribute__((noinline))

/* *(*p)++ in one instruction: GCC would use three. */
static inline uint64_t next(const uint64_t **p) {
    uint32_t low, high;
    __asm__("ldrd %0, %1, [%2], #8" : "=&r"(low), "=&r"(high), "+r"(*p) : "m"(**p));
    return low | (uint64_t)high << 32;
}
#else
#define KEEP_APART

static inline int32_t low(uint32_t a) {
    return (int16_t)(uint16_t)a;
}

static inline int32_t high(uint32_t a) {
    return (int32_t)a >> 16;
}

static inline uint32_t add_products(uint32_t sum, uint32_t a, uint32_t b) {
    return sum + (uint32_t)(low(a) * low(b)) + (uint32_t)(high(a) * high(b));
}

static inline int64_t add_products_long(int64_t sum, uint32_t a, uint32_t b) {
    return sum + low(a) * low(b) + high(a) * high(b);
}

static inline uint32_t add_four(uint32_t sum, uint32_t w, uint64_t u) {
    sum = add_products(sum, w, (uint32_t)u);
    sum += (uint32_t)((int8_t)(uint8_t)w * low((uint32_t)(u >> 32)));
    return sum + (uint32_t)((int8_t)(uint8_t)(w >> 16) * high((uint32_t)(u >> 32)));
}

static inline int32_t scaled(int32_t a, int16_t b) {
    return (a >> 16) * b + (int32_t)(((uint32_t)a & 0xffff) * (uint32_t)b >> 16);
}

static inline uint64_t next(const uint64_t **p) {
    return *(*p)++;
}
#endif

/* ---- Fixed point: packing a sample ---- */

/* An entry in `bits` bits; 0 beyond the end. */
static inline int32_t rounded(const sample *s, int d, int32_t limit) {
    if (d >= s->model->n)
        return 0;
    int32_t value = divided(entry(s, d), s->exponent);
    return value < -limit ? -limit : value;
}

/* Four entries u0 to u3, as add_four needs them. */
static inline uint64_t four(int32_t u0, int32_t u1, int32_t u2, int32_t u3) {
    return pair(u1, u3) | (uint64_t)pair(256 * u0 - u1, 256 * u2 - u3) << 32;
}

/* From entry `d` on, a multiple of 4. */
static void pack8(const sample *s, int d, uint64_t *out) {
    for (int end = (s->model->n + 7) / 8 * 8; d < end; d += 4)
        *out++ =
            four(rounded(s, d, 127), rounded(s, d + 1, 127), rounded(s, d + 2, 127), rounded(s, d + 3, 127));
}

static inline int32_t at_least_minus_127(int8_t x) {
    return x < -127 ? -127 : x;
}

/* The common case of pack8: entries are used as they are. Returns how many were packed. */
static int pack8_unchanged(const int8_t *x, int n, uint64_t *out) {
    const int8_t *end = x + n / 4 * 4;
    for (; x < end; x += 4)
        *out++ = four(at_least_minus_127(x[0]), at_least_minus_127(x[1]), at_least_minus_127(x[2]),
                      at_least_minus_127(x[3]));
    return n / 4 * 4;
}

static void pack16(const sample *s, uint64_t *out) {
    for (int d = 0; d < s->model->n; d += 4)
        *out++ = pair(rounded(s, d, 32768), rounded(s, d + 1, 32768)) |
                 (uint64_t)pair(rounded(s, d + 2, 32768), rounded(s, d + 3, 32768)) << 32;
}

/* ---- Fixed point: products and encoding ---- */

enum { MOST_WORDS8 = 512 / 8 }; /* of a row: more would overflow 32 bits */

static inline uint32_t add_eight(uint32_t sum, uint64_t w, uint64_t u0, uint64_t u1) {
    return add_four(add_four(sum, (uint32_t)w, u0), (uint32_t)(w >> 32), u1);
}

/* The products of four rows with the sample, divided by 2^shift. 8 bits: times 256, and for at most 512
 * columns. */
typedef struct products {
    int32_t row[DLTF_MICRO_ROWS];
} products;

KEEP_APART static products products8(const uint64_t *w, const uint64_t *u, int words, int shift) {
    uint32_t a = 0, b = 0, c = 0, d = 0;
    for (const uint64_t *end = u + 2 * words; u != end;) {
        uint64_t u0 = next(&u), u1 = next(&u);
        a = add_eight(a, next(&w), u0, u1);
        b = add_eight(b, next(&w), u0, u1);
        c = add_eight(c, next(&w), u0, u1);
        d = add_eight(d, next(&w), u0, u1);
    }
    return (products){{(int32_t)a >> shift, (int32_t)b >> shift, (int32_t)c >> shift, (int32_t)d >> shift}};
}

/* For any number of columns. */
static inline products all_products8(const uint64_t *w, const uint64_t *u, int words, int shift) {
    products sum = products8(w, u, words < MOST_WORDS8 ? words : MOST_WORDS8, shift);
    for (int first = MOST_WORDS8; first < words; first += MOST_WORDS8) {
        int count = words - first < MOST_WORDS8 ? words - first : MOST_WORDS8;
        products p = products8(w + first * DLTF_MICRO_ROWS, u + 2 * first, count, shift);
        for (int r = 0; r < DLTF_MICRO_ROWS; r++)
            sum.row[r] += p.row[r];
    }
    return sum;
}

static inline int64_t add_four_long(int64_t sum, uint64_t w, uint64_t u) {
    sum = add_products_long(sum, (uint32_t)w, (uint32_t)u);
    return add_products_long(sum, (uint32_t)(w >> 32), (uint32_t)(u >> 32));
}

KEEP_APART static products products16(const uint64_t *w, const uint64_t *u, int words, int shift) {
    int64_t a = 0, b = 0, c = 0, d = 0;
    for (const uint64_t *end = u + words; u != end;) {
        uint64_t entries = next(&u);
        a = add_four_long(a, next(&w), entries);
        b = add_four_long(b, next(&w), entries);
        c = add_four_long(c, next(&w), entries);
        d = add_four_long(d, next(&w), entries);
    }
    return (products){
        {(int32_t)(a >> shift), (int32_t)(b >> shift), (int32_t)(c >> shift), (int32_t)(d >> shift)}};
}

/* `bias` may be NULL. Rows beyond m, in the last group, have weights and a bias of 0, and so a score of 0:
 * they are not selected. */
static inline void offer_row(best *b, int row, int32_t product, int16_t factor, const int32_t *bias,
                             int bias_shift) {
    int32_t score = scaled(product, factor);
    if (bias)
        score -= divided(bias[row], bias_shift);
    offer(b, row, (uint32_t)(score < 0 ? -score : score), score < 0);
}

static void select_rows(const dltf_micro_model *model, const uint64_t *u, int bias_shift, best *b) {
    const uint64_t *w = model->encoder.words;
    const int16_t *factor = model->encoder.factor;
    const int32_t *bias = model->bias;
    int words = words_of_row(model), shift = model->shift, m = model->m;
    for (int row = 0; row < m; row += 4, w += 4 * words, factor += 4) {
        products p = model->bits == 16 ? products16(w, u, words, shift) : all_products8(w, u, words, shift);
        offer_row(b, row, p.row[0], factor[0], bias, bias_shift);
        offer_row(b, row + 1, p.row[1], factor[1], bias, bias_shift);
        offer_row(b, row + 2, p.row[2], factor[2], bias, bias_shift);
        offer_row(b, row + 3, p.row[3], factor[3], bias, bias_shift);
    }
}

dltf_micro_code dltf_micro_encode(const dltf_micro_model *model, const void *x, uint64_t *work,
                                  uint16_t *index, int32_t *value) {
    uint64_t *u = work + model->k;
    best b = nothing(work, model->k, model->flags);
    sample s = look_at(model, x);
    if (model->bits == 8) {
        int unchanged = model->input_bits == 8 && !(model->flags & DLTF_MICRO_REMOVE_MEAN) && s.exponent == 0;
        int packed = unchanged ? pack8_unchanged(x, model->n, u) : 0;
        pack8(&s, packed, u + packed / 4);
    } else {
        pack16(&s, u);
    }
    select_rows(model, u, s.exponent - model->bias_shift, &b);
    sort_by_row(&b);
    for (int p = 0; p < b.count; p++) {
        int32_t magnitude = (int32_t)(b.entry[p] >> 32);
        index[p] = row_of(b.entry[p]);
        value[p] = is_negative(b.entry[p]) ? -magnitude : magnitude;
    }
    int removed = model->flags & DLTF_MICRO_REMOVE_MEAN ? MEAN_BITS : 0;
    return (dltf_micro_code){(uint8_t)b.count, (int8_t)(s.exponent - removed)};
}

/* ---- Fixed point: decoding ---- */

static int16_t saturated(int64_t a) {
    return a > 32767 ? 32767 : a < -32768 ? -32768 : (int16_t)a;
}

/* a * factor / 2^shift, to the nearest, for |a| < 2^40. */
static int16_t decoded(int64_t a, uint16_t factor, int shift) {
    a *= factor;
    if (shift <= 0 || shift > 62) /* steps of 2^16 and more of the sample, or far less than one */
        return shift > 62 || a == 0 ? 0 : saturated(a > 0 ? INT64_MAX : INT64_MIN);
    return saturated((a + ((int64_t)1 << (shift - 1))) >> shift);
}

void dltf_micro_decode(const dltf_micro_model *model, dltf_micro_code code, const uint16_t *index,
                       const int32_t *value, int16_t *out) {
    const dltf_micro_rows *rows = &model->dictionary;
    int32_t largest = 0;
    int cut = 0; /* coefficients are divided by 2^cut, so that they fit 16 bits */
    for (int p = 0; p < code.count; p++) {
        int32_t z = scaled(value[p], rows->factor[index[p]]);
        z = z < 0 ? -z : z;
        largest = z > largest ? z : largest;
    }
    while (divided(largest, cut) > 32767)
        cut++;
    for (int d = 0; d < model->n; d++) {
        int64_t sum = 0;
        for (int p = 0; p < code.count; p++) {
            int32_t z = divided(scaled(value[p], rows->factor[index[p]]), cut);
            sum += z * weight(model, rows, index[p], d);
        }
        out[d] = decoded(sum, model->decode_factor, model->decode_shift - code.exponent - cut);
    }
}
