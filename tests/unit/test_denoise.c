/* The denoiser: what must hold whatever the image, plain references for its parts, threads, memory, refusals.
 */
#include "test_util.h"

#include "base/parallel.h"
#include "data/image.h"
#include "denoise/bases.h"
#include "denoise/colour.h"
#include "denoise/incoherent.h"
#include "denoise/patch_learner.h"
#include "linalg/blas.h"

static bool small(void) {
    const char *set = getenv("DLTF_TEST_SMALL");
    return set && strcmp(set, "1") == 0;
}

/* Edges, a gradient and a texture. */
static dltf_image *make_image(int64_t width, int64_t height, int64_t channels) {
    dltf_image *image = NULL;
    assert_int_equal(dltf_image_new(width, height, channels, 8, &image), DLTF_OK);
    for (int64_t c = 0; c < channels; c++)
        for (int64_t i = 0; i < width * height; i++) {
            int64_t x = i % width, y = i / width;
            double value = 60 + (double)(40 * c) + 0.5 * (double)x;
            value += x + y > width ? 60 : 0;
            value += y > height / 2 ? 20 * sin(0.8 * (double)x) : 0;
            dl_image_plane(image, c)[i] = (float)value;
        }
    return image;
}

static dltf_image *make_noisy(const dltf_image *clean, double sigma) {
    dltf_image *noisy = NULL;
    assert_int_equal(dltf_image_new(clean->width, clean->height, clean->channels, 8, &noisy), DLTF_OK);
    memcpy(noisy->planes, clean->planes,
           (size_t)(clean->channels * clean->width * clean->height) * sizeof(float));
    assert_int_equal(dltf_image_add_noise(noisy, sigma, 7), DLTF_OK);
    return noisy;
}

/* Small patches and few atoms. */
static dltf_denoising quick(double sigma) {
    dltf_denoising o = dltf_denoising_default();
    o.sigma = sigma;
    o.patch = 4;
    o.m = 24;
    return o;
}

static dltf_image *denoised(const dltf_image *noisy, dltf_denoising o) {
    dltf_image *clean = NULL;
    assert_int_equal(dltf_denoise(noisy, &o, NULL, NULL, NULL, &clean, NULL), DLTF_OK);
    return clean;
}

static double psnr(const dltf_image *a, const dltf_image *b) {
    double value = 0;
    assert_int_equal(dltf_image_psnr(a, b, &value), DLTF_OK);
    return value;
}

/* ---- the whole ---- */

static void every_method_removes_noise(void **state) {
    (void)state;
    int64_t side = small() ? 32 : 56;
    for (int64_t channels = 1; channels <= 3; channels += 2) {
        dltf_image *clean = make_image(side + 5, side, channels), *noisy = make_noisy(clean, 20);
        for (int method = 0; method < 3; method++)
            for (int64_t stages = 1; stages <= 2; stages++) {
                dltf_denoising o = quick(20);
                o.method = (dltf_denoise_method)method;
                o.stages = stages;
                bool large = channels == 1 && !small();
                o.patch = large ? 8 : 4;
                o.m = large ? 63 : 24;
                dltf_image *out = denoised(noisy, o);
                double gain = psnr(out, clean) - psnr(noisy, clean);
                if (gain < 2)
                    fail_msg("method %d, %d stages, %d channels: only %g dB better", method, (int)stages,
                             (int)channels, gain);
                assert_int_equal(out->bits, noisy->bits);
                dltf_image_free(out);
            }
        dltf_image_free(clean);
        dltf_image_free(noisy);
    }
}

static void a_constant_image_stays(void **state) {
    (void)state;
    dltf_image *image = NULL;
    assert_int_equal(dltf_image_new(30, 21, 1, 8, &image), DLTF_OK);
    for (int i = 0; i < 30 * 21; i++)
        image->planes[i] = 77.25f;
    for (int method = 0; method < 3; method++) {
        dltf_denoising o = quick(10);
        o.method = (dltf_denoise_method)method;
        dltf_image *out = NULL;
        dltf_status status = dltf_denoise(image, &o, NULL, NULL, NULL, &out, NULL);
        if (status == DLTF_DATA) /* the library's learners refuse data without any content */
            continue;
        assert_int_equal(status, DLTF_OK);
        for (int i = 0; i < 30 * 21; i++)
            assert_near((double)out->planes[i], 77.25, 1e-4);
        dltf_image_free(out);
    }
    dltf_image_free(image);
}

