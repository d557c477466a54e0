/* The soft assignments of deep embedded clustering, their targets and gradients. Rows are samples. */
#ifndef DL_NETWORK_DEC_H
#define DL_NETWORK_DEC_H

#include "base/status.h"
#include "network/networks.h"

/* Centers of `count` clusters, of d entries each. */
typedef struct dl_centers {
    const float *values;
    int64_t count, d;
} dl_centers;

/* q_j = u_j / sum u, u_j = 1 / (1 + ||z - mu_j||^2), of one code z. `u` may be NULL. Returns the position of
 * the largest. */
int64_t dl_dec_assignment(dl_centers centers, const float *z, double *q, double *u);

/* P from Q (N x clusters), in place: p_ij = q_ij^2 / f_j / sum_j', f_j = sum_i q_ij. Returns KL(P || Q) / N.
 * `frequency` holds one number per cluster. */
double dl_dec_targets(double *Q, int64_t N, int64_t clusters, double *frequency);

/* The gradient of `scale` KL(p || q) with respect to z, and to the centers, to which it is added. `q`, `u`:
 * scratch of one number per cluster. */
void dl_dec_gradient(dl_centers centers, const float *z, const double *p, double scale, double *q, double *u,
                     float *z_slope, double *center_slope);

#endif
