/* Hashers in files: saving and loading is exact to the bit and gives the same codes; anything else is
 * rejected. */
#include "test_io.h"

#include "data/kind.h"
#include "hash/hasher.h"
#include "io/formats/safetensors.h"

#include <math.h>
#include <unistd.h>

enum { N = 60, n = 9, BITS = 8, METHODS = 7 };

static float X[N * n];

static void fill_samples(void) {
    for (int i = 0; i < N * n; i++)
        X[i] = (float)(i * 37 % 101 + i % n) / 10;
}

static dltf_hasher *example(int method) {
    dltf_hash_options o = dltf_hash_options_default();
    dltf_hasher *h = NULL;
    o.method = (dltf_hash_method)method;
    o.bits = BITS;
    fill_samples();
    assert_int_equal(dltf_hasher_train(dltf_matrix_f32(X, N, n), &o, NULL, NULL, &h), DLTF_OK);
    return h;
}

/* ---- Streams ---- */

enum { LONG = 7000 };

static float *long_samples(void) {
    static float x[LONG * n];
    for (int i = 0; i < LONG * n; i++)
        x[i] = (float)(i * 37 % 101 + i % n) / 10;
    return x;
}

static dltf_status stream(const dltf_hasher *h, const char *data, const char *path, dltf_layout layout,
                          int64_t *samples) {
    dltf_reader *reader = NULL;
    dltf_status status = dltf_reader_open(data, strstr(data, ".f32") ? n : 0, &reader);
    if (status == DLTF_OK)
        status = dltf_hasher_apply_stream(h, reader, 2, NULL, NULL, path, layout, samples);
    dltf_reader_free(reader);
    return status;
}

/* The same codes as in memory, in every layout, from a file with and without header. */
static void streams(void **state) {
    (void)state;
    static uint8_t codes[LONG];
    float *x = long_samples();
    dltf_matrix whole = dltf_matrix_f32(x, LONG, n);
    int64_t samples = 0;
    write_file(in_directory("x.f32"), x, LONG * n * (int64_t)sizeof *x);
    assert_int_equal(dltf_matrix_save(whole, in_directory("x.npy")), DLTF_OK);
    for (int method = 0; method < METHODS; method++) {
        dltf_hasher *h = example(method);
        assert_int_equal(dltf_hasher_apply(h, whole, 1, NULL, NULL, codes), DLTF_OK);
        for (int raw = 0; raw < 2; raw++) {
            char data[600];
            snprintf(data, sizeof data, "%s", in_directory(raw ? "x.f32" : "x.npy"));
            for (int csv = 0; csv < 2; csv++) {
                const char *wanted = in_directory(csv ? "a.csv" : "a.npy"),
                           *got = in_directory(csv ? "b.csv" : "b.npy");
                assert_int_equal(dltf_matrix_save(dltf_matrix_u8(codes, LONG, BITS / 8), wanted), DLTF_OK);
                assert_int_equal(stream(h, data, got, DLTF_LAYOUT_DENSE, &samples), DLTF_OK);
                assert_same_files(wanted, got);
                assert_int_equal(samples, LONG);
            }
            write_file(in_directory("a.raw"), codes, LONG * BITS / 8);
            assert_int_equal(stream(h, data, in_directory("b.raw"), DLTF_LAYOUT_RAW, &samples), DLTF_OK);
            assert_same_files(in_directory("a.raw"), in_directory("b.raw"));
        }
        dltf_hasher_free(h);
    }
}

static void bad_streams(void **state) {
    (void)state;
    float *x = long_samples();
    dltf_hasher *h = example(0);
    const char *data = in_directory("x.f32"), *path = in_directory("c.npy");
    int64_t samples = 0;
    write_file(data, x, LONG * n * (int64_t)sizeof *x);
    assert_fails(stream(h, data, path, DLTF_LAYOUT_SPARSE, &samples), DLTF_ARGUMENT, "unsupported layout");
    assert_survives_lack_of_memory(stream(h, data, path, DLTF_LAYOUT_DENSE, &samples), true);
    remove(path);
    float kept = x[6500 * n + 2];
    x[6500 * n + 2] = NAN;
    write_file(data, x, LONG * n * (int64_t)sizeof *x);
    x[6500 * n + 2] = kept;
    assert_fails(stream(h, data, path, DLTF_LAYOUT_DENSE, &samples), DLTF_DATA, "row 6500, column 2 is NaN");
    assert_int_equal(samples, 0);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(dltf_matrix_save(dltf_matrix_f32(x, 3, n - 1), in_directory("narrow.npy")), DLTF_OK);
    assert_fails(stream(h, in_directory("narrow.npy"), path, DLTF_LAYOUT_DENSE, &samples), DLTF_DATA,
                 "8 columns, but the hasher expects 9");
    dltf_hasher_free(h);
}

