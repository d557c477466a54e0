/* dltf_encode_stream: the same codes and error as for data in memory, for any number of threads; errors name
 * rows of the stream. */
#include "test_io.h"

#include "base/random.h"
#include "coding/encoder.h"
#include "data/model.h"

#include <math.h>
#include <stdatomic.h>

enum { N = 13000, COLS = 6, ATOMS = 10 }; /* more than two pieces */

static float X[N * COLS];

static void fill_samples(void) {
    dl_random source = {.seed = 8, .stream = 2};
    for (int64_t i = 0; i < N * COLS; i++)
        X[i] = (float)dl_random_normal(source, (uint64_t)i);
}

static dltf_model *make_model(bool centered, bool unit_norm) {
    dl_random source = {.seed = 9, .stream = 2};
    float W[ATOMS * COLS], mean[COLS] = {.1f, .2f, -.3f};
    dltf_model *model = NULL;
    for (int64_t i = 0; i < ATOMS * COLS; i++)
        W[i] = (float)dl_random_normal(source, (uint64_t)i);
    dltf_model_view parts = {.m = ATOMS,
                             .n = COLS,
                             .k = 3,
                             .dictionary = W,
                             .mean = centered ? mean : NULL,
                             .unit_norm = unit_norm};
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    return model;
}

static const char *save_rows(int64_t rows) {
    const char *path = in_directory("rows.f32");
    write_file(path, X, rows * COLS * (int64_t)sizeof *X);
    return path;
}

static dltf_status stream(const dltf_model *model, const char *data, const dltf_encode_options *encoding,
                          dltf_progress_fn progress, void *context, const char *path,
                          dltf_stream_totals *totals) {
    dltf_reader *reader = NULL;
    dltf_codes_writer *writer = NULL;
    dltf_status status = DLTF_OK;
    DL_TRY(dltf_reader_open(data, COLS, &reader));
    DL_TRY(dltf_codes_writer_open(path, DLTF_LAYOUT_SPARSE, -1, ATOMS, &writer));
    DL_TRY(dltf_encode_stream(model, reader, encoding, progress, context, writer, totals));
    status = dltf_codes_writer_finish(writer);
done:
    dltf_reader_free(reader);
    dltf_codes_writer_free(writer);
    return status;
}

static void assert_same_as_in_memory(const dltf_model *model, int64_t rows,
                                     const dltf_encode_options *encoding) {
    dltf_codes *codes = NULL;
    dltf_reconstruction found;
    dltf_stream_totals totals;
    dltf_matrix samples = dltf_matrix_f32(X, rows, COLS);
    assert_int_equal(dltf_encode(model, samples, encoding, NULL, NULL, &codes), DLTF_OK);
    assert_int_equal(dltf_reconstruction_measure(model, samples, codes, 3, &found), DLTF_OK);
    assert_int_equal(dltf_codes_save(codes, in_directory("whole.npz")), DLTF_OK);
    assert_int_equal(
        stream(model, save_rows(rows), encoding, NULL, NULL, in_directory("stream.npz"), &totals), DLTF_OK);
    assert_same_files(in_directory("whole.npz"), in_directory("stream.npz"));
    assert_int_equal(totals.samples, rows);
    assert_int_equal(totals.entries, dltf_codes_csr(codes).indptr[rows]);
    assert_memory_equal(&totals.relative_error, &found.relative_error, sizeof(double));
    assert_memory_equal(&totals.explained_variance, &found.explained_variance, sizeof(double));
    assert_true(found.entries == (double)totals.entries / (double)rows);
    dltf_codes_free(codes);
}

static void codes_of_data_in_memory(void **state) {
    (void)state;
    const int64_t sizes[] = {1, 95, 96, 6144, 6145, N};
    fill_samples();
    for (int variant = 0; variant < 4; variant++) {
        dltf_model *model = make_model(variant & 1, variant & 2);
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            dltf_encode_options encoding = dltf_encode_options_default();
            encoding.threads = 1 + (int64_t)s % 2;
            encoding.refit = variant == 1;
            encoding.select = variant == 2 ? DLTF_SELECT_POSITIVE : DLTF_SELECT_MODEL;
            encoding.k = variant == 3 ? ATOMS : 0;
            assert_same_as_in_memory(model, sizes[s], &encoding);
        }
        assert_same_as_in_memory(model, N, NULL);
        dltf_model_free(model);
    }
}

