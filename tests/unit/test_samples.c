/* Samples as algorithms use them: centring, unit norm, scale, any type and order; what the scan of raw data
 * returns and rejects. */
#include "data/samples.h"

#include "test_util.h"

enum { N = 23, n = 5 };

/* The same small whole numbers in every type and order. */
static float f32[N][n], fortran[n][N];
static double f64[N][n];
static uint8_t u8[N][n];
static float mean[n], offset[n];

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
    fill_normal(mean, n);
    fill_normal(offset, n);
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
    for (int64_t j = 0; j < n; j++) {
        x[j] /= samples.unit_norm && square > 0 ? sqrt(square) : 1;
        x[j] = (x[j] - (samples.offset ? (double)offset[j] : 0)) * samples.scale;
    }
}

static void preprocessing(void **state) {
    (void)state;
    double x[n], row[n];
    float first[n], out[n];
    for (int variant = 0; variant < 32; variant++)
        for (int64_t i = 0; i < N; i++)
            for (int v = 0; v < VIEWS; v++) {
                dl_samples samples = {.X = views[v],
                                      .mean = variant & 1 ? mean : NULL,
                                      .remove_mean = variant & 8,
                                      .unit_norm = variant & 2,
                                      .offset = variant & 16 ? offset : NULL,
                                      .scale = variant & 4 ? 2.5 : 1};
                dl_samples_row(&samples, i, row, v == 0 ? first : out);
                if (v > 0)
                    assert_memory_equal(out, first, sizeof out);
                expected_row(samples, i, x);
                for (int64_t j = 0; j < n; j++)
                    assert_near((double)first[j], x[j], 1e-7 * fabs(x[j]) + 1e-13);
            }
}

/* Rows with and without mean and offset differ by the shift; a mean before the norm is not in it. */
static void shift(void **state) {
    (void)state;
    for (int variant = 0; variant < 16; variant++) {
        double with[n], without[n], found[n];
        float out[n];
        dl_samples plain = {.X = in_f64, .remove_mean = variant & 1, .unit_norm = variant & 2, .scale = 1},
                   samples = plain;
        samples.mean = variant & 4 ? mean : NULL;
        samples.offset = variant & 8 ? offset : NULL;
        dl_samples_shift(&samples, found);
        if (plain.unit_norm)
            plain.mean = samples.mean;
        dl_samples_row(&samples, 3, with, out);
        dl_samples_row(&plain, 3, without, out);
        for (int64_t j = 0; j < n; j++)
            assert_near(without[j] - with[j], found[j], 1e-12 * fabs(without[j]) + 1e-15);
    }
}

static void mean_row(void **state) {
    (void)state;
    for (int v = 0; v < VIEWS; v++) {
        float out[n];
        dl_samples raw = {.X = views[v]}, prepared = {.X = views[v], .unit_norm = true, .offset = offset};
        assert_int_equal(dl_samples_mean(&raw, out), DLTF_OK);
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t i = 0; i < N; i++)
                sum += f64[i][j];
            assert_near((double)out[j], sum / N, 1e-5);
        }
        assert_int_equal(dl_samples_mean(&prepared, out), DLTF_OK);
        for (int64_t j = 0; j < n; j++) {
            double x[n], sum = 0;
            for (int64_t i = 0; i < N; i++) {
                expected_row((dl_samples){.unit_norm = true, .offset = offset, .scale = 1}, i, x);
                sum += x[j];
            }
            assert_near((double)out[j], sum / N, 1e-6);
        }
    }
    const float huge[] = {3e38f, 3e38f, 3e38f, 3e38f};
    float out[2];
    assert_int_equal(dl_samples_mean(&(dl_samples){.X = dltf_matrix_f32(huge, 2, 2)}, out), DLTF_OK);
    assert_near((double)out[0], 3e38, 1e32);
    dl_samples raw = {.X = in_f32};
    assert_survives_lack_of_memory(dl_samples_mean(&raw, mean), 2);
}

static void scan_results(void **state) {
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        dl_samples samples = {
            .X = in_f64, .mean = variant & 1 ? mean : NULL, .unit_norm = variant & 2, .scale = 1};
        double sum = 0, x[n];
        for (int64_t i = 0; i < N; i++) {
            expected_row(samples, i, x);
            for (int64_t j = 0; j < n; j++)
                sum += x[j] * x[j];
        }
        dl_summary summary;
        assert_int_equal(dl_samples_summarise(&samples, &summary), DLTF_OK);
        assert_near(summary.mean_square, sum / N, 1e-9 * sum);
        assert_int_equal(summary.nonzero_rows, variant & 1 ? N : N - 1);
    }
    dl_samples samples = {.X = in_f64, .scale = 1};
    dl_summary summary;
    assert_survives_lack_of_memory(dl_samples_summarise(&samples, &summary), 1);
}

static uint64_t checksum(dltf_matrix X) {
    dl_samples samples = {.X = X, .scale = 1};
    dl_summary summary;
    assert_int_equal(dl_samples_summarise(&samples, &summary), DLTF_OK);
    return summary.checksum;
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
    dl_summary summary;
    float out[2];
    dl_samples samples = {.X = dltf_matrix_f32(bad, 3, 2), .scale = 1};
    assert_fails(dl_samples_summarise(&samples, &summary), DLTF_DATA, "row 2, column 0 is NaN");
    assert_fails(dl_samples_mean(&samples, out), DLTF_DATA, "row 2, column 0 is NaN");
    samples.X = dltf_matrix_f32(infinite, 1, 2);
    assert_fails(dl_samples_summarise(&samples, &summary), DLTF_DATA, "row 0, column 1 is infinite");
    assert_fails(dl_samples_mean(&samples, out), DLTF_DATA, "row 0, column 1 is infinite");
    samples.X = dltf_matrix_f32(zero, 3, 2);
    assert_fails(dl_samples_summarise(&samples, &summary), DLTF_DATA, "all 3 samples are zero: there");
    samples = (dl_samples){.X = dltf_matrix_f32(ones, 1, 2), .mean = ones, .unit_norm = true, .scale = 1};
    assert_fails(dl_samples_summarise(&samples, &summary), DLTF_DATA,
                 "all 1 samples are zero after the mean is subtracted");
    samples = (dl_samples){.X = dltf_matrix_f64(tiny, 1, 1), .scale = 1};
    assert_fails(dl_samples_summarise(&samples, &summary), DLTF_NUMERIC, "rescale the data");
    samples.X = dltf_matrix_f64(huge, 1, 1);
    assert_fails(dl_samples_summarise(&samples, &summary), DLTF_NUMERIC, "rescale the data");
    samples.unit_norm = true; /* then the size does not matter */
    assert_int_equal(dl_samples_summarise(&samples, &summary), DLTF_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(preprocessing), cmocka_unit_test(shift),     cmocka_unit_test(mean_row),
        cmocka_unit_test(scan_results),  cmocka_unit_test(checksums), cmocka_unit_test(unusable_data),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}
