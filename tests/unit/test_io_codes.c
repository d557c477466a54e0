/* Codes as SciPy's CSR .npz: writing, repairing and rejecting. */
#include "test_io.h"

#include "data/codes.h"
#include "data/matrix.h"
#include "io/formats/codes.h"
#include "io/formats/npz.h"
#include "program/program.h"

static dltf_status load(dl_file *file) {
    dltf_codes *codes = NULL;
    dltf_status status = dl_codes_parse(file, &codes);
    if (status == DLTF_OK)
        assert_int_equal(dl_codes_check(dltf_codes_csr(codes)), DLTF_OK);
    dltf_codes_free(codes);
    return status;
}

static dltf_codes *example(void) {
    dltf_codes *codes = NULL;
    dltf_csr csr = {.rows = 3,
                    .cols = 7,
                    .indptr = (int64_t[]){0, 2, 2, 5},
                    .indices = (int32_t[]){1, 6, 0, 3, 4},
                    .values = (float[]){1.5f, -2, 3, 4, 5}};
    assert_int_equal(dltf_codes_new(csr, &codes), DLTF_OK);
    return codes;
}

static void assert_example(const dltf_codes *codes) {
    dltf_csr csr = dltf_codes_csr(codes);
    assert_int_equal(csr.rows, 3);
    assert_int_equal(csr.cols, 7);
    assert_memory_equal(csr.indptr, ((int64_t[]){0, 2, 2, 5}), 32);
    assert_memory_equal(csr.indices, ((int32_t[]){1, 6, 0, 3, 4}), 20);
    assert_memory_equal(csr.values, ((float[]){1.5f, -2, 3, 4, 5}), 20);
}

static void round_trip(void **state) {
    (void)state;
    dltf_codes *codes = example(), *back = NULL;
    assert_int_equal(dltf_codes_save(codes, in_directory("a.npz")), DLTF_OK);
    assert_int_equal(dltf_codes_load(in_directory("a.npz"), &back), DLTF_OK);
    assert_example(back);
    assert_int_equal(dltf_codes_save(back, in_directory("b.npz")), DLTF_OK);
    assert_same_files(in_directory("a.npz"), in_directory("b.npz"));
    dltf_codes_free(codes);
    dltf_codes_free(back);
}

static void survives_corruption(void **state) {
    (void)state;
    dltf_codes *codes = example();
    const char *path = in_directory("memory.npz");
    assert_survives_lack_of_memory(dltf_codes_save(codes, path), access(path, F_OK) != 0);
    dl_text file = read_back(path);
    assert_truncation_fails(load, file.data, file.length);
    flip_every_bit(load, file.data, file.length);
    assert_survives_lack_of_memory(load_copy(load, file.data, file.length), true);
    dl_text_free(&file);
    dltf_codes_free(codes);
}

/* 64-bit indices, forced: codes that need them would be too large for a test. */
static void wide_indices_round_trip(void **state) {
    (void)state;
    dltf_codes *codes = example(), *back = NULL;
    const char *path = in_directory("wide.npz");
    dl_writer out;
    assert_int_equal(dl_writer_open(&out, path), DLTF_OK);
    dl_codes_spools spools = dl_codes_borrow(dltf_codes_csr(codes));
    assert_int_equal(dl_codes_write(&spools, true, &out), DLTF_OK);
    assert_int_equal(dl_writer_commit(&out), DLTF_OK);
    assert_int_equal(dltf_codes_load(path, &back), DLTF_OK);
    assert_example(back);
    dl_text file = read_back(path);
    find_bytes(file, "'<i8'", 5, 0);
    dl_text_free(&file);
    dltf_codes_free(codes);
    dltf_codes_free(back);
}

/* The five arrays of the archive; each case changes some of them. */
typedef struct arrays {
    const char *format_dtype, *format;
    int64_t format_size;
    const char *index_dtype;
    const void *indptr, *indices;
    int64_t indptr_count, count;
    const char *data_dtype;
    const void *data;
    int64_t rows, cols;
    int64_t missing; /* elements omitted from 'data' */
    bool deflated;
} arrays;

