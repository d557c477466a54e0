/* An iteration of the learner against its bare matrix products, alternately on the same samples. The products
 * are those of src/learning, with nothing in between: scores of all samples, G Z of every thresholding step
 * (sparse Z), with the noise term also the dense products with G, the statistics of the W-step, and the dense
 * products of its line search. */
#include "bench.h"

#include "base/parallel.h"
#include "learning/paper/model.h"
#include "linalg/blas.h"

#include <math.h>

typedef struct shape {
    int64_t n, m, k, N;
} shape;

/* The paper's synthetic problem, and the size of small images. */
static const shape shapes[] = {{64, 128, 8, 10000}, {784, 400, 30, 10000}};

enum { SHAPES = sizeof shapes / sizeof *shapes, GAPS = 5, NOISE_GAPS = 7, NOISE_PRODUCTS = 5, W_STEPS = 10 };

static int stop(void *context, const dltf_progress *progress) {
    (void)context;
    (void)progress;
    return 1;
}

/* ---- The products of an iteration ---- */

typedef struct products {
    const dltf_learner *l;
    dl_paper_model *p;
    bool noise;
} products;

/* Codes of the last block of the iteration. */
static dl_slots last_codes(const products *c) {
    const dl_paper_model *p = c->p;
    return c->noise ? dl_slots_from(&p->Z, c->l->N - p->block.rows, p->block.rows) : p->block.Z;
}

static void product_tile(void *context, int64_t tile, int worker) {
    const products *c = context;
    dl_paper_model *p = c->p;
    int64_t n = c->l->n, m = c->l->m, first = tile * DL_TILE, left = p->block.rows - first;
    int64_t rows = left < DL_TILE ? left : DL_TILE;
    dl_z_space *space = &p->spaces[worker];
    dl_slots all = last_codes(c), Z = dl_slots_from(&all, first, rows);
    dl_score_tile(p->problem.W, p->block.X + first * n, n, rows, space->B);
    for (int i = 0; i < (c->noise ? NOISE_GAPS : GAPS); i++)
        dl_z_gap(&p->problem, space->B, Z, rows, 1, space->P);
    for (int i = 0; c->noise && i < NOISE_PRODUCTS; i++)
        dl_score_tile(p->problem.G_packed, space->P, m, rows, space->R);
}

/* One evaluation of the W-step's objective and of its gradient. */
static void w_products(const products *c) {
    dl_w_space *s = &c->p->w_space;
    const dl_statistics *sums = &c->p->statistics;
    const double *W = c->l->W;
    int64_t m = c->l->m, n = c->l->n;
    int threads = c->l->threads;
    dl_gemm(threads, DL_PLAIN, DL_TRANSPOSED, m, m, n, 1, W, W, 0, s->G);
    dl_gemm(threads, DL_PLAIN, DL_PLAIN, m, n, m, 1, s->G, W, 0, s->gradient);
    if (!c->noise)
        return;
    dl_gemm(threads, DL_PLAIN, DL_PLAIN, m, n, n, 1, W, c->p->A, 0, s->WA);
    dl_gemm(threads, DL_PLAIN, DL_PLAIN, m, m, m, 1, s->G, sums->D, 0, s->S);
    dl_gemm(threads, DL_PLAIN, DL_TRANSPOSED, m, m, n, 1, W, sums->C, 0, s->S);
    dl_gemm(threads, DL_PLAIN, DL_PLAIN, m, n, m, 1, s->G, sums->C, 0, s->gradient);
}

/* Seconds for the products of an iteration. Uses the samples and codes of its last block in place of all
 * blocks. */
static double time_products(const dltf_learner *l, bool noise) {
    products c = {l, l->state, noise};
    int64_t rows = c.p->block.rows;
    dl_slots codes = last_codes(&c);
    double start = dl_seconds();
    dl_parallel(l->threads, dl_tiles(rows, DL_TILE), product_tile, &c);
    dl_statistics_add(&c.p->statistics, c.p->block.X, dl_slots_from(&codes, 0, rows), noise ? c.p->M : NULL);
    double samples = dl_seconds() - start;
    start = dl_seconds();
    for (int step = 0; step <= W_STEPS; step++)
        w_products(&c);
    return samples * (double)l->N / (double)rows + dl_seconds() - start;
}

/* ---- Measuring ---- */

typedef struct result {
    double iteration, products; /* best seconds */
} result;

/* Times iterations of one stage, each followed by its products. */
static dltf_status measure(dltf_learner *l, bool noise, result *r) {
    dltf_outcome outcome;
    *r = (result){INFINITY, INFINITY};
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        double start = dl_seconds();
        dltf_status status = dltf_learner_run(l, stop, NULL, &outcome);
        if (status != DLTF_OK)
            return status;
        if (round > 0) /* the first includes the set-up of the stage */
            r->iteration = fmin(r->iteration, dl_seconds() - start);
        r->products = fmin(r->products, time_products(l, noise));
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
        status = dltf_learner_new(X, NULL, &options, &l);
        if (status == DLTF_OK) {
            /* A stage measures errors in at most ten of its iterations: one this short, in all of them. */
            l->unmonitored = true;
            status = measure(l, noise, &r);
        }
        if (status == DLTF_OK)
            status = report(rows, s, noise ? "admm" : "tied", threads, &r);
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
        dltf_synthetic_options kind = {.size = sizeof(dltf_synthetic_options),
                                       .n = s.n,
                                       .m = s.m,
                                       .k = s.k,
                                       .samples = s.N,
                                       .noise = 0.1,
                                       .seed = 1};
        status = dltf_synthetic_new(&kind, NULL, NULL, &problem);
        for (int threads = 1; status == DLTF_OK && threads <= most; threads++)
            status = bench_stages(rows, s, dltf_synthetic_samples(problem, false), threads);
        dltf_synthetic_free(problem);
    }
    return status;
}

const benchmark benchmark_train = {
    .name = "train",
    .summary = "iterations of the learner against their matrix products, 1 and 2 threads",
    .caption = "Wall milliseconds of one iteration over all samples, and of its bare matrix products.",
    .rounds = BENCH_ROUNDS,
    .run = run,
};
