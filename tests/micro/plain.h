/* The feature as one would first write it, to compare with: all scores, then the largest one k times. And the
 * product alone in 8 bits, with weights as they come. */
#ifndef TESTS_MICRO_PLAIN_H
#define TESTS_MICRO_PLAIN_H

#include <stdint.h>

uint8_t plain_encode_f32(const float *weights, const float *bias, const float *x, int m, int n, int k,
                         float *scores, uint16_t *atoms, float *values);

/* 128 products of 64 entries, with fixed weights. */
void plain_product_i8(const int8_t *x, int32_t *products);

#endif
