/* Codes and residuals of a batch. Each thread scores all samples against atoms of its own and adds up their
 * share of the reconstructions, so that encoder and dictionary rows stay in the cache of the core that
 * updates them. The k best of all atoms are among the k best of every part. Sums go by fixed groups of atoms:
 * the same bytes for any number of threads. */
#include "learning/gradient/gradient.h"

#include "base/integer.h"
#include "base/parallel.h"
#include "coding/least_squares.h"
#include "kernels/packed.h"
#include "kernels/packed16.h"
#include "learning/gradient/ranks.h"

#include <string.h>

/* ---- Tiles ---- */

static int64_t tiles_of(const dl_gradient *g) {
    return dl_tiles(g->rows, DL_TILE);
}

/* Tiles of nearly equal size. */
static int64_t tile_first(const dl_gradient *g, int64_t tile) {
    return g->rows * tile / tiles_of(g);
}

/* The sample of a code. */
static const float *sample_of(const dl_gradient *g, int64_t c) {
    return g->Y + c % g->rows * g->n;
}

/* ---- Codes ---- */

/* Candidates of a part: the codes themselves if it has all atoms. */
static dl_slots found_by(const dl_gradient *g, int64_t part, int64_t first, int64_t rows) {
    return dl_slots_from(g->merges ? &g->found : &g->Z, part * g->room + first, rows);
}

/* Panels of the active atoms of a prefix. */
static int64_t panels_of(const dl_gradient *g, int q) {
    return q < g->depth ? dl_tiles(dl_min(g->prefix[q], dl_gradient_active(g)), DL_PANEL) : 0;
}

/* With the filter, parts begin where panels of both layouts do. */
enum { WIDE = DL_PANEL16 / DL_PANEL };

/* Parts are in the order of the atoms. As many of them divide what each prefix adds to the next shorter one.
 */
static int64_t first_panel(const dl_gradient *g, int64_t part) {
    int64_t count = g->parts / g->depth;
    int q = g->depth - 1 - (int)(part / count);
    if (q < 0)
        return panels_of(g, 0);
    int64_t before = panels_of(g, q + 1),
            first = before + (panels_of(g, q) - before) * (part % count) / count;
    return g->filter ? first / WIDE * WIDE : first;
}

/* The atoms of a part, and the samples of a tile. */
typedef struct block {
    int64_t first, rows; /* samples */
    dl_packed E;
    dl_prefilter filter;
    dl_slots out;
} block;

static block block_of(const dl_gradient *g, int64_t task) {
    int64_t part = task / tiles_of(g), tile = task % tiles_of(g), panel = first_panel(g, part);
    int64_t first = tile_first(g, tile), rows = tile_first(g, tile + 1) - first;
    int64_t atoms = dl_min(first_panel(g, part + 1) * DL_PANEL, dl_gradient_active(g)) - panel * DL_PANEL;
    block b = {first, rows, .E = dl_packed_range(&g->packed, panel, atoms),
               .out = found_by(g, part, first, rows)};
    if (g->filter) {
        b.filter = *g->filter;
        b.filter.E += panel * DL_PANEL * g->n;
        b.filter.E16 = dl_packed16_range(&g->filter->E16, panel / WIDE, atoms);
    }
    return b;
}

static void score_tile(void *context, int64_t task, int worker) {
    dl_gradient *g = context;
    block b = block_of(g, task);
    if (b.E.m == 0) { /* nested: fewer panels than parts */
        memset(b.out.count, 0, (size_t)b.rows * sizeof *b.out.count);
        return;
    }
    dl_feature feature = {.E = &b.E, .k = g->k, .positive = g->positive};
    const float *Y = g->Y + b.first * g->n;
    if (!dl_gradient_filters(g)) {
        dl_feature_tile(&feature, Y, g->n, b.rows, &g->spaces[worker], b.out);
        return;
    }
    feature.filter = &b.filter;
    dl_prefilter_try(&feature, Y, g->n, b.rows, &g->spaces[worker], b.out);
}

static int64_t count_unsettled(const int32_t *count, int64_t rows) {
    int64_t unsettled = 0;
    for (int64_t i = 0; i < rows; i++)
        unsettled += count[i] < 0;
    return unsettled;
}

/* Codes the samples that the filter has not settled: the whole tile if they are many, since a product with
 * one sample is slow. */
static void settle_tile(void *context, int64_t task, int worker) {
    dl_gradient *g = context;
    block b = block_of(g, task);
    dl_feature feature = {.E = &b.E, .k = g->k, .positive = g->positive};
    bool all = count_unsettled(b.out.count, b.rows) > b.rows / 8;
    for (int64_t i = 0, rows = all ? b.rows : 1; i < b.rows; i += rows)
        if (all || b.out.count[i] < 0)
            dl_feature_tile(&feature, g->Y + (b.first + i) * g->n, g->n, rows, &g->spaces[worker],
                            dl_slots_from(&b.out, i, rows));
}

