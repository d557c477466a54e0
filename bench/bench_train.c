/* An iteration of the learner against its matrix products alone: both on the same samples, by turns. The
 * products are those of src/learning, called with nothing between them: scores of all samples, G Z of every
 * thresholding step (sparse Z), with the noise term also the dense products with G, the statistics of the
 * W-step, and the dense products of its line search. */
#include "bench.h"

#include "base/parallel.h"
#include "learning/pass.h"
#include "linalg/blas.h"

#include <math.h>

typedef struct shape {
    int64_t n, m, k, N;
} shape;

/* The paper's synthetic problem, and the size of small images. */
static const shape shapes[] = {{64, 128, 8, 10000}, {784, 400, 30, 10000}};

enum { SHAPES = sizeof shapes / sizeof *shapes, GAPS = 7, NOISE_PRODUCTS = 5, W_STEPS = 10 };

static int stop(void *context, const dltf_progress *progress) {
    (void)context;
    (void)progress;
    return 1;
}

/* ---- The products of an iteration ---- */

static void product_tile(void *context, int64_t tile, int worker) {
    const dl_pass *pass = context;
    dltf_learner *l = pass->l;
    int64_t first = tile * DL_TILE, left = pass->rows - first, rows = left < DL_TILE ? left : DL_TILE;
    dl_z_space *space = &l->z_spaces[worker];
    dl_score_tile(&pass->problem.W, l->block + first * l->n, l->n, rows, space->B);
    dl_slots Z = dl_slots_from(&l->Z, pass->first + first, rows);
    for (int i = 0; i < GAPS; i++)
        dl_z_gap(&pass->problem, space->B, Z, rows, space->P);
    for (int i = 0; pass->problem.beta > 0 && i < NOISE_PRODUCTS; i++)
        dl_product_symmetric(space->P, l->G32, rows, l->m, space->R);
}

/* One evaluation of the W-step's objective and of its gradient. */
static void w_products(dltf_learner *l, bool noise) {
    dl_w_space *s = &l->w_space;
    int64_t m = l->m, n = l->n;
    int threads = l->threads;
    dl_gemm(threads, DL_PLAIN, DL_TRANSPOSED, m, m, n, 1, l->W, l->W, 0, s->G);
    dl_gemm(threads, DL_PLAIN, DL_PLAIN, m, n, m, 1, s->G, l->W, 0, s->gradient);
    if (!noise)
        return;
    dl_gemm(threads, DL_PLAIN, DL_PLAIN, m, n, n, 1, l->W, l->A, 0, s->WA);
    dl_gemm(threads, DL_PLAIN, DL_PLAIN, m, m, m, 1, s->G, l->statistics.D, 0, s->GD);
    dl_gemm(threads, DL_PLAIN, DL_TRANSPOSED, m, m, n, 1, l->W, l->statistics.C, 0, s->K);
    dl_gemm(threads, DL_PLAIN, DL_PLAIN, m, n, m, 1, s->G, l->statistics.C, 0, s->gradient);
}

/* Seconds of an iteration's products. Samples and codes of its last block are still there and stand for
 * all. */
static double time_products(dltf_learner *l, bool noise) {
    const dltf_train_options *o = &l->options;
    int64_t block = dl_pass_block(l->N), rows = (l->N - 1) % block + 1;
    dl_pass pass = dl_pass_make(l, o->theta, noise ? o->beta : 0);
    pass.first = noise ? l->N - rows : 0;
    pass.rows = rows;
    double start = dltf_seconds();
    dl_parallel(l->threads, dl_tiles(rows, DL_TILE), product_tile, &pass);
    dl_statistics_add(&l->statistics, l->block, dl_slots_from(&l->Z, pass.first, rows), noise ? l->M : NULL);
    double samples = dltf_seconds() - start;
    start = dltf_seconds();
    for (int step = 0; step <= W_STEPS; step++)
        w_products(l, noise);
    return samples * (double)l->N / (double)rows + dltf_seconds() - start;
}

/* ---- Measuring ---- */

typedef struct result {
    double iteration, products; /* best seconds */
} result;

/* Iterations of one stage, each followed by its products. */
static dltf_status measure(dltf_learner *l, bool noise, result *r) {
    dltf_outcome outcome;
    *r = (result){INFINITY, INFINITY};
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        double start = dltf_seconds();
        dltf_status status = dltf_learner_run(l, stop, NULL, &outcome);
        if (status != DLTF_OK)
            return status;
        if (round > 0) /* the first makes the start of the stage, too */
            r->iteration = fmin(r->iteration, dltf_seconds() - start);
        dl_blas_enter();
        r->products = fmin(r->products, time_products(l, noise));
        dl_blas_leave();
    }
    return DLTF_OK;
}

static dltf_status report(json_t *rows, shape s, const char *stage, int threads, const result *r) {
    double rate = (double)s.N / r->iteration;
    json_t *row =
        json_pack("{s:s, s:I, s:I, s:I, s:I, s:i, s:f, s:f, s:f, s:f}", "stage", stage, "n", (json_int_t)s.n,
                  "m", (json_int_t)s.m, "k", (json_int_t)s.k, "samples", (json_int_t)s.N, "threads", threads,
                  "iteration_ms", 1e3 * r->iteration, "products_ms", 1e3 * r->products, "ratio_to_products",
                  r->iteration / r->products, "samples_per_second", rate);
    return bench_append(rows, row);
}

static dltf_status bench_stages(json_t *rows, shape s, dltf_matrix X, int threads) {
    dltf_train_options options = dltf_train_options_default();
    options.m = s.m;
    options.k = s.k;
    options.encoder = DLTF_ENCODER_TIED;
    options.threads = threads;
    options.tolerance = 0;
    options.steps = 0;
    dltf_status status = DLTF_OK;
    for (int noise = 0; noise < 2 && status == DLTF_OK; noise++) {
        dltf_learner *l = NULL;
        result r;
        options.iterations = noise ? 0 : BENCH_ROUNDS;
        options.admm = noise ? BENCH_ROUNDS : 0;
        status = dltf_learner_new(X, &options, NULL, &l);
        if (status == DLTF_OK)
            status = measure(l, noise, &r);
        if (status == DLTF_OK)
            status = report(rows, s, noise ? "admm" : "model", threads, &r);
        dltf_learner_free(l);
    }
    return status;
}

static dltf_status run(json_t *rows) {
    dltf_status status = DLTF_OK;
    int most = dl_thread_count(0) < 2 ? 1 : 2;
    for (int i = 0; status == DLTF_OK && i < SHAPES; i++) {
        shape s = shapes[i];
        dltf_synthetic *problem = NULL;
        dltf_synthetic_spec kind = {.n = s.n, .m = s.m, .k = s.k, .samples = s.N, .noise = 0.1, .seed = 1};
        status = dltf_synthetic_new(&kind, &problem);
        for (int threads = 1; status == DLTF_OK && threads <= most; threads++)
            status = bench_stages(rows, s, dltf_synthetic_samples(problem, false), threads);
        dltf_synthetic_free(problem);
    }
    return status;
}

const benchmark benchmark_train = {
    .name = "train",
    .summary = "iterations of the learner against their matrix products, 1 and 2 threads",
    .caption = "Wall milliseconds of one iteration over all samples, and of its matrix products alone.",
    .rounds = BENCH_ROUNDS,
    .run = run,
};
