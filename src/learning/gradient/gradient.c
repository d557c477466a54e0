/* The state of the gradient learner: memory, layout and the atoms that take part. */
#include "learning/gradient/gradient.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "kernels/packed.h"

#include <string.h>

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

static dltf_status alloc_merges(dl_gradient *g) {
    dltf_status status = DLTF_OK;
    int64_t candidates = g->parts * g->k;
    DL_TRY(dl_slots_alloc(&g->found, g->parts * g->room, g->k));
    DL_TRY_NEW(g->merges, g->threads);
    for (int t = 0; t < g->threads; t++) {
        DL_TRY_NEW(g->merges[t].index, candidates);
        DL_TRY_NEW(g->merges[t].value, candidates);
        DL_TRY_NEW(g->merges[t].keys, candidates);
        DL_TRY_NEW(g->merges[t].position, g->k);
    }
done:
    return status;
}

static void free_merges(dl_gradient *g) {
    dl_slots_free(&g->found);
    for (int t = 0; g->merges && t < g->threads; t++) {
        dl_free(g->merges[t].index);
        dl_free(g->merges[t].value);
        dl_free(g->merges[t].keys);
        dl_free(g->merges[t].position);
    }
    dl_free(g->merges);
}

/* Few, for their sums take room x n entries each, and enough to divide a large dictionary. */
static int64_t groups_of(int64_t m) {
    const int64_t atoms = 4096;
    int64_t groups = 4;
    while (groups * atoms < m)
        groups *= 2;
    return groups;
}

/* Two rows, or one for each level of the tree of groups. */
int64_t dl_gradient_stride(const dl_gradient *g) {
    int64_t rows = 1;
    for (int64_t groups = g->groups; groups > 1; groups /= 2)
        rows++;
    return dl_apart(dl_max(rows, 2) * g->n);
}

static dltf_status alloc_divisions(dl_gradient *g) {
    dltf_status status = DLTF_OK;
    int64_t panels = dl_tiles(g->m, DL_PANEL);
    g->parts = g->depth * (int)dl_min(g->threads, panels);
    g->groups = groups_of(g->m);
    if (g->parts > 1)
        DL_TRY(alloc_merges(g));
    g->branches = 1;
    while (g->branches < g->threads && g->branches < g->groups)
        g->branches *= 2;
    DL_TRY_NEW(g->P, g->branches * g->depth * g->room * g->n);
    DL_TRY_NEW(g->any, g->branches * g->depth * g->room);
    DL_TRY_NEW(g->scratch, g->threads * dl_gradient_stride(g));
    int64_t most = dl_tiles(panels, g->parts / g->depth) * DL_PANEL; /* atoms of a part */
    DL_TRY(dl_workspaces_alloc(g->threads, most, g->n, g->k, &g->spaces));
done:
    return status;
}

static void find_prefixes(dl_gradient *g, bool nested) {
    g->prefix[0] = g->m;
    g->depth = nested ? dl_nested_prefixes(g->m, g->k, g->prefix) : 1;
    for (int q = 0; q < g->depth; q++)
        g->weight[q] = (float)dl_nested_weight(g->depth, q);
}

dltf_status dl_gradient_alloc(dl_gradient *g, int threads, int64_t m, int64_t n, int64_t k, bool positive,
                              bool nested, int64_t room) {
    dltf_status status = DLTF_OK;
    *g = (dl_gradient){.m = m, .n = n, .k = k, .positive = positive, .threads = threads, .room = room};
    g->active = m;
    find_prefixes(g, nested);
    int64_t codes = g->depth * room;
    DL_TRY(adam_alloc(&g->W, m, n));
    DL_TRY(adam_alloc(&g->E, m, n));
    DL_TRY(adam_alloc(&g->b, m, 1));
    DL_TRY_NEW(g->updates, m);
    DL_TRY_NEW(g->idle, m);
    DL_TRY_NEW(g->shares, DL_SHARES);
    dl_gradient_fill_shares(g);
    DL_TRY_NEW(g->code_sum, m);
    DL_TRY_NEW(g->Y, room * n);
    DL_TRY_NEW(g->R, codes * n);
    DL_TRY(dl_slots_alloc(&g->Z, codes, k));
    DL_TRY(dl_by_atom_alloc(&g->by_atom, m, codes * k));
    DL_TRY_NEW(g->sums, codes);
    DL_TRY_NEW(g->center, n);
    DL_TRY_NEW(g->center32, n);
    DL_TRY(alloc_divisions(g));
    DL_TRY(dl_gradient_alloc_layouts(g));
    dl_parallel(threads, dl_tiles(m, DL_PANEL), touch_panel, g);
done:
    return status; /* the caller frees partial allocations */
}

dltf_status dl_gradient_alloc_refit(dl_gradient *g) {
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(g->D, g->depth * g->room * g->k);
    DL_TRY_NEW(g->normal, g->threads * dl_apart((g->k + 1) * g->k));
done:
    return status;
}

void dl_gradient_free(dl_gradient *g) {
    adam_free(&g->W);
    adam_free(&g->E);
    adam_free(&g->b);
    dl_free(g->updates);
    dl_free(g->idle);
    dl_free(g->shares);
    dl_free(g->code_sum);
    dl_gradient_free_layouts(g);
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
    free_merges(g);
    dl_free(g->P);
    dl_free(g->any);
}

double dl_gradient_bytes(int threads, int64_t m, int64_t n, int64_t k, bool nested, int64_t room) {
    double filter = !nested && dl_prefilter_pays(m / threads, n, k) ? 2 : 0, codes = nested ? DL_PREFIXES : 1;
    double atoms = (double)m * ((20 + filter) * (double)n + 60);
    double sample = 4 * (double)n +
                    codes * ((4 + 4 * (double)threads) * (double)n + (28 + 8 * (double)threads) * (double)k);
    double tile = 4 * (double)(n + 2 * (2 * k + DL_BLOCK_ATOMS));
    return atoms + (double)room * sample + (double)threads * DL_TILE * tile;
}

/* ---- The atoms that take part ---- */

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
        dl_gradient_pack_panel(g, p, 0);
    dl_gradient_packed(g);
    g->active = atoms;
}
