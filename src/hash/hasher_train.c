/* dltf_hasher_train: checks, the samples to train with, and provenance; the method does the rest. */
#include "base/integer.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/sized.h"
#include "data/matrix.h"
#include "hash/hash_options.h"
#include "hash/hasher.h"
#include "linalg/blas.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS_PER_POLL = 256 };

/* Root mean square of an entry for which products of samples keep their precision in f32. */
static const double SMALLEST = 1e-15, LARGEST = 1e15;

dltf_status dl_hash_cancelled(void) {
    return dl_fail(DLTF_CANCELLED, "training was cancelled");
}

static dltf_status check_options(const dltf_hash_options *o) {
    dltf_status status = dl_option_check(dl_hash_option_table(), o, NULL);
    if (status != DLTF_OK)
        return status;
    if (o->bits == 0)
        return dl_fail_option(DLTF_ARGUMENT, "bits", "the number of bits is missing");
    const char *expected = dl_hash_bits_expected(o->bits);
    if (expected)
        return dl_fail_option(DLTF_ARGUMENT, "bits", "%lld is not %s", (long long)o->bits, expected);
    if (o->k > o->bits)
        return dl_fail_option(DLTF_ARGUMENT, "k", "%lld is more than the %lld bits", (long long)o->k,
                              (long long)o->bits);
    return DLTF_OK;
}

/* Mean, and whether the samples can be learned from. */
static dltf_status summarise(dltf_matrix X, dltf_hasher *h, dl_summary *found) {
    dltf_status status = DLTF_OK;
    DL_TRY(dl_samples_mean(&(dl_samples){.X = X}, dl_hasher_tensor(h, "mean")));
    dl_samples samples = {.X = X, .mean = h->mean, .scale = 1};
    DL_TRY(dl_samples_summarise(&samples, found));
    double size = sqrt(found->mean_square / (double)X.cols);
    if (size < SMALLEST || size > LARGEST)
        status = dl_fail_about(DLTF_NUMERIC, DLTF_SUBJECT_DATA,
                               "the values are of size %.1e, out of range for products in single precision: "
                               "rescale the data",
                               size);
done:
    return status;
}

/* Copies the samples to train with, all of them or as many as the options ask for, in random order: a method
 * that needs fewer takes the first ones. */
static dltf_status gather(dltf_matrix X, const dltf_hasher *h, const dltf_hash_options *o, int64_t count,
                          float **copy) {
    dltf_status status = DLTF_OK;
    dl_random random = {(uint64_t)o->seed, DL_STREAM_HASH_SAMPLES};
    dl_samples samples = {.X = X, .mean = h->mean, .scale = 1};
    int64_t entries = 0;
    double *row = NULL;
    if (!dl_multiply(count, X.cols, &entries))
        return dl_fail(DLTF_MEMORY, "%lld samples of %lld columns are too large", (long long)count,
                       (long long)X.cols);
    DL_TRY_NEW(row, X.cols);
    DL_TRY_NEW(*copy, entries);
    for (int64_t i = 0; i < count; i++) {
        if (i % ROWS_PER_POLL == 0 && !dl_poll())
            DL_TRY(dl_hash_cancelled());
        dl_samples_row(&samples, dl_random_place(random, 0, X.rows, i), row, *copy + i * X.cols);
    }
    status = dl_matrix_status(X);
done:
    dl_free(row);
    return status;
}

