/* Creation of an online learner: checks options, refuses what the machine cannot hold, copies the starting
 * model. */
#include "base/integer.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/parallel.h"
#include "base/sized.h"
#include "data/model.h"
#include "learning/online/online.h"
#include "learning/train_options.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

/* Rows of the buffer: enough for the first dictionary, and to separate samples that arrive together; at most
 * 16 MB unless there are many atoms. */
enum { MOST_BATCHES = 43, LEAST_BATCHES = 4, BUFFER_VALUES = 1 << 21 };

/* Share of the stream that is held out by default. */
static const double HELD_OUT = 0.05;
/* Code, libraries and their buffers. */
static const double PROGRAM_BYTES = 48e6;

static int64_t buffer_rows(int64_t m, int64_t n) {
    int64_t batches = dl_max(LEAST_BATCHES, dl_min(MOST_BATCHES, BUFFER_VALUES / n / DL_ONLINE_BATCH));
    return DL_ONLINE_BATCH * dl_max(batches, dl_tiles(m, DL_ONLINE_BATCH));
}

/* ---- Checks ---- */

static dltf_status check_options(const dltf_train_options *options) {
    static const char *const only_files[] = {"epochs", "seconds", "tolerance", "standardise"};
    dl_option_table table = dl_train_option_table();
    if (options->method != DLTF_METHOD_DLTF)
        return dl_fail_option(DLTF_ARGUMENT, "method", "a stream is learned from by method dltf only");
    if (options->encoder != DLTF_ENCODER_LEARNED)
        return dl_fail_option(DLTF_ARGUMENT, "encoder", "a stream is learned from by encoder learned only");
    for (size_t i = 0; i < sizeof only_files / sizeof *only_files; i++)
        if (!dl_option_is_default(dl_option_find(table, only_files[i]), options))
            return dl_fail_option(DLTF_ARGUMENT, only_files[i],
                                  "does not apply to a stream, which is read once and to its end");
    return dl_train_options_check(options);
}

/* The state, and beside it either a copy, for the model of an unfinished buffer, or the learner of the first
 * buffer, which is no larger. */
static dltf_status check_memory(const dltf_train_options *o, int64_t n) {
    double m = (double)o->m, cols = (double)n, machine = dl_memory_of_machine();
    double state = dl_gradient_bytes(dl_thread_count(o->threads), o->m, n, o->k, o->nested, DL_ONLINE_BATCH) +
                   8 * m * cols + 8 * (double)buffer_rows(o->m, n) * cols + 4.0 * DL_ONLINE_HELD * cols;
    double needed = 2 * state + PROGRAM_BYTES, allowed = o->memory > 0 ? (double)o->memory : machine;
    if (needed <= allowed)
        return DLTF_OK;
    return dl_fail_option(DLTF_MEMORY, "memory",
                          "m = %lld atoms of %lld entries need about %.0f MB of memory, but %.0f MB are %s: "
                          "lower m",
                          (long long)o->m, (long long)n, ceil(needed / 1048576), allowed / 1048576,
                          o->memory > 0 ? "allowed" : "there");
}

/* ---- Memory ---- */

dltf_status dl_online_create(const dltf_train_options *options, int64_t n, dltf_online **online) {
    dltf_status status = DLTF_OK;
    dltf_online *s = NULL;
    double share = options->validation > 0 ? options->validation : HELD_OUT;
    const int64_t unlimited = INT64_MAX / 2;
    if (options->nested)
        DL_TRY(dl_nested_admit(options->m, options->k));
    DL_TRY(check_memory(options, n));
    DL_TRY_HANDLE(s, ONLINE);
    s->options = *options;
    s->threads = dl_thread_count(options->threads);
    s->n = n;
    s->m = options->m;
    s->k = options->k;
    s->holdout = dl_holdout_rows(unlimited, share, unlimited, (uint64_t)options->seed);
    s->room = buffer_rows(s->m, n);
    DL_TRY(dl_blas_ready(s->threads));
    DL_TRY_NEW(s->held, DL_ONLINE_HELD * n);
    DL_TRY_NEW(s->rows, s->room * n);
    DL_TRY(dl_gradient_alloc(&s->g, s->threads, s->m, n, s->k, options->select == DLTF_SELECT_POSITIVE,
                             options->nested, DL_ONLINE_BATCH));
    DL_TRY(dl_parameters_alloc(&s->average, s->m, n));
    DL_TRY_NEW(s->row, s->threads * dl_apart(n));
    *online = s;
    s = NULL;
done:
    dltf_online_free(s);
    return status;
}