static void without_noise_nothing_changes(void **state) {
    (void)state;
    dltf_image *image = make_image(20, 17, 3), *out = denoised(image, quick(0));
    assert_memory_equal(out->planes, image->planes, 3 * 20 * 17 * sizeof(float));
    dltf_image_free(out);
    dltf_image_free(image);
}

/* Adding a constant adds it to the result: only means of patches change. Values are multiples of 1/16, so
 * that patches without their means are the same bits. */
static void brightness_passes_through(void **state) {
    (void)state;
    enum { PIXELS = 40 * 33 };
    dltf_image *clean = make_image(40, 33, 1), *noisy = make_noisy(clean, 10),
               *brighter = make_noisy(clean, 10);
    for (int i = 0; i < PIXELS; i++) {
        noisy->planes[i] = rintf(16 * noisy->planes[i]) / 16;
        brighter->planes[i] = noisy->planes[i] + 16;
    }
    dltf_denoising o = quick(10);
    o.stages = 1;
    dltf_image *a = denoised(noisy, o), *b = denoised(brighter, o);
    for (int i = 0; i < PIXELS; i++)
        assert_near((double)(b->planes[i] - a->planes[i]), 16, 1e-3);
    dltf_image_free(clean);
    dltf_image_free(noisy);
    dltf_image_free(brighter);
    dltf_image_free(a);
    dltf_image_free(b);
}

static void the_result_does_not_depend_on_the_threads(void **state) {
    (void)state;
    int64_t width = small() ? 33 : 61, channels = small() ? 1 : 3;
    dltf_image *clean = make_image(width, 45, channels), *noisy = make_noisy(clean, 15);
    for (int method = 0; method < 3; method++) {
        dltf_denoising o = quick(15);
        o.method = (dltf_denoise_method)method;
        o.stages = 2;
        o.threads = 1;
        dltf_image *one = denoised(noisy, o);
        o.threads = 3;
        dltf_image *three = denoised(noisy, o);
        assert_memory_equal(one->planes, three->planes, (size_t)(channels * width * 45) * sizeof(float));
        dltf_image_free(one);
        dltf_image_free(three);
    }
    dltf_image_free(clean);
    dltf_image_free(noisy);
}

static void any_size_down_to_one_patch(void **state) {
    (void)state;
    static const int64_t sizes[][2] = {{8, 8}, {8, 30}, {31, 9}, {10, 10}, {16, 8}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int64_t stride = 1; stride <= 8; stride += 7) {
            dltf_image *clean = make_image(sizes[i][0], sizes[i][1], 1), *noisy = make_noisy(clean, 5);
            dltf_denoising o = quick(5);
            o.patch = 8;
            o.stride = stride;
            dltf_image *out = denoised(noisy, o);
            for (int64_t p = 0; p < sizes[i][0] * sizes[i][1]; p++)
                assert_true(out->planes[p] >= 0 && out->planes[p] <= 255);
            dltf_image_free(out);
            dltf_image_free(clean);
            dltf_image_free(noisy);
        }
}

