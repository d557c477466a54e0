/* The Q-step: one proximal mapping per sample. */
#include "learning/step_q.h"

#include "kernels/kernels.h"
#include "kernels/select.h"
#include "learning/prox.h"

#include <math.h>
#include <string.h>

/* ||q||^2_{k',2}: the squares of the k' largest magnitudes. In the result of the prox the k'-th of them is
 * nearly always v, and need not be searched: at most k' entries are above it, and at least k' reach it. */
static double top_square(const float *q, int64_t m, int64_t top, float v, dl_z_space *space) {
    float *values = space->R;
    int32_t above = 0, reach = 0;
    for (int64_t j = 0; j < m; j++) {
        float size = fabsf(q[j]);
        values[j] = size > v ? size : 0;
        above += size > v;
        reach += size >= v;
    }
    double sum = dl_kernels_now()->square(values, m);
    if (above <= top && top <= reach)
        return sum + (double)(top - above) * (double)v * (double)v;
    int64_t count = dl_select(q, m, top, false, space->keys, space->picked, values);
    return dl_kernels_now()->square(values, count);
}

/* ||a + sign b||^2 in double, in lanes that do not wait for each other. */
static double square_of_sum(const float *a, double sign, const float *b, int64_t m) {
    enum { LANES = 8 };
    double lane[LANES] = {0}, sum = 0;
    int64_t j = 0;
    for (; j + LANES <= m; j += LANES)
        for (int l = 0; l < LANES; l++) {
            double d = (double)a[j + l] + sign * (double)b[j + l];
            lane[l] += d * d;
        }
    for (; j < m; j++)
        lane[0] += ((double)a[j] + sign * (double)b[j]) * ((double)a[j] + sign * (double)b[j]);
    for (int l = 0; l < LANES; l++)
        sum += lane[l];
    return sum;
}

dl_q_outcome dl_q_step(const dl_z_problem *problem, double gamma, int64_t rows, const float *Y,
                       dl_z_space *space, float *Q, float *M) {
    int64_t m = problem->m, top = 2 * problem->k < m ? 2 * problem->k : m;
    float over_beta = (float)(1 / problem->beta);
    double v = 0;
    dl_q_outcome outcome = {0};
    for (int64_t i = 0; i < rows; i++) {
        const float *p = space->P + i * m, *y = Y + i * m;
        float *c = space->R, *new_q = space->U, *q = Q + i * m;
        for (int64_t j = 0; j < m; j++)
            c[j] = -p[j] - y[j] * over_beta;
        dl_prox_next(c, m, top, gamma, new_q, &v);
        outcome.change += square_of_sum(new_q, -1, q, m);
        outcome.gap += square_of_sum(new_q, 1, p, m);
        memcpy(q, new_q, (size_t)m * sizeof *q);
        outcome.noise += top_square(q, m, top, (float)v, space);
        for (int64_t j = 0; j < m; j++)
            M[i * m + j] = q[j] + y[j] * over_beta;
    }
    return outcome;
}