dltf_status dl_online_make_center(dltf_online *s, bool mean, bool offset) {
    dltf_status status = DLTF_OK;
    if (mean && !s->mean)
        DL_TRY_NEW(s->mean, s->n);
    if (offset && !s->offset)
        DL_TRY_NEW(s->offset, s->n);
done:
    return status;
}

void dltf_online_free(dltf_online *s) {
    if (!s)
        return;
    dl_free(s->held);
    dl_free(s->rows);
    dl_free(s->mean);
    dl_free(s->offset);
    dl_gradient_free(&s->g);
    dl_parameters_free(&s->average);
    dl_free(s->row);
    dl_free(s);
}

/* ---- The start ---- */

/* Takes what the model subtracts from samples into the bias, so that only the bias need be kept until the
 * first buffer decides what this learner subtracts (start.c). */
static dltf_status shift_bias(dltf_online *s, const dltf_model *start) {
    dl_samples samples = dl_model_samples(start, (dltf_matrix){.cols = s->n});
    if (samples.remove_mean != s->options.remove_mean || samples.unit_norm != s->options.unit_norm)
        return DLTF_OK;
    double *shift = DL_NEW(double, s->n);
    if (!shift)
        return DLTF_MEMORY;
    dl_samples_shift(&samples, shift);
    for (int64_t j = 0; j < s->m; j++) {
        double product = 0;
        for (int64_t i = 0; i < s->n; i++)
            product += (double)s->g.E.value[j * s->n + i] * shift[i] / start->parts.factor;
        s->g.b.value[j] = (float)((double)s->g.b.value[j] + product);
    }
    dl_free(shift);
    return DLTF_OK;
}

static dltf_status start_from(dltf_online *s, const dltf_model *start) {
    const dltf_model_view *parts = &start->parts;
    if (parts->n != s->n || parts->m != s->m)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_MODEL,
                             "%lld atoms of %lld entries, but training needs %lld of %lld",
                             (long long)parts->m, (long long)parts->n, (long long)s->m, (long long)s->n);
    size_t size = (size_t)(s->m * s->n) * sizeof(float);
    memcpy(s->g.W.value, parts->dictionary, size);
    if (parts->encoder)
        memcpy(s->g.E.value, parts->encoder, size);
    if (parts->encoder && parts->bias)
        memcpy(s->g.b.value, parts->bias, (size_t)s->m * sizeof(float));
    for (int64_t j = 0; parts->encoder && parts->scale && j < s->m; j++)
        for (int64_t i = j * s->n; i < (j + 1) * s->n; i++)
            s->g.E.value[i] *= parts->scale[j];
    for (int64_t j = 0; parts->encoder && j < s->m; j++)
        s->g.b.value[j] *= (float)((parts->scale ? (double)parts->scale[j] : 1) / parts->factor);
    s->warm = true;
    s->warm_encoder = parts->encoder != NULL;
    return s->warm_encoder ? shift_bias(s, start) : DLTF_OK;
}

dltf_status dltf_online_new(int64_t n, const dltf_model *start, const dltf_train_options *options,
                            dltf_online **online) {
    DL_CLEAR(online);
    DL_REQUIRE(online);
    dltf_train_options o;
    dltf_online *s = NULL;
    char choice[160];
    dltf_status status = DL_READ_OPTIONS(train, options, &o);
    if (status == DLTF_OK)
        status = dl_start_check(start, o.k);
    if (status != DLTF_OK)
        return status;
    if (n < 1 || n > INT32_MAX)
        return dl_fail(DLTF_ARGUMENT, "%lld columns are out of range", (long long)n);
    if (o.encoder == DLTF_ENCODER_AUTO)
        o.encoder = DLTF_ENCODER_LEARNED;
    if (start && o.m == 0)
        o.m = start->parts.m;
    if (start && o.k == 0)
        o.k = start->parts.k;
    DL_TRY(check_options(&o));
    dl_train_options_complete(&o, INT64_MAX, n, choice, sizeof choice);
    DL_TRY(check_options(&o));
    DL_TRY(dl_online_create(&o, n, &s));
    if (start)
        DL_TRY(start_from(s, start));
    *online = s;
    s = NULL;
done:
    dltf_online_free(s);
    return status;
}
