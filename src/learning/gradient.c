/* A step of the gradient learner. Samples are coded tile by tile, then each atom gathers its own entries: no
 * locks, a fixed order of addition, the same bytes for any number of threads. */
#include "learning/gradient.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "coding/least_squares.h"
#include "kernels/packed.h"

#include <math.h>
#include <string.h>

static const float KEEP_MOMENT = 0.9f, KEEP_SQUARE = 0.99f, EPSILON = 1e-8f;

/* ---- Memory ---- */

static dltf_status adam_alloc(dl_adam *a, int64_t m, int64_t n) {
    dltf_status status = DLTF_OK;
    a->n = n;
    DL_TRY_NEW(a->value, m * n);
    DL_TRY_NEW(a->moment, m * n);
    DL_TRY_NEW(a->square, m);
done:
    return status;
}

static void adam_free(dl_adam *a) {
    dl_free(a->value);
    dl_free(a->moment);
    dl_free(a->square);
}

/* Memory that is read before it is written costs two page faults, and the second one interrupts the other
 * threads. So each thread first writes what it will update. */
static void touch_panel(void *context, int64_t panel, int worker) {
    (void)worker;
    const dl_gradient *g = context;
    int64_t first = panel * DL_PANEL, rows = dl_min(DL_PANEL, g->m - first);
    const dl_adam *both[] = {&g->W, &g->E};
    for (int i = 0; i < 2; i++) {
        memset(both[i]->value + first * g->n, 0, (size_t)(rows * g->n) * sizeof(float));
        memset(both[i]->moment + first * g->n, 0, (size_t)(rows * g->n) * sizeof(float));
    }
}

dltf_status dl_gradient_alloc(dl_gradient *g, int threads, int64_t m, int64_t n, int64_t k, bool positive,
                              int64_t room) {
    dltf_status status = DLTF_OK;
    *g = (dl_gradient){.m = m, .n = n, .k = k, .positive = positive, .threads = threads, .room = room};
    g->active = m;
    DL_TRY(adam_alloc(&g->W, m, n));
    DL_TRY(adam_alloc(&g->E, m, n));
    DL_TRY(adam_alloc(&g->b, m, 1));
    DL_TRY_NEW(g->updates, m);
    DL_TRY_NEW(g->idle, m);
    DL_TRY_NEW(g->code_sum, m);
    DL_TRY(dl_packed_alloc(&g->packed, m, n));
    DL_TRY_NEW(g->Y, room * n);
    DL_TRY_NEW(g->R, room * n);
    DL_TRY(dl_slots_alloc(&g->Z, room, k));
    DL_TRY_NEW(g->D, room * k);
    DL_TRY(dl_by_atom_alloc(&g->by_atom, m, room * k));
    DL_TRY_NEW(g->sums, room);
    DL_TRY_NEW(g->center, n);
    DL_TRY_NEW(g->center32, n);
    DL_TRY_NEW(g->scratch, threads * 2 * n);
    DL_TRY(dl_workspaces_alloc(threads, m, n, k, &g->spaces));
    dl_parallel(threads, dl_tiles(m, DL_PANEL), touch_panel, g);
done:
    return status; /* the caller frees partial allocations */
}

dltf_status dl_gradient_alloc_refit(dl_gradient *g) {
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(g->normal, g->threads * (g->k + 1) * g->k);
done:
    return status;
}

void dl_gradient_free(dl_gradient *g) {
    adam_free(&g->W);
    adam_free(&g->E);
    adam_free(&g->b);
    dl_free(g->updates);
    dl_free(g->idle);
    dl_free(g->code_sum);
    dl_packed_free(&g->packed);
    dl_free(g->Y);
    dl_free(g->R);
    dl_slots_free(&g->Z);
    dl_free(g->D);
    dl_by_atom_free(&g->by_atom);
    dl_free(g->sums);
    dl_free(g->center);
    dl_free(g->center32);
    dl_free(g->scratch);
    dl_free(g->normal);
    dl_workspaces_free(g->spaces, g->threads);
}

