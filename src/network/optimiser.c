/* The optimisers, and their table. */
#include "network/optimiser.h"

#include "kernels/kernels.h"

#include <math.h>

/* Gradient descent with momentum: velocity v = momentum v + g, weights -= rate v. */
static void sgd(const dl_step *step, int64_t n, float *weights, const float *gradient,
                float *const moments[DL_MOST_MOMENTS]) {
    dl_sgd_factors factors = {(float)step->rate, (float)step->momentum, (float)step->decay, 0, 1};
    dl_kernels_now()->sgd(weights, moments[0], gradient, n, factors);
}

/* The same with Nesterov's momentum: weights -= rate (g + momentum v). */
static void nesterov(const dl_step *step, int64_t n, float *weights, const float *gradient,
                     float *const moments[DL_MOST_MOMENTS]) {
    float momentum = (float)step->momentum;
    dl_sgd_factors factors = {(float)step->rate, momentum, (float)step->decay, 1, momentum};
    dl_kernels_now()->sgd(weights, moments[0], gradient, n, factors);
}

/* Adam with bias correction, folded into the rate and into epsilon. */
static void adam(const dl_step *step, int64_t n, float *weights, const float *gradient,
                 float *const moments[DL_MOST_MOMENTS]) {
    const double keep_square = 0.999, epsilon = 1e-8;
    double square_share = sqrt(1 - pow(keep_square, (double)step->number));
    double rate = step->rate * square_share / (1 - pow(step->momentum, (double)step->number));
    dl_adam_factors factors = {(float)rate, (float)step->momentum, (float)keep_square,
                               (float)(epsilon * square_share), (float)step->decay};
    dl_kernels_now()->adam(weights, moments[0], moments[1], gradient, n, factors);
}

static const dl_optimiser optimisers[] = {
    [DL_OPTIMISER_SGD] = {"sgd", 1, sgd},
    [DL_OPTIMISER_NESTEROV] = {"nesterov", 1, nesterov},
    [DL_OPTIMISER_ADAM] = {"adam", 2, adam},
};

const dl_optimiser *dl_optimiser_find(dl_optimiser_kind optimiser) {
    return &optimisers[optimiser];
}
