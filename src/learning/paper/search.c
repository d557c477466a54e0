/* Curvilinear search on the product of spheres (Wen & Yin 2013). */
#include "learning/paper/search.h"

#include "kernels/gram.h"

#include <math.h>
#include <string.h>

/* ---- Gradient ---- */

/* Projects row j of the gradient onto the tangent space of its sphere. Adds to the sums what the row changed
 * since the previous point, whose place it then takes. */
static void advance_row(const dl_search *e, int64_t j, double *sums) {
    int64_t n = e->n;
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
    const dl_search *e = context;
    dl_w_rows rows = dl_w_task_rows(e->space, task);
    double *sums = dl_w_task_sums(e->space, task);
    e->gradient(e, rows);
    for (int i = 0; i < DL_W_SUMS; i++)
        sums[i] = 0;
    for (int64_t j = rows.first; j < rows.first + rows.count; j++)
        advance_row(e, j, sums);
}

/* Makes W the previous point. The sums of changes have no meaning at the first one. */
static void gradient(dl_search *e, double sums[DL_W_SUMS]) {
    if (e->prepare)
        e->prepare(e);
    dl_w_each(e->space, gradient_panel, e);
    dl_w_total(e->space, DL_W_SUMS, sums);
}

void dl_search_gradient(dl_search *search) {
    double sums[DL_W_SUMS];
    gradient(search, sums);
}

/* ---- Steps ---- */

/* The Cayley curve of Wen & Yin through each w, in closed form, with h = tau/2 and t the tangent part of g:
 *   w(tau) = { (1 - h^2 ||t||^2) w - tau t } / { 1 + h^2 ||t||^2 }
 * It preserves norms in exact arithmetic only: the rounding error in the radial part of g grows from step to
 * step (measured: norms of 1.4 after some 300 steps), so each w is normalised again. */
static void move_panel(void *context, int64_t task, int worker) {
    (void)worker;
    const dl_search *e = context;
    dl_w_rows rows = dl_w_task_rows(e->space, task);
    int64_t n = e->n;
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
static double move(dl_search *e, double tau) {
    e->tau = tau;
    dl_w_each(e->space, move_panel, e);
    dl_w_complete(e->space, e->W, e->n);
    return e->value(e);
}

static void back_panel(void *context, int64_t task, int worker) {
    (void)worker;
    const dl_search *e = context;
    dl_w_rows rows = dl_w_task_rows(e->space, task);
    int64_t n = e->n, at = rows.first * n;
    memcpy(e->W + at, e->space->previous + at, (size_t)(rows.count * n) * sizeof *e->W);
}

static void move_back(dl_search *e) {
    dl_w_each(e->space, back_panel, e);
    dl_w_complete(e->space, e->W, e->n);
    e->value(e);
}

/* Barzilai-Borwein: the step length for which a multiple of the identity best maps the last step to the
 * change of the gradient. Alternates between the two formulas. */
static double next_tau(const double sums[DL_W_SUMS], int step, double tau) {
    double sy = fabs(sums[DL_W_SY]);
    double next = step % 2 == 0 ? sums[DL_W_SS] / sy : sy / sums[DL_W_YY];
    return isfinite(next) && next > 0 ? fmin(fmax(next, 1e-15), 1e15) : tau;
}

dl_search_outcome dl_search_run(dl_search *search, int steps, double *tau) {
    enum { MAX_BACKTRACKS = 25 };
    const double eta = 0.85, decrease = 1e-4, backtrack = 0.1;
    double f = search->value(search), sums[DL_W_SUMS];
    dl_search_outcome outcome = {.before = f, .after = f, .worst_excess = -INFINITY};
    double reference = f, weight = 1; /* non-monotone reference value (Zhang & Hager 2004) */
    gradient(search, sums);
    for (int step = 0; step < steps && sums[DL_W_TT] > 0; step++) {
        double first_tau = *tau, slope = sums[DL_W_TT]; /* minus that of f along the curve */
        for (int backtracks = 0;; backtracks++, *tau *= backtrack) {
            f = move(search, *tau);
            if (f <= reference - decrease * *tau * slope || backtracks == MAX_BACKTRACKS)
                break;
        }
        if (!(f <= reference)) { /* converged up to rounding */
            move_back(search);
            *tau = first_tau;
            break;
        }
        outcome.after = f;
        outcome.worst_excess = fmax(outcome.worst_excess, f - reference);
        double next_weight = eta * weight + 1;
        reference = (eta * weight * reference + f) / next_weight;
        weight = next_weight;
        gradient(search, sums);
        *tau = next_tau(sums, step, *tau);
    }
    return outcome;
}
