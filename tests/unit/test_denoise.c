/* The denoiser as a whole: properties for any image, threads, out of memory, rejected arguments. */
#include "test_image.h"

#include "denoise/patch_learner.h"

/* Small patches and few atoms. */
static dltf_denoise_options quick(double sigma) {
    dltf_denoise_options o = dltf_denoise_options_default();
    o.sigma = sigma;
    o.patch = 4;
    o.m = 24;
    return o;
}

static dltf_image *denoised(const dltf_image *noisy, dltf_denoise_options o) {
    dltf_image *clean = NULL;
    assert_int_equal(dltf_denoise(noisy, NULL, &o, NULL, NULL, &clean, NULL), DLTF_OK);
    return clean;
}

/* ---- the whole ---- */

static void every_method_removes_noise(void **state) {
    (void)state;
    int64_t side = test_small() ? 32 : 56;
    for (int64_t channels = 1; channels <= 3; channels += 2) {
        dltf_image *clean = make_image(side + 5, side, channels), *noisy = make_noisy(clean, 20);
        for (int method = 0; method < 3; method++)
            for (int64_t stages = 1; stages <= 2; stages++) {
                dltf_denoise_options o = quick(20);
                o.method = (dltf_denoise_method)method;
                o.stages = stages;
                bool large = channels == 1 && !test_small();
                o.patch = large ? 8 : 4;
                o.m = large ? 63 : 24;
                dltf_image *out = denoised(noisy, o);
                double gain = psnr(out, clean) - psnr(noisy, clean);
                if (!(gain >= 2))
                    fail_msg("method %d, %d stages, %d channels: only %g dB better", method, (int)stages,
                             (int)channels, gain);
                assert_int_equal(out->bits, noisy->bits);
                dltf_image_free(out);
            }
        dltf_image_free(clean);
        dltf_image_free(noisy);
    }
}