static void refusals(void **state) {
    (void)state;
    dltf_image *image = NULL, *out = NULL;
    dltf_denoising o = dltf_denoising_default();
    o.sigma = 20;
    assert_int_equal(dltf_image_new(1, 1, 1, 8, &image), DLTF_OK);
    assert_fails(dltf_denoise(image, &o, NULL, NULL, NULL, &out, NULL), DLTF_DATA,
                 "1 x 1 pixels are less than one patch of 8 x 8");
    dltf_image_free(image);
    image = make_image(20, 20, 1);
    o.sigma = -3;
    assert_fails(dltf_denoise(image, &o, NULL, NULL, NULL, &out, NULL), DLTF_ARGUMENT,
                 "sigma: -3 is outside");
    o.sigma = 1e9;
    assert_fails(dltf_denoise(image, &o, NULL, NULL, NULL, &out, NULL), DLTF_ARGUMENT, "sigma");
    o.sigma = NAN;
    assert_fails(dltf_denoise(image, &o, NULL, NULL, NULL, &out, NULL), DLTF_ARGUMENT, "sigma");
    o = quick(20);
    o.stride = 9;
    assert_fails(dltf_denoise(image, &o, NULL, NULL, NULL, &out, NULL), DLTF_ARGUMENT, "stride: 9 is more");
    o = quick(DLTF_SIGMA_UNKNOWN);
    assert_fails(dltf_denoise(image, &o, NULL, NULL, NULL, &out, NULL), DLTF_DATA, "too few to estimate");
    o = dltf_denoising_default();
    o.sigma = 20;
    image->planes[25] = INFINITY;
    assert_fails(dltf_denoise(image, &o, NULL, NULL, NULL, &out, NULL), DLTF_DATA,
                 "row 1, column 5 is infinite");
    image->planes[25] = 1e30f;
    assert_fails(dltf_denoise(image, &o, NULL, NULL, NULL, &out, NULL), DLTF_DATA, "not on the scale");
    image->planes[25] = 0;
    const float atoms[6] = {1, 0, 0, 0, 1, 0};
    dltf_model *model = NULL;
    dltf_model_view parts = {.m = 2, .n = 3, .k = 1, .dictionary = atoms};
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    assert_fails(dltf_denoise(image, &o, model, NULL, NULL, &out, NULL), DLTF_ARGUMENT,
                 "a patch of 8 x 8 has 64");
    dltf_model_free(model);
    dltf_image_free(image);
}

static void a_given_dictionary_is_used(void **state) {
    (void)state;
    float *W = DL_NEW(float, 63 * 64);
    dltf_model *model = NULL;
    dltf_image *clean = make_image(48, 40, 1), *noisy = make_noisy(clean, 15), *out = NULL;
    dltf_denoise_info info;
    dltf_denoising o = dltf_denoising_default();
    o.sigma = 15;
    assert_int_equal(dl_cosine_dictionary(8, 63, W), DLTF_OK);
    assert_int_equal(dltf_model_new(&(dltf_model_view){.m = 63, .n = 64, .k = 4, .dictionary = W}, &model),
                     DLTF_OK);
    for (int method = 0; method < 3; method++) {
        o.method = (dltf_denoise_method)method;
        assert_int_equal(dltf_denoise(noisy, &o, model, NULL, NULL, &out, &info), DLTF_OK);
        assert_int_equal(info.m, 63);
        assert_true(info.learning_seconds == 0);
        assert_int_equal(info.patches, 41 * 33);
        assert_true(psnr(out, clean) > psnr(noisy, clean) + 2);
        dltf_image_free(out);
    }
    dltf_model_free(model);
    dltf_image_free(clean);
    dltf_image_free(noisy);
    dl_free(W);
}

typedef struct watch {
    int64_t calls, stop_at;
    double last;
} watch;

static int on_progress(void *context, const dltf_progress *progress) {
    watch *w = context;
    double share = (double)progress->done / (double)progress->total;
    assert_true(share >= w->last && share <= 1);
    w->last = share;
    return ++w->calls == w->stop_at;
}

static void progress_rises_and_cancels(void **state) {
    (void)state;
    dltf_image *clean = make_image(20, 20, small() ? 1 : 3), *out = NULL;
    for (int method = 0; method < 3; method++) {
        dltf_denoising o = quick(10);
        o.method = (dltf_denoise_method)method;
        o.stages = 2;
        watch w = {0, 0, 0};
        assert_int_equal(dltf_denoise(clean, &o, NULL, on_progress, &w, &out, NULL), DLTF_OK);
        dltf_image_free(out);
        assert_near(w.last, 1, 0.02);
        for (int64_t stop = 1; stop <= w.calls; stop += w.calls / 5 + 1) {
            watch again = {0, stop, 0};
            out = NULL;
            assert_fails(dltf_denoise(clean, &o, NULL, on_progress, &again, &out, NULL), DLTF_CANCELLED,
                         "cancelled");
            assert_null(out);
        }
    }
    dltf_image_free(clean);
}

