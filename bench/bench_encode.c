/* Thresholded features against the bare matrix product: dltf_encode and cblas_sgemm alternate on the same
 * samples. With two threads the product uses OpenBLAS's own threading. Also measures the latency of one
 * sample. */
#include "bench.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"

#include <cblas.h>
#include <math.h>

enum { LATENCY_CALLS = 200 };

typedef struct shape {
    const char *name;
    int64_t n, m, k, N;
} shape;

/* Synthetic, denoising, clustering, hashing, pre-training, and the size of a top-k autoencoder. */
static const shape shapes[] = {
    {"A", 64, 128, 8, 9600},     {"B", 64, 256, 4, 62001},    {"C", 784, 400, 30, 10000},
    {"D", 512, 256, 128, 15000}, {"E", 784, 1000, 100, 6000}, {"F", 768, 16384, 32, 1024},
};

enum { SHAPES = sizeof shapes / sizeof *shapes };

typedef struct workload {
    float *X, *W, *S;
    dltf_model *model;
    int32_t *count, *index; /* codes */
    float *value;
} workload;

static void fill_normal(float *x, int64_t count, uint32_t stream) {
    dl_random random = {.seed = 1, .stream = stream};
    for (int64_t i = 0; i < count; i++)
        x[i] = (float)dl_random_normal(random, (uint64_t)i);
}

static dltf_status make_workload(shape s, workload *w) {
    dltf_status status = DLTF_OK;
    *w = (workload){0};
    DL_TRY_NEW(w->X, s.N * s.n);
    DL_TRY_NEW(w->W, s.m * s.n);
    DL_TRY_NEW(w->S, s.N * s.m);
    fill_normal(w->X, s.N * s.n, DL_STREAM_BASELINE);
    fill_normal(w->W, s.m * s.n, DL_STREAM_DICTIONARY);
    DL_TRY_NEW(w->count, s.N);
    DL_TRY_NEW(w->index, s.N * s.k);
    DL_TRY_NEW(w->value, s.N * s.k);
    dltf_model_view parts = {.m = s.m, .n = s.n, .k = s.k, .dictionary = w->W};
    DL_TRY(dltf_model_new(&parts, &w->model));
done:
    return status;
}

static void free_workload(workload *w) {
    dl_free(w->X);
    dl_free(w->W);
    dl_free(w->S);
    dl_free(w->count);
    dl_free(w->index);
    dl_free(w->value);
    dltf_model_free(w->model);
}

static double time_product(shape s, const workload *w, int64_t N) {
    double start = dl_seconds();
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)N, (int)s.m, (int)s.n, 1, w->X, (int)s.n, w->W,
                (int)s.n, 0, w->S, (int)s.m);
    return dl_seconds() - start;
}

static dltf_status time_encode(const workload *w, shape s, int64_t N, dltf_encoder *encoder,
                               double *seconds) {
    double start = dl_seconds();
    dltf_status status =
        dltf_encoder_run(encoder, dltf_matrix_f32(w->X, N, s.n), w->count, w->index, w->value);
    *seconds = dl_seconds() - start;
    return status;
}

/* Minimum measuring time: with rounds of two milliseconds, the best of seven is too noisy. */
static const double MIN_SECONDS = 0.5;

/* After a product on several threads, those of OpenBLAS look for work for some 25 ms. They would take cores
 * from the encoder. */
static void wait_for_idle_threads(void) {
    const struct timespec pause = {.tv_nsec = 50000000};
    nanosleep(&pause, NULL);
}

/* Best times for N samples; a single sample is timed over many calls. */
static dltf_status measure(const workload *w, shape s, dltf_coder coder, int64_t N, int threads,
                           double *product, double *encode) {
    int calls = N == 1 ? LATENCY_CALLS : 1;
    dltf_status status = DLTF_OK;
    dltf_encode_options encoding = dltf_encode_options_default();
    dltf_encoder *encoder = NULL;
    encoding.threads = threads;
    encoding.coder = coder;
    *product = *encode = INFINITY;
    DL_TRY(dltf_encoder_new(w->model, &encoding, &encoder));
    openblas_set_num_threads(threads);
    double measured = 0; /* without pauses */
    for (int round = 0; round < BENCH_ROUNDS || measured < MIN_SECONDS; round++) {
        double products = 0, encodes = 0, seconds = 0;
        if (threads > 1) /* wakes the threads of OpenBLAS, which may take milliseconds after a pause */
            time_product(s, w, N);
        for (int call = 0; call < calls; call++)
            products += time_product(s, w, N);
        if (threads > 1) {
            wait_for_idle_threads();
            DL_TRY(time_encode(w, s, N, encoder, &seconds));
        }
        for (int call = 0; call < calls; call++, encodes += seconds)
            DL_TRY(time_encode(w, s, N, encoder, &seconds));
        measured += products + encodes;
        *product = fmin(*product, products / calls);
        *encode = fmin(*encode, encodes / calls);
    }
done:
    dltf_encoder_free(encoder);
    return status;
}

