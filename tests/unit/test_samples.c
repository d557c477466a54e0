/* Samples as algorithms use them: centring, unit norm, scale, any type and order; what the scan of raw data
 * returns and rejects. */
#include "data/samples.h"

#include "test_util.h"

enum { N = 23, n = 5 };

/* The same small whole numbers in every type and order. */
static float f32[N][n], fortran[n][N];
static double f64[N][n];
static uint8_t u8[N][n];
static float mean[n];

static const dltf_matrix in_f32 = {f32, DLTF_F32, N, n, n, 1};
static const dltf_matrix in_f64 = {f64, DLTF_F64, N, n, n, 1};

static const dltf_matrix views[] = {
    {f32, DLTF_F32, N, n, n, 1},
    {f64, DLTF_F64, N, n, n, 1},
    {u8, DLTF_U8, N, n, n, 1},
    {fortran, DLTF_F32, N, n, 1, N},
};
enum { VIEWS = 4, ZERO_ROW = 7 };

static int fill(void **state) {
    (void)state;
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < n; j++) {
            u8[i][j] = (uint8_t)(i == ZERO_ROW ? 0 : below(256));
            f32[i][j] = fortran[j][i] = u8[i][j];
            f64[i][j] = u8[i][j];
        }
    for (int64_t j = 0; j < n; j++)
        mean[j] = (float)normal();
    return 0;
}

static void expected_row(dl_samples samples, int64_t i, double *x) {
    double square = 0, own = 0;
    for (int64_t j = 0; j < n; j++) {
        x[j] = f64[i][j] - (samples.mean ? (double)mean[j] : 0);
        own += x[j] / n;
    }
    for (int64_t j = 0; j < n; j++) {
        x[j] -= samples.remove_mean ? own : 0;
        square += x[j] * x[j];
    }
    for (int64_t j = 0; j < n; j++)
        x[j] *= samples.scale / (samples.unit_norm && square > 0 ? sqrt(square) : 1);
}

static void preprocessing(void **state) {
    (void)state;
    double x[n], row[n];
    float first[n], out[n];
    for (int variant = 0; variant < 16; variant++)
        for (int64_t i = 0; i < N; i++)
            for (int v = 0; v < VIEWS; v++) {
                dl_samples samples = {.X = views[v],
                                      .mean = variant & 1 ? mean : NULL,
                                      .remove_mean = variant & 8,
                                      .unit_norm = variant & 2,
                                      .scale = variant & 4 ? 2.5 : 1};
                dl_samples_row(&samples, i, row, v == 0 ? first : out);
                if (v > 0)
                    assert_memory_equal(out, first, sizeof out);
                expected_row(samples, i, x);
                for (int64_t j = 0; j < n; j++)
                    assert_near((double)first[j], x[j], 1e-7 * fabs(x[j]) + 1e-13);
            }
}

static void mean_row(void **state) {
    (void)state;
    for (int v = 0; v < VIEWS; v++) {
        float out[n];
        assert_int_equal(dl_samples_mean(views[v], out), DLTF_OK);
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t i = 0; i < N; i++)
                sum += f64[i][j];
            assert_near((double)out[j], sum / N, 1e-5);
        }
    }
    const float huge[] = {3e38f, 3e38f, 3e38f, 3e38f};
    float out[2];
    assert_int_equal(dl_samples_mean(dltf_matrix_f32(huge, 2, 2), out), DLTF_OK);
    assert_near((double)out[0], 3e38, 1e32);
    assert_survives_lack_of_memory(dl_samples_mean(in_f32, mean), 2);
}

static void scan_results(void **state) {
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        dl_samples samples = {in_f64, variant & 1 ? mean : NULL, false, variant & 2, 1};
        double sum = 0, x[n];
        for (int64_t i = 0; i < N; i++) {
            expected_row(samples, i, x);
            for (int64_t j = 0; j < n; j++)
                sum += x[j] * x[j];
        }
        dl_scan scan;
        assert_int_equal(dl_samples_scan(&samples, &scan), DLTF_OK);
        assert_near(scan.mean_square, sum / N, 1e-9 * sum);
        assert_int_equal(scan.nonzero_rows, variant & 1 ? N : N - 1);
    }
    dl_samples samples = {in_f64, NULL, false, false, 1};
    dl_scan scan;
    assert_survives_lack_of_memory(dl_samples_scan(&samples, &scan), 1);
}

