/* The first stage of all methods. They differ in the dictionary, in the rule that makes a code of a patch,
 * and in the weight of an estimate. Called by denoise.c for each plane. */
#include "denoise/first_stage.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "data/model.h"
#include "denoise/incoherent.h"
#include "denoise/patch_learner.h"

#include <string.h>

/* The constants of the method, the same for all images; thresholds in units of sigma. See docs/design.md. */
static const double MU = 0.1, CUT = 3.6, CUT_LEARNING = 5;
enum { PATCHES = 40000, ITERATIONS = 15 };

/* The paper's protocol. Theta so large that the data term dominates, and no minibatches: with k = 1 they make
 * the result worse. */
enum { PAPER_PATCHES = 5000 };
static const double PAPER_THETA = 1000;

/* Work space of one thread. */
typedef struct space {
    dl_slots Z; /* of a tile */
    dl_incoherent_space incoherent;
    double seconds;
    int64_t entries;
} space;

typedef struct work {
    dl_first_stage *stage;
    int64_t n;
    float *learned; /* m x n, unless given */
    const float *W;
    dl_incoherent rule;       /* method dltf */
    dl_packed packed;         /* method paper */
    dl_workspace *workspaces; /* method paper */
    space *spaces;
} work;

/* ---- dictionaries ---- */

static dltf_status learn_incoherent(work *w, const float *X, int64_t count, dl_meter *meter) {
    const dltf_denoising *o = &w->stage->options;
    dl_patch_training training = {
        .X = X,
        .count = count,
        .side = o->patch,
        .m = o->m,
        .k = o->k,
        .mu = MU,
        .cut = CUT_LEARNING * o->sigma,
        .iterations = ITERATIONS,
        .threads = w->stage->threads,
    };
    return dl_patch_learn(&training, meter, DL_LEARN_UNITS, w->learned);
}

static dltf_status learn_paper(work *w, const float *X, int64_t count, dl_meter *meter) {
    const dltf_denoising *o = &w->stage->options;
    dltf_options options = dltf_options_default();
    dltf_model *model = NULL;
    options.m = o->m;
    options.k = o->k;
    options.seed = o->seed;
    options.threads = o->threads;
    options.theta = options.theta_start = PAPER_THETA;
    options.steps = 0;
    dltf_status status = dltf_train(dltf_matrix_f32(X, count, w->n), &options, NULL, NULL, &model);
    if (status == DLTF_OK)
        memcpy(w->learned, model->dictionary, (size_t)(o->m * w->n) * sizeof *w->learned);
    dltf_model_free(model);
    if (status == DLTF_OK && !dl_meter_add(meter, DL_LEARN_UNITS))
        status = dl_fail(DLTF_CANCELLED, "denoising was cancelled");
    return status;
}

static dltf_status find_dictionary(work *w, dl_plane plane, dl_meter *meter) {
    dl_first_stage *s = w->stage;
    const dltf_denoising *o = &s->options;
    double begin = dl_seconds();
    float *X = NULL;
    int64_t count = 0;
    bool paper = o->method == DLTF_DENOISE_PAPER;
    dltf_status status = DLTF_OK;
    w->W = s->W;
    if (s->W)
        return DLTF_OK;
    dl_grid grid = dl_grid_of(plane, o->patch, 1);
    DL_TRY_NEW(w->learned, o->m * w->n);
    DL_TRY(dl_patch_sample(plane, &grid, paper ? PAPER_PATCHES : PATCHES, o->seed, &X, &count));
    DL_TRY(paper ? learn_paper(w, X, count, meter) : learn_incoherent(w, X, count, meter));
    w->W = w->learned;
done:
    dl_free(X);
    s->learning_seconds += dl_seconds() - begin;
    return status;
}

/* ---- codes ---- */