double dl_gradient_bytes(int threads, int64_t m, int64_t n, int64_t k, int64_t room) {
    double atoms = (double)m * (20 * (double)n + 60), batch = (double)room * (8 * (double)n + 28 * (double)k);
    return atoms + batch + (double)threads * DL_TILE * 4 * (double)(n + 2 * (2 * k + DL_BLOCK_ATOMS));
}

/* ---- The layout of products ---- */

static void pack_panel(void *context, int64_t panel, int worker) {
    (void)worker;
    dl_gradient *g = context;
    dl_packed_fill_panel(&g->packed, panel, g->E.value, g->b.value);
}

void dl_gradient_pack(dl_gradient *g) {
    dl_parallel(g->threads, g->packed.panels, pack_panel, g);
}

static void move_row(float *to, float *from, int64_t n) {
    memcpy(to, from, (size_t)n * sizeof *to);
    memset(from, 0, (size_t)n * sizeof *from);
}

void dl_gradient_activate(dl_gradient *g, int64_t atoms) {
    int64_t n = g->n;
    for (int64_t j = g->active; j < atoms; j++)
        move_row(g->E.value + j * n, g->E.moment + j * n, n);
    for (int64_t j = atoms; j < g->active; j++)
        move_row(g->E.moment + j * n, g->E.value + j * n, n);
    for (int64_t p = dl_min(atoms, g->active) / DL_PANEL; p * DL_PANEL < dl_max(atoms, g->active); p++)
        dl_packed_fill_panel(&g->packed, p, g->E.value, g->b.value);
    g->active = atoms;
}

/* ---- Codes and residuals ---- */

/* D = z* - z, then z = z*. Products in f32 are exact enough for a gradient. */
static void refit_sample(dl_gradient *g, const float *y, int64_t s, const int32_t *S, double *G, float *z,
                         float *D) {
    const double smallest_pivot = 1e-5;
    const dl_kernels *kernels = dl_kernels_now();
    const float *W = g->W.value;
    int64_t n = g->n;
    double *b = G + s * s;
    for (int64_t p = 0; p < s; p++) {
        for (int64_t q = 0; q <= p; q++)
            G[p * s + q] = (double)kernels->dot32(W + S[p] * n, W + S[q] * n, n);
        b[p] = (double)kernels->dot32(W + S[p] * n, y, n);
    }
    dl_solve_support(G, b, s, smallest_pivot);
    for (int64_t p = 0; p < s; p++) {
        D[p] = (float)b[p] - z[p];
        z[p] = (float)b[p];
    }
}

/* Tiles of equal size, as many for each thread. A rank may have no rows of a batch. */
static int64_t tile_rows(const dl_gradient *g) {
    int64_t tiles = dl_tiles(dl_max(1, dl_tiles(g->rows, DL_TILE)), g->threads) * g->threads;
    return dl_max(1, dl_tiles(g->rows, tiles));
}

static void code_tile(void *context, int64_t tile, int worker) {
    dl_gradient *g = context;
    const dl_kernels *kernels = dl_kernels_now();
    int64_t n = g->n, k = g->k, first = tile * tile_rows(g), rows = dl_min(tile_rows(g), g->rows - first);
    dl_packed E = dl_packed_first(&g->packed, g->active);
    dl_feature feature = {.E = &E, .k = k, .positive = g->positive};
    dl_slots Z = dl_slots_from(&g->Z, first, rows);
    float *Y = g->Y + first * n, *R = g->R + first * n;
    dl_feature_tile(&feature, Y, n, rows, &g->spaces[worker], Z);
    for (int64_t i = 0; g->refit && i < rows; i++)
        refit_sample(g, Y + i * n, Z.count[i], Z.index + i * k, g->normal + worker * (k + 1) * k,
                     Z.value + i * k, g->D + (first + i) * k);
    memcpy(R, Y, (size_t)(rows * n) * sizeof *R);
    for (int64_t i = 0; i < rows; i++) {
        float *r = R + i * n;
        for (int64_t e = i * k; e < i * k + Z.count[i]; e++)
            kernels->add_scaled32(r, -Z.value[e], g->W.value + Z.index[e] * n, n);
        for (int64_t e = i * k; !g->refit && e < i * k + Z.count[i]; e++)
            g->D[first * k + e] = kernels->dot32(g->W.value + Z.index[e] * n, r, n);
        g->sums[first + i][0] = kernels->square(r, n);
        g->sums[first + i][1] = kernels->square(Y + i * n, n);
    }
}