static void settle_rest(dl_gradient *g) {
    int64_t unsettled = 0;
    for (int64_t part = 0; part < g->parts; part++)
        unsettled += count_unsettled(found_by(g, part, 0, g->rows).count, g->rows);
    if (unsettled == 0)
        return;
    dl_gradient_unsettled(g, unsettled);
    dl_parallel(g->threads, g->parts * tiles_of(g), settle_tile, g);
}

/* The k best of the candidates of all parts of each prefix. These are in the order of the atoms. */
static void merge_sample(void *context, int64_t i, int worker) {
    dl_gradient *g = context;
    dl_merge *merge = &g->merges[worker];
    int per_prefix = g->parts / g->depth;
    merge->count = 0;
    for (int part = 0; part < g->parts; part++) {
        dl_merge_add(merge, found_by(g, part, i, 1), (int32_t)(g->first + first_panel(g, part) * DL_PANEL));
        int64_t code = (g->depth - 1 - part / per_prefix) * g->rows + i;
        if ((part + 1) % per_prefix == 0) /* a prefix is complete */
            dl_merge_select(merge, g->positive, dl_slots_from(g->ranks ? &g->ranks->found : &g->Z, code, 1));
    }
}

static bool find_codes(dl_gradient *g) {
    int64_t tasks = g->parts * tiles_of(g);
    if (g->polled && !dl_parallel_polled(g->threads, tasks, score_tile, g))
        return false;
    if (!g->polled)
        dl_parallel(g->threads, tasks, score_tile, g);
    if (dl_gradient_filters(g))
        settle_rest(g);
    else
        dl_gradient_rested(g);
    if (g->merges)
        dl_parallel(g->threads, g->rows, merge_sample, g);
    if (g->ranks)
        dl_rank_codes_select(&g->ranks->codes, dl_slots_from(&g->ranks->found, 0, g->rows), g->positive,
                             dl_slots_from(&g->Z, 0, g->rows));
    return true;
}

/* The atom of an entry of the code of sample i. */
static const float *atom_of(const dl_gradient *g, int64_t i, int64_t entry) {
    return g->ranks ? dl_gradient_ranks_row(g->ranks, i * g->k + entry, g->k)
                    : g->W.value + g->Z.index[i * g->k + entry] * g->n;
}

/* D = z* - z, then z = z*. Products in f32 are exact enough for a gradient. */
static void refit_code(void *context, int64_t task, int worker) {
    const double smallest_pivot = 1e-5;
    const dl_kernels *kernels = dl_kernels_now();
    dl_gradient *g = context;
    int64_t i = task + (g->ranks ? g->ranks->collected : 0);
    int64_t n = g->n, k = g->k, s = g->Z.count[i];
    const float *y = sample_of(g, i);
    float *z = g->Z.value + i * k, *D = g->D + i * k;
    double *G = g->normal + worker * dl_apart((k + 1) * k), *b = G + s * s;
    for (int64_t p = 0; p < s; p++) {
        for (int64_t q = 0; q <= p; q++)
            G[p * s + q] = (double)kernels->dot32(atom_of(g, i, p), atom_of(g, i, q), n);
        b[p] = (double)kernels->dot32(atom_of(g, i, p), y, n);
    }
    dl_solve_support(G, b, s, smallest_pivot);
    for (int64_t p = 0; p < s; p++) {
        D[p] = (float)b[p] - z[p];
        z[p] = (float)b[p];
    }
}

static void refit(dl_gradient *g) {
    if (!g->ranks)
        dl_parallel(g->threads, dl_gradient_codes(g), refit_code, g);
    for (int64_t first = 0; g->ranks && first < g->rows; first += g->ranks->piece)
        dl_parallel(g->threads, dl_gradient_ranks_collect(g, first), refit_code, g);
}

/* ---- Residuals ---- */

/* The atoms of group q begin here. */
static int64_t group_first(const dl_gradient *g, int64_t q) {
    return dl_atom_group_first(g->all, g->groups, q);
}

/* Entries of a code from *e on: their atoms' sum over groups first .. first + count - 1, as a binary tree, in
 * `sum`, which has room for the sums of its levels. False: there are none. */
