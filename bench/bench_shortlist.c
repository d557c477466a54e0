/* Coders side by side: the feature, the shortlist coder with one and two lists, omp and htp against the
 * matrix product alone, one thread, all taking turns on the same samples. */
#include "bench.h"

#include "base/memory.h"
#include "base/random.h"

#include <cblas.h>
#include <math.h>

typedef struct shape {
    int64_t n, m, k, N;
    bool pursuits; /* omp and htp, too: they take minutes on the largest shape */
} shape;

static const shape shapes[] = {
    {64, 128, 8, 9600, true}, {784, 400, 30, 4000, true}, {768, 16384, 32, 480, false}};

static const struct method {
    const char *name;
    dltf_coder coder;
    int64_t lists;
    bool pursuit;
} methods[] = {
    {"threshold", DLTF_CODER_THRESHOLD, 0, false},
    {"shortlist", DLTF_CODER_SHORTLIST, 1, false},
    {"shortlist-2", DLTF_CODER_SHORTLIST, 2, false},
    {"omp", DLTF_CODER_OMP, 0, true},
    {"htp", DLTF_CODER_HTP, 0, true},
};

enum { SHAPES = sizeof shapes / sizeof *shapes, METHODS = sizeof methods / sizeof *methods };

typedef struct workload {
    float *X, *W, *S;
    dltf_model *model;
    int32_t *count, *index;
    float *value;
    dltf_encoder *encoders[METHODS]; /* NULL: not measured */
} workload;

static void fill_normal(float *x, int64_t count, uint32_t stream) {
    dl_random random = {.seed = 1, .stream = stream};
    for (int64_t i = 0; i < count; i++)
        x[i] = (float)dl_random_normal(random, (uint64_t)i);
}

/* Sums of k atoms with signs, and noise: samples that pursuits take as long for as usual. */
static void add_atoms(shape s, workload *w) {
    const float *W = dltf_model_get(w->model).dictionary;
    dl_random random = {.seed = 1, .stream = DL_STREAM_BASELINE};
    for (int64_t i = 0; i < s.N; i++)
        for (int64_t e = 0; e < s.k; e++) {
            uint64_t at = (uint64_t)(2 * (i * s.k + e));
            const float *atom = W + dl_random_below(random, at, s.m) * s.n;
            float z = dl_random_below(random, at + 1, 2) ? 1.f : -1.f;
            for (int64_t d = 0; d < s.n; d++)
                w->X[i * s.n + d] += z * atom[d];
        }
}

static dltf_status make_workload(shape s, workload *w) {
    dltf_status status = DLTF_OK;
    *w = (workload){0};
    DL_TRY_NEW(w->X, s.N * s.n);
    DL_TRY_NEW(w->W, s.m * s.n);
    DL_TRY_NEW(w->S, s.N * s.m);
    DL_TRY_NEW(w->count, s.N);
    DL_TRY_NEW(w->index, s.N * s.k);
    DL_TRY_NEW(w->value, s.N * s.k);
    fill_normal(w->X, s.N * s.n, DL_STREAM_BASELINE);
    for (int64_t i = 0; i < s.N * s.n; i++)
        w->X[i] *= 0.1f;
    fill_normal(w->W, s.m * s.n, DL_STREAM_DICTIONARY);
    dltf_model_view parts = {.m = s.m, .n = s.n, .k = s.k, .dictionary = w->W};
    DL_TRY(dltf_model_new(&parts, &w->model));
    add_atoms(s, w);
    for (int i = 0; i < METHODS; i++) {
        dltf_encode_options encoding = dltf_encode_options_default();
        encoding.coder = methods[i].coder;
        encoding.lists = methods[i].lists;
        encoding.threads = 1;
        if (s.pursuits || !methods[i].pursuit)
            DL_TRY(dltf_encoder_new(w->model, &encoding, &w->encoders[i]));
    }
done:
    return status;
}

static void free_workload(workload *w) {
    for (int i = 0; i < METHODS; i++)
        dltf_encoder_free(w->encoders[i]);
    dltf_model_free(w->model);
    dl_free(w->X);
    dl_free(w->W);
    dl_free(w->S);
    dl_free(w->count);
    dl_free(w->index);
    dl_free(w->value);
}

static dltf_status measure(shape s, workload *w, double *product, double best[METHODS]) {
    openblas_set_num_threads(1);
    *product = INFINITY;
    for (int i = 0; i < METHODS; i++)
        best[i] = INFINITY;
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        double start = bench_cpu_seconds();
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)s.N, (int)s.m, (int)s.n, 1, w->X, (int)s.n,
                    w->W, (int)s.n, 0, w->S, (int)s.m);
        *product = fmin(*product, bench_cpu_seconds() - start);
        for (int i = 0; i < METHODS; i++) {
            if (!w->encoders[i])
                continue;
            start = bench_cpu_seconds();
            dltf_status status = dltf_encoder_run(w->encoders[i], dltf_matrix_f32(w->X, s.N, s.n), w->count,
                                                  w->index, w->value);
            if (status != DLTF_OK)
                return status;
            best[i] = fmin(best[i], bench_cpu_seconds() - start);
        }
    }
    return DLTF_OK;
}

static dltf_status bench_shape(json_t *rows, shape s) {
    workload w;
    double product = 0, best[METHODS];
    dltf_status status = make_workload(s, &w);
    if (status == DLTF_OK)
        status = measure(s, &w, &product, best);
    for (int i = 0; status == DLTF_OK && i < METHODS; i++)
        if (w.encoders[i])
            status = bench_append(
                rows, json_pack("{s:s, s:I, s:I, s:I, s:I, s:f, s:f, s:f}", "coder", methods[i].name, "n",
                                (json_int_t)s.n, "m", (json_int_t)s.m, "k", (json_int_t)s.k, "samples",
                                (json_int_t)s.N, "ratio_to_sgemm", best[i] / product, "sgemm_us",
                                1e6 * product / (double)s.N, "encode_us", 1e6 * best[i] / (double)s.N));
    free_workload(&w);
    return status;
}

static dltf_status run_shortlist(json_t *rows) {
    for (int i = 0; i < SHAPES; i++) {
        dltf_status status = bench_shape(rows, shapes[i]);
        if (status != DLTF_OK)
            return status;
    }
    return DLTF_OK;
}

const benchmark benchmark_shortlist = {
    .name = "shortlist",
    .summary = "the coders threshold, shortlist, omp and htp against a bare sgemm, one thread",
    .caption = "CPU microseconds per sample: a bare sgemm, the coder with k entries, and their ratio.",
    .rounds = BENCH_ROUNDS,
    .run = run_shortlist,
};
