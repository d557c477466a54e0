/* Codes made from arrays: copied, checked, every defect named. */
#include "data/codes.h"

#include "test_util.h"

static const dltf_csr good = {
    3, 4, (const int64_t[]){0, 2, 2, 3}, (const int32_t[]){0, 3, 1}, (const float[]){1, -2, 3}, NULL};

static dltf_status make_and_free(dltf_csr csr) {
    dltf_codes *codes = NULL;
    dltf_status status = dltf_codes_new(csr, &codes);
    assert_true((codes != NULL) == (status == DLTF_OK));
    dltf_codes_free(codes);
    return status;
}

static void copies(void **state) {
    (void)state;
    int64_t indptr[] = {0, 2, 2, 3};
    int32_t indices[] = {0, 3, 1};
    float values[] = {1, -2, 3};
    dltf_codes *codes = NULL;
    assert_int_equal(dltf_codes_new((dltf_csr){3, 4, indptr, indices, values, NULL}, &codes), DLTF_OK);
    memset(indptr, 0x55, sizeof indptr);
    memset(indices, 0x55, sizeof indices);
    memset(values, 0x55, sizeof values);
    dltf_csr csr = dltf_codes_csr(codes);
    assert_true(csr.rows == 3 && csr.cols == 4);
    assert_memory_equal(csr.indptr, good.indptr, sizeof indptr);
    assert_memory_equal(csr.indices, good.indices, sizeof indices);
    assert_memory_equal(csr.values, good.values, sizeof values);
    dltf_codes_free(codes);
    dltf_codes_free(NULL);
}

static void unused_atoms(void **state) {
    (void)state;
    const int64_t zeros[3] = {0};
    const struct {
        dltf_csr codes;
        int64_t unused;
    } cases[] = {{good, 1}, {{2, 3, zeros, NULL, NULL, NULL}, 3}, {{0, 2, zeros, NULL, NULL, NULL}, 2}};
    for (int i = 0; i < 3; i++) {
        dltf_codes *codes = NULL;
        int64_t unused = -1;
        assert_int_equal(dltf_codes_new(cases[i].codes, &codes), DLTF_OK);
        assert_int_equal(dltf_codes_unused(codes, &unused), DLTF_OK);
        assert_int_equal(unused, cases[i].unused);
        dl_alloc_fail_after(1);
        assert_int_equal(dltf_codes_unused(codes, &unused), DLTF_MEMORY);
        dl_alloc_fail_after(0);
        dltf_codes_free(codes);
    }
}

static void empty_codes(void **state) {
    (void)state;
    const int64_t zeros[3] = {0};
    assert_int_equal(make_and_free((dltf_csr){0, 1, zeros, NULL, NULL, NULL}), DLTF_OK);
    assert_int_equal(make_and_free((dltf_csr){2, 1, zeros, NULL, NULL, NULL}), DLTF_OK);
}

static void bad_shapes(void **state) {
    (void)state;
    dltf_csr csr = good;
    csr.rows = -1;
    assert_fails(make_and_free(csr), DLTF_ARGUMENT, "codes: invalid shape -1 x 4");
    csr = good;
    csr.cols = 0;
    assert_fails(make_and_free(csr), DLTF_ARGUMENT, "codes: invalid shape 3 x 0");
    csr.cols = INT64_C(1) << 31;
    assert_fails(make_and_free(csr), DLTF_ARGUMENT, "3 x 2147483648");
    csr = good;
    csr.indptr = NULL;
    assert_fails(make_and_free(csr), DLTF_ARGUMENT, "codes: ");
    csr.indptr = (const int64_t[]){1, 2, 2, 3};
    assert_fails(make_and_free(csr), DLTF_DATA, "indptr starts at 1");
    csr.indptr = (const int64_t[]){0, 2, 1, 3};
    assert_fails(make_and_free(csr), DLTF_DATA, "indptr decreases at row 1");
    csr.indptr = (const int64_t[]){0, 1000000, 2, 3}; /* must not be followed outside the arrays */
    assert_fails(make_and_free(csr), DLTF_DATA, "indptr decreases at row 0");
}

static void bad_entries(void **state) {
    (void)state;
    dltf_csr csr = good;
    csr.indices = (const int32_t[]){0, 4, 1};
    assert_fails(make_and_free(csr), DLTF_DATA, "codes: row 0: index 4 is out of range for 4 columns");
    csr.indices = (const int32_t[]){0, 3, -1};
    assert_fails(make_and_free(csr), DLTF_DATA, "row 2: index -1 is out of range");
    csr.indices = (const int32_t[]){3, 0, 1};
    assert_fails(make_and_free(csr), DLTF_DATA, "row 0: index 0 follows 3");
    csr.indices = (const int32_t[]){2, 2, 1};
    assert_fails(make_and_free(csr), DLTF_DATA, "row 0: index 2 follows 2");
    csr = good;
    csr.values = (const float[]){1, 2, NAN};
    assert_fails(make_and_free(csr), DLTF_DATA, "row 2, column 1 is not finite");
    csr.values = (const float[]){1, -INFINITY, 1};
    assert_fails(make_and_free(csr), DLTF_DATA, "row 0, column 3 is not finite");
}

static void out_of_memory(void **state) {
    (void)state;
    assert_survives_lack_of_memory(make_and_free(good), 4);
}

static void unaligned_arrays_are_rejected(void **state) {
    (void)state;
    static int64_t room[8];
    char *odd = (char *)room + 2;
    dltf_csr good = {
        .rows = 1, .cols = 3, .indptr = (int64_t[]){0, 1}, .indices = (int32_t[]){1}, .values = (float[]){1}};
    dltf_csr bad[] = {good, good, good};
    bad[0].indptr = (const int64_t *)(void *)odd;
    bad[1].indices = (const int32_t *)(void *)odd;
    bad[2].values = (const float *)(void *)odd;
    assert_int_equal(dl_codes_check(good), DLTF_OK);
    for (int i = 0; i < 3; i++)
        assert_fails(dl_codes_check(bad[i]), DLTF_ARGUMENT, "codes: the address of an array");
}

TESTS_MAIN(cmocka_unit_test(copies), cmocka_unit_test(unused_atoms), cmocka_unit_test(empty_codes),
           cmocka_unit_test(bad_shapes), cmocka_unit_test(unaligned_arrays_are_rejected),
           cmocka_unit_test(bad_entries), cmocka_unit_test(out_of_memory))
