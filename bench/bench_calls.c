/* The cost of the interface around coding: dltf_encode of a single sample against dltf_encoder_run, which has
 * prepared everything; the first call for a model; the memory of eight encoders of a model against one; the
 * time of a stream that also measures the error against one that does not. */
#include "bench.h"

#include "base/memory.h"
#include "base/random.h"
#include "coding/encoder.h"

#include <malloc.h>
#include <math.h>

enum { CALLS = 50, ENCODERS = 8, N = 960 };

typedef struct subject {
    dltf_coder coder;
    const char *name;
    int64_t n, m, k;
} subject;

static const subject subjects[] = {
    {DLTF_CODER_THRESHOLD, "threshold", 64, 256, 4},
    {DLTF_CODER_THRESHOLD, "threshold", 784, 1000, 100},
    {DLTF_CODER_THRESHOLD, "threshold", 768, 16384, 32},
    {DLTF_CODER_SHORTLIST, "shortlist", 784, 1000, 30},
    {DLTF_CODER_OMP, "omp", 784, 1000, 30},
    {DLTF_CODER_HTP, "htp", 784, 1000, 30},
};

enum { SUBJECTS = sizeof subjects / sizeof *subjects };

typedef struct workload {
    subject s;
    float *X, *W;
    dltf_model *model;
    dltf_encoder *encoder;
    dltf_encode_options encoding;
    dl_slots codes;
} workload;

typedef struct figures {
    double first, call, run; /* seconds: dltf_encode of a sample, first and later; dltf_encoder_run */
    double one, all;         /* bytes of a model with one encoder, and with several */
    double measured, only;   /* seconds: codes with and without their error */
} figures;

static double bytes_in_use(void) {
    struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
}

static void fill_normal(float *x, int64_t count, uint32_t stream) {
    dl_random random = {.seed = 1, .stream = stream};
    for (int64_t i = 0; i < count; i++)
        x[i] = (float)dl_random_normal(random, (uint64_t)i);
}

static dltf_status call_once(const workload *w, int64_t row, double *seconds) {
    dltf_codes *codes = NULL;
    double start = bench_cpu_seconds();
    dltf_status status = dltf_encode(w->model, dltf_matrix_f32(w->X + row * w->s.n, 1, w->s.n), &w->encoding,
                                     NULL, NULL, &codes);
    *seconds = bench_cpu_seconds() - start;
    dltf_codes_free(codes);
    return status;
}

static dltf_status run_once(const workload *w, int64_t row, double *seconds) {
    double start = bench_cpu_seconds();
    dltf_status status = dltf_encoder_run(w->encoder, dltf_matrix_f32(w->X + row * w->s.n, 1, w->s.n),
                                          w->codes.count, w->codes.index, w->codes.value);
    *seconds = bench_cpu_seconds() - start;
    return status;
}

/* Calls alternate, so that both find the caches in the same state. */
static dltf_status measure_calls(const workload *w, figures *f) {
    f->call = f->run = INFINITY;
    for (int round = 0; round < BENCH_ROUNDS; round++)
        for (int64_t row = 0; row < CALLS; row++) {
            double call = 0, run = 0;
            dltf_status status = run_once(w, row, &run);
            if (status == DLTF_OK)
                status = call_once(w, row, &call);
            if (status != DLTF_OK)
                return status;
            f->call = fmin(f->call, call);
            f->run = fmin(f->run, run);
        }
    return DLTF_OK;
}

static dltf_status measure_error(const workload *w, figures *f) {
    dltf_status status = DLTF_OK;
    dl_residual residual = {0};
    DL_TRY(dl_residual_open(&residual, w->model, 1, N));
    f->measured = f->only = INFINITY;
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        double start = bench_cpu_seconds();
        DL_TRY(dl_encoder_piece(w->encoder, dltf_matrix_f32(w->X, N, w->s.n), 0, w->codes, NULL));
        double middle = bench_cpu_seconds();
        DL_TRY(dl_encoder_piece(w->encoder, dltf_matrix_f32(w->X, N, w->s.n), 0, w->codes, &residual));
        f->only = fmin(f->only, middle - start);
        f->measured = fmin(f->measured, bench_cpu_seconds() - middle);
    }
done:
    dl_residual_close(&residual);
    return status;
}

static dltf_status measure_memory(workload *w, double before, figures *f) {
    dltf_status status = DLTF_OK;
    dltf_encoder *more[ENCODERS - 1] = {0};
    DL_TRY(dltf_encoder_new(w->model, &w->encoding, &w->encoder));
    f->one = bytes_in_use() - before;
    for (int i = 0; i < ENCODERS - 1; i++)
        DL_TRY(dltf_encoder_new(w->model, &w->encoding, &more[i]));
    f->all = bytes_in_use() - before;
done:
    for (int i = 0; i < ENCODERS - 1; i++)
        dltf_encoder_free(more[i]);
    return status;
}

static dltf_status measure(workload *w, figures *f) {
    dltf_status status = DLTF_OK;
    subject s = w->s;
    DL_TRY_NEW(w->X, N * s.n);
    DL_TRY_NEW(w->W, s.m * s.n);
    DL_TRY(dl_slots_alloc(&w->codes, N, s.k));
    fill_normal(w->X, N * s.n, DL_STREAM_BASELINE);
    fill_normal(w->W, s.m * s.n, DL_STREAM_DICTIONARY);
    double before = bytes_in_use();
    dltf_model_view parts = {.m = s.m, .n = s.n, .k = s.k, .dictionary = w->W};
    DL_TRY(dltf_model_new(&parts, &w->model));
    DL_TRY(call_once(w, 0, &f->first));
    DL_TRY(measure_memory(w, before, f));
    DL_TRY(measure_calls(w, f));
    status = measure_error(w, f);
done:
    return status;
}

static dltf_status bench_subject(json_t *rows, subject s) {
    workload w = {.s = s, .encoding = dltf_encode_options_default()};
    figures f = {0};
    w.encoding.coder = s.coder;
    w.encoding.threads = 1;
    dltf_status status = measure(&w, &f);
    dltf_encoder_free(w.encoder);
    dltf_model_free(w.model);
    dl_slots_free(&w.codes);
    dl_free(w.X);
    dl_free(w.W);
    if (status != DLTF_OK)
        return status;
    return bench_append(rows, json_pack("{s:s, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f}", "coder", s.name,
                                        "n", (json_int_t)s.n, "m", (json_int_t)s.m, "k", (json_int_t)s.k,
                                        "first_us", 1e6 * f.first, "run_us", 1e6 * f.run, "encode_us",
                                        1e6 * f.call, "ratio_to_run", f.call / f.run, "memory_ratio",
                                        f.all / f.one, "error_ratio", f.measured / f.only));
}

static dltf_status run_calls(json_t *rows) {
    for (int i = 0; i < SUBJECTS; i++) {
        dltf_status status = bench_subject(rows, subjects[i]);
        if (status != DLTF_OK)
            return status;
    }
    return DLTF_OK;
}

const benchmark benchmark_calls = {
    .name = "calls",
    .summary = "one sample by dltf_encode against dltf_encoder_run, memory of eight encoders, the error",
    .caption =
        "CPU microseconds on one thread for one sample: the first dltf_encode of a model, "
        "dltf_encoder_run, dltf_encode, and their ratio. Then the memory of a model with eight encoders "
        "against one, and the time of codes with their error against codes alone.",
    .rounds = BENCH_ROUNDS,
    .run = run_calls,
};
