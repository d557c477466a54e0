/* Objective and gradient of the smooth coherence. */
#include "learning/paper/spread.h"

#include "linalg/blas.h"

#include <math.h>

/* Sums of a panel: of the exponentials, and ||W - W0||^2. */
enum { EXPONENTIALS, DISTANCE, SUMS };

typedef struct spread {
    const dl_spread_problem *given;
    double base;   /* the exponents are T (|g| - base), about zero at the largest: none overflows near W */
    double *total; /* sum of the exponentials of the last value */
} spread;

/* Below, an exponential is lost in the rounding of the sum. */
static const double NEGLIGIBLE = -40;

static void value_panel(void *context, int64_t task, int worker) {
    (void)worker;
    const dl_search *e = context;
    const spread *s = e->problem;
    dl_w_rows rows = dl_w_task_rows(e->space, task);
    int64_t m = e->space->m, n = e->n;
    double *sums = dl_w_task_sums(e->space, task), total = 0, distance = 0;
    double *G = e->space->G + rows.first * m;
    dl_gemm(1, DL_PLAIN, DL_TRANSPOSED, rows.count, m, n, 1, e->W + rows.first * n, e->W, 0, G);
    for (int64_t i = 0; i < rows.count; i++)
        for (int64_t j = 0; j < m; j++) {
            double g = G[i * m + j], exponent = s->given->sharpness * (fabs(g) - s->base);
            double p = rows.first + i == j || exponent < NEGLIGIBLE ? 0 : exp(exponent);
            e->space->T[(rows.first + i) * m + j] = copysign(p, g);
            total += p;
        }
    for (int64_t i = rows.first * n; i < (rows.first + rows.count) * n; i++)
        distance += (e->W[i] - s->given->W0[i]) * (e->W[i] - s->given->W0[i]);
    sums[EXPONENTIALS] = total;
    sums[DISTANCE] = distance;
}

static double value(dl_search *e) {
    const spread *s = e->problem;
    double sums[SUMS];
    dl_w_each(e->space, value_panel, e);
    dl_w_total(e->space, SUMS, sums);
    *s->total = sums[EXPONENTIALS];
    return s->base + log(*s->total) / s->given->sharpness +
           s->given->lambda / (double)e->space->m * sums[DISTANCE];
}

/* 2 P W + 2 lambda/m (W - W0), P: the exponentials with the signs of G, divided by their sum */
static void gradient_rows(const dl_search *e, dl_w_rows rows) {
    const spread *s = e->problem;
    int64_t m = e->space->m, n = e->n, at = rows.first * n;
    double pull = 2 * s->given->lambda / (double)m;
    for (int64_t i = at; i < at + rows.count * n; i++)
        e->space->gradient[i] = pull * (e->W[i] - s->given->W0[i]);
    dl_gemm(1, DL_PLAIN, DL_PLAIN, rows.count, n, m, 2 / *s->total, e->space->T + rows.first * m, e->W, 1,
            e->space->gradient + at);
}

static void largest_panel(void *context, int64_t task, int worker) {
    (void)worker;
    const dl_search *e = context;
    dl_w_rows rows = dl_w_task_rows(e->space, task);
    int64_t m = e->space->m, n = e->n;
    double *G = e->space->G + rows.first * m, largest = 0;
    dl_gemm(1, DL_PLAIN, DL_TRANSPOSED, rows.count, m, n, 1, e->W + rows.first * n, e->W, 0, G);
    for (int64_t i = 0; i < rows.count; i++)
        for (int64_t j = 0; j < m; j++)
            if (rows.first + i != j && fabs(G[i * m + j]) > largest)
                largest = fabs(G[i * m + j]);
    dl_w_task_sums(e->space, task)[0] = largest;
}

static dl_search start(spread *s, double *W, dl_w_space *space) {
    dl_search search = {
        .n = s->given->n, .problem = s, .space = space, .W = W, .value = value, .gradient = gradient_rows};
    dl_w_each(space, largest_panel, &search);
    s->base = dl_w_largest(space);
    return search;
}

double dl_spread_objective(const dl_spread_problem *problem, double *W, dl_w_space *space) {
    double total = 0;
    spread s = {.given = problem, .total = &total};
    dl_search search = start(&s, W, space);
    return value(&search);
}

void dl_spread_gradient(const dl_spread_problem *problem, double *W, dl_w_space *space) {
    double total = 0;
    spread s = {.given = problem, .total = &total};
    dl_search search = start(&s, W, space);
    value(&search);
    dl_search_gradient(&search);
}

dl_search_outcome dl_spread_step(const dl_spread_problem *problem, int steps, double *tau, double *W,
                                 dl_w_space *space) {
    double total = 0;
    spread s = {.given = problem, .total = &total};
    dl_search search = start(&s, W, space);
    return dl_search_run(&search, steps, tau);
}