static dl_text vector(const char *dtype, const void *data, int64_t count) {
    char dictionary[100];
    snprintf(dictionary, sizeof dictionary, "{'descr': '%s', 'fortran_order': False, 'shape': (%lld,), }",
             dtype, (long long)count);
    return npy_bytes(dictionary, data, count * (dtype[2] - '0'));
}

static dl_text archive(arrays a) {
    char dictionary[100];
    snprintf(dictionary, sizeof dictionary, "{'descr': '%s', 'fortran_order': False, 'shape': (), }",
             a.format_dtype);
    made_member members[] = {
        {"indices.npy", vector(a.index_dtype, a.indices, a.count), a.deflated},
        {"indptr.npy", vector(a.index_dtype, a.indptr, a.indptr_count), a.deflated},
        {"format.npy", npy_bytes(dictionary, a.format, a.format_size), a.deflated},
        {"shape.npy", vector("<i8", (int64_t[]){a.rows, a.cols}, 2), a.deflated},
        {"data.npy", vector(a.data_dtype, a.data, a.count - a.missing), a.deflated},
    };
    return zip_bytes(members, 5, "");
}

static const arrays plain = {.format_dtype = "|S3",
                             .format = "csr",
                             .format_size = 3,
                             .index_dtype = "<i4",
                             .indptr = (int32_t[]){0, 2, 2, 5},
                             .indices = (int32_t[]){1, 6, 0, 3, 4},
                             .indptr_count = 4,
                             .count = 5,
                             .data_dtype = "<f4",
                             .data = (float[]){1.5f, -2, 3, 4, 5},
                             .rows = 3,
                             .cols = 7};

static void assert_reads_example(arrays a) {
    dl_text file = archive(a);
    dl_file borrowed = dl_file_borrow(file.data, file.length);
    dltf_codes *codes = NULL;
    if (dl_codes_parse(&borrowed, &codes) != DLTF_OK)
        fail_msg("%s", dltf_message());
    assert_example(codes);
    dltf_codes_free(codes);
    dl_text_free(&file);
}

static void reads_what_scipy_may_write(void **state) {
    (void)state;
    arrays a = plain;
    assert_reads_example(a);
    a.deflated = true;
    assert_reads_example(a);
    a.data_dtype = "<f8";
    a.data = (double[]){1.5, -2, 3, 4, 5};
    assert_reads_example(a);
    a.index_dtype = "<i8";
    a.indptr = (int64_t[]){0, 2, 2, 5};
    a.indices = (int64_t[]){1, 6, 0, 3, 4};
    assert_reads_example(a);
    a.format_dtype = "<U3";
    a.format = "c\0\0\0s\0\0\0r\0\0\0";
    a.format_size = 12;
    assert_reads_example(a);
    a.format_dtype = ">U3";
    a.format = "\0\0\0c\0\0\0s\0\0\0r";
    assert_reads_example(a);
}

static void sorts_and_drops_zeros(void **state) {
    (void)state;
    arrays a = plain;
    a.indptr = (int32_t[]){0, 3, 4, 8};
    a.indices = (int32_t[]){6, 1, 2, 5, 4, 0, 3, 2};
    a.count = 8;
    a.data = (float[]){-2, 1.5f, 0, -0.0f, 5, 3, 4, 0};
    assert_reads_example(a);
    dl_text file = archive(a);
    assert_survives_lack_of_memory(load_copy(load, file.data, file.length), true);
    dl_text_free(&file);
    a.data_dtype = "<f8"; /* underflows to zero as float32 */
    a.data = (double[]){-2, 1.5, 1e-200, -0.0, 5, 3, 4, 0};
    assert_reads_example(a);
}

