/* What dltf_micro.c and dltf_micro_f32.c share: selection, and the samples and weights of fixed point. Not
 * for other files. */
#ifndef DLTF_MICRO_PARTS_H
#define DLTF_MICRO_PARTS_H

#include "dltf_micro.h"

/* ---- Selection ---- */

/* The best scores so far, the largest magnitude first. An entry is magnitude * 2^32 + sign * 2^16 + row. */
typedef struct best {
    uint64_t *entry;
    uint32_t
        least; /* a score must have a larger magnitude to enter: that of the last entry once there are k */
    int k, count;
    uint32_t positive;
} best;

static best nothing(uint64_t *entry, int k, uint8_t flags) {
    return (best){entry, 0, k, 0, flags & DLTF_MICRO_POSITIVE};
}

/* Ties go to the lowest row, because rows come in order. */
static void insert(best *b, int row, uint32_t magnitude, uint32_t negative) {
    uint64_t *p = b->entry + (b->count < b->k ? b->count++ : b->k - 1);
    for (; p > b->entry && (uint32_t)(p[-1] >> 32) < magnitude; p--)
        *p = p[-1];
    *p = (uint64_t)magnitude << 32 | negative << 16 | (uint32_t)row;
    if (b->count == b->k)
        b->least = (uint32_t)(b->entry[b->k - 1] >> 32);
}

/* Few scores pass the first comparison: about k (1 + ln(m / k)) of m in random order. */
static inline void offer(best *b, int row, uint32_t magnitude, uint32_t negative) {
    if (magnitude > b->least && !(negative & b->positive))
        insert(b, row, magnitude, negative);
}

static uint16_t row_of(uint64_t entry) {
    return (uint16_t)entry;
}

static int is_negative(uint64_t entry) {
    return entry >> 16 & 1;
}

static void sort_by_row(best *b) {
    for (uint64_t *i = b->entry + 1; i < b->entry + b->count; i++) {
        uint64_t entry = *i, *p = i;
        for (; p > b->entry && row_of(p[-1]) > row_of(entry); p--)
            *p = p[-1];
        *p = entry;
    }
}

/* ---- Fixed point: the sample ---- */

/* Mean and centered entries have 8 more bits than the sample. */
enum { MEAN_BITS = 8 };

static inline int32_t input(const dltf_micro_model *model, const void *x, int d) {
    return model->input_bits == 8 ? ((const int8_t *)x)[d] : ((const int16_t *)x)[d];
}

static int32_t mean_of(const dltf_micro_model *model, const void *x) {
    int32_t sum = 0, n = model->n;
    for (int d = 0; d < n; d++)
        sum += input(model, x, d);
    int32_t rest = sum % n * (1 << MEAN_BITS);
    return sum / n * (1 << MEAN_BITS) + (rest + (rest < 0 ? -n : n) / 2) / n;
}

/* Where a sample comes from, and what is done to its entries. */
typedef struct sample {
    const dltf_micro_model *model;
    const void *x;
    int32_t mean; /* with MEAN_BITS */
    int exponent; /* entries are divided by 2^exponent */
} sample;

static inline int32_t entry(const sample *s, int d) {
    int32_t value = input(s->model, s->x, d);
    return s->model->flags & DLTF_MICRO_REMOVE_MEAN ? value * (1 << MEAN_BITS) - s->mean : value;
}

/* a / 2^shift, to the nearest. */
static inline int32_t divided(int32_t a, int shift) {
    return (a + ((1 << shift) >> 1)) >> shift;
}

/* The smallest exponent that makes all entries fit, but not below that of the bias. */
static sample look_at(const dltf_micro_model *model, const void *x) {
    sample s = {model, x, 0, model->bias_shift};
    int32_t limit = model->bits == 8 ? 127 : 32767, largest = 0;
    int centered = model->flags & DLTF_MICRO_REMOVE_MEAN;
    if (!centered && model->input_bits <= model->bits)
        return s;
    if (centered)
        s.mean = mean_of(model, x);
    for (int d = 0; d < model->n; d++) {
        int32_t value = entry(&s, d);
        value = value < 0 ? -value : value;
        largest = value > largest ? value : largest;
    }
    while (divided(largest, s.exponent) > limit)
        s.exponent++;
    return s;
}

/* ---- Fixed point: weights ---- */

static inline int words_of_row(const dltf_micro_model *model) {
    return model->bits == 8 ? (model->n + 7) / 8 : (model->n + 3) / 4;
}

/* q(row, d) of dltf_micro_rows. */
static int32_t weight(const dltf_micro_model *model, const dltf_micro_rows *rows, int row, int d) {
    int column = model->bits == 8 ? d / 8 : d / 4, quarter = model->bits == 8 ? d / 2 % 4 : d % 4;
    int group = row / DLTF_MICRO_ROWS, r = row % DLTF_MICRO_ROWS;
    uint64_t word = rows->words[(group * words_of_row(model) + column) * DLTF_MICRO_ROWS + r];
    int32_t both = (int16_t)(uint16_t)(word >> 16 * quarter);
    if (model->bits == 16)
        return both;
    int32_t even = (int8_t)(uint8_t)both;
    return d % 2 ? (both - even) / 256 : even;
}

#endif
