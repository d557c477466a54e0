/* The Y-step: the multiplier gathers what the constraint still lacks. */
#include "learning/step_y.h"

double dl_y_step(double beta, int64_t count, const float *P, const float *Q, float *Y) {
    double primal = 0;
    for (int64_t i = 0; i < count; i++) {
        float gap = Q[i] + P[i];
        Y[i] += (float)beta * gap;
        primal += (double)gap * (double)gap;
    }
    return primal;
}
