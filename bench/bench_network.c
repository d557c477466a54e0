/* An epoch of training against its bare matrix products, alternately: for every layer outputs, gradients of
 * weights and of inputs as single calls of sgemm with the same number of threads. The epoch includes copying
 * samples in random order, dropout and the steps of the optimiser. */
#include "bench.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "network/networks.h"
#include "program/program.h"

#include <cblas.h>
#include <math.h>

enum { MOST_SIZES = 9, BATCHES = 20, CLASSES = 10 };

typedef struct shape {
    const char *name;
    int layers;
    int64_t sizes[MOST_SIZES];
    int64_t batch;
    dl_loss_kind loss;
    dl_optimiser_kind optimiser;
    double dropout;
    bool dec; /* trained by dl_dec_train, with new targets for each epoch, which take another forward pass */
} shape;

/* A classifier with dropout, the autoencoder of DEC, and DEC itself. */
static const shape shapes[] = {
    {.name = "classifier",
     .layers = 2,
     .sizes = {784, 1000, 10},
     .batch = 128,
     .loss = DL_LOSS_SOFTMAX,
     .optimiser = DL_OPTIMISER_NESTEROV,
     .dropout = 0.5},
    {.name = "autoencoder",
     .layers = 8,
     .sizes = {784, 500, 500, 2000, 10, 2000, 500, 500, 784},
     .batch = 256,
     .loss = DL_LOSS_SQUARE,
     .optimiser = DL_OPTIMISER_ADAM},
    {.name = "dec",
     .layers = 4,
     .sizes = {784, 500, 500, 2000, CLASSES},
     .batch = 256,
     .optimiser = DL_OPTIMISER_SGD,
     .dec = true},
};

enum { SHAPES = sizeof shapes / sizeof *shapes };

typedef struct problem {
    dl_network *network;
    float *X;        /* BATCHES x batch samples */
    int32_t *labels; /* of them */
    float *products; /* work space: activations, gradients */
} problem;

static dltf_status make(const shape *s, problem *p) {
    dl_layer_view layers[MOST_SIZES];
    dltf_status status = DLTF_OK;
    int64_t N = BATCHES * s->batch, n = s->sizes[0];
    for (int l = 0; l < s->layers; l++)
        layers[l] =
            (dl_layer_view){.inputs = s->sizes[l],
                            .outputs = s->sizes[l + 1],
                            .activation = l + 1 < s->layers ? DL_ACTIVATION_RELU : DL_ACTIVATION_LINEAR};
    DL_TRY(dl_network_new(layers, s->layers, 1, &p->network));
    DL_TRY_NEW(p->X, N * n);
    DL_TRY_NEW(p->labels, N);
    DL_TRY_NEW(p->products, 4000 * 1000);
    for (int64_t i = 0; i < N * n; i++)
        p->X[i] = (float)dl_random_uniform((dl_random){1, 1}, (uint64_t)i);
    for (int64_t i = 0; i < N; i++)
        p->labels[i] = (int32_t)dl_random_below((dl_random){1, 2}, (uint64_t)i, CLASSES);
done:
    return status;
}

static void free_problem(problem *p) {
    dl_network_free(p->network);
    dl_free(p->X);
    dl_free(p->labels);
    dl_free(p->products);
}

static dltf_status train_dec(const shape *s, problem *p, dltf_matrix X, int threads) {
    dl_dec_options o = dl_dec_options_default();
    float centers[CLASSES * CLASSES];
    for (int i = 0; i < CLASSES * CLASSES; i++)
        centers[i] = (float)dl_random_normal((dl_random){1, 3}, (uint64_t)i);
    o.optimiser = s->optimiser;
    o.rate = 1e-4;
    o.batch = s->batch;
    o.steps = o.interval = BATCHES;
    o.threads = threads;
    return dl_dec_train(p->network, X, centers, CLASSES, &o, NULL, NULL, NULL);
}

/* Seconds of an epoch. */
static dltf_status time_epoch(const shape *s, problem *p, int threads, double *seconds) {
    dl_network_options o = dl_network_options_default();
    dltf_matrix X = dltf_matrix_f32(p->X, BATCHES * s->batch, s->sizes[0]);
    o.loss = s->loss;
    o.optimiser = s->optimiser;
    o.dropout = s->dropout;
    o.batch = s->batch;
    o.rate = 1e-4;
    o.epochs = 1;
    o.threads = threads;
    double start = dl_seconds();
    dl_targets targets = {p->labels, X};
    dltf_status status =
        s->dec ? train_dec(s, p, X, threads) : dl_network_train(p->network, X, targets, &o, NULL, NULL, NULL);
    *seconds = dl_seconds() - start;
    return status;
}

/* Seconds of the products of an epoch. */
static double time_products(const shape *s, problem *p, int threads) {
    int before = openblas_get_num_threads(), B = (int)s->batch;
    openblas_set_num_threads(threads);
    double start = dl_seconds();
    for (int batch = 0; batch < BATCHES; batch++)
        for (int l = 0; l < s->layers; l++) {
            int n = (int)s->sizes[l], m = (int)s->sizes[l + 1];
            const float *V = dl_network_layer(p->network, l).weights, *X = p->X;
            float *Y = p->products, *DX = Y + 1000000, *DV = DX + 1000000;
            for (int pass = 0; pass < (s->dec ? 2 : 1); pass++)
                cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, B, m, n, 1, X, n, V, n, 0, Y, m);
            cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, m, n, B, 1, Y, m, X, n, 0, DV, n);
            if (l > 0)
                cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, B, n, m, 1, Y, m, V, n, 0, DX, n);
        }
    double seconds = dl_seconds() - start;
    openblas_set_num_threads(before);
    return seconds;
}

static dltf_status measure(json_t *rows, const shape *s, problem *p, int threads) {
    double epoch = INFINITY, products = INFINITY;
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        double seconds;
        dltf_status status = time_epoch(s, p, threads, &seconds);
        if (status != DLTF_OK)
            return status;
        epoch = fmin(epoch, seconds);
        products = fmin(products, time_products(s, p, threads));
    }
    double per_batch = 1e3 / BATCHES;
    return bench_append(rows,
                        json_pack("{s:s, s:I, s:i, s:f, s:f, s:f, s:f}", "network", s->name, "batch",
                                  (json_int_t)s->batch, "threads", threads, "batch_ms", epoch * per_batch,
                                  "products_ms", products * per_batch, "ratio_to_products", epoch / products,
                                  "samples_per_second", BATCHES * (double)s->batch / epoch));
}

static dltf_status run(json_t *rows) {
    dltf_status status = DLTF_OK;
    int most = dl_thread_count(0) < 2 ? 1 : 2;
    for (int i = 0; status == DLTF_OK && i < SHAPES; i++) {
        problem p = {0};
        status = make(&shapes[i], &p);
        for (int threads = 1; status == DLTF_OK && threads <= most; threads++)
            status = measure(rows, &shapes[i], &p, threads);
        free_problem(&p);
    }
    return status;
}

const benchmark benchmark_network = {
    .name = "network",
    .summary = "a training epoch of networks against its matrix products, 1 and 2 threads",
    .caption = "Wall milliseconds of training on one batch, and of its bare matrix products. classifier: "
               "784-1000-10, dropout, Nesterov; autoencoder: 784-500-500-2000-10 and back, Adam; dec: the "
               "encoder of it, "
               "with new targets for each epoch.",
    .rounds = BENCH_ROUNDS,
    .run = run,
};