static dltf_status denoise_and_free(const dltf_image *noisy, const dltf_denoising *o) {
    dltf_image *out = NULL;
    dltf_status status = dltf_denoise(noisy, o, NULL, NULL, NULL, &out, NULL);
    dltf_image_free(out);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    dltf_image *clean = make_image(23, 25, 1), *noisy = make_noisy(clean, 10);
    for (int method = 0; method < (small() ? 1 : 3); method++) {
        dltf_denoising o = quick(10);
        o.method = (dltf_denoise_method)method;
        o.m = 8;
        o.stages = 2;
        o.threads = 1;
        o.sigma = DLTF_SIGMA_UNKNOWN;
        assert_survives_lack_of_memory(denoise_and_free(noisy, &o), 20);
    }
    double value = 0;
    assert_survives_lack_of_memory(dltf_image_noise(noisy, &value), 2);
    assert_survives_lack_of_memory(dltf_image_ssim(noisy, clean, &value), 1);
    dltf_image_free(clean);
    dltf_image_free(noisy);
}

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

/* Estimates that are the patches themselves give the image back: every pixel is covered, weights are divided
 * out. */
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

/* ---- the rule ---- */

/* Scan the scores in decreasing magnitude, as the rule is written. */
static int64_t plain_rule(const float *W, int64_t m, int64_t n, const float *x, double mu, double cut,
                          int64_t k, int32_t *index) {
    double score[64];
    bool seen[64] = {false};
    int64_t kept = 0;
    for (int64_t j = 0; j < m; j++) {
        score[j] = 0;
        for (int64_t d = 0; d < n; d++)
            score[j] += (double)W[j * n + d] * (double)x[d];
    }
    for (int64_t step = 0; step < m && kept < k; step++) {
        int64_t best = -1;
        for (int64_t j = 0; j < m; j++)
            if (!seen[j] && (best < 0 || fabs(score[j]) > fabs(score[best])))
                best = j;
        seen[best] = true;
        bool keep = fabs(score[best]) > cut;
        for (int64_t e = 0; e < kept && keep; e++) {
            double product = 0;
            for (int64_t d = 0; d < n; d++)
                product += (double)W[best * n + d] * (double)W[index[e] * n + d];
            keep = fabs(product) <= mu;
        }
        if (keep)
            index[kept++] = (int32_t)best;
    }
    return kept;
}

static void the_rule_is_what_it_says(void **state) {
    (void)state;
    enum { M = 45, N = 20, K = 5, ROWS = 150 };
    float *W = DL_NEW(float, M *N), *X = DL_NEW(float, ROWS *N);
    fill_normal(W, M * N);
    fill_normal(X, ROWS * N);
    for (int j = 0; j < M; j++) {
        double square = 0;
        for (int d = 0; d < N; d++)
            square += (double)W[j * N + d] * (double)W[j * N + d];
        for (int d = 0; d < N; d++)
            W[j * N + d] = (float)((double)W[j * N + d] / sqrt(square));
    }
    dl_incoherent rule;
    dl_incoherent_space space;
    dl_slots Z;
    assert_int_equal(dl_incoherent_alloc(&rule, M, N, K), DLTF_OK);
    assert_int_equal(dl_incoherent_space_alloc(&space, M), DLTF_OK);
    assert_int_equal(dl_slots_alloc(&Z, ROWS, K), DLTF_OK);
    dl_incoherent_fill(&rule, W, 0.2, 0.8);
    for (int first = 0; first < ROWS; first += DL_TILE) {
        int rows = ROWS - first < DL_TILE ? ROWS - first : DL_TILE;
        dl_incoherent_tile(&rule, X + first * N, rows, &space, dl_slots_from(&Z, first, rows));
    }
    int64_t entries = 0;
    for (int i = 0; i < ROWS; i++) {
        int32_t wanted[K];
        int64_t count = plain_rule(W, M, N, X + i * N, 0.2, 0.8, K, wanted);
        assert_int_equal(Z.count[i], count);
        assert_memory_equal(Z.index + i * K, wanted, (size_t)count * sizeof *wanted);
        entries += count;
    }
    assert_true(entries > ROWS && entries < K * ROWS);
    dl_slots_free(&Z);
    dl_incoherent_space_free(&space);
    dl_incoherent_free(&rule);
    dl_free(W);
    dl_free(X);
}

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