static void threads_do_not_change_the_error(void **state) {
    (void)state;
    fill_samples();
    dltf_model *model = make_model(true, true);
    dltf_stream_totals one, other;
    dltf_encode_options encoding = dltf_encode_options_default();
    const char *data = save_rows(N), *path = in_directory("stream.npz");
    encoding.threads = 1;
    assert_int_equal(stream(model, data, &encoding, NULL, NULL, path, &one), DLTF_OK);
    for (encoding.threads = 2; encoding.threads < 5; encoding.threads++) {
        assert_int_equal(stream(model, data, &encoding, NULL, NULL, path, &other), DLTF_OK);
        assert_memory_equal(&one.relative_error, &other.relative_error, sizeof(double));
    }
    dltf_model_free(model);
}

static void failures_name_rows_of_the_stream(void **state) {
    (void)state;
    fill_samples();
    count_files(NULL, true);
    dltf_model *model = make_model(false, false);
    dltf_stream_totals totals;
    dltf_encode_options encoding = dltf_encode_options_default();
    const char *path = in_directory("stream.npz");
    X[7001 * COLS + 2] = NAN;
    assert_fails(stream(model, save_rows(N), NULL, NULL, NULL, path, &totals), DLTF_DATA,
                 "data: row 7001, column 2 is NaN");
    X[7001 * COLS + 2] = -INFINITY;
    assert_fails(stream(model, save_rows(N), NULL, NULL, NULL, path, &totals), DLTF_DATA,
                 "data: row 7001, column 2 is infinite");
    for (int j = 0; j < COLS; j++)
        X[7001 * COLS + j] = 3e38f * (j % 2 ? 1.f : -1.f);
    assert_fails(stream(model, save_rows(N), NULL, NULL, NULL, path, &totals), DLTF_NUMERIC,
                 "data: row 7001: ");
    dltf_model_free(model);
    /* One atom with a negative score: there is no code that shows the infinity. */
    fill_samples();
    const float atom[COLS] = {1};
    X[12500 * COLS] = -INFINITY;
    encoding.select = DLTF_SELECT_POSITIVE;
    for (int64_t i = 0; i < N; i++)
        for (int j = 1; j < COLS; j++)
            X[i * COLS + j] = 0;
    dltf_model_view parts = {.m = 1, .n = COLS, .k = 1, .dictionary = atom};
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    dltf_reader *reader = NULL;
    dltf_codes_writer *writer = NULL;
    assert_int_equal(dltf_reader_open(save_rows(N), COLS, &reader), DLTF_OK);
    assert_int_equal(dltf_codes_writer_open(path, DLTF_LAYOUT_SPARSE, -1, 1, &writer), DLTF_OK);
    assert_fails(dltf_encode_stream(model, reader, &encoding, NULL, NULL, writer, &totals), DLTF_DATA,
                 "data: row 12500, column 0 is infinite");
    dltf_reader_free(reader);
    dltf_codes_writer_free(writer);
    dltf_model_free(model);
    assert_int_equal(count_files("rows.f32", false), 0);
}

static void columns_must_fit(void **state) {
    (void)state;
    fill_samples();
    dltf_model *model = make_model(false, false);
    dltf_reader *reader = NULL;
    dltf_codes_writer *writer = NULL;
    dltf_stream_totals totals;
    assert_int_equal(dltf_codes_writer_open("/dev/null", DLTF_LAYOUT_RAW, -1, ATOMS, &writer), DLTF_OK);
    assert_int_equal(dltf_reader_open(save_rows(COLS - 1), COLS - 1, &reader), DLTF_OK);
    assert_fails(dltf_encode_stream(model, reader, NULL, NULL, NULL, writer, &totals), DLTF_DATA,
                 "data: 5 columns, but the model expects 6");
    dltf_reader_free(reader);
    dltf_codes_writer_free(writer);
    dltf_model_free(model);
}

typedef struct seen {
    int calls, stop_after;
    int64_t done, total;
} seen;

static int watch(void *context, const dltf_progress *progress) {
    seen *s = context;
    assert_string_equal(progress->task, "encoding");
    assert_true(progress->done >= s->done);
    s->done = progress->done;
    s->total = progress->total;
    return ++s->calls == s->stop_after;
}

