/* The first stage of all methods. They differ in the dictionary, the coder and the weights of estimates. */
#include "denoise/first_stage.h"

#include "base/clock.h"
#include "base/memory.h"
#include "coding/decode.h"
#include "coding/encoder.h"
#include "data/model.h"
#include "denoise/patch_learner.h"
#include "learning/learner.h"

/* Constants of the method, the same for all images; CUT and CUT_LEARNING are thresholds in units of sigma,
 * RESIDUAL is the residual energy, in units of n sigma^2, that counts as noise. See docs/design.md. */
static const double MU = 0.08, CUT = 3.6, CUT_LEARNING = 5, RESIDUAL = 1.4;
enum { PATCHES = 40000, ITERATIONS = 15 };

/* The paper's protocol: theta large enough that the data term dominates, and no minibatches, which make the
 * result worse for k = 1. */
enum { PAPER_PATCHES = 5000 };
static const double PAPER_THETA = 1000;

/* K-SVD: coding stops when the residual is at noise level, ||r||^2 <= n (GAIN sigma)^2. */
enum { KSVD_ITERATIONS = 12 };
static const double GAIN = 1.15;

/* Work space of one thread. */
typedef struct space {
    dl_slots Z; /* of a tile */
    double seconds;
    int64_t entries;
} space;

typedef struct method method;

typedef struct work {
    dl_first_stage *stage;
    const method *method;
    int64_t n;
    dltf_model *learned;     /* NULL if a model was given */
    const dltf_model *model; /* the dictionary */
    dltf_encoder *encoder;
    space *spaces;
} work;

struct method {
    dltf_status (*learn)(work *w, const float *X, int64_t count, dl_meter *meter);
    int64_t patches; /* maximum number of training patches */
    void (*choose_coder)(const work *w, dltf_encode_options *encoding);
    bool weighted; /* estimates with fewer atoms weigh more; large residuals are added back (see restore) */
};

/* ---- dictionaries ---- */

static dltf_status make_model(work *w, const float *W) {
    dltf_model_view parts = {.m = w->stage->options.m, .n = w->n, .k = w->stage->options.k, .dictionary = W};
    return dltf_model_new(&parts, &w->learned);
}

static dltf_status learn_incoherent(work *w, const float *X, int64_t count, dl_meter *meter) {
    const dltf_denoise_options *o = &w->stage->options;
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
    float *W = NULL;
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(W, o->m * w->n);
    DL_TRY(dl_patch_learn(&training, meter, DL_LEARN_UNITS, W));
    DL_TRY(make_model(w, W));
done:
    dl_free(W);
    return status;
}

/* Converts the progress of dltf_learner_run to units of the meter. */
typedef struct share {
    dl_meter *meter;
    int64_t reported;
} share;

static int on_progress(void *context, const dltf_progress *progress) {
    share *s = context;
    int64_t now = progress->total > 0 ? DL_LEARN_UNITS * progress->done / progress->total : 0;
    bool go_on = dl_meter_add(s->meter, now - s->reported);
    s->reported = now;
    return !go_on;
}

/* Learns with dltf_learner, from `start` (NULL: random samples). */
static dltf_status learn_library(work *w, const float *X, int64_t count, dltf_train_options options,
                                 const dltf_model *start, dl_meter *meter) {
    const dltf_denoise_options *o = &w->stage->options;
    dltf_learner *learner = NULL;
    dltf_model *model = NULL;
    dltf_outcome outcome = DLTF_ITERATION_LIMIT;
    share s = {meter, 0};
    dltf_status status = DLTF_OK;
    options.m = o->m;
    options.k = o->k;
    options.seed = o->seed;
    options.threads = o->threads;
    DL_TRY(dltf_learner_new(dltf_matrix_f32(X, count, w->n), start, &options, &learner));
    learner->unmonitored = true;
    DL_TRY(dltf_learner_run(learner, on_progress, &s, &outcome));
    if (outcome == DLTF_INTERRUPTED)
        DL_TRY(dl_fail(DLTF_CANCELLED, "denoising was cancelled"));
    DL_TRY(dltf_learner_model(learner, &model));
    DL_TRY(make_model(w, model->dictionary)); /* the dictionary alone */
done:
    dltf_learner_free(learner);
    dltf_model_free(model);
    return status;
}

static dltf_status learn_paper(work *w, const float *X, int64_t count, dl_meter *meter) {
    dltf_train_options options = dltf_train_options_default();
    options.encoder = DLTF_ENCODER_TIED;
    options.theta = options.theta_start = PAPER_THETA;
    options.steps = 0;
    return learn_library(w, X, count, options, NULL, meter);
}

static double error_target(const work *w) {
    double sigma = GAIN * w->stage->options.sigma;
    return (double)w->n * sigma * sigma;
}

static dltf_status learn_ksvd(work *w, const float *X, int64_t count, dl_meter *meter) {
    const dltf_denoise_options *o = &w->stage->options;
    dltf_train_options options = dltf_train_options_default();
    options.method = DLTF_METHOD_KSVD;
    options.update = DLTF_UPDATE_APPROXIMATE;
    options.iterations = KSVD_ITERATIONS;
    options.error = error_target(w);
    float *W = NULL;
    dltf_model *start = NULL;
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(W, o->m * w->n);
    DL_TRY(dl_cosine_dictionary(o->patch, o->m, W));
    DL_TRY(dltf_model_new(&(dltf_model_view){.m = o->m, .n = w->n, .k = o->k, .dictionary = W}, &start));
    DL_TRY(learn_library(w, X, count, options, start, meter));
done:
    dl_free(W);
    dltf_model_free(start);
    return status;
}