static void assert_refused(arrays a, dltf_status status, const char *part) {
    dl_text file = archive(a);
    assert_fails(load_copy(load, file.data, file.length), status, part);
    dl_text_free(&file);
}

static void rejects_invalid_codes(void **state) {
    (void)state;
    arrays a = plain;
    a.format = "csc";
    assert_refused(a, DLTF_FORMAT, "in 'csc' format: convert with matrix.tocsr()");
    a = plain;
    a.indices = (int32_t[]){1, 1, 0, 3, 4};
    assert_refused(a, DLTF_FORMAT, "row 0 has column 1 twice");
    a.indices = (int32_t[]){1, 7, 0, 3, 4};
    assert_refused(a, DLTF_FORMAT, "row 0 has index 7, out of range for 7 columns");
    a.indices = (int32_t[]){-1, 6, 0, 3, 4};
    assert_refused(a, DLTF_FORMAT, "index -1");
    a = plain;
    a.data = (float[]){1, 2, 3, (float)(1e300 * 1e300), 5};
    assert_refused(a, DLTF_DATA, "row 2, column 3 is not a finite");
    a.data_dtype = "<f8";
    a.data = (double[]){1, 2, 3, 1e100, 5};
    assert_refused(a, DLTF_DATA, "not a finite float32");
    a.data_dtype = "<i4";
    a.data = (int32_t[]){1, 2, 3, 4, 5};
    assert_refused(a, DLTF_FORMAT, "matrix.astype(\"float32\")");
    a = plain;
    a.indptr = (int32_t[]){0, 2, 1, 5};
    assert_refused(a, DLTF_FORMAT, "'indptr' element 2 is");
    a.indptr = (int32_t[]){1, 2, 2, 5};
    assert_refused(a, DLTF_FORMAT, "'indptr' element 0 is");
    a.indptr = (int32_t[]){0, 2, 2, 6};
    assert_refused(a, DLTF_FORMAT, "'indptr' element 3 is");
    a = plain;
    a.rows = 4;
    assert_refused(a, DLTF_FORMAT, "'indptr' has 4 elements");
    a.rows = INT64_MAX;
    assert_refused(a, DLTF_FORMAT, "'indptr' has 4 elements");
    a.rows = -1;
    assert_refused(a, DLTF_FORMAT, "is out of range");
    a = plain;
    a.cols = INT64_C(1) << 31;
    assert_refused(a, DLTF_FORMAT, "is out of range");
    a = plain;
    a.missing = 1;
    assert_refused(a, DLTF_FORMAT, "'data' has 4 elements, but 'indices' has 5");
}

static void refuses_other_archives(void **state) {
    (void)state;
    dltf_codes *codes = NULL;
    dl_text zip = zip_bytes((made_member[]){{"x.npy", vector("<f4", (float[]){1}, 1), false}}, 1, "");
    write_file(in_directory("x.npz"), zip.data, zip.length);
    assert_fails(dltf_codes_load(in_directory("x.npz"), &codes), DLTF_FORMAT,
                 "x.npz: contains no sparse codes");
    dl_text_free(&zip);
    write_file(in_directory("x.npz"), "nothing", 7);
    assert_fails(dltf_codes_load(in_directory("x.npz"), &codes), DLTF_FORMAT, "is not a .npz file");
    assert_fails(dltf_codes_load(in_directory("missing.npz"), &codes), DLTF_FILE, "missing.npz: cannot open");
    codes = example();
    assert_fails(dltf_codes_save(codes, in_directory("no/x.npz")), DLTF_FILE, "no/x.npz: cannot create");
    dltf_codes_free(codes);
}

static void reads_empty_codes(void **state) {
    (void)state;
    dltf_codes *codes = NULL, *back = NULL;
    dltf_csr csr = {.rows = 2, .cols = 3, .indptr = (int64_t[]){0, 0, 0}};
    assert_int_equal(dltf_codes_new(csr, &codes), DLTF_OK);
    assert_int_equal(dltf_codes_save(codes, in_directory("e.npz")), DLTF_OK);
    assert_int_equal(dltf_codes_load(in_directory("e.npz"), &back), DLTF_OK);
    assert_int_equal(dltf_codes_csr(back).indptr[2], 0);
    dltf_codes_free(codes);
    dltf_codes_free(back);
}

