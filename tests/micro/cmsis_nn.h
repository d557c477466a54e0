/* See cmsis_nn.c. */
#ifndef TESTS_MICRO_CMSIS_NN_H
#define TESTS_MICRO_CMSIS_NN_H

#include <stdint.h>

/* 128 products of 64 entries, with fixed weights. */
void cmsis_product_i8(const int8_t *x);

#endif
