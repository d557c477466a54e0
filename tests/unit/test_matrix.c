/* Matrix views: element types and strides, what is rejected and with which message, norms, unit rows. */
#include "data/matrix.h"

#include "test_util.h"

#include <float.h>

static void views_by_type(void **state) {
    (void)state;
    const float f32[] = {1, 2, 3, 4, 5, 6};
    const double f64[] = {1, 2, 3, 4, 5, 6};
    const uint8_t u8[] = {1, 2, 3, 4, 5, 6};
    const dltf_matrix views[] = {dltf_matrix_f32(f32, 2, 3), dltf_matrix_f64(f64, 2, 3),
                                 dltf_matrix_u8(u8, 2, 3)};
    for (int v = 0; v < 3; v++) {
        assert_true(views[v].rows == 2 && views[v].cols == 3);
        assert_true(views[v].row_stride == 3 && views[v].col_stride == 1);
        assert_int_equal(dl_matrix_check(views[v], DLTF_SUBJECT_DATA), DLTF_OK);
        assert_int_equal(dl_matrix_check_finite(views[v], DLTF_SUBJECT_DATA), DLTF_OK);
        double row[3];
        dl_matrix_row(views[v], 1, row);
        assert_true(row[0] == 4 && row[1] == 5 && row[2] == 6);
    }
    assert_int_equal(dl_type_size(DLTF_F32), 4);
    assert_int_equal(dl_type_size(DLTF_F64), 8);
    assert_int_equal(dl_type_size(DLTF_U8), 1);
}

/* Fortran order, every second row and column, rows and columns backwards; in every type. */
static void views_by_stride(void **state) {
    (void)state;
    enum { ROWS = 6, COLS = 8 };
    float f32[ROWS * COLS];
    double f64[ROWS * COLS];
    uint8_t u8[ROWS * COLS];
    const struct {
        int first; /* entry of the grid that the view starts with */
        int64_t rows, cols, row_stride, col_stride;
    } views[] = {{0, COLS, ROWS, 1, COLS}, {COLS + 1, 3, 4, 2 * COLS, 2}, {47, ROWS, COLS, -COLS, -1}};
    for (int i = 0; i < ROWS * COLS; i++)
        f32[i] = u8[i] = (uint8_t)(f64[i] = 200 - i);
    for (int v = 0; v < 3; v++) {
        const void *data[] = {f32 + views[v].first, f64 + views[v].first, u8 + views[v].first};
        for (dltf_type type = DLTF_F32; type <= DLTF_U8; type++)
            for (int64_t i = 0; i < views[v].rows; i++) {
                double row[COLS];
                dl_matrix_row((dltf_matrix){data[type], type, views[v].rows, views[v].cols,
                                            views[v].row_stride, views[v].col_stride},
                              i, row);
                for (int64_t j = 0; j < views[v].cols; j++)
                    assert_true(row[j] ==
                                f64[views[v].first + i * views[v].row_stride + j * views[v].col_stride]);
            }
    }
}

/* Rows of a sparse matrix: columns in any order, duplicates, an empty row; values as a dense matrix has them.
 */
static void sparse_views(void **state) {
    (void)state;
    const int64_t indptr[] = {0, 3, 3, 6};
    const int32_t indices[] = {2, 0, 2, 3, 1, 1};
    const double values[] = {0.1, -7, 1e9, 3, 1, -1};
    const double expected[3][4] = {{-7, 0, 0.1 + 1e9, 0}, {0}, {0, 0, 0, 3}};
    dltf_csr entries = {3, 4, indptr, indices, NULL, values};
    dltf_matrix matrix = dltf_matrix_sparse(&entries);
    assert_int_equal(dl_matrix_check(matrix, DLTF_SUBJECT_DATA), DLTF_OK);
    for (int64_t i = 0; i < 3; i++) {
        double row[4] = {9, 9, 9, 9};
        float single[4] = {9, 9, 9, 9};
        dl_matrix_row(matrix, i, row);
        dltf_matrix_row(matrix, i, single);
        for (int j = 0; j < 4; j++)
            assert_true(row[j] == expected[i][j] &&
                        fabs((double)single[j] - expected[i][j]) <= 1e-7 * fabs(expected[i][j]));
    }
    dltf_matrix part = dl_matrix_part(matrix, 1, 2);
    float single[4];
    assert_int_equal(dl_matrix_check(part, DLTF_SUBJECT_DATA), DLTF_OK);
    dltf_matrix_row(part, 1, single);
    assert_true(part.rows == 2 && single[3] == 3);
}