static void use_incoherent(const work *w, dltf_encode_options *encoding) {
    encoding->coder = DLTF_CODER_INCOHERENT;
    encoding->coherence = MU;
    encoding->threshold = CUT * w->stage->options.sigma;
}

static void use_omp(const work *w, dltf_encode_options *encoding) {
    encoding->coder = DLTF_CODER_OMP;
    encoding->error = error_target(w);
}

static void use_threshold(const work *w, dltf_encode_options *encoding) {
    (void)w;
    encoding->coder = DLTF_CODER_THRESHOLD;
}

static const method methods[] = {
    [DLTF_DENOISE_DLTF] = {learn_incoherent, PATCHES, use_incoherent, true},
    [DLTF_DENOISE_KSVD] = {learn_ksvd, PATCHES, use_omp, false},
    [DLTF_DENOISE_PAPER] = {learn_paper, PAPER_PATCHES, use_threshold, false},
};

static dltf_status find_dictionary(work *w, dl_plane plane, dl_meter *meter) {
    dl_first_stage *s = w->stage;
    const dltf_denoise_options *o = &s->options;
    int64_t count = 0;
    double begin = dl_seconds();
    float *X = NULL;
    w->model = s->model;
    if (s->model)
        return DLTF_OK;
    dl_grid grid = dl_grid_of(plane, o->patch, 1);
    dltf_status status = dl_patch_sample(plane, &grid, w->method->patches, o->seed, &X, &count);
    if (status == DLTF_OK)
        status = w->method->learn(w, X, count, meter);
    w->model = w->learned;
    dl_free(X);
    s->learning_seconds += dl_seconds() - begin;
    return status;
}

/* ---- codes ---- */

/* The residual of a code is mostly noise, of energy about n sigma^2. Adds back the residual energy above
 * RESIDUAL n sigma^2 (James and Stein's rule). Returns the equivalent number of entries. */
static float restore(const work *w, const float *x, float mean, float *y) {
    int64_t n = w->n;
    double noise = RESIDUAL * (double)n * w->stage->options.sigma * w->stage->options.sigma, left = 0;
    for (int64_t d = 0; d < n; d++) {
        double gap = (double)(x[d] + mean - y[d]);
        left += gap * gap;
    }
    if (left <= noise)
        return 0;
    float gain = (float)(1 - noise / left);
    for (int64_t d = 0; d < n; d++)
        y[d] += gain * (x[d] + mean - y[d]);
    return gain * gain * (float)n;
}

/* Codes a tile and decodes the estimates. Estimates with fewer atoms hold less noise and weigh more. */
static void estimate_tile(void *context, const dl_patch_tile *tile, int worker) {
    work *w = context;
    space *s = &w->spaces[worker];
    double begin = dl_seconds();
    dl_encoder_tile(w->encoder, worker, tile->X, w->n, tile->rows, dl_slots_from(&s->Z, 0, tile->rows));
    s->seconds += dl_seconds() - begin;
    for (int64_t i = 0; i < tile->rows; i++) {
        float *y = tile->Y + i * w->n;
        for (int64_t d = 0; d < w->n; d++)
            y[d] = tile->mean[i];
        dl_decode32(y, DL_ADD, w->model->dictionary, w->n, dl_slots_code(&s->Z, i));
        s->entries += s->Z.count[i];
        tile->weight[i] = 1;
        if (w->method->weighted)
            tile->weight[i] /= 1 + (float)s->Z.count[i] + restore(w, tile->X + i * w->n, tile->mean[i], y);
    }
}

static dltf_status prepare_codes(work *w) {
    const dltf_denoise_options *o = &w->stage->options;
    dltf_encode_options encoding = dltf_encode_options_default();
    dltf_status status = DLTF_OK;
    encoding.k = o->k;
    encoding.select = DLTF_SELECT_ABS;
    encoding.threads = w->stage->threads;
    w->method->choose_coder(w, &encoding);
    DL_TRY(dltf_encoder_new(w->model, &encoding, &w->encoder));
    DL_TRY_NEW(w->spaces, w->stage->threads);
    for (int t = 0; t < w->stage->threads; t++)
        DL_TRY(dl_slots_alloc(&w->spaces[t].Z, DL_TILE, o->k));
done:
    return status;
}

static void work_free(work *w) {
    for (int t = 0; w->spaces && t < w->stage->threads; t++)
        dl_slots_free(&w->spaces[t].Z);
    dl_free(w->spaces);
    dltf_encoder_free(w->encoder);
    dltf_model_free(w->learned);
}

dltf_status dl_first_stage_run(dl_first_stage *stage, dl_plane plane, dl_meter *meter, float *out) {
    int64_t side = stage->options.patch;
    work w = {.stage = stage, .method = &methods[stage->options.method], .n = side * side};
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