/* Records nothing that differs between runs, and only options that the method uses. */
static dltf_status set_notes(const dl_hash_training *t, dltf_matrix X, uint64_t checksum, dl_notes *notes) {
    dltf_status status = DLTF_OK;
    dl_option_table table = dl_hash_option_table();
    char name[64], value[64];
    for (int i = 0; i < table.count; i++) {
        const dl_option *option = &table.options[i];
        const char *method = dl_hash_method_find(t->options.method)->name;
        bool applies = !option->applies || dl_name_index(option->applies, method, strlen(method)) >= 0;
        if (strcmp(option->name, "threads") == 0 || !applies)
            continue;
        snprintf(name, sizeof name, "option.%s", option->name);
        dl_option_format(option, &t->options, value, sizeof value);
        DL_TRY(dl_notes_set(notes, name, value));
    }
    snprintf(value, sizeof value, "%lld x %lld", (long long)X.rows, (long long)X.cols);
    DL_TRY(dl_notes_set(notes, "data.shape", value));
    snprintf(value, sizeof value, "%016llx", (unsigned long long)checksum);
    DL_TRY(dl_notes_set(notes, "data.checksum", value));
    DL_TRY(dl_notes_set(notes, "made-by", "dltf " DLTF_VERSION));
done:
    return status;
}

/* What went wrong in a computation, not in a file. */
static dltf_status prepare(dltf_hasher *h) {
    dltf_status status = dl_hasher_prepare(h);
    if (status != DLTF_FORMAT)
        return status;
    return dl_fail(DLTF_NUMERIC, "training diverged: non-finite values");
}

/* Options that the caller left open. */
static void fill_in(const dl_hash_method *method, dltf_hash_options *o) {
    if (o->iterations == 0)
        o->iterations = method->default_iterations;
    if (o->k == 0 && method->default_k)
        o->k = method->default_k(o->bits);
}

/* `from`: the checkpoint to resume, or NULL. */
static dltf_status train(dltf_matrix X, const dltf_hash_options *options, const dl_bundle *from,
                         dltf_progress_fn progress, void *context, dltf_hasher **hasher) {
    dltf_status status = check_options(options);
    if (status == DLTF_OK)
        status = dl_matrix_check(X, DLTF_SUBJECT_DATA);
    if (status != DLTF_OK)
        return status;
    const dl_hash_method *method = dl_hash_method_find(options->method);
    dl_hash_training t = {.N = dl_min(X.rows, options->samples),
                          .n = X.cols,
                          .options = *options,
                          .threads = dl_thread_count(options->threads),
                          .meter = dl_meter_new("training", progress, context, 0),
                          .resumed = from};
    dltf_hasher *h = NULL;
    float *samples = NULL;
    dl_summary found;
    fill_in(method, &t.options);
    dl_meter_watch(&t.meter);
    if (method->check)
        DL_TRY(method->check(&t));
    DL_TRY(dl_blas_ready(t.threads));
    DL_TRY(dl_hasher_alloc(method, options->bits, X.cols, t.options.k, &h));
    DL_TRY(summarise(X, h, &found));
    t.checksum = found.checksum;
    if (from)
        DL_TRY(dl_checksum_check(&from->notes, t.checksum));
    DL_TRY(gather(X, h, options, t.N, &samples));
    t.X = samples;
    DL_TRY(method->train(&t, h));
    DL_TRY(set_notes(&t, X, found.checksum, &h->content.notes));
    DL_TRY(prepare(h));
    *hasher = h;
    h = NULL;
done:
    dl_meter_unwatch(&t.meter);
    dl_free(samples);
    dltf_hasher_free(h);
    return status;
}

dltf_status dltf_hasher_train(dltf_matrix X, const dltf_hash_options *options, dltf_progress_fn progress,
                              void *context, dltf_hasher **hasher) {
    DL_CLEAR(hasher);
    DL_REQUIRE(hasher);
    dltf_hash_options own;
    dltf_status status = DL_READ_OPTIONS(hash, options, &own);
    return status == DLTF_OK ? train(X, &own, NULL, progress, context, hasher) : status;
}

dltf_status dl_hasher_resume(const dl_bundle *bundle, dltf_matrix X, int64_t threads,
                             dltf_progress_fn progress, void *context, dltf_hasher **hasher) {
    dltf_hash_options options;
    dltf_status status = dl_hash_read_options(bundle, threads, &options);
    return status == DLTF_OK ? train(X, &options, bundle, progress, context, hasher) : status;
}
