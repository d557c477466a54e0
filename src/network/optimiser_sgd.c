/* Gradient descent with momentum: velocity v = momentum v + g, weights -= rate v; with Nesterov's momentum
 * weights -= rate (g + momentum v). */
#include "kernels/kernels.h"
#include "network/optimiser.h"

static void sgd(const dl_step *step, int64_t n, float *weights, const float *gradient,
                float *const moments[DL_MOST_MOMENTS]) {
    dl_sgd_factors factors = {(float)step->rate, (float)step->momentum, (float)step->decay, 0, 1};
    dl_kernels_now()->sgd(weights, moments[0], gradient, n, factors);
}

static void nesterov(const dl_step *step, int64_t n, float *weights, const float *gradient,
                     float *const moments[DL_MOST_MOMENTS]) {
    float momentum = (float)step->momentum;
    dl_sgd_factors factors = {(float)step->rate, momentum, (float)step->decay, 1, momentum};
    dl_kernels_now()->sgd(weights, moments[0], gradient, n, factors);
}

const dl_optimiser dl_optimiser_sgd = {"sgd", 1, sgd};
const dl_optimiser dl_optimiser_nesterov = {"nesterov", 1, nesterov};
