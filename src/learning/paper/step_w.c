/* The W-step: objective and gradient from sufficient statistics.
 * Rows are atoms: W, C and F are stored as the transposes of the paper's. */
#include "learning/paper/step_w.h"

#include "kernels/gram.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

double dl_w_incoherence(const double *G, int64_t m) {
    double sum = 0;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++) {
            double d = G[i * m + j] - (i == j ? 1 : 0);
            sum += d * d;
        }
    return sum;
}

/* ||X||^2 - 2<W,C> + <D,G> */
double dl_w_residual(const dl_w_problem *problem, const double *W, const double *G) {
    const dl_statistics *s = problem->s;
    return problem->X_square - 2 * dl_dot(W, s->C, s->m * s->n) + dl_dot(s->D, G, s->m * s->m);
}

/* ---- Objective ---- */

/* ||G - I||^2 of a panel. The ones are subtracted before squaring: afterwards, most digits would cancel where
 * G is close to I. */
static double panel_incoherence(const double *G, int64_t m, dl_w_rows rows) {
    double sum = 0;
    for (int64_t i = rows.first; i < rows.first + rows.count; i++) {
        const double *g = G + i * m;
        sum += dl_dot(g, g, i) + (g[i] - 1) * (g[i] - 1) + dl_dot(g + i + 1, g + i + 1, m - i - 1);
    }
    return sum;
}

/* ||M - W^T X + GZ||^2 = ||M||^2 + <WA,W> - 2<W,F> + 2<G,S> - <G,GD>,  S = H + GD - W^T C
 * The terms of a panel, without ||M||^2. */
static double panel_noise(const dl_w_problem *problem, const double *W, dl_w_space *space, dl_w_rows rows) {
    const dl_statistics *s = problem->s;
    int64_t m = s->m, n = s->n, squares = rows.count * m, entries = rows.count * n;
    const double *W_p = W + rows.first * n, *G = space->G + rows.first * m, *H = s->H + rows.first * m;
    double *S = space->S + rows.first * m, *WA = space->WA + rows.first * n;
    dl_gemm(1, DL_PLAIN, DL_PLAIN, rows.count, n, n, 1, W_p, problem->A, 0, WA);
    dl_gemm(1, DL_PLAIN, DL_PLAIN, rows.count, m, m, 1, G, s->D, 0, S);
    double sum =
        dl_dot(WA, W_p, entries) - 2 * dl_dot(W_p, s->F + rows.first * n, entries) - dl_dot(G, S, squares);
    for (int64_t i = 0; i < squares; i++)
        S[i] += H[i];
    dl_gemm(1, DL_PLAIN, DL_TRANSPOSED, rows.count, m, n, -1, W_p, s->C, 1, S);
    return sum + 2 * dl_dot(G, S, squares);
}

static void objective_panel(void *context, int64_t task, int worker) {
    (void)worker;
    const dl_search *e = context;
    const dl_w_problem *problem = e->problem;
    const dl_statistics *s = problem->s;
    dl_w_rows rows = dl_w_task_rows(e->space, task);
    int64_t m = s->m, n = s->n;
    const double *W = e->W + rows.first * n;
    double *G = e->space->G + rows.first * m;
    dl_gemm(1, DL_PLAIN, DL_TRANSPOSED, rows.count, m, n, 1, W, e->W, 0, G);
    double residual = dl_dot(s->D + rows.first * m, G, rows.count * m) -
                      2 * dl_dot(W, s->C + rows.first * n, rows.count * n);
    double f = problem->rho * panel_incoherence(e->space->G, m, rows) + problem->theta / 2 * residual;
    if (problem->beta > 0)
        f += problem->beta / 2 * panel_noise(problem, e->W, e->space, rows);
    dl_w_task_sums(e->space, task)[DL_W_VALUE] = f;
}

static double objective(dl_search *e) {
    const dl_w_problem *problem = e->problem;
    double f = 0;
    dl_w_each(e->space, objective_panel, e);
    dl_w_total(e->space, DL_W_VALUE + 1, &f);
    return f + problem->theta / 2 * problem->X_square + problem->beta / 2 * problem->s->M_square;
}

/* ---- Gradient ---- */

/* gradient = 4 rho (G - I) W + theta (D W - C) + beta [ (S + S^T) W + WA - GC - F ] */
static void panel_gradient(const dl_search *e, dl_w_rows rows) {
    const dl_w_problem *problem = e->problem;
    const dl_statistics *s = problem->s;
    int64_t m = s->m, n = s->n, at = rows.first * n, end = rows.first + rows.count;
    double rho = problem->rho, theta = problem->theta, beta = problem->beta;
    double *T = e->space->T + rows.first * m, *gradient = e->space->gradient;
    const double *G = e->space->G, *S = e->space->S;
    for (int64_t i = rows.first * m; i < end * m; i++)
        e->space->T[i] = 4 * rho * G[i] + theta * s->D[i];
    for (int64_t i = rows.first; i < end; i++)
        e->space->T[i * m + i] -= 4 * rho;
    for (int64_t i = at; i < end * n; i++)
        gradient[i] = -theta * s->C[i];
    if (beta > 0) {
        for (int64_t i = rows.first; i < end; i++)
            for (int64_t j = 0; j < m; j++)
                e->space->T[i * m + j] += beta * (S[i * m + j] + S[j * m + i]);
        for (int64_t i = at; i < end * n; i++)
            gradient[i] += beta * (e->space->WA[i] - s->F[i]);
        dl_gemm(1, DL_PLAIN, DL_PLAIN, rows.count, n, m, -beta, G + rows.first * m, s->C, 1, gradient + at);
    }
    dl_gemm(1, DL_PLAIN, DL_PLAIN, rows.count, n, m, 1, T, e->W, 1, gradient + at);
}

/* Makes the rows of S, of which ranks have their own, available to all. */
static void share_products(const dl_search *search) {
    const dl_w_problem *problem = search->problem;
    if (problem->beta > 0)
        dl_w_complete(search->space, search->space->S, problem->s->m);
}

/* ---- Search ---- */

static dl_search search_of(const dl_w_problem *problem, double *W, dl_w_space *space) {
    return (dl_search){.n = problem->s->n,
                       .problem = problem,
                       .space = space,
                       .W = W,
                       .value = objective,
                       .prepare = share_products,
                       .gradient = panel_gradient};
}

double dl_w_objective(const dl_w_problem *problem, double *W, dl_w_space *space) {
    dl_search search = search_of(problem, W, space);
    return objective(&search);
}

void dl_w_gradient(const dl_w_problem *problem, double *W, dl_w_space *space) {
    dl_search search = search_of(problem, W, space);
    dl_search_gradient(&search);
}

dl_search_outcome dl_w_step(const dl_w_problem *problem, int steps, double *tau, double *W,
                            dl_w_space *space) {
    dl_search search = search_of(problem, W, space);
    return dl_search_run(&search, steps, tau);
}
