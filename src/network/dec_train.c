/* Deep embedded clustering: alternates between targets for all samples and gradient steps towards them. */
#include "base/integer.h"
#include "base/memory.h"
#include "base/meter.h"
#include "base/parallel.h"
#include "base/random.h"
#include "network/dec.h"
#include "network/trainer.h"

#include <math.h>
#include <string.h>

typedef struct dec {
    dltf_matrix X;
    dl_dec_options options;
    dl_trainer trainer;
    float *centers;
    int64_t clusters, d;

    float *Z;                  /* N x d: codes */
    double *P;                 /* N x clusters: targets */
    int32_t *labels;           /* N */
    double *frequency, *q, *u; /* numbers per cluster */
    double *slope;             /* clusters x d: gradient of the centers */
    float *slope32;
    float *moments[DL_MOST_MOMENTS]; /* of the centers */
} dec;

static dltf_status check_centers(const dl_network *encoder, const float *centers, int64_t clusters) {
    if (clusters < 1 || clusters > INT32_MAX)
        return dl_fail(DLTF_ARGUMENT, "%lld clusters: at least one is needed", (long long)clusters);
    int64_t d = dl_network_outputs(encoder);
    for (int64_t i = 0; i < clusters * d; i++)
        if (!isfinite(centers[i]))
            return dl_fail(DLTF_DATA, "center %lld, entry %lld is not finite", (long long)(i / d),
                           (long long)(i % d));
    return DLTF_OK;
}

static dltf_status dec_alloc(dec *c, dl_network *encoder) {
    dltf_status status = DLTF_OK;
    dl_network_options o = dl_network_options_default();
    o.optimiser = c->options.optimiser;
    o.momentum = c->options.momentum;
    o.batch = c->options.batch = dl_min(c->options.batch, c->X.rows);
    o.seed = c->options.seed;
    o.threads = c->options.threads;
    DL_TRY(dl_trainer_alloc(&c->trainer, encoder, &o));
    DL_TRY_NEW(c->Z, c->X.rows * c->d);
    DL_TRY_NEW(c->P, c->X.rows * c->clusters);
    DL_TRY_NEW(c->labels, c->X.rows);
    DL_TRY_NEW(c->frequency, c->clusters);
    DL_TRY_NEW(c->q, c->clusters);
    DL_TRY_NEW(c->u, c->clusters);
    DL_TRY_NEW(c->slope, c->clusters * c->d);
    DL_TRY_NEW(c->slope32, c->clusters * c->d);
    for (int a = 0; a < c->trainer.optimiser->moments; a++)
        DL_TRY_NEW(c->moments[a], c->clusters * c->d);
done:
    return status;
}

static void dec_free(dec *c) {
    dl_trainer_free(&c->trainer);
    dl_free(c->Z);
    dl_free(c->P);
    dl_free(c->labels);
    dl_free(c->frequency);
    dl_free(c->q);
    dl_free(c->u);
    dl_free(c->slope);
    dl_free(c->slope32);
    for (int a = 0; a < DL_MOST_MOMENTS; a++)
        dl_free(c->moments[a]);
}

static dltf_status diverged(const dl_dec_result *result) {
    return dl_fail(DLTF_NUMERIC, "training diverged: non-finite codes after %lld steps; lower the rate",
                   (long long)result->steps);
}

/* New assignments and targets of all samples. */
static dltf_status update_targets(dec *c, dl_dec_result *result) {
    int64_t N = c->X.rows, changed = 0;
    dltf_status status = dl_network_apply(c->trainer.network, c->X, c->options.threads, c->Z);
    if (status != DLTF_OK)
        return status == DLTF_NUMERIC ? diverged(result) : status;
    for (int64_t i = 0; i < N; i++) {
        int64_t label = dl_dec_assignment((dl_centers){c->centers, c->clusters, c->d}, c->Z + i * c->d,
                                          c->P + i * c->clusters, NULL);
        changed += label != c->labels[i];
        c->labels[i] = (int32_t)label;
    }
    result->changed = (double)changed / (double)N;
    result->divergence = dl_dec_targets(c->P, N, c->clusters, c->frequency);
    return isfinite(result->divergence) ? DLTF_OK : diverged(result);
}

