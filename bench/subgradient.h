/* The subgradient method for the proximal mapping, which the paper's Algorithm 1 replaces (Tono, Takeda,
 * Gotoh 2017). */
#ifndef BENCH_SUBGRADIENT_H
#define BENCH_SUBGRADIENT_H

#include <stdint.h>

/* gamma ||q||^2_{k,2} + ||q - c||^2; `scratch` holds m doubles. */
double subgradient_objective(const double *q, const double *c, int64_t m, int64_t k, double gamma,
                             double *scratch);

/* Polyak: (F(q) - optimum) / ||g||^2, which requires the optimum and is therefore not practical. Diminishing:
 * 1/(t+2) in iteration t, suited to the strong convexity of F. Neither is always better; both return the best
 * iterate. */
typedef enum subgradient_step { SUBGRADIENT_POLYAK, SUBGRADIENT_DIMINISHING } subgradient_step;

typedef struct subgradient_result {
    int64_t iterations;
    double gap; /* (F - optimum) / optimum of the best iterate */
} subgradient_result;

/* Minimises F(q) = gamma ||q||^2_{k,2} + ||q - c||^2 from q = c. Stops at relative gap `tolerance` or after
 * `most` iterations of O(m) each. `work` holds 3 m doubles. */
subgradient_result subgradient_method(subgradient_step rule, const double *c, int64_t m, int64_t k,
                                      double gamma, double optimum, double tolerance, int64_t most,
                                      double *work);

#endif
