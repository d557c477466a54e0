/* The W-step: objective and gradient from sufficient statistics, curvilinear search over unit-norm atoms.
 * Rows are atoms: W, C and F are stored as the transposes of the paper's. */
#include "learning/step_w.h"

#include "base/memory.h"
#include "data/matrix.h"
#include "kernels/gram.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

dltf_status dl_w_space_alloc(dl_w_space *space, int threads, int64_t m, int64_t n, bool admm) {
    dltf_status status = DLTF_OK;
    *space = (dl_w_space){.threads = threads};
    DL_TRY_NEW(space->G, m * m);
    DL_TRY_NEW(space->T, m * m);
    DL_TRY_NEW(space->gradient, m * n);
    DL_TRY_NEW(space->tangent, m * n);
    DL_TRY_NEW(space->previous, m * n);
    DL_TRY_NEW(space->previous_tangent, m * n);
    if (admm) {
        DL_TRY_NEW(space->K, m * m);
        DL_TRY_NEW(space->GD, m * m);
        DL_TRY_NEW(space->WA, m * n);
    }
done:
    if (status != DLTF_OK)
        dl_w_space_free(space);
    return status;
}

void dl_w_space_free(dl_w_space *space) {
    dl_free(space->G);
    dl_free(space->K);
    dl_free(space->GD);
    dl_free(space->T);
    dl_free(space->WA);
    dl_free(space->gradient);
    dl_free(space->tangent);
    dl_free(space->previous);
    dl_free(space->previous_tangent);
    *space = (dl_w_space){0};
}

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

/* ||M - W^T X + GZ||^2 = ||M||^2 + <WA,W> + <GD,G> - 2<W,F> + 2<G,H> - 2<G,K>,  K = W^T C */
static double noise_square(const dl_w_problem *problem, const double *W, dl_w_space *space) {
    const dl_statistics *s = problem->s;
    int64_t m = s->m, n = s->n;
    dl_gemm(space->threads, DL_PLAIN, DL_PLAIN, m, n, n, 1, W, problem->A, 0, space->WA);
    dl_gemm(space->threads, DL_PLAIN, DL_PLAIN, m, m, m, 1, space->G, s->D, 0, space->GD);
    dl_gemm(space->threads, DL_PLAIN, DL_TRANSPOSED, m, m, n, 1, W, s->C, 0, space->K);
    return s->M_square + dl_dot(space->WA, W, m * n) + dl_dot(space->GD, space->G, m * m) -
           2 * dl_dot(W, s->F, m * n) + 2 * dl_dot(space->G, s->H, m * m) -
           2 * dl_dot(space->G, space->K, m * m);
}

double dl_w_objective(const dl_w_problem *problem, const double *W, dl_w_space *space) {
    const dl_statistics *s = problem->s;
    int64_t m = s->m, n = s->n;
    dl_gemm(space->threads, DL_PLAIN, DL_TRANSPOSED, m, m, n, 1, W, W, 0, space->G);
    double f = problem->rho * dl_w_incoherence(space->G, m) +
               problem->theta / 2 * dl_w_residual(problem, W, space->G);
    if (problem->beta > 0)
        f += problem->beta / 2 * noise_square(problem, W, space);
    return f;
}

/* gradient = 4 rho (G - I) W + theta (D W - C) + beta [ (H + H^T - K - K^T + GD + DG) W + WA - GC - F ] */
void dl_w_gradient(const dl_w_problem *problem, const double *W, dl_w_space *space) {
    const dl_statistics *s = problem->s;
    int64_t m = s->m, n = s->n;
    double rho = problem->rho, theta = problem->theta, beta = problem->beta;
    double *T = space->T, *gradient = space->gradient;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++)
            T[i * m + j] = 4 * rho * (space->G[i * m + j] - (i == j ? 1 : 0)) + theta * s->D[i * m + j];
    for (int64_t i = 0; i < m * n; i++)
        gradient[i] = -theta * s->C[i];
    if (beta > 0) {
        const double *H = s->H, *K = space->K, *GD = space->GD;
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < m; j++)
                T[i * m + j] += beta * (H[i * m + j] + H[j * m + i] - K[i * m + j] - K[j * m + i] +
                                        GD[i * m + j] + GD[j * m + i]);
        for (int64_t i = 0; i < m * n; i++)
            gradient[i] += beta * (space->WA[i] - s->F[i]);
        dl_gemm(space->threads, DL_PLAIN, DL_PLAIN, m, n, m, -beta, space->G, s->C, 1, gradient);
    }
    dl_gemm(space->threads, DL_PLAIN, DL_PLAIN, m, n, m, 1, T, W, 1, gradient);
}

