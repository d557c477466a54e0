/* The product in 8 bits by CMSIS-NN, with 8-bit output and without selection: only for bench/micro
 * --cmsis-nn. */
#include "cmsis_nn.h"

#include "arm_nnfunctions.h"

enum { M = 128, N = 64 };
static const int8_t weights[M * N] = {1, -2, 3};
static const int32_t bias[M] = {0};

void cmsis_product_i8(const int8_t *x) {
    static int8_t output[M];
    static const cmsis_nn_context context = {0};
    static const cmsis_nn_fc_params layer = {.activation = {-128, 127}};
    static const cmsis_nn_per_tensor_quant_params scale = {1 << 30, -6};
    static const cmsis_nn_dims input = {1, 1, 1, N}, filter = {N, 1, 1, M}, biases = {1, 1, 1, M},
                               outputs = {1, 1, 1, M};
    arm_fully_connected_s8(&context, &layer, &scale, &input, x, &filter, weights, &biases, bias, &outputs,
                           output);
}