static void code_tile(work *w, const dl_patch_tile *tile, int worker) {
    space *s = &w->spaces[worker];
    if (w->stage->options.method == DLTF_DENOISE_PAPER) {
        dl_coder coder = {&w->packed, s->Z.k, false};
        dl_feature_tile(&coder, tile->X, w->n, tile->rows, &w->workspaces[worker],
                        dl_slots_from(&s->Z, 0, tile->rows));
    } else
        dl_incoherent_tile(&w->rule, tile->X, tile->rows, &s->incoherent,
                           dl_slots_from(&s->Z, 0, tile->rows));
}

/* Codes, then estimates W z + mean; estimates of few atoms hold less noise and weigh more. */
static void estimate_tile(void *context, const dl_patch_tile *tile, int worker) {
    work *w = context;
    space *s = &w->spaces[worker];
    int64_t n = w->n, k = s->Z.k;
    double begin = dl_seconds();
    code_tile(w, tile, worker);
    s->seconds += dl_seconds() - begin;
    for (int64_t i = 0; i < tile->rows; i++) {
        float *y = tile->Y + i * n;
        for (int64_t d = 0; d < n; d++)
            y[d] = tile->mean[i];
        for (int32_t e = 0; e < s->Z.count[i]; e++) {
            const float *atom = w->W + s->Z.index[i * k + e] * n;
            float z = s->Z.value[i * k + e];
            for (int64_t d = 0; d < n; d++)
                y[d] += z * atom[d];
        }
        s->entries += s->Z.count[i];
        tile->weight[i] = w->stage->options.method == DLTF_DENOISE_PAPER ? 1 : 1 / (1 + (float)s->Z.count[i]);
    }
}

static dltf_status prepare_codes(work *w) {
    const dltf_denoising *o = &w->stage->options;
    int threads = w->stage->threads;
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(w->spaces, threads);
    for (int t = 0; t < threads; t++)
        DL_TRY(dl_slots_alloc(&w->spaces[t].Z, DL_TILE, o->k));
    if (o->method == DLTF_DENOISE_PAPER) {
        DL_TRY(dl_packed_alloc(&w->packed, o->m, w->n));
        dl_packed_fill(&w->packed, w->W, NULL);
        DL_TRY(dl_workspaces_alloc(threads, o->m, w->n, o->k, &w->workspaces));
    } else {
        DL_TRY(dl_incoherent_alloc(&w->rule, o->m, w->n, o->k));
        dl_incoherent_fill(&w->rule, w->W, MU, CUT * o->sigma);
        for (int t = 0; t < threads; t++)
            DL_TRY(dl_incoherent_space_alloc(&w->spaces[t].incoherent, o->m));
    }
done:
    return status;
}

static void work_free(work *w) {
    int threads = w->stage->threads;
    for (int t = 0; w->spaces && t < threads; t++) {
        dl_slots_free(&w->spaces[t].Z);
        dl_incoherent_space_free(&w->spaces[t].incoherent);
    }
    dl_free(w->spaces);
    dl_free(w->learned);
    dl_incoherent_free(&w->rule);
    dl_packed_free(&w->packed);
    dl_workspaces_free(w->workspaces, threads);
}

dltf_status dl_first_stage_run(dl_first_stage *stage, dl_plane plane, dl_meter *meter, float *out) {
    int64_t side = stage->options.patch;
    work w = {.stage = stage, .n = side * side};
    dl_grid grid = dl_grid_of(plane, side, stage->options.stride);
    dltf_status status = find_dictionary(&w, plane, meter);
    if (status == DLTF_OK)
        status = prepare_codes(&w);
    if (status == DLTF_OK)
        status = dl_patch_pass(plane, &grid, stage->threads, estimate_tile, &w, meter, DL_PASS_UNITS, out);
    for (int t = 0; status == DLTF_OK && t < stage->threads; t++) {
        stage->coding_seconds += w.spaces[t].seconds;
        stage->entries += w.spaces[t].entries;
    }
    stage->patches += grid.rows * grid.columns;
    work_free(&w);
    return status;
}