/* Projects each row of the gradient onto the tangent space of its sphere. Returns the squared norm, which is
 * minus the slope of f along the curve below. */
static double tangent_square(const double *W, const double *gradient, int64_t m, int64_t n, double *tangent) {
    double sum = 0;
    for (int64_t j = 0; j < m; j++) {
        const double *w = W + j * n, *g = gradient + j * n;
        double along = dl_dot(w, g, n);
        for (int64_t i = 0; i < n; i++) {
            tangent[j * n + i] = g[i] - along * w[i];
            sum += tangent[j * n + i] * tangent[j * n + i];
        }
    }
    return sum;
}

/* The Cayley curve of Wen & Yin through each w, in closed form, with h = tau/2 and t the tangent part of g:
 *   w(tau) = { (1 - h^2 ||t||^2) w - tau t } / { 1 + h^2 ||t||^2 }
 * It preserves norms in exact arithmetic only: the rounding error in the radial part of g grows from step to
 * step (measured: norms of 1.4 after some 300 steps), so each w is normalised again. */
static void move(const double *from, const double *tangent, double tau, int64_t m, int64_t n, double *W) {
    double h = tau / 2;
    for (int64_t j = 0; j < m; j++) {
        const double *w = from + j * n, *t = tangent + j * n;
        double tt = h * h * dl_dot(t, t, n);
        double keep = (1 - tt) / (1 + tt), turn = tau / (1 + tt);
        for (int64_t i = 0; i < n; i++)
            W[j * n + i] = keep * w[i] - turn * t[i];
        dl_normalise(W + j * n, n);
    }
}

/* Barzilai-Borwein: the step length for which a multiple of the identity best maps the last step to the
 * change of the gradient. Alternates between the two formulas. */
static double next_tau(const double *W, const dl_w_space *space, int64_t count, int step, double tau) {
    double ss = 0, sy = 0, yy = 0;
    for (int64_t i = 0; i < count; i++) {
        double s = W[i] - space->previous[i], y = space->tangent[i] - space->previous_tangent[i];
        ss += s * s;
        sy += s * y;
        yy += y * y;
    }
    sy = fabs(sy);
    double next = step % 2 == 0 ? ss / sy : sy / yy;
    return isfinite(next) && next > 0 ? fmin(fmax(next, 1e-15), 1e15) : tau;
}

dl_w_outcome dl_w_step(const dl_w_problem *problem, int steps, double *tau, double *W, dl_w_space *space) {
    enum { MAX_BACKTRACKS = 25 };
    const double eta = 0.85, decrease = 1e-4, backtrack = 0.1;
    int64_t m = problem->s->m, n = problem->s->n;
    size_t bytes = (size_t)(m * n) * sizeof *W;
    double f = dl_w_objective(problem, W, space);
    dl_w_outcome outcome = {.before = f, .after = f, .worst_excess = -INFINITY};
    double reference = f, weight = 1; /* non-monotone reference value (Zhang & Hager 2004) */
    dl_w_gradient(problem, W, space);
    double slope = tangent_square(W, space->gradient, m, n, space->tangent);
    for (int step = 0; step < steps && slope > 0; step++) {
        memcpy(space->previous, W, bytes);
        memcpy(space->previous_tangent, space->tangent, bytes);
        double first_tau = *tau;
        int backtracks = 0;
        for (;; backtracks++, *tau *= backtrack) {
            move(space->previous, space->previous_tangent, *tau, m, n, W);
            f = dl_w_objective(problem, W, space);
            if (f <= reference - decrease * *tau * slope || backtracks == MAX_BACKTRACKS)
                break;
        }
        if (!(f <= reference)) { /* converged up to rounding */
            memcpy(W, space->previous, bytes);
            dl_w_objective(problem, W, space);
            *tau = first_tau;
            break;
        }
        outcome.after = f;
        outcome.worst_excess = fmax(outcome.worst_excess, f - reference);
        double next_weight = eta * weight + 1;
        reference = (eta * weight * reference + f) / next_weight;
        weight = next_weight;
        dl_w_gradient(problem, W, space);
        slope = tangent_square(W, space->gradient, m, n, space->tangent);
        *tau = next_tau(W, space, m * n, step, *tau);
    }
    return outcome;
}
