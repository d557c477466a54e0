/* A tile of samples at a time: scores by the packed product, candidates above the threshold by the vector
 * kernel, then a greedy choice among these few. The conflicts of an atom are a row of bits. */
#include "coding/coders/incoherent.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "coding/coder.h"
#include "data/model.h"

#include <math.h>
#include <string.h>

static int64_t words_of(int64_t m) {
    return (m + 63) / 64;
}

dltf_status dl_incoherent_alloc(dl_incoherent *c, int64_t m, int64_t n) {
    dltf_status status = DLTF_OK;
    c->words = words_of(m);
    DL_TRY(dl_packed_alloc(&c->W, m, n));
    DL_TRY_NEW(c->conflict, m * c->words);
done:
    return status; /* on failure the owner frees what was allocated */
}

void dl_incoherent_free(dl_incoherent *c) {
    dl_packed_free(&c->W);
    dl_free(c->conflict);
    c->conflict = NULL;
}

typedef struct fill_job {
    const dl_incoherent *c;
    const float *W;
} fill_job;

static void fill_row(void *context, int64_t i, int worker) {
    (void)worker;
    const fill_job *job = context;
    const dl_packed *W = &job->c->W;
    uint64_t *bits = job->c->conflict + i * job->c->words;
    enum { PANELS = 8, ATOMS = PANELS * DL_PANEL };
    float products[ATOMS];
    memset(bits, 0, (size_t)job->c->words * sizeof *bits);
    for (int64_t panel = 0; panel < W->panels; panel += PANELS) {
        int64_t last = dl_min(panel + PANELS, W->panels), first = panel * DL_PANEL;
        dl_kernels_now()->scores(W, panel, last, job->W + i * W->n, W->n, 1, products, ATOMS);
        for (int64_t j = first; j < W->m && j < first + ATOMS; j++)
            if (fabs((double)products[j - first]) > job->c->coherence || j == i)
                bits[j / 64] |= UINT64_C(1) << j % 64;
    }
}

/* False if cancelled. */
static bool fill_conflicts(const dl_incoherent *c, int threads, const float *W) {
    fill_job job = {c, W};
    return dl_parallel_polled(threads, c->W.m, fill_row, &job);
}

void dl_incoherent_fill(dl_incoherent *c, int threads, const float *W) {
    dl_packed_fill(&c->W, W, NULL);
    fill_conflicts(c, threads, W); /* what follows is cancelled, too */
}

dltf_status dl_incoherent_space_alloc(dl_incoherent_space *space, int64_t m) {
    return dl_incoherent_space_alloc_rows(space, dl_score_rows(m), m);
}

dltf_status dl_incoherent_space_alloc_rows(dl_incoherent_space *space, int64_t rows, int64_t m) {
    dltf_status status = DLTF_OK;
    *space = (dl_incoherent_space){0};
    DL_TRY_NEW(space->scores, rows * m);
    DL_TRY_NEW(space->value, m);
    DL_TRY_NEW(space->index, m);
done:
    return status; /* on failure the owner frees what was allocated */
}

void dl_incoherent_space_free(dl_incoherent_space *space) {
    dl_free(space->scores);
    dl_free(space->value);
    dl_free(space->index);
}

/* Repeatedly takes the largest candidate and drops those in conflict with it. */
static int32_t choose(const dl_incoherent *c, int64_t count, dl_incoherent_space *space, int32_t *index,
                      float *value) {
    int32_t kept = 0;
    while (count > 0 && kept < c->k) {
        int64_t best = dl_kernels_now()->largest(space->value, count), left = 0;
        index[kept] = space->index[best];
        value[kept++] = space->value[best];
        const uint64_t *bits = c->conflict + space->index[best] * c->words;
        for (int64_t i = 0; i < count; i++) {
            int32_t j = space->index[i];
            if (bits[j / 64] >> j % 64 & 1)
                continue;
            space->index[left] = j;
            space->value[left++] = space->value[i];
        }
        count = left;
    }
    dl_code_sort(index, value, kept);
    return kept;
}

void dl_incoherent_tile(const dl_incoherent *c, const float *X, int64_t x_stride, int64_t rows,
                        dl_incoherent_space *space, dl_slots out) {
    const dl_kernels *kernels = dl_kernels_now();
    int64_t m = c->W.m, chunk = dl_score_rows(m);
    float threshold = (float)c->threshold;
    uint32_t cut;
    memcpy(&cut, &threshold, sizeof cut);
    for (int64_t i = 0; i < rows; i++) {
        if (i % chunk == 0)
            kernels->scores(&c->W, 0, c->W.panels, X + i * x_stride, x_stride,
                            rows - i < chunk ? rows - i : chunk, space->scores, m);
        int64_t count =
            kernels->above(space->scores + i % chunk * m, m, c->positive, cut, 0, space->index, space->value);
        out.count[i] = choose(c, count, space, out.index + i * out.k, out.value + i * out.k);
    }
}

