/* What encoders derive from a large model: the filter, which is made when it pays, and the memory that
 * encoders share. */
#include "data/model.h"

#include "test_util.h"

#include "kernels/kernels.h"

#include <malloc.h>

enum { LARGE_M = 8192, LARGE_N = 128, LARGE_K = 8 };

static dltf_model *large_model(float *x, int64_t rows) {
    float *large = DL_NEW(float, LARGE_M *LARGE_N);
    dltf_model *model = NULL;
    assert_non_null(large);
    fill_normal(large, LARGE_M * LARGE_N);
    fill_normal(x, rows * LARGE_N);
    dltf_model_view parts = {.m = LARGE_M, .n = LARGE_N, .k = LARGE_K, .dictionary = large};
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    dl_free(large);
    return model;
}

static dltf_codes *encode_large(const dltf_model *model, const float *x, int64_t rows) {
    dltf_codes *codes = NULL;
    assert_int_equal(dltf_encode(model, dltf_matrix_f32(x, rows, LARGE_N), NULL, NULL, NULL, &codes),
                     DLTF_OK);
    return codes;
}

/* A few samples are coded without the filter; it is made once it pays. The codes are the same. */
static void filter_is_made_when_it_pays(void **state) {
    (void)state;
    enum { MOST = 200 };
    static float x[LARGE_N];
    if (!dl_kernels_now()->above16)
        skip();
    dltf_model *model = large_model(x, 1);
    dltf_codes *first = encode_large(model, x, 1);
    dltf_csr a = dltf_codes_csr(first);
    int calls = 0;
    assert_null(dl_model_derived(model, DL_DERIVED_FILTER));
    while (!dl_model_derived(model, DL_DERIVED_FILTER) && calls < MOST) {
        dltf_codes *codes = encode_large(model, x, 1);
        dltf_csr b = dltf_codes_csr(codes);
        assert_memory_equal(a.indices, b.indices, LARGE_K * sizeof *a.indices);
        assert_memory_equal(a.values, b.values, LARGE_K * sizeof *a.values);
        dltf_codes_free(codes);
        calls++;
    }
    assert_true(calls > 10 && calls < MOST);
    dltf_codes_free(first);
    dltf_model_free(model);
}

static void an_encoder_makes_the_filter(void **state) {
    (void)state;
    static float x[LARGE_N];
    dltf_encoder *encoder = NULL;
    if (!dl_kernels_now()->above16)
        skip();
    dltf_model *model = large_model(x, 1);
    assert_int_equal(dltf_encoder_new(model, NULL, &encoder), DLTF_OK);
    assert_non_null(dl_model_derived(model, DL_DERIVED_FILTER));
    dltf_encoder_free(encoder);
    dltf_model_free(model);
}

/* ---- Memory ---- */

/* Bytes in use; 0 if the allocator does not tell. */
static size_t bytes_in_use(void) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

/* Eight encoders of a large model take at most a tenth more than model and encoder. */
static void memory_of_many_encoders(void **state) {
    (void)state;
    enum { ENCODERS = 8, m = 16384, n = 256 };
    float *large = DL_NEW(float, m *n);
    dltf_encode_options o = {.size = sizeof o, .threads = 1};
    dltf_encoder *encoders[ENCODERS] = {0};
    dltf_model *model = NULL;
    assert_non_null(large);
    for (int64_t i = 0; i < m * n; i++)
        large[i] = (float)((i * 7919) % 1009 - 504);
    size_t before = bytes_in_use(), one = 0;
    dltf_model_view parts = {.m = m, .n = n, .k = 8, .dictionary = large};
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    for (int i = 0; i < ENCODERS; i++) {
        assert_int_equal(dltf_encoder_new(model, &o, &encoders[i]), DLTF_OK);
        one = i == 0 ? bytes_in_use() - before : one;
    }
    size_t all = bytes_in_use() - before;
    bool told = one >= 2 * sizeof(float) * m * n;
    for (int i = 0; i < ENCODERS; i++)
        dltf_encoder_free(encoders[i]);
    dltf_model_free(model);
    dl_free(large);
    if (!told)
        skip(); /* a sanitizer's allocator */
    assert_true((double)all <= 1.2 * (double)one);
}

TESTS_MAIN(cmocka_unit_test(filter_is_made_when_it_pays), cmocka_unit_test(an_encoder_makes_the_filter),
           cmocka_unit_test(memory_of_many_encoders))