static void a_file_holds_a_matrix_or_codes(void **state) {
    (void)state;
    dltf_codes *codes = example(), *found = NULL;
    dltf_array *array = NULL;
    const char *sparse = in_directory("sparse.npz"), *dense = in_directory("dense.npy");
    assert_int_equal(dltf_codes_save(codes, sparse), DLTF_OK);
    assert_int_equal(dltf_matrix_save(dltf_matrix_f32((float[]){1, 2, 3}, 1, 3), dense), DLTF_OK);
    dltf_codes_free(codes);
    assert_int_equal(dl_array_or_codes_load(sparse, NULL, &array, &found), DLTF_OK);
    assert_null(array);
    assert_example(found);
    dltf_codes_free(found);
    assert_int_equal(dl_array_or_codes_load(dense, NULL, &array, &found), DLTF_OK);
    assert_null(found);
    assert_int_equal(dltf_array_matrix(array).cols, 3);
    dltf_array_free(array);
    assert_fails(dl_array_or_codes_load(in_directory("none"), NULL, &array, &found), DLTF_FILE,
                 "none: cannot open");
    assert_fails(dl_array_or_codes_load(NULL, NULL, &array, &found), DLTF_ARGUMENT, "must not be NULL");
}

static dltf_status load_array(dl_file *file) {
    dltf_array *array = NULL;
    dltf_status status = dl_npz_load(file, NULL, &array);
    if (status == DLTF_OK)
        assert_int_equal(dl_matrix_check(dltf_array_matrix(array), DLTF_SUBJECT_DATA), DLTF_OK);
    dltf_array_free(array);
    return status;
}

/* The same file as data: a sparse matrix. */
static void codes_as_samples(void **state) {
    (void)state;
    dltf_codes *codes = example();
    dltf_array *array = NULL;
    const char *path = in_directory("samples.npz");
    const float expected[3][7] = {{0, 1.5f, 0, 0, 0, 0, -2}, {0}, {3, 0, 0, 4, 5, 0, 0}};
    assert_int_equal(dltf_codes_save(codes, path), DLTF_OK);
    assert_int_equal(dltf_array_load(path, &array), DLTF_OK);
    dltf_matrix X = dltf_array_matrix(array);
    assert_true(X.type == DLTF_SPARSE && X.rows == 3 && X.cols == 7);
    for (int i = 0; i < 3; i++) {
        float row[7];
        dltf_matrix_row(X, i, row);
        assert_memory_equal(row, expected[i], sizeof row);
    }
    assert_fails(dltf_matrix_save(X, in_directory("copy.npy")), DLTF_ARGUMENT,
                 "copy.npy: sparse matrices cannot be written");
    dl_text file = read_back(path);
    assert_truncation_fails(load_array, file.data, file.length);
    flip_every_bit(load_array, file.data, file.length);
    assert_survives_lack_of_memory(load_copy(load_array, file.data, file.length), true);
    dl_text_free(&file);
    dltf_array_free(array);
    dltf_codes_free(codes);
}

IO_TESTS_MAIN(cmocka_unit_test(round_trip), cmocka_unit_test(survives_corruption),
              cmocka_unit_test(wide_indices_round_trip), cmocka_unit_test(reads_what_scipy_may_write),
              cmocka_unit_test(sorts_and_drops_zeros), cmocka_unit_test(rejects_invalid_codes),
              cmocka_unit_test(refuses_other_archives), cmocka_unit_test(reads_empty_codes),
              cmocka_unit_test(a_file_holds_a_matrix_or_codes), cmocka_unit_test(codes_as_samples))