/* ---- The coder ---- */

static const double COHERENCE = 0.1; /* the default */

/* The conflicts of a dictionary at one coherence. */
typedef struct conflicts {
    dl_derived base;
    double coherence;
    uint64_t *bits;
} conflicts;

typedef struct incoherent_state {
    dl_incoherent incoherent; /* borrows the dictionary and the conflicts */
    dl_derived *own;          /* conflicts, if the model keeps those of another coherence */
    dl_incoherent_space *spaces;
    int threads;
} incoherent_state;

static void free_state(void *state) {
    incoherent_state *s = state;
    for (int t = 0; s->spaces && t < s->threads; t++)
        dl_incoherent_space_free(&s->spaces[t]);
    dl_free(s->spaces);
    if (s->own)
        s->own->free(s->own);
    dl_free(s);
}

static void free_conflicts(dl_derived *derived) {
    conflicts *made = (conflicts *)derived;
    dl_free(made->bits);
    dl_free(made);
}

typedef struct conflicts_job {
    const dl_recipe *recipe;
    dl_incoherent incoherent; /* without conflicts */
} conflicts_job;

static dltf_status make_conflicts(const void *context, dl_derived **made) {
    const conflicts_job *job = context;
    const dl_recipe *recipe = job->recipe;
    dl_incoherent c = job->incoherent;
    conflicts *found = NULL;
    dltf_status status = dl_gram_check(c.W.m, 1);
    if (status != DLTF_OK)
        return status;
    DL_TRY_NEW(found, 1);
    found->base.free = free_conflicts;
    found->coherence = c.coherence;
    DL_TRY_NEW(found->bits, c.W.m * c.words);
    c.conflict = found->bits;
    if (!fill_conflicts(&c, recipe->threads, recipe->model->dictionary))
        DL_TRY(dl_fail(DLTF_CANCELLED, "encoding was cancelled"));
    *made = &found->base;
    found = NULL;
done:
    if (found)
        free_conflicts(&found->base);
    return status;
}

/* The model keeps the conflicts of the coherence that was asked for first: those of every value in a search
 * would add up. */
static dltf_status derive_conflicts(const dl_recipe *recipe, incoherent_state *s) {
    const dl_derived *found = NULL;
    conflicts_job job = {recipe, s->incoherent};
    dltf_status status = dl_model_derive(recipe->model, DL_DERIVED_CONFLICTS, make_conflicts, &job, &found);
    if (status != DLTF_OK)
        return status;
    if (((const conflicts *)found)->coherence != s->incoherent.coherence) {
        status = make_conflicts(&job, &s->own);
        found = s->own;
    }
    if (status == DLTF_OK)
        s->incoherent.conflict = ((const conflicts *)found)->bits;
    return status;
}

static dltf_status prepare(const dl_recipe *recipe, void **state) {
    dltf_status status = DLTF_OK;
    const dltf_encode_options *o = &recipe->options;
    int64_t m = recipe->model->parts.m;
    const dl_packed *W = NULL;
    incoherent_state *s = NULL;
    DL_TRY_NEW(s, 1);
    s->threads = recipe->workers;
    DL_TRY(dl_derive_atoms(recipe, &W));
    s->incoherent = (dl_incoherent){.k = o->k,
                                    .positive = o->select == DLTF_SELECT_POSITIVE,
                                    .threshold = o->threshold,
                                    .coherence = o->coherence > 0 ? o->coherence : COHERENCE,
                                    .W = *W,
                                    .words = words_of(m)};
    DL_TRY(derive_conflicts(recipe, s));
    DL_TRY_NEW(s->spaces, s->threads);
    for (int t = 0; t < s->threads; t++)
        DL_TRY(dl_incoherent_space_alloc_rows(&s->spaces[t], dl_recipe_score_rows(recipe), m));
    *state = s;
    s = NULL;
done:
    if (s)
        free_state(s);
    return status;
}

static void tile(const dl_recipe *recipe, void *state, int worker, const float *X, int64_t x_stride,
                 int64_t rows, dl_workspace *space, dl_slots out) {
    (void)recipe;
    (void)space;
    incoherent_state *s = state;
    dl_incoherent_tile(&s->incoherent, X, x_stride, rows, &s->spaces[worker], out);
}

const dl_coder dl_coder_incoherent = {
    .name = "incoherent", .takes_positive = true, .prepare = prepare, .tile = tile, .free = free_state};
