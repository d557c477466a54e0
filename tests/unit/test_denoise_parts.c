/* The parts of the denoiser against plain references: patches and their learner, bases, colours. */
#include "test_image.h"

#include "coding/coders/incoherent.h"
#include "denoise/bases.h"
#include "denoise/patch_learner.h"
#include "image/colour.h"
#include "linalg/blas.h"

/* ---- patches ---- */

static void copy_estimate(void *context, const dl_patch_tile *tile, int worker) {
    (void)worker;
    int64_t n = *(const int64_t *)context;
    for (int64_t i = 0; i < tile->rows; i++) {
        for (int64_t d = 0; d < n; d++)
            tile->Y[i * n + d] = tile->X[i * n + d] + tile->mean[i];
        tile->weight[i] = 1 + (float)(tile->offset[i] % 3);
    }
}

/* If the estimates are the patches themselves, the result is the image: every pixel is covered, and weights
 * cancel. */
static void a_pass_without_change_gives_the_image_back(void **state) {
    (void)state;
    static const int64_t sizes[][4] = {
        {8, 8, 8, 1}, {50, 41, 8, 1}, {50, 41, 8, 3}, {23, 300, 7, 7}, {300, 20, 5, 2}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int64_t width = sizes[s][0], height = sizes[s][1], side = sizes[s][2], n = side * side;
        float *pixels = DL_NEW(float, width *height), *out = DL_NEW(float, width *height);
        fill_normal(pixels, width * height);
        dl_plane plane = {pixels, width, height};
        dl_grid grid = dl_grid_of(plane, side, sizes[s][3]);
        dl_meter meter = {.total = 100};
        for (int threads = 1; threads <= 3; threads += 2) {
            assert_int_equal(dl_patch_pass(plane, &grid, threads, copy_estimate, &n, &meter, 50, out),
                             DLTF_OK);
            for (int64_t i = 0; i < width * height; i++)
                assert_near((double)out[i], (double)pixels[i], 1e-5);
        }
        assert_int_equal(meter.done, 100);
        dl_free(pixels);
        dl_free(out);
    }
}

static void patches_are_sampled_all_or_spread(void **state) {
    (void)state;
    float pixels[12 * 10], *X = NULL;
    int64_t count = 0;
    fill_normal(pixels, 120);
    dl_plane plane = {pixels, 12, 10};
    dl_grid grid = dl_grid_of(plane, 4, 1);
    assert_int_equal(dl_patch_sample(plane, &grid, 1000, 0, &X, &count), DLTF_OK);
    assert_int_equal(count, 9 * 7);
    float patch[16];
    for (int64_t i = 0; i < count; i++) {
        double sum = 0;
        dl_patch_cut(plane, 4, dl_grid_offset(&grid, i / 9, i % 9), patch);
        assert_memory_equal(patch, X + i * 16, sizeof patch);
        for (int d = 0; d < 16; d++)
            sum += (double)patch[d];
        assert_near(sum, 0, 1e-5);
    }
    dl_free(X);
    assert_int_equal(dl_patch_sample(plane, &grid, 5, 3, &X, &count), DLTF_OK);
    assert_int_equal(count, 5);
    dl_free(X);
}

/* ---- the learner of patches ---- */

static void cosine_atoms_are_unit_and_without_mean(void **state) {
    (void)state;
    static const int64_t sizes[][2] = {{8, 63}, {8, 255}, {4, 1}, {10, 528}, {5, 30}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int64_t n = sizes[s][0] * sizes[s][0], m = sizes[s][1];
        float *W = DL_NEW(float, m *n);
        assert_int_equal(dl_cosine_dictionary(sizes[s][0], m, W), DLTF_OK);
        for (int64_t j = 0; j < m; j++) {
            double sum = 0, square = 0;
            for (int64_t d = 0; d < n; d++) {
                sum += (double)W[j * n + d];
                square += (double)W[j * n + d] * (double)W[j * n + d];
            }
            assert_near(sum, 0, 1e-5);
            assert_near(square, 1, 1e-5);
        }
        dl_free(W);
    }
}

/* Residual energy of the incoherent codes of the samples with dictionary W. */
static double left_over(const dl_patch_training *t, const float *W) {
    int64_t n = t->side * t->side;
    double sum = 0;
    dl_incoherent coder = {.k = t->k, .threshold = t->cut, .coherence = t->mu};
    dl_incoherent_space space;
    dl_slots Z;
    assert_int_equal(dl_incoherent_alloc(&coder, t->m, n), DLTF_OK);
    assert_int_equal(dl_incoherent_space_alloc(&space, t->m), DLTF_OK);
    assert_int_equal(dl_slots_alloc(&Z, 1, t->k), DLTF_OK);
    dl_incoherent_fill(&coder, 2, W);
    for (int64_t i = 0; i < t->count; i++) {
        dl_incoherent_tile(&coder, t->X + i * n, n, 1, &space, Z);
        for (int64_t d = 0; d < n; d++) {
            double gap = (double)t->X[i * n + d];
            for (int32_t e = 0; e < Z.count[0]; e++)
                gap -= (double)Z.value[e] * (double)W[Z.index[e] * n + d];
            sum += gap * gap;
        }
    }
    dl_slots_free(&Z);
    dl_incoherent_space_free(&space);
    dl_incoherent_free(&coder);
    return sum;
}

/* Samples that are multiples of a few atoms: the initial cosines fit them badly, the learned unit-norm atoms
 * almost exactly. */
