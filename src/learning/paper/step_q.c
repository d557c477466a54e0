/* The Q-step: one proximal mapping per sample. */
#include "learning/paper/step_q.h"

#include "kernels/kernels.h"
#include "kernels/select.h"
#include "learning/paper/prox.h"

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

dl_q_outcome dl_q_step(const dl_z_problem *problem, double gamma, int64_t rows, const float *Y,
                       dl_z_space *space, float *Q, float *M) {
    int64_t m = problem->m, top = 2 * problem->k < m ? 2 * problem->k : m;
    const dl_kernels *kernels = dl_kernels_now();
    float over_beta = (float)(1 / problem->beta);
    double v[DL_COLUMNS] = {0};
    dl_q_outcome outcome = {0};
    for (int64_t i = 0; i < rows; i += DL_COLUMNS) {
        int64_t count = rows - i < DL_COLUMNS ? rows - i : DL_COLUMNS;
        const float *P = space->P + i * m, *y = Y + i * m;
        float *C = space->R, *new_Q = space->U;
        for (int64_t j = 0; j < count * m; j++)
            C[j] = -P[j] - y[j] * over_beta;
        dl_prox_columns(C, m, top, gamma, count, new_Q, v);
        for (int64_t r = 0; r < count; r++) {
            const float *new_q = new_Q + r * m;
            outcome.change += kernels->square_of_sum(new_q, -1, Q + (i + r) * m, m);
            outcome.gap += kernels->square_of_sum(new_q, 1, P + r * m, m);
            outcome.noise += top_square(new_q, m, top, (float)v[r], space);
        }
        memcpy(Q + i * m, new_Q, (size_t)(count * m) * sizeof *Q);
        for (int64_t j = 0; j < count * m; j++)
            M[i * m + j] = new_Q[j] + y[j] * over_beta;
        v[0] = v[count - 1]; /* the guess for the next column */
    }
    return outcome;
}