static dltf_status load(dl_file *file) {
    dl_bundle bundle;
    dltf_hasher *h = NULL;
    dltf_status status = dl_safetensors_parse(file->bytes, file->size, &bundle);
    if (status == DLTF_OK)
        status = dl_hasher_from_bundle(&bundle, &h);
    assert_int_equal(status == DLTF_OK, h != NULL);
    dltf_hasher_free(h);
    dl_bundle_free(&bundle);
    return status;
}

static void round_trip(void **state) {
    (void)state;
    for (int method = 0; method < METHODS; method++) {
        dltf_hasher *h = example(method), *back = NULL;
        uint8_t codes[N], again[N];
        assert_int_equal(dltf_hasher_save(h, in_directory("a.safetensors")), DLTF_OK);
        assert_int_equal(dltf_hasher_load(in_directory("a.safetensors"), &back), DLTF_OK);
        dltf_hasher_view a = dltf_hasher_get(h), b = dltf_hasher_get(back);
        assert_true(a.method == b.method && a.bits == b.bits && a.n == b.n && a.k == b.k);
        assert_int_equal(dltf_hasher_apply(h, dltf_matrix_f32(X, N, n), 1, NULL, NULL, codes), DLTF_OK);
        assert_int_equal(dltf_hasher_apply(back, dltf_matrix_f32(X, N, n), 1, NULL, NULL, again), DLTF_OK);
        assert_memory_equal(codes, again, N);
        assert_int_equal(dltf_hasher_save(back, in_directory("b.safetensors")), DLTF_OK);
        assert_same_files(in_directory("a.safetensors"), in_directory("b.safetensors"));
        const char *name = NULL;
        for (int i = 0; (name = dltf_hasher_note_name(h, i)); i++)
            assert_string_equal(dltf_hasher_note(h, name), dltf_hasher_note(back, name));
        dltf_hasher_free(h);
        dltf_hasher_free(back);
    }
    dltf_hasher *none = NULL;
    assert_fails(dltf_hasher_load(in_directory("none"), &none), DLTF_FILE, "none");
    assert_null(none);
}

static void survives_corruption(void **state) {
    (void)state;
    const char *path = in_directory("memory.safetensors");
    for (int method = 0; method < METHODS; method++) {
        dltf_hasher *h = example(method);
        assert_int_equal(dltf_hasher_save(h, path), DLTF_OK);
        dl_text file = read_back(path);
        assert_truncation_fails(load, file.data, file.length);
        if (method == DLTF_HASH_SH || method == DLTF_HASH_SPARSEH)
            flip_every_bit(load, file.data, file.length);
        assert_survives_lack_of_memory(load_copy(load, file.data, file.length), true);
        dl_text_free(&file);
        dltf_hasher_free(h);
    }
}

/* ---- Spoilt bundles ---- */

/* A hasher of method sh, without the tensor and the note of these names. */
static dl_bundle bundle_without(const char *tensor, const char *note) {
    dl_bundle whole = {0}, b = {0};
    dltf_hasher *h = example(DLTF_HASH_SH);
    assert_int_equal(dl_hasher_to_bundle(h, &whole), DLTF_OK);
    for (int i = 0; i < whole.notes.count; i++)
        if (strcmp(whole.notes.list[i].name, note) != 0)
            assert_int_equal(dl_notes_set(&b.notes, whole.notes.list[i].name, whole.notes.list[i].value),
                             DLTF_OK);
    for (int i = 0; i < whole.count; i++) {
        const dl_tensor *t = &whole.tensors[i];
        if (strcmp(t->name, tensor) != 0)
            assert_int_equal(
                dl_bundle_add_copy(&b, t->name, t->type, t->rows, t->rank == 2 ? t->cols : 0, t->data),
                DLTF_OK);
    }
    dl_bundle_free(&whole);
    dltf_hasher_free(h);
    return b;
}

static void assert_refused(dl_bundle b, const char *part) {
    dltf_hasher *h = NULL;
    assert_fails(dl_hasher_from_bundle(&b, &h), DLTF_FORMAT, part);
    assert_null(h);
    dl_bundle_free(&b);
}

static dl_bundle with_note(const char *name, const char *value) {
    dl_bundle b = bundle_without("", name);
    assert_int_equal(dl_notes_set(&b.notes, name, value), DLTF_OK);
    return b;
}

