/* A tile of samples at a time: scores by the packed product, candidates above the threshold by the vector
 * kernel, then a greedy choice among these few. The conflicts of an atom are a row of bits. */
#include "coding/incoherent.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "coding/coder.h"
#include "data/model.h"

#include <math.h>
#include <string.h>

dltf_status dl_incoherent_alloc(dl_incoherent *c, int64_t m, int64_t n) {
    dltf_status status = DLTF_OK;
    c->words = (m + 63) / 64;
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

void dl_incoherent_fill(dl_incoherent *c, int threads, const float *W) {
    fill_job job = {c, W};
    dl_packed_fill(&c->W, W, NULL);
    dl_parallel_polled(threads, c->W.m, fill_row, &job); /* what follows is cancelled, too */
}

dltf_status dl_incoherent_space_alloc(dl_incoherent_space *space, int64_t m) {
    dltf_status status = DLTF_OK;
    *space = (dl_incoherent_space){0};
    DL_TRY_NEW(space->scores, dl_score_rows(m) * m);
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

typedef struct incoherent_state {
    dl_incoherent incoherent;
    dl_incoherent_space *spaces;
    int threads;
} incoherent_state;

static void free_state(void *state) {
    incoherent_state *s = state;
    for (int t = 0; s->spaces && t < s->threads; t++)
        dl_incoherent_space_free(&s->spaces[t]);
    dl_free(s->spaces);
    dl_incoherent_free(&s->incoherent);
    dl_free(s);
}

static dltf_status prepare(const dl_recipe *recipe, void **state) {
    const dltf_encode_options *o = &recipe->options;
    int64_t m = recipe->model->parts.m, n = recipe->model->parts.n;
    incoherent_state *s = NULL;
    dltf_status status = dl_gram_check(m, 1);
    if (status != DLTF_OK)
        return status;
    DL_TRY_NEW(s, 1);
    s->threads = recipe->threads;
    s->incoherent = (dl_incoherent){.k = o->k,
                                    .positive = o->select == DLTF_SELECT_POSITIVE,
                                    .threshold = o->threshold,
                                    .coherence = o->coherence > 0 ? o->coherence : COHERENCE};
    DL_TRY(dl_incoherent_alloc(&s->incoherent, m, n));
    dl_incoherent_fill(&s->incoherent, recipe->threads, recipe->model->dictionary);
    DL_TRY_NEW(s->spaces, s->threads);
    for (int t = 0; t < s->threads; t++)
        DL_TRY(dl_incoherent_space_alloc(&s->spaces[t], m));
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
