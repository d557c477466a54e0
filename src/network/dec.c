/* Soft assignments by Student's t distribution with one degree of freedom. */
#include "network/dec.h"

#include <math.h>

int64_t dl_dec_assignment(dl_centers centers, const float *z, double *q, double *u) {
    double sum = 0;
    int64_t best = 0;
    for (int64_t j = 0; j < centers.count; j++) {
        const float *center = centers.values + j * centers.d;
        double square = 0;
        for (int64_t e = 0; e < centers.d; e++) {
            double difference = (double)z[e] - (double)center[e];
            square += difference * difference;
        }
        q[j] = 1 / (1 + square);
        sum += q[j];
        if (u)
            u[j] = q[j];
        if (q[j] > q[best])
            best = j;
    }
    for (int64_t j = 0; j < centers.count; j++)
        q[j] /= sum;
    return best;
}

double dl_dec_targets(double *Q, int64_t N, int64_t clusters, double *frequency) {
    double divergence = 0;
    for (int64_t j = 0; j < clusters; j++)
        frequency[j] = 0;
    for (int64_t i = 0; i < N * clusters; i++)
        frequency[i % clusters] += Q[i];
    for (int64_t i = 0; i < N; i++) {
        double *row = Q + i * clusters, sum = 0;
        for (int64_t j = 0; j < clusters; j++)
            sum += row[j] * row[j] / frequency[j];
        for (int64_t j = 0; j < clusters; j++) {
            double q = row[j], p = q * q / frequency[j] / sum;
            divergence += p == 0 ? 0 : p * log(p / q); /* NaN stays */
            row[j] = p;
        }
    }
    return divergence / (double)N;
}

/* dKL/dz = 2 sum_j u_j (p_j - q_j) (z - mu_j); a term is minus the gradient of its center. */
void dl_dec_gradient(dl_centers centers, const float *z, const double *p, double scale, double *q, double *u,
                     float *z_slope, double *center_slope) {
    dl_dec_assignment(centers, z, q, u);
    for (int64_t e = 0; e < centers.d; e++) {
        double sum = 0;
        for (int64_t j = 0; j < centers.count; j++) {
            int64_t at = j * centers.d + e;
            double term = 2 * scale * u[j] * (p[j] - q[j]) * ((double)z[e] - (double)centers.values[at]);
            sum += term;
            center_slope[at] -= term;
        }
        z_slope[e] = (float)sum;
    }
}