/* Codes are samples too: their view has the same struct. */
static void codes_as_samples(void **state) {
    (void)state;
    const dltf_csr csr = {
        2, 3, (const int64_t[]){0, 1, 2}, (const int32_t[]){1, 2}, (const float[]){0.1F, 5}, NULL};
    dltf_codes *codes = NULL;
    float row[3];
    assert_int_equal(dltf_codes_new(csr, &codes), DLTF_OK);
    dltf_csr view = dltf_codes_csr(codes);
    dltf_matrix matrix = dltf_matrix_sparse(&view);
    assert_int_equal(dl_matrix_check(matrix, DLTF_SUBJECT_DATA), DLTF_OK);
    dltf_matrix_row(matrix, 0, row);
    assert_true(row[0] == 0 && row[1] == 0.1F && row[2] == 0);
    dltf_codes_free(codes);
}

static void bad_sparse_views(void **state) {
    (void)state;
    const double values[] = {1, 2};
    const struct {
        int64_t indptr[3];
        int32_t indices[2];
        const char *message;
    } bad[] = {
        {{0, 1, 2}, {0, 3}, "row 1 has an entry in column 3, but there are 3 columns"},
        {{0, 1, 2}, {-1, 0}, "row 0 has an entry in column -1"},
        {{-1, 1, 2}, {0, 0}, "the entries of row 0 are -1 to 1"},
        {{0, 2, 1}, {0, 0}, "the entries of row 1 are 2 to 1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        dltf_csr entries = {2, 3, bad[i].indptr, bad[i].indices, NULL, values};
        assert_fails(dl_matrix_check(dltf_matrix_sparse(&entries), DLTF_SUBJECT_DATA), DLTF_ARGUMENT,
                     bad[i].message);
    }
    assert_fails(dl_matrix_check(dltf_matrix_sparse(NULL), DLTF_SUBJECT_DATA), DLTF_ARGUMENT, "no data");
    assert_fails(dl_matrix_check(dltf_matrix_sparse(&(dltf_csr){.rows = 2, .cols = 3}), DLTF_SUBJECT_DATA),
                 DLTF_ARGUMENT, "the sparse matrix has no data");
    dltf_csr entries = {1, 3, bad[0].indptr, bad[0].indices, NULL, values};
    dltf_matrix longer = dltf_matrix_sparse(&entries);
    longer.rows = 2;
    assert_fails(dl_matrix_check(longer, DLTF_SUBJECT_DATA), DLTF_ARGUMENT, "has only 1 rows");
}

static void bad_views(void **state) {
    (void)state;
    const float x[1] = {1};
    dltf_matrix good = dltf_matrix_f32(x, 1, 1), bad = good;
    bad.data = NULL;
    assert_fails(dl_matrix_check(bad, DLTF_SUBJECT_TRUE_DICTIONARY), DLTF_ARGUMENT,
                 "true dictionary: the matrix has no data");
    assert_fails(dl_matrix_check(dltf_matrix_f32(x, 0, 3), DLTF_SUBJECT_TRUE_DICTIONARY), DLTF_ARGUMENT,
                 "0 rows and 3 columns");
    assert_fails(dl_matrix_check(dltf_matrix_f32(x, 3, 0), DLTF_SUBJECT_TRUE_DICTIONARY), DLTF_ARGUMENT,
                 "3 rows and 0 columns");
    assert_fails(dl_matrix_check(dltf_matrix_f32(x, -1, 1), DLTF_SUBJECT_TRUE_DICTIONARY), DLTF_ARGUMENT,
                 "-1 rows");
    bad = good;
    bad.type = (dltf_type)17;
    assert_fails(dl_matrix_check(bad, DLTF_SUBJECT_TRUE_DICTIONARY), DLTF_ARGUMENT,
                 "true dictionary: unsupported element type 17");
    assert_fails(dl_matrix_check(dltf_matrix_f32(x, 1, INT64_C(1) << 31), DLTF_SUBJECT_TRUE_DICTIONARY),
                 DLTF_ARGUMENT, "1 x 2147483648 is too large");
    assert_fails(dl_matrix_check(dltf_matrix_f32(x, INT64_MAX / 8, 2), DLTF_SUBJECT_TRUE_DICTIONARY),
                 DLTF_ARGUMENT, "is too large");
}

static void not_finite(void **state) {
    (void)state;
    float x[] = {1, 2, 3, 4, 5, 6};
    x[5] = NAN;
    assert_fails(dl_matrix_check_finite(dltf_matrix_f32(x, 2, 3), DLTF_SUBJECT_DATA), DLTF_DATA,
                 "data: row 1, column 2 is NaN");
    x[1] = -INFINITY; /* the first is named */
    assert_fails(dl_matrix_check_finite(dltf_matrix_f32(x, 2, 3), DLTF_SUBJECT_DATA), DLTF_DATA,
                 "data: row 0, column 1 is infinite");
    dltf_matrix fortran = {x, DLTF_F32, 2, 3, 1, 2};
    assert_fails(dl_matrix_check_finite(fortran, DLTF_SUBJECT_DATA), DLTF_DATA,
                 "row 1, column 0 is infinite");
    const double y[] = {1, 1e300, (double)NAN};
    assert_fails(dl_matrix_check_finite(dltf_matrix_f64(y, 3, 1), DLTF_SUBJECT_DICTIONARY), DLTF_DATA,
                 "dictionary: row 2, column 0 is NaN");
    assert_fails(dl_row_check_finite(y, 3, 41, DLTF_SUBJECT_DICTIONARY), DLTF_DATA, "row 41, column 2");
    assert_int_equal(dl_row_check_finite(y, 2, 41, DLTF_SUBJECT_DICTIONARY), DLTF_OK);
    assert_survives_lack_of_memory(dl_matrix_check_finite(dltf_matrix_f64(y, 2, 1), DLTF_SUBJECT_DATA), 1);
}

static void norms(void **state) {
    (void)state;
    const double scales[] = {1e-310, 1e-200, 1, 1e200, 1e307};
    for (int s = 0; s < 5; s++) {
        double x[] = {3 * scales[s], 0, -4 * scales[s]};
        assert_near(dl_norm(x, 3) / scales[s], 5, 1e-12);
        assert_true(dl_normalise(x, 3));
        assert_near(x[0], 0.6, 1e-12);
        assert_near(x[2], -0.8, 1e-12);
    }
    double zero[] = {0, -0.0};
    assert_true(dl_norm(zero, 2) == 0);
    assert_false(dl_normalise(zero, 2));
    assert_true(zero[0] == 0 && zero[1] == 0);
}

static dltf_status unit_rows_once(dltf_matrix matrix) {
    double *rows = NULL;
    dltf_status status = dl_matrix_unit_rows(matrix, DLTF_SUBJECT_DICTIONARY, &rows);
    assert_true((rows != NULL) == (status == DLTF_OK));
    dl_free(rows);
    return status;
}

static void unit_rows(void **state) {
    (void)state;
    float x[] = {3, 4, 1e-38f, 0, -FLT_MAX, FLT_MAX};
    double *rows = NULL;
    assert_int_equal(dl_matrix_unit_rows(dltf_matrix_f32(x, 3, 2), DLTF_SUBJECT_DICTIONARY, &rows), DLTF_OK);
    const double wanted[] = {0.6, 0.8, 1, 0, -sqrt(0.5), sqrt(0.5)};
    for (int i = 0; i < 6; i++)
        assert_near(rows[i], wanted[i], 1e-15);
    dl_free(rows);
    assert_survives_lack_of_memory(unit_rows_once(dltf_matrix_f32(x, 3, 2)), 1);
    assert_fails(unit_rows_once(dltf_matrix_f32(x, 0, 2)), DLTF_ARGUMENT, "dictionary: 0 rows");
    x[0] = x[1] = 0;
    assert_fails(unit_rows_once(dltf_matrix_f32(x, 3, 2)), DLTF_DATA, "dictionary: row 0 is all zero");
    x[4] = NAN;
    assert_fails(unit_rows_once(dltf_matrix_f32(x + 2, 2, 2)), DLTF_DATA, "row 1, column 0 is NaN");
}

/* Reading floats and doubles at other addresses is undefined. */
static void unaligned_data_is_rejected(void **state) {
    (void)state;
    static double room[40];
    char *bytes = (char *)room;
    for (int shift = 1; shift < 8; shift++) {
        dltf_matrix f64 = {bytes + shift, DLTF_F64, 2, 3, 3, 1}, f32 = {bytes + shift, DLTF_F32, 2, 3, 3, 1},
                    u8 = {bytes + shift, DLTF_U8, 2, 3, 3, 1};
        assert_fails(dl_matrix_check(f64, DLTF_SUBJECT_DATA), DLTF_ARGUMENT,
                     "data: the address of the data is not a multiple of 8 bytes");
        if (shift % 4 != 0)
            assert_fails(dl_matrix_check(f32, DLTF_SUBJECT_DATA), DLTF_ARGUMENT,
                         "data: the address of the data is not a multiple of 4 bytes");
        else
            assert_int_equal(dl_matrix_check(f32, DLTF_SUBJECT_DATA), DLTF_OK);
        assert_int_equal(dl_matrix_check(u8, DLTF_SUBJECT_DATA), DLTF_OK);
    }
}

TESTS_MAIN(cmocka_unit_test(views_by_type), cmocka_unit_test(views_by_stride), cmocka_unit_test(sparse_views),
           cmocka_unit_test(codes_as_samples), cmocka_unit_test(bad_sparse_views),
           cmocka_unit_test(bad_views), cmocka_unit_test(unaligned_data_is_rejected),
           cmocka_unit_test(not_finite), cmocka_unit_test(norms), cmocka_unit_test(unit_rows))
