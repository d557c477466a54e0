/* The activation functions. A new one is a row of DL_ACTIVATIONS and a definition here. */
#include "kernels/kernels.h"
#include "network/layer.h"

static void linear_apply(float *y, const float *bias, int64_t n) {
    dl_kernels_now()->add_scaled32(y, 1, bias, n);
}

static void linear_slope(float *delta, const float *y, int64_t n) {
    (void)delta;
    (void)y;
    (void)n;
}

const dl_activation dl_activation_linear = {"linear", 1, linear_apply, linear_slope};

static void relu_apply(float *y, const float *bias, int64_t n) {
    dl_kernels_now()->relu(y, bias, n);
}

static void relu_slope(float *delta, const float *y, int64_t n) {
    dl_kernels_now()->relu_slope(delta, y, n);
}

const dl_activation dl_activation_relu = {"relu", 2, relu_apply, relu_slope};

#define ROW(NAME, name, help) &dl_activation_##name,
static const dl_activation *const activations[] = {DL_ACTIVATIONS(ROW)};

const dl_activation *dl_activation_find(dl_activation_kind activation) {
    int count = sizeof activations / sizeof *activations;
    return (int)activation >= 0 && (int)activation < count ? activations[activation] : NULL;
}