/* The sample of row i in step `number`: an epoch takes all in a random order. */
static int64_t sample_of(const dec *c, int64_t number, int64_t i) {
    dl_random order = {(uint64_t)c->options.seed, DL_STREAM_SHUFFLE};
    int64_t batches = dl_tiles(c->X.rows, c->options.batch);
    return dl_random_place(order, (uint64_t)(number / batches), c->X.rows,
                           number % batches * c->options.batch + i);
}

static void step(dec *c, int64_t number) {
    dl_trainer *t = &c->trainer;
    dl_centers centers = {c->centers, c->clusters, c->d};
    int64_t N = c->X.rows, last = t->network->count, size = c->clusters * c->d;
    t->rows = dl_min(t->room, N - number % dl_tiles(N, t->room) * t->room);
    for (int64_t i = 0; i < t->rows; i++)
        dl_network_input(t->network, c->X, sample_of(c, number, i), t->Y[0] + i * c->X.cols);
    dl_trainer_forward(t);
    memset(c->slope, 0, (size_t)size * sizeof *c->slope);
    for (int64_t i = 0; i < t->rows; i++)
        dl_dec_gradient(centers, t->Y[last] + i * c->d, c->P + sample_of(c, number, i) * c->clusters,
                        1 / (double)t->rows, c->q, c->u, t->D[last] + i * c->d, c->slope);
    dl_trainer_backward(t, false);
    dl_trainer_update(t, c->options.rate);
    for (int64_t i = 0; i < size; i++)
        c->slope32[i] = (float)c->slope[i];
    dl_step update = {t->steps, c->options.rate, c->options.momentum, 0};
    t->optimiser->update(&update, size, c->centers, c->slope32, c->moments);
}

static dltf_status run(dec *c, dl_meter *meter, dl_dec_result *result) {
    const dl_dec_options *o = &c->options;
    for (result->steps = 0; result->steps < o->steps; result->steps++) {
        if (result->steps % o->interval == 0) {
            dltf_status status = update_targets(c, result);
            if (status != DLTF_OK)
                return status;
            result->converged = result->steps > 0 && result->changed < o->tolerance;
            if (result->converged)
                return DLTF_OK;
        }
        step(c, result->steps);
        if (!dl_meter_add(meter, 1))
            return dl_fail(DLTF_CANCELLED, "clustering was cancelled");
    }
    return DLTF_OK;
}

dltf_status dl_dec_train(dl_network *encoder, dltf_matrix X, float *centers, int64_t clusters,
                         const dl_dec_options *options, dltf_progress_fn progress, void *context,
                         dl_dec_result *result) {
    DL_REQUIRE(encoder, centers);
    dl_dec_options defaults = dl_dec_options_default();
    options = options ? options : &defaults;
    dec c = {.X = X, .options = *options, .centers = centers, .clusters = clusters};
    dl_meter meter = dl_meter_new("clustering", progress, context, options->steps);
    dl_dec_result made = {0};
    dltf_status status = dl_option_check(dl_dec_option_table(), options, NULL);
    if (status == DLTF_OK)
        status = dl_network_check_data(encoder, X);
    if (status == DLTF_OK)
        status = check_centers(encoder, centers, clusters);
    if (status != DLTF_OK)
        return status;
    c.d = dl_network_outputs(encoder);
    status = dec_alloc(&c, encoder);
    if (status == DLTF_OK)
        status = run(&c, &meter, &made);
    dec_free(&c);
    if (result)
        *result = made;
    return status;
}

dltf_status dl_dec_assign(const dl_network *encoder, dltf_matrix X, const float *centers, int64_t clusters,
                          int64_t threads, int32_t *labels) {
    DL_REQUIRE(encoder, centers, labels);
    float *Z = NULL;
    double *q = NULL;
    int64_t d = dl_network_outputs(encoder);
    dltf_status status = check_centers(encoder, centers, clusters);
    if (status != DLTF_OK)
        return status;
    DL_TRY(dl_network_check_data(encoder, X));
    DL_TRY_NEW(Z, X.rows * d);
    DL_TRY_NEW(q, clusters);
    DL_TRY(dl_network_apply(encoder, X, threads, Z));
    for (int64_t i = 0; i < X.rows; i++)
        labels[i] = (int32_t)dl_dec_assignment((dl_centers){centers, clusters, d}, Z + i * d, q, NULL);
done:
    dl_free(Z);
    dl_free(q);
    return status;
}