static uint64_t checksum(dltf_matrix X) {
    dl_samples samples = {X, NULL, false, false, 1};
    dl_scan scan;
    assert_int_equal(dl_samples_scan(&samples, &scan), DLTF_OK);
    return scan.checksum;
}

static void checksums(void **state) {
    (void)state;
    uint64_t sum = checksum(in_f32);
    for (int v = 1; v < VIEWS; v++)
        assert_true(checksum(views[v]) == sum);
    for (int64_t i = 0; i < N; i++) /* one value changed by one ulp, or in sign */
        for (int64_t j = 0; j < n; j++) {
            double kept = f64[i][j];
            f64[i][j] = nextafter(kept, 1e300);
            assert_true(checksum(in_f64) != sum);
            f64[i][j] = kept == 0 ? 1 : -kept;
            assert_true(checksum(in_f64) != sum);
            f64[i][j] = kept;
        }
    assert_true(checksum(in_f64) == sum);
    float kept = f32[0][0];
    f32[0][0] = f32[1][0] + 1;
    uint64_t changed = checksum(in_f32);
    float swap = f32[0][0];
    f32[0][0] = f32[1][0];
    f32[1][0] = swap;
    assert_true(checksum(in_f32) != changed); /* the order counts */
    f32[1][0] = f32[0][0];
    f32[0][0] = kept;
    dltf_matrix flat = dltf_matrix_f32(&f32[0][0], 1, N * n), tall = dltf_matrix_f32(&f32[0][0], N * n, 1);
    assert_true(checksum(flat) != sum && checksum(tall) != sum && checksum(flat) != checksum(tall));
}

static void unusable_data(void **state) {
    (void)state;
    const float zero[6] = {0}, ones[2] = {1, 1};
    const float bad[] = {1, 1, 2, 2, NAN, 3}, infinite[] = {1, INFINITY};
    const double tiny[] = {1e-200}, huge[] = {1e200};
    dl_scan scan;
    float out[2];
    dl_samples samples = {dltf_matrix_f32(bad, 3, 2), NULL, false, false, 1};
    assert_fails(dl_samples_scan(&samples, &scan), DLTF_DATA, "row 2, column 0 is NaN");
    assert_fails(dl_samples_mean(samples.X, out), DLTF_DATA, "row 2, column 0 is NaN");
    samples.X = dltf_matrix_f32(infinite, 1, 2);
    assert_fails(dl_samples_scan(&samples, &scan), DLTF_DATA, "row 0, column 1 is infinite");
    assert_fails(dl_samples_mean(samples.X, out), DLTF_DATA, "row 0, column 1 is infinite");
    samples.X = dltf_matrix_f32(zero, 3, 2);
    assert_fails(dl_samples_scan(&samples, &scan), DLTF_DATA, "all 3 samples are zero: there");
    samples = (dl_samples){.X = dltf_matrix_f32(ones, 1, 2), .mean = ones, .unit_norm = true, .scale = 1};
    assert_fails(dl_samples_scan(&samples, &scan), DLTF_DATA,
                 "all 1 samples are zero after the mean is subtracted");
    samples = (dl_samples){.X = dltf_matrix_f64(tiny, 1, 1), .scale = 1};
    assert_fails(dl_samples_scan(&samples, &scan), DLTF_NUMERIC, "rescale the data");
    samples.X = dltf_matrix_f64(huge, 1, 1);
    assert_fails(dl_samples_scan(&samples, &scan), DLTF_NUMERIC, "rescale the data");
    samples.unit_norm = true; /* then the size does not matter */
    assert_int_equal(dl_samples_scan(&samples, &scan), DLTF_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(preprocessing), cmocka_unit_test(mean_row),      cmocka_unit_test(scan_results),
        cmocka_unit_test(checksums),     cmocka_unit_test(unusable_data),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}
