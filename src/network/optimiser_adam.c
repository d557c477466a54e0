/* Adam with bias correction, folded into the rate and into epsilon. */
#include "kernels/kernels.h"
#include "network/optimiser.h"

#include <math.h>

static void update(const dl_step *step, int64_t n, float *weights, const float *gradient,
                   float *const moments[DL_MOST_MOMENTS]) {
    const double keep_square = 0.999, epsilon = 1e-8;
    double square_share = sqrt(1 - pow(keep_square, (double)step->number));
    double rate = step->rate * square_share / (1 - pow(step->momentum, (double)step->number));
    dl_adam_factors factors = {(float)rate, (float)step->momentum, (float)keep_square,
                               (float)(epsilon * square_share), (float)step->decay};
    dl_kernels_now()->adam(weights, moments[0], moments[1], gradient, n, factors);
}

const dl_optimiser dl_optimiser_adam = {"adam", 2, update};
