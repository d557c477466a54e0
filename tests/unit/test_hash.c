/* What all hashers share: the same codes for any number of threads and any layout of the data, checks of
 * options and data, cancelling, lack of memory. */
#include "test_util.h"

#include "hash/hasher.h"

#include <math.h>

enum { N = 400, n = 12, BITS = 8, METHODS = 7 };

static float X[N * n];

/* Two mixed groups, so that neighbours mean something, and a mean. */
static void fill_samples(void) {
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < n; j++)
            X[i * n + j] = (float)(5 + normal() + (i % 2 ? 1 : -1) * (double)(j % 3));
}

static dltf_hash_options options_of(int method) {
    dltf_hash_options o = dltf_hash_options_default();
    o.method = (dltf_hash_method)method;
    o.bits = BITS;
    o.threads = 1;
    if (o.method == DLTF_HASH_NEIGHBOUR || o.method == DLTF_HASH_ITQ || o.method == DLTF_HASH_SPH)
        o.iterations = 5;
    return o;
}

static dltf_hasher *train(dltf_hash_options o) {
    dltf_hasher *hasher = NULL;
    assert_int_equal(dltf_hasher_train(dltf_matrix_f32(X, N, n), &o, NULL, NULL, &hasher), DLTF_OK);
    return hasher;
}

static void every_method(void **state) {
    (void)state;
    fill_samples();
    assert_null(dl_hash_method_find((dltf_hash_method)METHODS));
    assert_null(dl_hash_method_find((dltf_hash_method)-1));
    assert_null(dl_hash_method_named("none"));
    for (int method = 0; method < METHODS; method++) {
        const char *name = dl_hash_method_find((dltf_hash_method)method)->name;
        print_message("%s\n", name);
        assert_ptr_equal(dl_hash_method_named(name), dl_hash_method_find((dltf_hash_method)method));
        dltf_hasher *h = train(options_of(method));
        dltf_hasher_view view = dltf_hasher_get(h);
        assert_true((int)view.method == method && view.bits == BITS && view.n == n);
        assert_string_equal(view.name, name);
        assert_string_equal(dltf_hasher_note(h, "option.method"), name);
        assert_null(dltf_hasher_note(h, "option.threads"));
        assert_int_equal(dltf_hasher_note(h, "option.k") != NULL, view.k > 0);
        /* Every bit tells samples apart; bits of sparse codes may be rare. */
        uint8_t codes[N];
        int64_t least = view.k > 0 ? 1 : N / 20;
        assert_int_equal(dltf_hasher_apply(h, dltf_matrix_f32(X, N, n), 2, NULL, NULL, codes), DLTF_OK);
        for (int bit = 0; bit < BITS; bit++) {
            int64_t ones = 0;
            for (int64_t i = 0; i < N; i++)
                ones += codes[i] >> bit & 1;
            assert_in_range(ones, least, N - least);
        }
        dltf_hasher_free(h);
    }
}

/* Tensors and codes, with one, two and three threads. */
static void threads_do_not_matter(void **state) {
    (void)state;
    fill_samples();
    for (int method = 0; method < METHODS; method++) {
        dltf_hash_options o = options_of(method);
        dltf_hasher *first = train(o);
        uint8_t codes[N], other[N];
        assert_int_equal(dltf_hasher_apply(first, dltf_matrix_f32(X, N, n), 1, NULL, NULL, codes), DLTF_OK);
        for (o.threads = 2; o.threads <= 3; o.threads++) {
            dltf_hasher *h = train(o);
            for (int t = 0; t < h->content.count; t++)
                assert_memory_equal(h->content.tensors[t].data, first->content.tensors[t].data,
                                    (size_t)dl_tensor_bytes(&h->content.tensors[t]));
            assert_int_equal(dltf_hasher_apply(h, dltf_matrix_f32(X, N, n), o.threads, NULL, NULL, other),
                             DLTF_OK);
            assert_memory_equal(codes, other, N);
            dltf_hasher_free(h);
        }
        dltf_hasher_free(first);
    }
}

