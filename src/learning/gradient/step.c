/* A step of the gradient learner: each atom gathers its own entries of the codes, so that there are no locks
 * and sums have a fixed order. */
#include "learning/gradient/gradient.h"

#include "base/integer.h"
#include "base/parallel.h"

#include <math.h>
#include <string.h>

static const float KEEP_MOMENT = 0.9f, KEEP_SQUARE = 0.99f, EPSILON = 1e-8f;

void dl_gradient_fill_shares(dl_gradient *g) {
    for (int t = 0; t < DL_SHARES; t++)
        g->shares[t] = (dl_average_share){1 - pow((double)KEEP_MOMENT, t), 1 - pow((double)KEEP_SQUARE, t)};
}

static dl_average_share share_after(const dl_gradient *g, int32_t updates) {
    return updates < DL_SHARES ? g->shares[updates] : (dl_average_share){1, 1};
}

/* Adam on row j with gradient `slope`. */
static void descend(dl_adam *a, int64_t j, const float *slope, dl_average_share share, float rate) {
    const dl_kernels *kernels = dl_kernels_now();
    float mean = kernels->dot32(slope, slope, a->n) / (float)a->n;
    a->square[j] = KEEP_SQUARE * a->square[j] + (1 - KEEP_SQUARE) * mean;
    double scale = sqrt((double)a->square[j] / share.square) + (double)EPSILON;
    float step = (float)((double)rate / share.moment / scale);
    kernels->descend32(a->value + j * a->n, a->moment + j * a->n, slope, a->n, KEEP_MOMENT, step);
}

/* The mean of the batch. */
static void find_center(dl_gradient *g) {
    memset(g->center, 0, (size_t)g->n * sizeof *g->center);
    for (int64_t i = 0; i < g->rows; i++)
        for (int64_t d = 0; d < g->n; d++)
            g->center[d] += (double)g->Y[i * g->n + d];
    for (int64_t d = 0; d < g->n; d++)
        g->center32[d] = (float)(g->center[d] / (double)g->rows);
}

/* <e_j, c>, c: the mean of the batch; 0 where E is learned without. */
static float center_product(const dl_gradient *g, int64_t j) {
    return g->from_center ? dl_kernels_now()->dot32(g->E.value + j * g->n, g->center32, g->n) : 0;
}

static void update_atom(dl_gradient *g, int64_t j, const dl_gradient_rule *rule, float *scratch) {
    const dl_kernels *kernels = dl_kernels_now();
    dl_atom_entries entries = dl_by_atom_of(&g->by_atom, j);
    int64_t n = g->n, k = g->k;
    float *w = g->W.value + j * n, *e = g->E.value + j * n;
    float *w_slope = scratch, *e_slope = scratch + n, b_slope = 0;
    memset(scratch, 0, (size_t)(2 * n) * sizeof *scratch);
    for (int64_t a = 0; a < entries.count; a++) {
        int64_t entry = entries.entry[a], c = entry / k, i = c % g->rows;
        float share = g->weight[c / g->rows] / (float)g->rows;
        float z = g->Z.value[entry], d = g->refit ? g->D[entry] : kernels->dot32(w, g->R + c * n, n);
        kernels->add_scaled32(w_slope, -share * z, g->R + c * n, n);
        kernels->add_scaled32(e_slope, -share * d, g->Y + i * n, n);
        b_slope += share * d;
        g->code_sum[j] += (double)z;
    }
    kernels->add_scaled32(w_slope, -kernels->dot32(w_slope, w, n), w, n); /* tangent to the sphere */
    if (g->from_center)                                                   /* from y to y - c */
        kernels->add_scaled32(e_slope, b_slope, g->center32, n);
    float before = center_product(g, j);
    g->updates[j] += g->updates[j] < INT32_MAX;
    dl_average_share average = share_after(g, g->updates[j]);
    descend(&g->W, j, w_slope, average, rule->rate);
    descend(&g->E, j, e_slope, average, rule->rate);
    descend(&g->b, j, &b_slope, average, rule->rate);
    if (rule->tie > 0)
        kernels->combine32(e, 1 - rule->tie, rule->tie * kernels->dot32(e, w, n), w, n);
    g->b.value[j] += center_product(g, j) - before;
    float norm = sqrtf(kernels->dot32(w, w, n));
    if (norm > 0)
        kernels->combine32(w, 1 / norm, 0, w, n);
}

/* Two ways to return an unused atom to use, each bounded.
 *
 * abs: its encoder row is scaled up, and its scores of either sign with it. */
static bool grow(dl_gradient *g, int64_t j, float growth) {
    const float largest = 1e6f; /* of ||e||^2, which is about 1 */
    const dl_kernels *kernels = dl_kernels_now();
    float *e = g->E.value + j * g->n;
    if (!(kernels->dot32(e, e, g->n) < largest))
        return false;
    kernels->combine32(e, growth, 0, e, g->n);
    return true;
}

/* positive: its bias is lowered, until the sample with its largest score selects it, at a value no larger
 * than those of the other entries. Scaling would act on negative scores only, or make the values of the first
 * sample too large. */
static bool lift(dl_gradient *g, int64_t j, float by) {
    const float largest = 0.02f; /* score of the mean sample; mean ||y||^2 = 1 */
    if (!(center_product(g, j) - g->b.value[j] < largest))
        return false;
    g->b.value[j] -= by;
    return true;
}

static bool revive(dl_gradient *g, int64_t j, const dl_gradient_rule *rule) {
    /* patience is that of all atoms; a code of a prefix uses its fewer atoms more often */
    if (rule->patience == 0 || g->idle[j] <= rule->patience * dl_gradient_prefix_of(g, j) / g->m)
        return false;
    return g->positive ? lift(g, j, rule->lift) : grow(g, j, rule->growth);
}

typedef struct step {
    dl_gradient *g;
    const dl_gradient_rule *rule;
} step;

static void update_panel(void *context, int64_t panel, int worker) {
    const step *s = context;
    dl_gradient *g = s->g;
    int64_t first = panel * DL_PANEL, last = dl_min(first + DL_PANEL, dl_gradient_active(g));
    bool changed = false;
    for (int64_t j = first; j < last; j++) {
        g->idle[j] += g->rows;
        if (dl_by_atom_of(&g->by_atom, j).count > 0) {
            g->idle[j] = 0;
            update_atom(g, j, s->rule, g->scratch + worker * dl_gradient_stride(g));
            changed = true;
        } else if (revive(g, j, s->rule))
            changed = true;
    }
    if (changed) /* all of it: a single row has an entry in each of its cache lines */
        dl_gradient_pack_panel(g, panel, worker);
}

void dl_gradient_step(dl_gradient *g, const dl_gradient_rule *rule) {
    step s = {g, rule};
    dl_slots Z = dl_slots_from(&g->Z, 0, dl_gradient_codes(g));
    dl_by_atom_sort(&g->by_atom, Z);
    g->from_center = g->positive && rule->from_center;
    if (g->from_center)
        find_center(g);
    dl_parallel(g->threads, dl_tiles(dl_gradient_active(g), DL_PANEL), update_panel, &s);
    dl_gradient_packed(g);
}
