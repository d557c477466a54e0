/* The Q-step: one proximal mapping per sample. */
#include "learning/step_q.h"

#include "kernels/select.h"
#include "learning/prox.h"

/* ||q||^2_{k',2}: the squares of the k' largest magnitudes. */
static double top_square(const float *q, int64_t m, int64_t top, dl_z_space *space) {
    float *values = space->U;
    int64_t count = dl_select(q, m, top, false, space->keys, space->picked, values);
    double sum = 0;
    for (int64_t e = 0; e < count; e++)
        sum += (double)values[e] * (double)values[e];
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
        for (int64_t j = 0; j < m; j++) {
            double moved = (double)new_q[j] - (double)q[j], gap = (double)new_q[j] + (double)p[j];
            outcome.change += moved * moved;
            outcome.gap += gap * gap;
            q[j] = new_q[j];
            M[i * m + j] = q[j] + y[j] * over_beta;
        }
        outcome.noise += top_square(q, m, top, space);
    }
    return outcome;
}