/* Double precision, column order and single rows give the same codes. */
static void layouts_do_not_matter(void **state) {
    (void)state;
    static double wide[N * n];
    static float columns[N * n];
    fill_samples();
    for (int64_t i = 0; i < N * n; i++) {
        wide[i] = (double)X[i];
        columns[i % n * N + i / n] = X[i];
    }
    dltf_matrix turned = {columns, DLTF_F32, N, n, 1, N};
    for (int method = 0; method < METHODS; method++) {
        uint8_t codes[N], other[N];
        dltf_hasher *h = train(options_of(method));
        assert_int_equal(dltf_hasher_apply(h, dltf_matrix_f32(X, N, n), 0, NULL, NULL, codes), DLTF_OK);
        assert_int_equal(dltf_hasher_apply(h, dltf_matrix_f64(wide, N, n), 0, NULL, NULL, other), DLTF_OK);
        assert_memory_equal(codes, other, N);
        assert_int_equal(dltf_hasher_apply(h, turned, 0, NULL, NULL, other), DLTF_OK);
        assert_memory_equal(codes, other, N);
        for (int64_t i = 0; i < N; i += 37) {
            assert_int_equal(dltf_hasher_apply(h, dltf_matrix_f32(X + i * n, 1, n), 0, NULL, NULL, other),
                             DLTF_OK);
            assert_int_equal(other[0], codes[i]);
        }
        dltf_hasher_free(h);
    }
}

/* A subset of the samples is used; which one depends on the seed. */
static void few_samples(void **state) {
    (void)state;
    fill_samples();
    dltf_hash_options o = options_of(DLTF_HASH_ITQ);
    o.samples = 50;
    dltf_hasher *a = train(o), *b = train(o);
    o.seed = 1;
    dltf_hasher *c = train(o);
    size_t size = BITS * n * sizeof(float);
    assert_memory_equal(dl_hasher_tensor(a, "encoder"), dl_hasher_tensor(b, "encoder"), size);
    assert_memory_not_equal(dl_hasher_tensor(a, "encoder"), dl_hasher_tensor(c, "encoder"), size);
    dltf_hasher_free(a);
    dltf_hasher_free(b);
    dltf_hasher_free(c);
}

static int cancel(void *context, const dltf_progress *progress) {
    (void)progress;
    ++*(int *)context;
    return 1;
}

static void cancelling(void **state) {
    (void)state;
    fill_samples();
    for (int method = 0; method < METHODS; method++) {
        dltf_hash_options o = options_of(method);
        dltf_hasher *h = NULL;
        int calls = 0;
        bool instant = o.method == DLTF_HASH_LSH || o.method == DLTF_HASH_SH;
        dltf_status status = dltf_hasher_train(dltf_matrix_f32(X, N, n), &o, cancel, &calls, &h);
        assert_int_equal(status, instant ? DLTF_OK : DLTF_CANCELLED);
        assert_int_equal(h != NULL, instant);
        dltf_hasher_free(h);
    }
    uint8_t codes[N];
    int calls = 0;
    dltf_hasher *h = train(options_of(DLTF_HASH_LSH));
    assert_fails(dltf_hasher_apply(h, dltf_matrix_f32(X, N, n), 1, cancel, &calls, codes), DLTF_CANCELLED,
                 "encoding was cancelled");
    assert_int_equal(calls, 1);
    dltf_hasher_free(h);
}

static dltf_status try_training(dltf_hash_options o, int64_t rows, int64_t cols) {
    dltf_hasher *h = NULL;
    dltf_status status = dltf_hasher_train(dltf_matrix_f32(X, rows, cols), &o, NULL, NULL, &h);
    assert_int_equal(status == DLTF_OK, h != NULL);
    dltf_hasher_free(h);
    return status;
}