/* The denoiser's own learner has nothing to learn; dltf_train rejects samples that are all zero. */
static void a_constant_image_stays(void **state) {
    (void)state;
    dltf_image *image = NULL, *out = NULL;
    assert_int_equal(dltf_image_new(30, 21, 1, 8, &image), DLTF_OK);
    for (int i = 0; i < 30 * 21; i++)
        image->planes[i] = 77.25f;
    dltf_denoise_options o = quick(10);
    o.method = DLTF_DENOISE_DLTF;
    out = denoised(image, o);
    for (int i = 0; i < 30 * 21; i++)
        assert_near((double)out->planes[i], 77.25, 1e-4);
    dltf_image_free(out);
    out = NULL;
    for (o.method = DLTF_DENOISE_KSVD; o.method <= DLTF_DENOISE_PAPER; o.method++) {
        assert_fails(dltf_denoise(image, NULL, &o, NULL, NULL, &out, NULL), DLTF_DATA,
                     "all 486 samples are zero: there is nothing to learn");
        assert_null(out);
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
    dltf_denoise_options o = quick(10);
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
    int64_t width = test_small() ? 33 : 61, channels = test_small() ? 1 : 3;
    dltf_image *clean = make_image(width, 45, channels), *noisy = make_noisy(clean, 15);
    for (int method = 0; method < 3; method++) {
        dltf_denoise_options o = quick(15);
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
            dltf_denoise_options o = quick(5);
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

static void rejects_bad_arguments(void **state) {
    (void)state;
    dltf_image *image = NULL, *out = NULL;
    dltf_denoise_options o = dltf_denoise_options_default();
    o.sigma = 20;
    assert_int_equal(dltf_image_new(1, 1, 1, 8, &image), DLTF_OK);
    assert_fails(dltf_denoise(image, NULL, &o, NULL, NULL, &out, NULL), DLTF_DATA,
                 "1 x 1 pixels are smaller than one patch of 8 x 8");
    dltf_image_free(image);
    image = make_image(20, 20, 1);
    o.sigma = -3;
    assert_fails(dltf_denoise(image, NULL, &o, NULL, NULL, &out, NULL), DLTF_ARGUMENT,
                 "sigma: -3 is outside");
    o.sigma = 1e9;
    assert_fails(dltf_denoise(image, NULL, &o, NULL, NULL, &out, NULL), DLTF_ARGUMENT, "sigma");
    o.sigma = NAN;
    assert_fails(dltf_denoise(image, NULL, &o, NULL, NULL, &out, NULL), DLTF_ARGUMENT, "sigma");
    o = quick(20);
    o.stride = 9;
    assert_fails(dltf_denoise(image, NULL, &o, NULL, NULL, &out, NULL), DLTF_ARGUMENT, "stride: 9 is more");
    o = quick(DLTF_SIGMA_UNKNOWN);
    assert_fails(dltf_denoise(image, NULL, &o, NULL, NULL, &out, NULL), DLTF_DATA, "too few to estimate");
    o = dltf_denoise_options_default();
    o.sigma = 20;
    image->planes[25] = INFINITY;
    assert_fails(dltf_denoise(image, NULL, &o, NULL, NULL, &out, NULL), DLTF_DATA,
                 "row 1, column 5 is infinite");
    image->planes[25] = 1e30f;
    assert_fails(dltf_denoise(image, NULL, &o, NULL, NULL, &out, NULL), DLTF_DATA,
                 "is out of range: expected the scale 0 .. 255");
    image->planes[25] = 0;
    const float atoms[6] = {1, 0, 0, 0, 1, 0};
    dltf_model *model = NULL;
    dltf_model_view parts = {.m = 2, .n = 3, .k = 1, .dictionary = atoms};
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    assert_fails(dltf_denoise(image, model, &o, NULL, NULL, &out, NULL), DLTF_ARGUMENT,
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
    dltf_denoise_options o = dltf_denoise_options_default();
    o.sigma = 15;
    assert_int_equal(dl_cosine_dictionary(8, 63, W), DLTF_OK);
    assert_int_equal(dltf_model_new(&(dltf_model_view){.m = 63, .n = 64, .k = 4, .dictionary = W}, &model),
                     DLTF_OK);
    for (int method = 0; method < 3; method++) {
        o.method = (dltf_denoise_method)method;
        assert_int_equal(dltf_denoise(noisy, model, &o, NULL, NULL, &out, &info), DLTF_OK);
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
    dltf_image *clean = make_image(20, 20, test_small() ? 1 : 3), *out = NULL;
    for (int method = 0; method < 3; method++) {
        dltf_denoise_options o = quick(10);
        o.method = (dltf_denoise_method)method;
        o.stages = 2;
        watch w = {0, 0, 0};
        assert_int_equal(dltf_denoise(clean, NULL, &o, on_progress, &w, &out, NULL), DLTF_OK);
        dltf_image_free(out);
        assert_near(w.last, 1, 0.02);
        for (int64_t stop = 1; stop <= w.calls; stop += w.calls / 5 + 1) {
            watch again = {0, stop, 0};
            out = NULL;
            assert_fails(dltf_denoise(clean, NULL, &o, on_progress, &again, &out, NULL), DLTF_CANCELLED,
                         "cancelled");
            assert_null(out);
        }
    }
    dltf_image_free(clean);
}

static dltf_status denoise_and_free(const dltf_image *noisy, const dltf_denoise_options *o) {
    dltf_image *out = NULL;
    dltf_status status = dltf_denoise(noisy, NULL, o, NULL, NULL, &out, NULL);
    dltf_image_free(out);
    return status;
}

static void survives_out_of_memory(void **state) {
    (void)state;
    dltf_image *clean = make_image(23, 25, 1), *noisy = make_noisy(clean, 10);
    for (int method = 0; method < (test_small() ? 1 : 3); method++) {
        dltf_denoise_options o = quick(10);
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

TESTS_MAIN(cmocka_unit_test(every_method_removes_noise), cmocka_unit_test(a_constant_image_stays),
           cmocka_unit_test(without_noise_nothing_changes), cmocka_unit_test(brightness_passes_through),
           cmocka_unit_test(the_result_does_not_depend_on_the_threads),
           cmocka_unit_test(any_size_down_to_one_patch), cmocka_unit_test(rejects_bad_arguments),
           cmocka_unit_test(a_given_dictionary_is_used), cmocka_unit_test(progress_rises_and_cancels),
           cmocka_unit_test(survives_out_of_memory))