dl_gradient_error dl_gradient_code(dl_gradient *g) {
    int64_t tiles = dl_tiles(g->rows, tile_rows(g));
    if (g->polled)
        dl_parallel_polled(g->threads, tiles, code_tile, g);
    else
        dl_parallel(g->threads, tiles, code_tile, g);
    return dl_gradient_total(g);
}

/* By tiles, which loses fewer digits than one long sum. */
dl_gradient_error dl_gradient_total(const dl_gradient *g) {
    dl_gradient_error error = {0, 0};
    for (int64_t first = 0; first < g->rows; first += DL_TILE) {
        dl_gradient_error tile = {0, 0};
        for (int64_t i = first; i < g->rows && i < first + DL_TILE; i++) {
            tile.left += g->sums[i][0];
            tile.energy += g->sums[i][1];
        }
        error.left += tile.left;
        error.energy += tile.energy;
    }
    return error;
}

/* ---- The step ---- */

/* How much of their final values the averages have after t updates. */
typedef struct shares {
    double moment, square;
} shares;

static shares shares_after(int32_t t) {
    return (shares){1 - pow((double)KEEP_MOMENT, t), 1 - pow((double)KEEP_SQUARE, t)};
}

/* Adam on row j with gradient `slope`. */
static void descend(dl_adam *a, int64_t j, const float *slope, shares share, float rate) {
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
    return g->centered ? dl_kernels_now()->dot32(g->E.value + j * g->n, g->center32, g->n) : 0;
}

static void update_atom(dl_gradient *g, int64_t j, const dl_gradient_rule *rule, float *scratch) {
    const dl_kernels *kernels = dl_kernels_now();
    dl_atom_entries entries = dl_by_atom_of(&g->by_atom, j);
    int64_t n = g->n, k = g->k;
    float *w = g->W.value + j * n, *e = g->E.value + j * n;
    float *w_slope = scratch, *e_slope = scratch + n, b_slope = 0, share = 1 / (float)g->rows;
    memset(scratch, 0, (size_t)(2 * n) * sizeof *scratch);
    for (int64_t a = 0; a < entries.count; a++) {
        int64_t entry = entries.entry[a], i = entry / k;
        float z = g->Z.value[entry], d = g->D[entry];
        kernels->add_scaled32(w_slope, -share * z, g->R + i * n, n);
        kernels->add_scaled32(e_slope, -share * d, g->Y + i * n, n);
        b_slope += share * d;
        g->code_sum[j] += (double)z;
    }
    kernels->add_scaled32(w_slope, -kernels->dot32(w_slope, w, n), w, n); /* tangent to the sphere */
    if (g->centered)                                                      /* from y to y - c */
        kernels->add_scaled32(e_slope, b_slope, g->center32, n);
    float before = center_product(g, j);
    g->updates[j] += g->updates[j] < INT32_MAX;
    shares average = shares_after(g->updates[j]);
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
    if (rule->patience == 0 || g->idle[j] <= rule->patience)
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
    int64_t first = panel * DL_PANEL, last = dl_min(first + DL_PANEL, g->active);
    bool changed = false;
    for (int64_t j = first; j < last; j++) {
        g->idle[j] += g->rows;
        if (dl_by_atom_of(&g->by_atom, j).count > 0) {
            g->idle[j] = 0;
            update_atom(g, j, s->rule, g->scratch + worker * 2 * g->n);
            changed = true;
        } else if (revive(g, j, s->rule))
            changed = true;
    }
    if (changed) /* all of it: a single row has an entry in each of its cache lines */
        dl_packed_fill_panel(&g->packed, panel, g->E.value, g->b.value);
}

void dl_gradient_step(dl_gradient *g, const dl_gradient_rule *rule) {
    step s = {g, rule};
    dl_slots Z = dl_slots_from(&g->Z, 0, g->rows);
    dl_by_atom_sort(&g->by_atom, Z);
    g->centered = g->positive && rule->centered;
    if (g->centered)
        find_center(g);
    dl_parallel(g->threads, dl_tiles(g->active, DL_PANEL), update_panel, &s);
}