static bool add_groups(const dl_gradient *g, int64_t i, int64_t first, int64_t count, int32_t *e,
                       float *sum) {
    const dl_kernels *kernels = dl_kernels_now();
    int64_t n = g->n, k = g->k, end = group_first(g, first + count);
    if (*e == g->Z.count[i] || g->Z.index[i * k + *e] >= end)
        return false;
    if (count > 1) {
        bool low = add_groups(g, i, first, count / 2, e, sum);
        bool high = add_groups(g, i, first + count / 2, count / 2, e, low ? sum + n : sum);
        if (low && high)
            kernels->add_scaled32(sum, 1, sum + n, n);
        return true;
    }
    memset(sum, 0, (size_t)n * sizeof *sum);
    for (; *e < g->Z.count[i] && g->Z.index[i * k + *e] < end; ++*e)
        kernels->add_scaled32(sum, g->Z.value[i * k + *e],
                              g->W.value + (g->Z.index[i * k + *e] - g->first) * n, n);
    return true;
}

/* sum_j z_j w_j over the atoms of a branch, for the samples of a tile. */
static void add_branch(void *context, int64_t task, int worker) {
    dl_gradient *g = context;
    int64_t tiles = g->depth * tiles_of(g), branch = task / tiles, tile = task % tiles;
    dl_span span = g->branches.spans[branch];
    int64_t first = group_first(g, span.first), codes = dl_gradient_codes(g);
    float *sums = g->scratch + worker * dl_gradient_stride(g);
    for (int64_t i = codes * tile / tiles; i < codes * (tile + 1) / tiles; i++) {
        int32_t e = 0;
        while (e < g->Z.count[i] && g->Z.index[i * g->k + e] < first)
            e++;
        bool any = add_groups(g, i, span.first, span.count, &e, sums);
        g->branches.any[branch * g->branches.room + i] = any;
        if (any)
            memcpy(dl_branch_sum(&g->branches, branch, i, g->n), sums, (size_t)g->n * sizeof *sums);
    }
}

int64_t dl_branches_fold(dl_branches *b, int64_t i, int64_t groups, int64_t n, int64_t *next) {
    int64_t branch = *next;
    if (b->spans[branch].count == groups) {
        ++*next;
        return b->any[branch * b->room + i] ? branch : -1;
    }
    int64_t low = dl_branches_fold(b, i, groups / 2, n, next);
    int64_t high = dl_branches_fold(b, i, groups / 2, n, next);
    if (low < 0 || high < 0)
        return low < 0 ? high : low;
    dl_kernels_now()->add_scaled32(dl_branch_sum(b, low, i, n), 1, dl_branch_sum(b, high, i, n), n);
    return low;
}

void dl_gradient_residual(dl_gradient *g, int64_t i, const float *sum) {
    float *r = g->R + i * g->n;
    memcpy(r, sample_of(g, i), (size_t)g->n * sizeof *r);
    if (sum)
        dl_kernels_now()->add_scaled32(r, -1, sum, g->n);
}

static void square_sample(void *context, int64_t i, int worker) {
    (void)worker;
    dl_gradient *g = context;
    g->sums[i][0] = dl_kernels_now()->square(g->R + i * g->n, g->n);
    g->sums[i][1] = dl_kernels_now()->square(sample_of(g, i), g->n);
}

static void find_residual(void *context, int64_t i, int worker) {
    dl_gradient *g = context;
    int64_t next = 0, branch = dl_branches_fold(&g->branches, i, g->groups, g->n, &next);
    dl_gradient_residual(g, i, branch < 0 ? NULL : dl_branch_sum(&g->branches, branch, i, g->n));
    square_sample(g, i, worker);
}

static void find_residuals(dl_gradient *g) {
    dl_parallel(g->threads, g->branches.count * g->depth * tiles_of(g), add_branch, g);
    if (!g->ranks) {
        dl_parallel(g->threads, dl_gradient_codes(g), find_residual, g);
        return;
    }
    dl_gradient_ranks_residuals(g);
    dl_parallel(g->threads, g->rows, square_sample, g);
}

/* ---- Both ---- */

dl_gradient_error dl_gradient_code(dl_gradient *g) {
    if (!find_codes(g))
        return (dl_gradient_error){0, 0};
    if (g->refit)
        refit(g);
    find_residuals(g);
    return dl_gradient_total(g);
}

/* By tiles, which loses fewer digits than one long sum. */
dl_gradient_error dl_gradient_total(const dl_gradient *g) {
    dl_gradient_error error = {0, 0};
    int64_t codes = dl_gradient_codes(g);
    for (int64_t first = 0; first < codes; first += DL_TILE) {
        dl_gradient_error tile = {0, 0};
        for (int64_t i = first; i < codes && i < first + DL_TILE; i++) {
            double weight = (double)g->weight[i / g->rows];
            tile.left += weight * g->sums[i][0];
            tile.energy += weight * g->sums[i][1];
        }
        error.left += tile.left;
        error.energy += tile.energy;
    }
    return error;
}