static dl_bundle with_floats(const char *name, int64_t rows, int64_t cols, float value) {
    dl_bundle b = bundle_without(name, "");
    void *data = NULL;
    assert_int_equal(dl_bundle_add(&b, name, DL_TENSOR_F32, rows, cols, &data), DLTF_OK);
    for (int64_t i = 0; i < rows * (cols > 0 ? cols : 1); i++)
        ((float *)data)[i] = value;
    return b;
}

static void refused(void **state) {
    (void)state;
    dl_bundle b = bundle_without("", "");
    dltf_hasher *h = NULL;
    assert_int_equal(dl_hasher_from_bundle(&b, &h), DLTF_OK);
    dltf_hasher_free(h);
    dl_bundle_free(&b);

    assert_refused(bundle_without("", "method"), "metadata 'method' is missing");
    assert_refused(with_note("method", "magic"), "metadata 'method' is 'magic'");
    assert_refused(with_note("method", "lsh"), "tensor 'encoder' is missing");
    assert_refused(with_note("format", "dltf-model"), "is a finished model, not a hasher");
    assert_refused(with_note("version", "2"), "unsupported hasher version 2");
    assert_refused(bundle_without("", "bits"), "metadata 'bits' is missing");
    assert_refused(with_note("bits", "12"), "metadata 'bits' is '12': expected a multiple of 8");
    assert_refused(with_note("bits", "08"), "metadata 'bits' is '08'");
    assert_refused(with_note("bits", "-8"), "metadata 'bits' is '-8'");
    assert_refused(with_note("bits", "99999999999999999999"), "metadata 'bits'");
    assert_refused(with_note("bits", "16"), "wrong type or shape");
    assert_refused(with_note("columns", "0"), "metadata 'columns' is '0'");
    assert_refused(with_note("columns", "2147483647"), "wrong type or shape");
    assert_refused(bundle_without("mean", ""), "tensor 'mean' is missing");
    assert_refused(bundle_without("frequency", ""), "tensor 'frequency' is missing");
    assert_refused(with_floats("mean", n, 0, NAN), "tensor 'mean': row 0, column 0 is NaN");
    assert_refused(with_floats("frequency", BITS, 0, INFINITY), "tensor 'frequency': row 0, column 0 is inf");
    assert_refused(with_floats("components", BITS, n + 1, 1),
                   "tensor 'components' has the wrong type or shape");
    assert_refused(with_floats("component", BITS, 0, 1), "tensor 'component' has the wrong type or shape");
    assert_refused(with_floats("extra", 1, 0, 1), "has 6 tensors, but a hasher of method sh has 5");

    b = bundle_without("component", "");
    void *data = NULL;
    assert_int_equal(dl_bundle_add(&b, "component", DL_TENSOR_I32, BITS, 0, &data), DLTF_OK);
    ((int32_t *)data)[3] = BITS;
    assert_refused(b, "bit 3 uses component 8 of 8");
    b = bundle_without("component", "");
    assert_int_equal(dl_bundle_add(&b, "component", DL_TENSOR_I32, BITS, 0, &data), DLTF_OK);
    ((int32_t *)data)[7] = -1;
    assert_refused(b, "bit 7 uses component -1 of 8");
}

/* k of sparse codes, and a dictionary that is none. */
static void refused_sparse(void **state) {
    (void)state;
    const int methods[] = {DLTF_HASH_SPARSEH, DLTF_HASH_DLTF};
    for (int m = 0; m < 2; m++) {
        dltf_hasher *h = example(methods[m]);
        const char *wrong[] = {"0", "9", "x", ""};
        for (int i = 0; i < 4; i++) {
            dl_bundle b = {0};
            assert_int_equal(dl_hasher_to_bundle(h, &b), DLTF_OK);
            assert_int_equal(dl_notes_set(&b.notes, "k", wrong[i]), DLTF_OK);
            assert_refused(b, "metadata 'k' is");
        }
        dl_bundle b = {0};
        assert_int_equal(dl_hasher_to_bundle(h, &b), DLTF_OK);
        memset(dl_bundle_find(&b, "dictionary")->data, 0, BITS * n * sizeof(float));
        assert_refused(b, "row 0 of the dictionary has norm 0: expected 1");
        dltf_hasher_free(h);
    }
}

IO_TESTS_MAIN(cmocka_unit_test(round_trip), cmocka_unit_test(streams), cmocka_unit_test(bad_streams),
              cmocka_unit_test(survives_corruption), cmocka_unit_test(refused),
              cmocka_unit_test(refused_sparse))
