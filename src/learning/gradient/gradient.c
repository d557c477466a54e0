/* The state of the gradient learner: memory, layout and the atoms that take part. */
#include "learning/gradient/gradient.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "comm/comm.h"
#include "kernels/packed.h"
#include "learning/gradient/ranks.h"

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

/* Two rows, or one for each level of the tree of groups. */
int64_t dl_gradient_stride(const dl_gradient *g) {
    int64_t rows = 1;
    for (int64_t groups = g->groups; groups > 1; groups /= 2)
        rows++;
    return dl_apart(dl_max(rows, 2) * g->n);
}

static dltf_status alloc_branches(dl_gradient *g) {
    dltf_status status = DLTF_OK;
    dl_branches *b = &g->branches;
    int rank = g->ranks ? dl_comm_rank() : 0, ranks = g->ranks ? dl_comm_size() : 1;
    int64_t first = g->ranks ? dl_atoms_first_group(g->all, rank) : 0;
    int64_t end = g->ranks ? dl_atoms_first_group(g->all, rank + 1) : g->groups, widest = g->groups;
    while (widest > 1 && g->groups / widest < (int64_t)g->threads * ranks)
        widest /= 2;
    b->room = g->depth * g->room;
    b->count = dl_atom_spans(g->groups, first, end, widest, NULL);
    DL_TRY_NEW(b->spans, b->count);
    dl_atom_spans(g->groups, first, end, widest, b->spans);
    DL_TRY_NEW(b->sums, b->count * b->room * g->n);
    DL_TRY_NEW(b->any, b->count * b->room);
done:
    return status;
}

static dltf_status alloc_divisions(dl_gradient *g) {
    dltf_status status = DLTF_OK;
    int64_t panels = dl_tiles(g->m, DL_PANEL);
    int parts = (int)dl_max(1, dl_min(g->threads, panels)); /* of each prefix */
    g->parts = g->depth * parts;
    if (g->parts > 1 || g->ranks) {
        DL_TRY(dl_slots_alloc(&g->found, g->parts * g->room, g->k));
        DL_TRY(dl_merges_alloc(g->threads, g->parts * g->k, g->k, &g->merges));
    }
    DL_TRY(alloc_branches(g));
    DL_TRY_NEW(g->scratch, g->threads * dl_gradient_stride(g));
    int64_t most = dl_max(1, dl_tiles(panels, parts)) * DL_PANEL; /* atoms of a part */
    DL_TRY(dl_workspaces_alloc(g->threads, most, g->n, g->k, &g->spaces));
done:
    return status;
}

static dltf_status alloc_atoms(dl_gradient *g) {
    dltf_status status = DLTF_OK;
    int64_t m = g->m, n = g->n;
    DL_TRY(adam_alloc(&g->W, m, n));
    DL_TRY(adam_alloc(&g->E, m, n));
    DL_TRY(adam_alloc(&g->b, m, 1));
    DL_TRY_NEW(g->updates, m);
    DL_TRY_NEW(g->idle, m);
    DL_TRY_NEW(g->shares, DL_SHARES);
    dl_gradient_fill_shares(g);
    DL_TRY_NEW(g->code_sum, m);
    DL_TRY(dl_by_atom_alloc(&g->by_atom, m, g->depth * g->room * g->k));
    g->by_atom.first = g->first;
    dl_parallel(g->threads, dl_tiles(m, DL_PANEL), touch_panel, g);
done:
    return status;
}

static dltf_status alloc_batch(dl_gradient *g) {
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(g->Y, g->room * g->n);
    int64_t codes = g->depth * g->room;
    DL_TRY_NEW(g->R, codes * g->n);
    DL_TRY(dl_slots_alloc(&g->Z, codes, g->k));
    DL_TRY_NEW(g->sums, codes);
    DL_TRY_NEW(g->center, g->n);
    DL_TRY_NEW(g->center32, g->n);
    DL_TRY(alloc_divisions(g));
    DL_TRY(dl_gradient_alloc_layouts(g));
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
    *g = (dl_gradient){.m = m, .n = n, .k = k, .positive = positive, .threads = threads, .room = room};
    g->all = g->active = m;
    g->groups = dl_atom_groups(m);
    find_prefixes(g, nested);
    dltf_status status = alloc_atoms(g);
    return status == DLTF_OK ? alloc_batch(g) : status; /* the caller frees partial allocations */
}

dltf_status dl_gradient_alloc_shared(dl_gradient *g, int threads, int64_t m, int64_t n, int64_t k,
                                     bool positive, int64_t room) {
    dltf_status status = DLTF_OK;
    *g = (dl_gradient){.n = n, .k = k, .positive = positive, .threads = threads, .room = room};
    g->all = g->active = m;
    g->first = dl_atoms_first(m, dl_comm_rank());
    g->m = dl_atoms_first(m, dl_comm_rank() + 1) - g->first;
    g->groups = dl_atom_groups(m);
    find_prefixes(g, false);
    DL_TRY(dl_gradient_ranks_alloc(g));
    DL_TRY(alloc_atoms(g));
    DL_TRY(alloc_batch(g));
done:
    return status;
}

dltf_status dl_gradient_alloc_refit(dl_gradient *g) {
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(g->D, g->depth * g->room * g->k);
    DL_TRY_NEW(g->normal, g->threads * dl_apart((g->k + 1) * g->k));
    if (g->ranks)
        DL_TRY(dl_gradient_ranks_alloc_refit(g));
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
    dl_slots_free(&g->found);
    dl_merges_free(g->merges, g->threads);
    dl_free(g->branches.spans);
    dl_free(g->branches.sums);
    dl_free(g->branches.any);
    dl_gradient_ranks_free(g);
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

int64_t dl_gradient_active(const dl_gradient *g) {
    return dl_max(0, dl_min(g->active - g->first, g->m));
}

void dl_gradient_activate(dl_gradient *g, int64_t atoms) {
    int64_t n = g->n, before = dl_gradient_active(g);
    g->active = atoms;
    int64_t now = dl_gradient_active(g);
    for (int64_t j = before; j < now; j++)
        move_row(g->E.value + j * n, g->E.moment + j * n, n);
    for (int64_t j = now; j < before; j++)
        move_row(g->E.moment + j * n, g->E.value + j * n, n);
    for (int64_t p = dl_min(now, before) / DL_PANEL; p * DL_PANEL < dl_max(now, before); p++)
        dl_gradient_pack_panel(g, p, 0);
    dl_gradient_packed(g);
}