static dltf_status report(json_t *rows, shape s, int64_t N, int threads, double product, double encode) {
    double gflops = 2e-9 * (double)s.n * (double)s.m * (double)N / encode;
    json_t *row =
        json_pack("{s:s, s:I, s:I, s:I, s:I, s:i, s:f, s:f, s:f, s:f}", "shape", s.name, "n", (json_int_t)s.n,
                  "m", (json_int_t)s.m, "k", (json_int_t)s.k, "samples", (json_int_t)N, "threads", threads,
                  "ratio_to_sgemm", encode / product, "gflops", gflops, "sgemm_us", 1e6 * product / (double)N,
                  "encode_us", 1e6 * encode / (double)N);
    return bench_append(rows, row);
}

static dltf_status bench_shape(json_t *rows, shape s) {
    workload w;
    double product = 0, encode = 0;
    dltf_status status = make_workload(s, &w);
    int most = dl_thread_count(0) < 2 ? 1 : 2;
    for (int threads = 1; status == DLTF_OK && threads <= most; threads++) {
        DL_TRY(measure(&w, s, DLTF_CODER_THRESHOLD, s.N, threads, &product, &encode));
        DL_TRY(report(rows, s, s.N, threads, product, encode));
    }
    DL_TRY(measure(&w, s, DLTF_CODER_THRESHOLD, 1, 1, &product, &encode));
    DL_TRY(report(rows, s, 1, 1, product, encode));
done:
    free_workload(&w);
    return status;
}

static dltf_status run_encode(json_t *rows) {
    for (int i = 0; i < SHAPES; i++) {
        dltf_status status = bench_shape(rows, shapes[i]);
        if (status != DLTF_OK)
            return status;
    }
    return DLTF_OK;
}

static dltf_status save(const char *directory, const char *shape, char letter, const float *data,
                        int64_t rows, int64_t cols) {
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s.%c.npy", directory, shape, letter) >= (int)sizeof path)
        return dl_fail(DLTF_ARGUMENT, "%.60s...: path is too long", directory);
    return dltf_matrix_save(dltf_matrix_f32(data, rows, cols), path);
}

/* Saves the model's unit-norm dictionary, so that other programs find the same codes. */
static dltf_status save_shape(const char *directory, json_t *rows, shape s) {
    workload w;
    dltf_status status = DLTF_OK;
    DL_TRY(make_workload(s, &w));
    DL_TRY(save(directory, s.name, 'X', w.X, s.N, s.n));
    DL_TRY(save(directory, s.name, 'W', dltf_model_get(w.model).dictionary, s.m, s.n));
    json_t *row = json_pack("{s:s, s:I, s:I, s:I, s:I}", "shape", s.name, "n", (json_int_t)s.n, "m",
                            (json_int_t)s.m, "k", (json_int_t)s.k, "samples", (json_int_t)s.N);
    status = bench_append(rows, row);
done:
    free_workload(&w);
    return status;
}

static dltf_status save_arrays(const char *directory, json_t *rows) {
    for (int i = 0; i < SHAPES; i++) {
        dltf_status status = save_shape(directory, rows, shapes[i]);
        if (status != DLTF_OK)
            return status;
    }
    return DLTF_OK;
}

/* Orthogonal matching pursuit on one thread; not on the largest shape, whose Gram matrix takes a gigabyte. */
static dltf_status run_omp(json_t *rows) {
    for (int i = 0; i < SHAPES - 1; i++) {
        shape s = shapes[i];
        workload w;
        double product = 0, encode = 0;
        dltf_status status = make_workload(s, &w);
        s.N = s.N < 6000 ? s.N : 6000;
        if (status == DLTF_OK)
            status = measure(&w, s, DLTF_CODER_OMP, s.N, 1, &product, &encode);
        if (status == DLTF_OK)
            status = report(rows, s, s.N, 1, product, encode);
        free_workload(&w);
        if (status != DLTF_OK)
            return status;
    }
    return DLTF_OK;
}

const benchmark benchmark_encode = {
    .name = "encode",
    .summary = "thresholded features against a bare sgemm, 1 and 2 threads, and one sample at a time",
    .caption =
        "Wall microseconds per sample: a bare sgemm, the encoder (product and selection), and their ratio.",
    .rounds = BENCH_ROUNDS,
    .run = run_encode,
    .arrays = save_arrays,
};

const benchmark benchmark_omp = {
    .name = "omp",
    .summary = "orthogonal matching pursuit against a bare sgemm, one thread",
    .caption = "Wall microseconds per sample: a bare sgemm, Batch-OMP with k entries, and their ratio.",
    .rounds = BENCH_ROUNDS,
    .run = run_omp,
};