static void progress_and_cancelling(void **state) {
    (void)state;
    fill_samples();
    count_files(NULL, true);
    dltf_model *model = make_model(false, false);
    dltf_stream_totals totals;
    const char *data = save_rows(N), *path = in_directory("stream.npz");
    seen s = {0};
    assert_int_equal(stream(model, data, NULL, watch, &s, path, &totals), DLTF_OK);
    assert_true(s.calls > 1 && s.done == N && s.total == N);
    remove(path);
    s = (seen){.stop_after = 2};
    assert_fails(stream(model, data, NULL, watch, &s, path, &totals), DLTF_CANCELLED, "cancelled");
    assert_true(s.calls == 2 && s.done < N);
    assert_int_equal(count_files("rows.f32", false), 0);
    dltf_model_free(model);
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    fill_samples();
    dltf_model *model = make_model(true, false);
    dltf_encode_options encoding = dltf_encode_options_default();
    dltf_stream_totals totals;
    encoding.refit = true;
    encoding.threads = 2;
    const char *data = save_rows(200), *path = in_directory("stream.npz");
    assert_survives_lack_of_memory(stream(model, data, &encoding, NULL, NULL, path, &totals), true);
    dltf_model_free(model);
}

/* The same codes, without the error. */
static void without_error(void **state) {
    (void)state;
    fill_samples();
    dltf_model *model = make_model(true, false);
    dltf_encode_options encoding = dltf_encode_options_default();
    dltf_stream_totals with, without;
    const char *data = save_rows(N);
    assert_int_equal(stream(model, data, &encoding, NULL, NULL, in_directory("with.npz"), &with), DLTF_OK);
    encoding.no_error = true;
    assert_int_equal(stream(model, data, &encoding, NULL, NULL, in_directory("without.npz"), &without),
                     DLTF_OK);
    assert_same_files(in_directory("with.npz"), in_directory("without.npz"));
    assert_true(with.samples == without.samples && with.entries == without.entries);
    assert_true(isfinite(with.relative_error) && isnan(without.relative_error) &&
                isnan(without.explained_variance));
    dltf_model_free(model);
}

typedef struct counter {
    atomic_int reads[N];
} counter;

static dltf_status count_read(void *context, int64_t row, double *out) {
    counter *c = context;
    c->reads[row]++;
    for (int j = 0; j < COLS; j++)
        out[j] = (double)X[row * COLS + j];
    return DLTF_OK;
}

/* Coding and measuring load every sample once, and find the error that a second pass finds. */
static void samples_are_loaded_once(void **state) {
    (void)state;
    enum { ROWS = 250, K = 3 };
    static counter c;
    static int32_t count[ROWS], index[ROWS * K];
    static float value[ROWS * K];
    fill_samples();
    for (int variant = 0; variant < 8; variant++) {
        dltf_model *model = make_model(variant & 1, variant & 2);
        model->parts.remove_mean = variant & 4;
        dltf_encode_options encoding = {.size = sizeof encoding, .threads = 2};
        dltf_encoder *encoder = NULL;
        dltf_source *source = NULL;
        dltf_codes *codes = NULL;
        dltf_reconstruction found;
        dl_residual residual;
        memset(&c, 0, sizeof c);
        assert_int_equal(dltf_source_new(ROWS, COLS, count_read, &c, &source), DLTF_OK);
        assert_int_equal(dltf_encoder_new(model, &encoding, &encoder), DLTF_OK);
        assert_int_equal(dl_residual_open(&residual, model, 2, ROWS), DLTF_OK);
        assert_int_equal(dl_encoder_piece(encoder, dltf_source_matrix(source), 0,
                                          (dl_slots){ROWS, K, count, index, value}, &residual),
                         DLTF_OK);
        assert_int_equal(dl_residual_join(&residual, residual.sums, ROWS), DLTF_OK);
        for (int i = 0; i < ROWS; i++)
            assert_int_equal(c.reads[i], 1);
        dltf_matrix samples = dltf_matrix_f32(X, ROWS, COLS);
        assert_int_equal(dltf_encode(model, samples, &encoding, NULL, NULL, &codes), DLTF_OK);
        assert_int_equal(dltf_reconstruction_measure(model, samples, codes, 1, &found), DLTF_OK);
        assert_true(dl_residual_relative(&residual) == found.relative_error);
        assert_true(dl_residual_explained(&residual) == found.explained_variance);
        dl_residual_close(&residual);
        dltf_codes_free(codes);
        dltf_encoder_free(encoder);
        dltf_source_free(source);
        dltf_model_free(model);
    }
}

IO_TESTS_MAIN(cmocka_unit_test(codes_of_data_in_memory), cmocka_unit_test(without_error),
              cmocka_unit_test(samples_are_loaded_once), cmocka_unit_test(threads_do_not_change_the_error),
              cmocka_unit_test(failures_name_rows_of_the_stream), cmocka_unit_test(columns_must_fit),
              cmocka_unit_test(progress_and_cancelling), cmocka_unit_test(survives_lack_of_memory))