/* What the rule's codes leave of the samples, with dictionary W. */
static double left_over(const dl_patch_training *t, const float *W) {
    int64_t n = t->side * t->side;
    double sum = 0;
    dl_incoherent rule;
    dl_incoherent_space space;
    dl_slots Z;
    assert_int_equal(dl_incoherent_alloc(&rule, t->m, n, t->k), DLTF_OK);
    assert_int_equal(dl_incoherent_space_alloc(&space, t->m), DLTF_OK);
    assert_int_equal(dl_slots_alloc(&Z, 1, t->k), DLTF_OK);
    dl_incoherent_fill(&rule, W, t->mu, t->cut);
    for (int64_t i = 0; i < t->count; i++) {
        dl_incoherent_tile(&rule, t->X + i * n, 1, &space, Z);
        for (int64_t d = 0; d < n; d++) {
            double gap = (double)t->X[i * n + d];
            for (int32_t e = 0; e < Z.count[0]; e++)
                gap -= (double)Z.value[e] * (double)W[Z.index[e] * n + d];
            sum += gap * gap;
        }
    }
    dl_slots_free(&Z);
    dl_incoherent_space_free(&space);
    dl_incoherent_free(&rule);
    return sum;
}

/* Samples that are multiples of few atoms: the cosines that learning starts from explain them badly, what it
 * ends with almost wholly, with unit-norm atoms. */
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

/* ---- the second stage, and what it stands on ---- */

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
    /* With hardly any noise all gains are near 1: the image comes back. */
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
    dl_colour_apart(planes, 50);
    for (int i = 0; i < 50; i++) { /* orthonormal: lengths stay */
        double a = 0, b = 0;
        for (int c = 0; c < 3; c++) {
            a += (double)planes[c * 50 + i] * (double)planes[c * 50 + i];
            b += (double)before[c * 50 + i] * (double)before[c * 50 + i];
        }
        assert_near(a, b, 1e-5);
    }
    dl_colour_together(planes, 50);
    for (int i = 0; i < 150; i++)
        assert_near((double)planes[i], (double)before[i], 1e-6);
}

/* ---- noise and quality ---- */

static void noise_has_its_deviation_and_its_seed(void **state) {
    (void)state;
    dltf_image *image = NULL, *again = NULL;
    assert_int_equal(dltf_image_new(200, 150, 1, 8, &image), DLTF_OK);
    assert_int_equal(dltf_image_new(200, 150, 1, 8, &again), DLTF_OK);
    assert_int_equal(dltf_image_add_noise(image, 12, 5), DLTF_OK);
    assert_int_equal(dltf_image_add_noise(again, 12, 5), DLTF_OK);
    assert_memory_equal(image->planes, again->planes, 200 * 150 * sizeof(float));
    double sum = 0, square = 0, sigma = 0;
    for (int i = 0; i < 200 * 150; i++) {
        sum += (double)image->planes[i] / (200 * 150);
        square += (double)image->planes[i] * (double)image->planes[i] / (200 * 150);
    }
    assert_near(sum, 0, 0.3);
    assert_near(sqrt(square), 12, 0.3);
    assert_int_equal(image->bits, 32);
    /* And the estimator finds it, in pure noise and beside content. */
    assert_int_equal(dltf_image_noise(image, &sigma), DLTF_OK);
    assert_near(sigma, 12, 0.4);
    dltf_image *content = make_image(200, 150, 3);
    assert_int_equal(dltf_image_add_noise(content, 12, 1), DLTF_OK);
    assert_int_equal(dltf_image_noise(content, &sigma), DLTF_OK);
    assert_near(sigma, 12, 0.6);
    assert_fails(dltf_image_add_noise(image, -1, 0), DLTF_ARGUMENT, "sigma: -1 is outside");
    assert_fails(dltf_image_add_noise(image, NAN, 0), DLTF_ARGUMENT, "outside");
    dltf_image_free(content);
    dltf_image_free(image);
    dltf_image_free(again);
}

