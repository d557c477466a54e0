/* The W-step: objective and gradient from sufficient statistics, curvilinear search over unit-norm atoms.
 * Rows are atoms: W, C and F are stored as the transposes of the paper's. */
#include "learning/paper/step_w.h"

#include "data/matrix.h"
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

/* What the tasks of one evaluation or step share. */
typedef struct evaluation {
    const dl_w_problem *problem;
    dl_w_space *space;
    double *W;
    double tau;
} evaluation;

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
    const evaluation *e = context;
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

static double objective(evaluation *e) {
    const dl_w_problem *problem = e->problem;
    double f = 0;
    dl_w_each(e->space, objective_panel, e);
    dl_w_total(e->space, DL_W_VALUE + 1, &f);
    return f + problem->theta / 2 * problem->X_square + problem->beta / 2 * problem->s->M_square;
}

double dl_w_objective(const dl_w_problem *problem, double *W, dl_w_space *space) {
    evaluation e = {problem, space, W, 0};
    return objective(&e);
}

/* ---- Gradient ---- */

/* gradient = 4 rho (G - I) W + theta (D W - C) + beta [ (S + S^T) W + WA - GC - F ] */
static void panel_gradient(const evaluation *e, dl_w_rows rows) {
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

/* Projects row j of the gradient onto the tangent space of its sphere. Adds to the sums what the row changed
 * since the previous point, whose place it then takes. */
static void advance_row(const evaluation *e, int64_t j, double *sums) {
    int64_t n = e->problem->s->n;
    const double *w = e->W + j * n, *g = e->space->gradient + j * n;
    double *t = e->space->tangent + j * n;
    double *s = e->space->previous + j * n, *y = e->space->previous_tangent + j * n;
    double along = dl_dot(w, g, n);
    for (int64_t i = 0; i < n; i++) {
        t[i] = g[i] - along * w[i];
        s[i] = w[i] - s[i];
        y[i] = t[i] - y[i];
    }
    sums[DL_W_TT] += dl_dot(t, t, n);
    sums[DL_W_SS] += dl_dot(s, s, n);
    sums[DL_W_SY] += dl_dot(s, y, n);
    sums[DL_W_YY] += dl_dot(y, y, n);
    memcpy(s, w, (size_t)n * sizeof *s);
    memcpy(y, t, (size_t)n * sizeof *y);
}

static void gradient_panel(void *context, int64_t task, int worker) {
    (void)worker;
    const evaluation *e = context;
    dl_w_rows rows = dl_w_task_rows(e->space, task);
    double *sums = dl_w_task_sums(e->space, task);
    panel_gradient(e, rows);
    for (int i = 0; i < DL_W_SUMS; i++)
        sums[i] = 0;
    for (int64_t j = rows.first; j < rows.first + rows.count; j++)
        advance_row(e, j, sums);
}

/* Makes W the previous point. The sums of changes have no meaning at the first one. */
static void gradient(evaluation *e, double sums[DL_W_SUMS]) {
    if (e->problem->beta > 0)
        dl_w_complete(e->space, e->space->S, e->problem->s->m);
    dl_w_each(e->space, gradient_panel, e);
    dl_w_total(e->space, DL_W_SUMS, sums);
}

void dl_w_gradient(const dl_w_problem *problem, double *W, dl_w_space *space) {
    evaluation e = {problem, space, W, 0};
    double sums[DL_W_SUMS];
    gradient(&e, sums);
}

/* ---- Search ---- */

/* The Cayley curve of Wen & Yin through each w, in closed form, with h = tau/2 and t the tangent part of g:
 *   w(tau) = { (1 - h^2 ||t||^2) w - tau t } / { 1 + h^2 ||t||^2 }
 * It preserves norms in exact arithmetic only: the rounding error in the radial part of g grows from step to
 * step (measured: norms of 1.4 after some 300 steps), so each w is normalised again. */
static void move_panel(void *context, int64_t task, int worker) {
    (void)worker;
    const evaluation *e = context;
    dl_w_rows rows = dl_w_task_rows(e->space, task);
    int64_t n = e->problem->s->n;
    double tau = e->tau, h = tau / 2;
    for (int64_t j = rows.first; j < rows.first + rows.count; j++) {
        const double *w = e->space->previous + j * n, *t = e->space->previous_tangent + j * n;
        double tt = h * h * dl_dot(t, t, n);
        double keep = (1 - tt) / (1 + tt), turn = tau / (1 + tt);
        double *moved = e->W + j * n;
        for (int64_t i = 0; i < n; i++)
            moved[i] = keep * w[i] - turn * t[i];
        double scale = 1 / sqrt(dl_dot(moved, moved, n));
        for (int64_t i = 0; i < n; i++)
            moved[i] *= scale;
    }
}

/* Moves W along the curve from the previous point, and returns f there. */
static double move(evaluation *e, double tau) {
    e->tau = tau;
    dl_w_each(e->space, move_panel, e);
    dl_w_complete(e->space, e->W, e->problem->s->n);
    return objective(e);
}

static void back_panel(void *context, int64_t task, int worker) {
    (void)worker;
    const evaluation *e = context;
    dl_w_rows rows = dl_w_task_rows(e->space, task);
    int64_t n = e->problem->s->n, at = rows.first * n;
    memcpy(e->W + at, e->space->previous + at, (size_t)(rows.count * n) * sizeof *e->W);
}

static void move_back(evaluation *e) {
    dl_w_each(e->space, back_panel, e);
    dl_w_complete(e->space, e->W, e->problem->s->n);
    objective(e);
}

/* Barzilai-Borwein: the step length for which a multiple of the identity best maps the last step to the
 * change of the gradient. Alternates between the two formulas. */
static double next_tau(const double sums[DL_W_SUMS], int step, double tau) {
    double sy = fabs(sums[DL_W_SY]);
    double next = step % 2 == 0 ? sums[DL_W_SS] / sy : sy / sums[DL_W_YY];
    return isfinite(next) && next > 0 ? fmin(fmax(next, 1e-15), 1e15) : tau;
}

dl_w_outcome dl_w_step(const dl_w_problem *problem, int steps, double *tau, double *W, dl_w_space *space) {
    enum { MAX_BACKTRACKS = 25 };
    const double eta = 0.85, decrease = 1e-4, backtrack = 0.1;
    evaluation e = {problem, space, W, 0};
    double f = objective(&e), sums[DL_W_SUMS];
    dl_w_outcome outcome = {.before = f, .after = f, .worst_excess = -INFINITY};
    double reference = f, weight = 1; /* non-monotone reference value (Zhang & Hager 2004) */
    gradient(&e, sums);
    for (int step = 0; step < steps && sums[DL_W_TT] > 0; step++) {
        double first_tau = *tau, slope = sums[DL_W_TT]; /* minus that of f along the curve */
        for (int backtracks = 0;; backtracks++, *tau *= backtrack) {
            f = move(&e, *tau);
            if (f <= reference - decrease * *tau * slope || backtracks == MAX_BACKTRACKS)
                break;
        }
        if (!(f <= reference)) { /* converged up to rounding */
            move_back(&e);
            *tau = first_tau;
            break;
        }
        outcome.after = f;
        outcome.worst_excess = fmax(outcome.worst_excess, f - reference);
        double next_weight = eta * weight + 1;
        reference = (eta * weight * reference + f) / next_weight;
        weight = next_weight;
        gradient(&e, sums);
        *tau = next_tau(sums, step, *tau);
    }
    return outcome;
}
