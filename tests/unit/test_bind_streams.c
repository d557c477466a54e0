/* Readers, writers and learning in pieces without structs: the same results as for whole arrays. */
#include "test_bind.h"

#include <stdio.h>
#include <unistd.h>

enum { N = 700, n = 6, M = 8, K = 2, PIECE = 128 };
static float x[N * n];
static dltf_array *X;
static dltf_model *model;
static const char input[] = "test_bind_streams.npy", output[] = "test_bind_streams.out.npz";

static int set_up(void **state) {
    (void)state;
    float atoms[M * n];
    fill_normal(x, N * n);
    fill_normal(atoms, M * n);
    dltf_model_view parts = {.m = M, .n = n, .k = K, .dictionary = atoms};
    assert_int_equal(dltf_array_borrow(x, "float32", N, n, n, 1, &X), DLTF_OK);
    assert_int_equal(dltf_bind_matrix_save(X, input), DLTF_OK);
    return dltf_model_new(&parts, &model) == DLTF_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    dltf_array_free(X);
    dltf_model_free(model);
    unlink(input);
    unlink(output);
    return 0;
}

static dltf_reader *reader_open(void) {
    dltf_reader *reader = NULL;
    assert_int_equal(dltf_reader_open(input, 0, &reader), DLTF_OK);
    return reader;
}

static void assert_same_codes(const dltf_codes *a, const dltf_codes *b) {
    dltf_csr p = dltf_codes_csr(a), q = dltf_codes_csr(b);
    assert_true(p.rows == q.rows && p.cols == q.cols);
    assert_memory_equal(p.indptr, q.indptr, (size_t)(p.rows + 1) * sizeof *p.indptr);
    assert_memory_equal(p.indices, q.indices, (size_t)p.indptr[p.rows] * sizeof *p.indices);
    assert_memory_equal(p.values, q.values, (size_t)p.indptr[p.rows] * sizeof *p.values);
}

static void assert_output_is(const dltf_codes *expected) {
    dltf_codes *codes = NULL;
    assert_int_equal(dltf_codes_load(output, &codes), DLTF_OK);
    assert_same_codes(codes, expected);
    dltf_codes_free(codes);
}

static void codes_of_a_stream(void **state) {
    (void)state;
    dltf_codes *expected = NULL;
    dltf_reader *reader = reader_open();
    dltf_codes_writer *writer = NULL;
    dltf_values *totals = NULL, *measured = NULL;
    assert_int_equal(dltf_bind_encode(model, X, NULL, NULL, NULL, &expected), DLTF_OK);
    assert_fails(dltf_bind_codes_writer_open(output, "csr", -1, M, &writer), DLTF_ARGUMENT,
                 "unknown layout 'csr': expected sparse, dense or raw");
    assert_int_equal(dltf_bind_codes_writer_open(output, "sparse", -1, M, &writer), DLTF_OK);
    assert_int_equal(dltf_bind_encode_stream(model, reader, NULL, NULL, NULL, writer, &totals), DLTF_OK);
    assert_int_equal(dltf_codes_writer_finish(writer), DLTF_OK);
    assert_output_is(expected);
    assert_int_equal(dltf_bind_reconstruction_measure(model, X, expected, 1, &measured), DLTF_OK);
    assert_true(number(totals, "samples") == N && number(totals, "entries") == N * K);
    assert_true(number(totals, "relative_error") == number(measured, "relative_error"));
    dltf_values_free(totals);
    dltf_values_free(measured);
    dltf_codes_writer_free(writer);
    dltf_reader_free(reader);
    dltf_codes_free(expected);
}

/* The caller's own loop. */
static void codes_in_pieces(void **state) {
    (void)state;
    dltf_codes *expected = NULL;
    dltf_reader *reader = reader_open();
    dltf_codes_writer *writer = NULL;
    dltf_array *rows = NULL;
    int64_t pieces = 0;
    assert_int_equal(dltf_bind_encode(model, X, NULL, NULL, NULL, &expected), DLTF_OK);
    assert_int_equal(dltf_bind_codes_writer_open(output, "sparse", N, M, &writer), DLTF_OK);
    assert_int_equal(dltf_bind_reader_next(reader, PIECE, &rows), DLTF_OK);
    for (; rows; pieces++) {
        dltf_codes *codes = NULL;
        assert_int_equal(dltf_bind_encode(model, rows, NULL, NULL, NULL, &codes), DLTF_OK);
        assert_int_equal(dltf_bind_codes_writer_add(writer, codes), DLTF_OK);
        dltf_codes_free(codes);
        dltf_array_free(rows);
        assert_int_equal(dltf_bind_reader_next(reader, PIECE, &rows), DLTF_OK);
    }
    assert_int_equal(pieces, (N + PIECE - 1) / PIECE);
    assert_fails(dltf_bind_reader_next(reader, -1, &rows), DLTF_ARGUMENT, "-1 rows");
    assert_int_equal(dltf_codes_writer_finish(writer), DLTF_OK);
    assert_output_is(expected);
    dltf_codes_writer_free(writer);
    dltf_reader_free(reader);
    dltf_codes_free(expected);
}

