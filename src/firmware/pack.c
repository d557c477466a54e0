/* Weights in 8 and 16 bits. */
#include "firmware/firmware.h"

#include <math.h>
#include <string.h>

enum { GROUP = DLTF_MICRO_ROWS, LARGEST_FACTOR = 32767 };

static int largest_weight(int bits) {
    return bits == 8 ? 127 : 32767;
}

static int64_t words_of_row(int64_t n, int bits) {
    int per_word = 64 / bits;
    return (n + per_word - 1) / per_word;
}

int64_t dl_firmware_words(int64_t m, int64_t n, int bits) {
    return dl_firmware_rows(m) * words_of_row(n, bits);
}

/* Where weight (row, column) is: the word, and the position of the 16 bits in it. */
static int64_t word_of(int64_t n, int bits, int64_t row, int64_t column, int *at) {
    int per_word = 64 / bits;
    *at = (int)(column % per_word) * bits / 16 * 16;
    return (row / GROUP * words_of_row(n, bits) + column / per_word) * GROUP + row % GROUP;
}

/* Adds to 16 bits, modulo 2^16. With 8-bit weights they become 256 q(odd) + q(even): a sum of two parts. */
static void store(uint64_t *words, int64_t n, int bits, int64_t row, int64_t column, int32_t q) {
    int at;
    uint64_t *word = words + word_of(n, bits, row, column, &at);
    int32_t part = bits == 8 && column % 2 ? 256 * q : q;
    uint64_t mask = (uint64_t)0xffff << at;
    *word = (*word & ~mask) | ((*word + ((uint64_t)(uint32_t)part << at)) & mask);
}

int32_t dl_firmware_weight(const uint64_t *words, int64_t n, int bits, int64_t row, int64_t column) {
    int at;
    uint64_t word = words[word_of(n, bits, row, column, &at)];
    int32_t both = (int16_t)(uint16_t)(word >> at), even = (int8_t)(uint8_t)both;
    return bits == 16 ? both : column % 2 ? (both - even) / 256 : even;
}

static double largest_of(const float *row, int64_t n) {
    double largest = 0;
    for (int64_t j = 0; j < n; j++)
        largest = fmax(largest, fabs((double)row[j]));
    return largest;
}

static dltf_status check(const float *weights, int64_t m, int64_t n) {
    for (int64_t i = 0; i < m * n; i++)
        if (!isfinite(weights[i]))
            return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_MODEL,
                                 "weight %lld of row %lld is not finite: it cannot be quantised",
                                 (long long)(i % n), (long long)(i / n));
    return DLTF_OK;
}

/* The factor is rounded up, so that no weight is out of range; then weights are rounded to its multiples. */
dltf_status dl_firmware_pack(const float *weights, int64_t m, int64_t n, int bits, uint64_t *words,
                             int16_t *factor, float *scale) {
    dltf_status status = check(weights, m, n);
    if (status != DLTF_OK)
        return status;
    double limit = largest_weight(bits), largest = largest_of(weights, m * n);
    *scale = nextafterf((float)(largest / limit / LARGEST_FACTOR), INFINITY);
    memset(words, 0, (size_t)dl_firmware_words(m, n, bits) * sizeof *words);
    for (int64_t i = 0; i < m; i++) {
        const float *row = weights + i * n;
        factor[i] = (int16_t)ceil(largest_of(row, n) / limit / (double)*scale);
        for (int64_t j = 0; j < n && factor[i] > 0; j++)
            store(words, n, bits, i, j, (int32_t)lrint((double)row[j] / ((double)*scale * factor[i])));
    }
    return DLTF_OK;
}
