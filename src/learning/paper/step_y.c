/* The Y-step: adds the constraint violation to the multiplier. */
#include "learning/paper/step_y.h"

void dl_y_step(double beta, int64_t count, const float *P, const float *Q, float *Y) {
    for (int64_t i = 0; i < count; i++)
        Y[i] += (float)beta * (Q[i] + P[i]);
}
