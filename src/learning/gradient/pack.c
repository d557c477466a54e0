/* E and b in the layouts of products. A large dictionary has a filter: integers that find the few atoms whose
 * scores are needed (coding/prefilter.h). They are packed in every step; the floats only when the filter does
 * not settle a sample. Codes are the same bytes either way. */
#include "base/memory.h"
#include "base/parallel.h"
#include "kernels/packed.h"
#include "kernels/packed16.h"
#include "learning/gradient/gradient.h"

/* Where the filter fails for many samples, as with atoms of very different norms, it rests for this many
 * batches. */
enum { PAUSE = 64 };
static const double MANY = 0.25;

static dltf_status alloc_filter(dl_gradient *g) {
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(g->filter, 1);
    g->filter->E = g->E.value;
    DL_TRY(dl_packed16_alloc(&g->filter->E16, g->m, g->n));
    DL_TRY_NEW(g->bounds, g->packed.panels);
    DL_TRY_NEW(g->stale, g->packed.panels);
    DL_TRY_NEW(g->rounded, g->threads * dl_apart(DL_ROWS16 * (g->n + 1)));
    for (int t = 0; t < g->threads; t++)
        DL_TRY(dl_prefilter_space_alloc(DL_TILE, g->n, g->k, &g->spaces[t].filter));
done:
    return status;
}

dltf_status dl_gradient_alloc_layouts(dl_gradient *g) {
    dltf_status status = dl_packed_alloc(&g->packed, g->m, g->n);
    /* nested: the bands between prefixes are too small, and need not begin where integer panels do */
    bool filters = g->depth == 1 && dl_prefilter_pays(g->m / g->parts, g->n, g->k);
    if (status == DLTF_OK && filters)
        status = alloc_filter(g);
    return status;
}

void dl_gradient_free_layouts(dl_gradient *g) {
    dl_packed_free(&g->packed);
    if (g->filter)
        dl_prefilter_free(g->filter);
    dl_free(g->filter);
    dl_free(g->bounds);
    dl_free(g->stale);
    dl_free(g->rounded);
}

bool dl_gradient_filters(const dl_gradient *g) {
    return g->filter && g->pause == 0;
}

void dl_gradient_pack_panel(dl_gradient *g, int64_t panel, int worker) {
    if (!dl_gradient_filters(g)) {
        dl_packed_fill_panel(&g->packed, panel, g->E.value, g->b.value);
        return;
    }
    int64_t first = panel * DL_PANEL;
    dl_packed_fill_bias(&g->packed, panel, g->b.value);
    g->bounds[panel] = dl_prefilter_set(g->filter, first, g->packed.bias + first,
                                        g->rounded + worker * dl_apart(DL_ROWS16 * (g->n + 1)));
    g->stale[panel] = true;
}

void dl_gradient_packed(dl_gradient *g) {
    if (!dl_gradient_filters(g))
        return;
    g->filter->bounds = (dl_prefilter_bounds){0};
    for (int64_t panel = 0; panel < g->packed.panels; panel++)
        g->filter->bounds = dl_prefilter_join(g->filter->bounds, g->bounds[panel]);
}

static void pack_panel(void *context, int64_t panel, int worker) {
    dl_gradient_pack_panel(context, panel, worker);
}

void dl_gradient_pack(dl_gradient *g) {
    if (g->filter)
        g->filter->E = g->E.value; /* the caller may have exchanged it */
    dl_parallel(g->threads, g->packed.panels, pack_panel, g);
    dl_gradient_packed(g);
}

static void pack_floats(void *context, int64_t panel, int worker) {
    (void)worker;
    dl_gradient *g = context;
    if (g->stale[panel])
        dl_packed_fill_panel(&g->packed, panel, g->E.value, g->b.value);
    g->stale[panel] = false;
}

void dl_gradient_unsettled(dl_gradient *g, int64_t count) {
    dl_parallel(g->threads, g->packed.panels, pack_floats, g);
    if ((double)count > MANY * (double)(g->parts * g->rows))
        g->pause = PAUSE;
}

void dl_gradient_rested(dl_gradient *g) {
    if (g->pause > 0 && --g->pause == 0)
        dl_gradient_pack(g);
}