/* The definition, window by window. */
static double plain_ssim(const dltf_image *a, const dltf_image *b, int64_t radius) {
    double total = 0, weight_sum = 0, count = 0;
    for (int64_t i = -radius; i <= radius; i++)
        for (int64_t j = -radius; j <= radius; j++)
            weight_sum += exp(-(double)(i * i + j * j) / 4.5);
    for (int64_t c = 0; c < a->channels; c++)
        for (int64_t y = radius; y + radius < a->height; y++)
            for (int64_t x = radius; x + radius < a->width; x++) {
                double p = 0, q = 0, pp = 0, qq = 0, pq = 0;
                for (int64_t i = -radius; i <= radius; i++)
                    for (int64_t j = -radius; j <= radius; j++) {
                        double w = exp(-(double)(i * i + j * j) / 4.5) / weight_sum;
                        double u = (double)dl_image_plane(a, c)[(y + i) * a->width + x + j];
                        double v = (double)dl_image_plane(b, c)[(y + i) * a->width + x + j];
                        p += w * u;
                        q += w * v;
                        pp += w * u * u;
                        qq += w * v * v;
                        pq += w * u * v;
                    }
                total += (2 * p * q + 6.5025) * (2 * (pq - p * q) + 58.5225) /
                         ((p * p + q * q + 6.5025) * (pp - p * p + qq - q * q + 58.5225));
                count++;
            }
    return total / count;
}

static void psnr_and_ssim_are_what_they_say(void **state) {
    (void)state;
    static const int64_t sizes[][3] = {{25, 18, 5}, {11, 30, 5}, {6, 9, 2}, {1, 4, 0}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        dltf_image *a = make_image(sizes[s][0], sizes[s][1], 3), *b = make_noisy(a, 25);
        double ssim = 0, sum = 0;
        int64_t count = 3 * sizes[s][0] * sizes[s][1];
        for (int64_t i = 0; i < count; i++)
            sum += pow((double)a->planes[i] - (double)b->planes[i], 2) / (double)count;
        assert_near(psnr(a, b), 10 * log10(255 * 255 / sum), 1e-9);
        assert_int_equal(dltf_image_ssim(a, b, &ssim), DLTF_OK);
        assert_near(ssim, plain_ssim(a, b, sizes[s][2]), 1e-9);
        assert_int_equal(dltf_image_ssim(a, a, &ssim), DLTF_OK);
        assert_near(ssim, 1, 1e-9);
        assert_true(isinf(psnr(a, a)));
        dltf_image_free(a);
        dltf_image_free(b);
    }
    dltf_image *a = make_image(5, 4, 1), *b = make_image(4, 5, 1);
    double value = 0;
    assert_fails(dltf_image_psnr(a, b, &value), DLTF_DATA, "the images differ: 5 x 4");
    assert_fails(dltf_image_ssim(a, b, &value), DLTF_DATA, "the images differ");
    dltf_image_free(a);
    dltf_image_free(b);
}

TESTS_MAIN(cmocka_unit_test(every_method_removes_noise), cmocka_unit_test(a_constant_image_stays),
           cmocka_unit_test(without_noise_nothing_changes), cmocka_unit_test(brightness_passes_through),
           cmocka_unit_test(the_result_does_not_depend_on_the_threads),
           cmocka_unit_test(any_size_down_to_one_patch), cmocka_unit_test(refusals),
           cmocka_unit_test(a_given_dictionary_is_used), cmocka_unit_test(progress_rises_and_cancels),
           cmocka_unit_test(survives_lack_of_memory),
           cmocka_unit_test(a_pass_without_change_gives_the_image_back),
           cmocka_unit_test(patches_are_sampled_all_or_spread), cmocka_unit_test(the_rule_is_what_it_says),
           cmocka_unit_test(cosine_atoms_are_unit_and_without_mean),
           cmocka_unit_test(the_learner_explains_the_patches),
           cmocka_unit_test(bases_are_orthonormal_and_filtering_keeps_the_clean),
           cmocka_unit_test(polar_factor_and_eigenvectors), cmocka_unit_test(colours_come_back),
           cmocka_unit_test(noise_has_its_deviation_and_its_seed),
           cmocka_unit_test(psnr_and_ssim_are_what_they_say))