static void the_learner_explains_the_patches(void **state) {
    (void)state;
    enum { COUNT = 600, SIDE = 4, N = 16, M = 15, TRUE = 4 };
    float *X = DL_NEW(float, COUNT *N), *W = DL_NEW(float, M *N), atoms[TRUE * N];
    double energy = 0;
    for (int j = 0; j < TRUE; j++) {
        double mean = 0;
        fill_normal(atoms + j * N, N);
        for (int d = 0; d < N; d++)
            mean += (double)atoms[j * N + d] / N;
        for (int d = 0; d < N; d++)
            atoms[j * N + d] -= (float)mean;
    }
    for (int i = 0; i < COUNT * N; i++) {
        X[i] = (float)((20 + i / N % 7) * (double)atoms[i / N % TRUE * N + i % N] + 0.1 * normal());
        energy += (double)X[i] * (double)X[i];
    }
    dl_patch_training t = {X, COUNT, SIDE, M, 4, 0.1, 5, 20, 2};
    dl_meter meter = {.total = 100};
    assert_int_equal(dl_cosine_dictionary(SIDE, M, W), DLTF_OK);
    double before = left_over(&t, W);
    assert_int_equal(dl_patch_learn(&t, &meter, 100, W), DLTF_OK);
    assert_int_equal(meter.done, 100);
    assert_true(before > 0.1 * energy);
    assert_true(left_over(&t, W) < 0.01 * energy);
    for (int j = 0; j < M; j++) {
        double square = 0;
        for (int d = 0; d < N; d++)
            square += (double)W[j * N + d] * (double)W[j * N + d];
        assert_near(square, 1, 1e-5);
    }
    dl_free(X);
    dl_free(W);
}

/* ---- the second stage and its parts ---- */

static void assert_orthonormal(const float *B, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            double product = 0;
            for (int64_t d = 0; d < n; d++)
                product += (double)B[i * n + d] * (double)B[j * n + d];
            assert_near(product, i == j, 1e-5);
        }
}

static void bases_are_orthonormal_and_filtering_keeps_the_clean(void **state) {
    (void)state;
    dltf_image *image = make_image(40, 36, 1);
    dl_plane plane = {image->planes, 40, 36};
    dl_bases bases = {0};
    dl_meter meter = {.total = 100};
    float *out = DL_NEW(float, 40 * 36);
    assert_int_equal(dl_bases_learn(&bases, plane, 6, 10, 0, 2, &meter, 48), DLTF_OK);
    for (int b = 0; b < DL_BASES; b++)
        assert_orthonormal(bases.B + b * 36 * 36, 36);
    /* With hardly any noise all gains are near 1: the image is unchanged. */
    assert_int_equal(dl_bases_filter(&bases, plane, image->planes, 1, 1e-3, 2, &meter, 52, out), DLTF_OK);
    for (int i = 0; i < 40 * 36; i++)
        assert_near((double)out[i], (double)image->planes[i], 1e-2);
    dl_bases_free(&bases);
    dl_free(out);
    dltf_image_free(image);
}

static void polar_factor_and_eigenvectors(void **state) {
    (void)state;
    enum { N = 12 };
    double A[N * N], P[N * N],
        S[N * N] = {0}, values[N],
              *scratch = DL_NEW(double, dl_polar_scratch(N) + dl_eigenvectors_scratch(N));
    fill_normal_f64(A, N * N);
    memcpy(P, A, sizeof A);
    assert_true(dl_polar(P, N, scratch));
    /* P is orthogonal and P^T A symmetric with nonnegative diagonal: that is the polar factor. */
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double product = 0, left = 0, right = 0;
            for (int d = 0; d < N; d++) {
                product += P[i * N + d] * P[j * N + d];
                left += P[d * N + i] * A[d * N + j];
                right += P[d * N + j] * A[d * N + i];
            }
            assert_near(product, i == j, 1e-10);
            assert_near(left, right, 1e-9);
            assert_true(i != j || left >= 0);
        }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int d = 0; d < N; d++)
                S[i * N + j] += A[i * N + d] * A[j * N + d];
    memcpy(A, S, sizeof A);
    assert_true(dl_eigenvectors(S, N, values, scratch));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double image = 0;
            for (int d = 0; d < N; d++)
                image += A[j * N + d] * S[i * N + d];
            assert_near(image, values[i] * S[i * N + j], 1e-8);
        }
    for (int i = 1; i < N; i++)
        assert_true(values[i] >= values[i - 1]);
    dl_free(scratch);
}

static void colours_come_back(void **state) {
    (void)state;
    float planes[3 * 50], before[3 * 50];
    fill_normal(planes, 150);
    memcpy(before, planes, sizeof planes);
    dl_rgb_to_opponent(planes, 50);
    for (int i = 0; i < 50; i++) { /* orthonormal: norms are preserved */
        double a = 0, b = 0;
        for (int c = 0; c < 3; c++) {
            a += (double)planes[c * 50 + i] * (double)planes[c * 50 + i];
            b += (double)before[c * 50 + i] * (double)before[c * 50 + i];
        }
        assert_near(a, b, 1e-5);
    }
    dl_opponent_to_rgb(planes, 50);
    for (int i = 0; i < 150; i++)
        assert_near((double)planes[i], (double)before[i], 1e-6);
}

TESTS_MAIN(cmocka_unit_test(a_pass_without_change_gives_the_image_back),
           cmocka_unit_test(patches_are_sampled_all_or_spread),
           cmocka_unit_test(cosine_atoms_are_unit_and_without_mean),
           cmocka_unit_test(the_learner_explains_the_patches),
           cmocka_unit_test(bases_are_orthonormal_and_filtering_keeps_the_clean),
           cmocka_unit_test(polar_factor_and_eigenvectors), cmocka_unit_test(colours_come_back))