static void hashes_of_a_stream(void **state) {
    (void)state;
    static uint8_t expected[N * 2], found[N * 2 + 1];
    dltf_options *options = OPTIONS("hash", "method", "lsh", "bits", "16");
    dltf_hasher *hasher = NULL;
    dltf_reader *reader = reader_open();
    int64_t samples = -1;
    assert_int_equal(dltf_bind_hasher_train(X, options, NULL, NULL, &hasher), DLTF_OK);
    assert_int_equal(dltf_bind_hasher_apply(hasher, X, 1, NULL, NULL, expected), DLTF_OK);
    assert_fails(dltf_bind_hasher_apply_stream(hasher, reader, 1, NULL, NULL, output, "sparse", &samples),
                 DLTF_ARGUMENT, "layout");
    assert_int_equal(dltf_bind_hasher_apply_stream(hasher, reader, 1, NULL, NULL, output, "raw", &samples),
                     DLTF_OK);
    assert_int_equal(samples, N);
    FILE *file = fopen(output, "rb");
    assert_int_equal(fread(found, 1, sizeof found, file), sizeof expected);
    fclose(file);
    assert_memory_equal(found, expected, sizeof expected);
    dltf_reader_free(reader);
    dltf_hasher_free(hasher);
    dltf_options_free(options);
}

/* In pieces of a reader, interrupted and continued from memory: the model of one piece. */
static void online_in_pieces(void **state) {
    (void)state;
    dltf_options *options = OPTIONS("train", "m", "12", "k", "2", "threads", "1"), *used = NULL;
    dltf_online *whole = NULL, *online = NULL;
    dltf_model *expected = NULL, *found = NULL;
    dltf_reader *reader = reader_open();
    dltf_array *rows = NULL;
    assert_int_equal(dltf_bind_online_new(n, NULL, options, &whole), DLTF_OK);
    assert_int_equal(dltf_bind_online_new(n, NULL, options, &online), DLTF_OK);
    assert_int_equal(dltf_bind_online_add(whole, X), DLTF_OK);
    while (dltf_bind_reader_next(reader, PIECE, &rows) == DLTF_OK && rows) {
        uint8_t *bytes = NULL;
        int64_t size = 0;
        assert_int_equal(dltf_bind_online_add(online, rows), DLTF_OK);
        dltf_array_free(rows);
        assert_survives_lack_of_memory(dltf_online_write(online, &bytes, &size), 2);
        dltf_online_free(online);
        assert_survives_lack_of_memory(dltf_online_read(bytes, size, 1, &online), 2);
        dltf_bytes_free(bytes);
    }
    assert_int_equal(dltf_online_model(whole, &expected), DLTF_OK);
    assert_int_equal(dltf_online_model(online, &found), DLTF_OK);
    assert_memory_equal(dltf_model_get(found).dictionary, dltf_model_get(expected).dictionary,
                        12 * n * sizeof(float));
    assert_int_equal(dltf_bind_online_options(online, &used), DLTF_OK);
    assert_string_equal(dltf_options_get(used, "encoder"), "learned");
    assert_fails(dltf_online_read("{}", 2, 1, &(dltf_online *){NULL}), DLTF_FORMAT, "");
    dltf_options_free(used);
    dltf_model_free(expected);
    dltf_model_free(found);
    dltf_online_free(whole);
    dltf_online_free(online);
    dltf_reader_free(reader);
    dltf_options_free(options);
}

TESTS_MAIN(cmocka_unit_test_setup_teardown(codes_of_a_stream, set_up, tear_down),
           cmocka_unit_test_setup_teardown(codes_in_pieces, set_up, tear_down),
           cmocka_unit_test_setup_teardown(hashes_of_a_stream, set_up, tear_down),
           cmocka_unit_test_setup_teardown(online_in_pieces, set_up, tear_down))
