/* What decides the steps of Batch-OMP, shared by the two ways of making them (omp.c, omp_ahead.c). */
#ifndef DL_CODING_CODERS_OMP_STEPS_H
#define DL_CODING_CODERS_OMP_STEPS_H

#include "coding/coders/omp.h"

#include <math.h>

/* Squared distance from the span of the chosen atoms below which an atom counts as dependent; limited by G,
 * which is rounded to f32. */
#define DL_OMP_DEPENDENT 1e-5

/* Where a sample stands, and where it stops. */
typedef struct dl_omp_progress {
    double energy;     /* ||r||^2 */
    double enough;     /* of it; below zero: no target */
    double negligible; /* for a score */
} dl_omp_progress;

static inline dl_omp_progress dl_omp_begin(const dl_omp *omp, double energy) {
    return (dl_omp_progress){
        .energy = energy,
        .enough = omp->error > 0 ? omp->error - DL_OMP_ERROR_ROUNDING * energy : -INFINITY,
        .negligible = isfinite(energy) ? DL_OMP_ROUNDING * sqrt(energy) : 0 /* infinity must reach the code */
    };
}

/* The step to the atom with score alpha, the diagonal entry g of the Gram matrix and `count` entries of its
 * row of L. False if there is nothing to gain from it. */
static inline bool dl_omp_step(dl_omp_progress *p, float alpha, float g, const float *l, int64_t count,
                               double *norm, double *c) {
    if (p->energy <= p->enough || fabs((double)alpha) <= p->negligible)
        return false;
    double square = (double)g - dl_kernels_now()->square(l, count);
    if (square < DL_OMP_DEPENDENT)
        return false;
    *norm = sqrt(square);
    *c = (double)alpha / *norm;
    p->energy -= *c * *c;
    return true;
}

#endif