static void bad_options(void **state) {
    (void)state;
    fill_samples();
    dltf_hash_options o = options_of(DLTF_HASH_LSH);
    o.bits = 0;
    assert_fails(try_training(o, N, n), DLTF_ARGUMENT, "bits: the number of bits is missing");
    o.bits = 12;
    assert_fails(try_training(o, N, n), DLTF_ARGUMENT, "bits: 12 is not a multiple of 8 from 8 to 4096");
    o.bits = 8192;
    assert_fails(try_training(o, N, n), DLTF_ARGUMENT, "bits");
    o = options_of(DLTF_HASH_ITQ);
    o.bits = 16;
    assert_fails(try_training(o, N, n), DLTF_ARGUMENT,
                 "bits: 16 is more than itq can make of 400 samples with 12 columns: at most 12");
    o.iterations = 0;
    o.k = 4;
    assert_fails(try_training(o, N, n), DLTF_ARGUMENT, "k");
    o = options_of(DLTF_HASH_SH);
    assert_fails(try_training(o, 5, n), DLTF_ARGUMENT, "need at least 8 samples with sh, not 5");
    o = options_of(DLTF_HASH_DLTF);
    o.k = 9;
    assert_fails(try_training(o, N, n), DLTF_ARGUMENT, "k: 9 is more than the 8 bits");
    /* Not an error: fewer samples than bits, columns and a batch. */
    assert_int_equal(try_training(options_of(DLTF_HASH_NEIGHBOUR), 2, n), DLTF_OK);
}

/* With every method: NaN, infinity, constant data, extreme scales. */
static void bad_data(void **state) {
    (void)state;
    for (int method = 0; method < METHODS; method++) {
        dltf_hash_options o = options_of(method);
        uint8_t codes[N];
        fill_samples();
        dltf_hasher *h = train(o);
        assert_fails(dltf_hasher_apply(h, dltf_matrix_f32(X, N, n - 1), 1, NULL, NULL, codes), DLTF_DATA,
                     "data: 11 columns, but the hasher expects 12");
        assert_fails(dltf_hasher_apply(h, dltf_matrix_f32(X, 0, n), 1, NULL, NULL, codes), DLTF_ARGUMENT,
                     "data");
        X[17 * n + 3] = NAN;
        assert_fails(try_training(o, N, n), DLTF_DATA, "row 17, column 3 is NaN");
        assert_fails(dltf_hasher_apply(h, dltf_matrix_f32(X, N, n), 2, NULL, NULL, codes), DLTF_DATA,
                     "row 17, column 3 is NaN");
        X[17 * n + 3] = INFINITY;
        assert_fails(try_training(o, N, n), DLTF_DATA, "row 17, column 3");
        assert_fails(dltf_hasher_apply(h, dltf_matrix_f32(X, N, n), 2, NULL, NULL, codes), DLTF_DATA,
                     "row 17, column 3");
        X[17 * n + 3] = 3e38f;
        assert_fails(try_training(o, N, n), DLTF_NUMERIC, "rescale the data");
        for (int64_t i = 0; i < N * n; i++)
            X[i] = 2;
        assert_fails(try_training(o, N, n), DLTF_DATA, "all 400 samples are zero after the mean");
        dltf_hasher_free(h);
    }
}

static void lack_of_memory(void **state) {
    (void)state;
    fill_samples();
    for (int method = 0; method < METHODS; method++) {
        dltf_hash_options o = options_of(method);
        dltf_hasher *h = NULL;
        dltf_matrix some = dltf_matrix_f32(X, 40, n);
        uint8_t codes[N];
        assert_survives_lack_of_memory(dltf_hasher_train(some, &o, NULL, NULL, &h), 6);
        assert_survives_lack_of_memory(dltf_hasher_apply(h, some, 1, NULL, NULL, codes), 5);
        dltf_hasher_free(h);
    }
}

TESTS_MAIN(cmocka_unit_test(every_method), cmocka_unit_test(threads_do_not_matter),
           cmocka_unit_test(layouts_do_not_matter), cmocka_unit_test(few_samples),
           cmocka_unit_test(cancelling), cmocka_unit_test(bad_options), cmocka_unit_test(bad_data),
           cmocka_unit_test(lack_of_memory))
