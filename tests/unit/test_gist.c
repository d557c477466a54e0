/* GIST: against plain Fourier sums, symmetries, threads, progress, rejected arguments. */
#include "test_image.h"

#include "data/matrix.h"
#include "reference/reference.h"

/* Random values 0 .. 255 on top of an edge and a gradient. */
static float *random_images(int64_t count, int64_t width, int64_t height, int64_t channels) {
    int64_t pixels = width * height;
    float *images = malloc((size_t)(count * channels * pixels) * sizeof *images);
    assert_non_null(images);
    for (int64_t i = 0; i < count * channels * pixels; i++) {
        int64_t x = i % width, y = i % pixels / width;
        images[i] = (float)(below(100) + 100 * (x + y > width) + 55 * y / height);
    }
    return images;
}

static dltf_gist_options with(int64_t side, int64_t threads) {
    dltf_gist_options o = dltf_gist_options_default();
    o.side = side;
    o.threads = threads;
    return o;
}

static float *gist_of(dltf_matrix images, int64_t width, int64_t height, dltf_gist_options o) {
    float *out = malloc((size_t)(images.rows * DLTF_GIST_SIZE) * sizeof *out);
    assert_non_null(out);
    if (dltf_gist(images, width, height, &o, NULL, NULL, out) != DLTF_OK)
        fail_msg("%s", dltf_message());
    return out;
}

static void assert_as_reference(int64_t width, int64_t height, int64_t channels, int64_t side) {
    int64_t values = width * height * channels;
    float *image = random_images(1, width, height, channels);
    float *out = gist_of(dltf_matrix_f32(image, 1, values), width, height, with(side, 1));
    double wanted[DLTF_GIST_SIZE];
    ref_gist(image, channels, width, height, side, wanted);
    for (int i = 0; i < DLTF_GIST_SIZE; i++) {
        assert_true(wanted[i] > 1e-4);
        assert_near((double)out[i], wanted[i], 1e-5);
    }
    free(out);
    free(image);
}

static void equals_plain_sums(void **state) {
    (void)state;
    assert_as_reference(32, 32, 3, 32);
    assert_as_reference(71, 45, 1, 32); /* cropped and reduced */
    if (test_small())
        return;
    assert_as_reference(32, 32, 1, 32);
    assert_as_reference(28, 28, 1, 32); /* enlarged */
    assert_as_reference(33, 50, 3, 32);
    assert_as_reference(2, 3, 3, 32);
    assert_as_reference(64, 70, 1, 64);
}

static void a_constant_image_has_no_structure(void **state) {
    (void)state;
    for (int level = 0; level <= 255; level += 51) {
        float image[32 * 32];
        for (int i = 0; i < 32 * 32; i++)
            image[i] = (float)level;
        float *out = gist_of(dltf_matrix_f32(image, 1, 32 * 32), 32, 32, with(32, 1));
        for (int i = 0; i < DLTF_GIST_SIZE; i++)
            assert_near((double)out[i], 0, 1e-5);
        free(out);
    }
}

/* The value of a mirrored image: orientation 8 - o, and the other columns of blocks. */
static int mirrored(int index) {
    int block = index % 16, orientation = index / 16 % 8, scale = index / 128;
    return ((8 * scale + (8 - orientation) % 8) * 4 + block / 4) * 4 + 3 - block % 4;
}

/* Mirroring also exchanges the gains at frequency 0, which the formula does not make symmetric; they add at
 * most exp(-3.5) times the mean of the equalised image, which is small. */
static void mirroring_mirrors_blocks_and_orientations(void **state) {
    (void)state;
    float *image = random_images(1, 32, 32, 1), flipped[32 * 32];
    for (int i = 0; i < 32 * 32; i++)
        flipped[i] = image[i / 32 * 32 + 31 - i % 32];
    float *a = gist_of(dltf_matrix_f32(image, 1, 32 * 32), 32, 32, with(32, 1));
    float *b = gist_of(dltf_matrix_f32(flipped, 1, 32 * 32), 32, 32, with(32, 1));
    double apart = 0;
    for (int i = 0; i < DLTF_GIST_SIZE; i++) {
        assert_near((double)b[i], (double)a[mirrored(i)], 0.005);
        apart = larger(apart, fabs((double)b[i] - (double)a[i]));
    }
    assert_true(apart > 0.05);
    free(a);
    free(b);
    free(image);
}

/* Stripes across x, of the frequency of a scale, excite the orientation along x most, and that scale. */
static void stripes_excite_their_filter(void **state) {
    (void)state;
    for (int scale = 0; scale < 4; scale++) {
        float image[32 * 32];
        for (int i = 0; i < 32 * 32; i++)
            image[i] = (float)(128 + 60 * sin(2 * 3.141592653589793 * 0.3 / pow(1.85, scale) * (i % 32)));
        float *out = gist_of(dltf_matrix_f32(image, 1, 32 * 32), 32, 32, with(32, 1));
        double sums[32] = {0};
        int best = 0;
        for (int i = 0; i < DLTF_GIST_SIZE; i++)
            sums[i / 16] += (double)out[i];
        for (int f = 1; f < 32; f++)
            best = sums[f] > sums[best] ? f : best;
        assert_int_equal(best % 8, 0);
        assert_in_range(best / 8, scale > 2 ? 2 : scale, scale); /* the mean of large periods is removed */
        free(out);
    }
}

/* More images than one group. */
static void threads_do_not_matter(void **state) {
    (void)state;
    enum { COUNT = 300 };
    int64_t count = test_small() ? 20 : COUNT, bytes = count * DLTF_GIST_SIZE * (int64_t)sizeof(float);
    float *images = random_images(count, 16, 16, 3);
    dltf_matrix all = dltf_matrix_f32(images, count, 16 * 16 * 3);
    float *one = gist_of(all, 16, 16, with(32, 1));
    for (int threads = 2; threads <= 3; threads++) {
        float *more = gist_of(all, 16, 16, with(32, threads));
        assert_memory_equal(one, more, (size_t)bytes);
        free(more);
    }
    /* Nor does it matter which images come with it. */
    all.rows = 1;
    all.data = images + (count - 1) * all.cols;
    float *last = gist_of(all, 16, 16, with(32, 1));
    assert_memory_equal(last, one + (count - 1) * DLTF_GIST_SIZE, DLTF_GIST_SIZE * sizeof(float));
    free(last);
    free(one);
    free(images);
}

static void every_type_of_matrix(void **state) {
    (void)state;
    uint8_t bytes[32 * 32];
    float floats[32 * 32];
    double doubles[2 * 32 * 32];
    for (int i = 0; i < 32 * 32; i++)
        doubles[2 * i] = floats[i] = bytes[i] = (uint8_t)below(256);
    float *a = gist_of(dltf_matrix_f32(floats, 1, 32 * 32), 32, 32, with(32, 1));
    float *b = gist_of(dltf_matrix_u8(bytes, 1, 32 * 32), 32, 32, with(32, 1));
    dltf_matrix strided = dltf_matrix_f64(doubles, 1, 32 * 32);
    strided.col_stride = 2;
    float *c = gist_of(strided, 32, 32, with(32, 1));
    assert_memory_equal(a, b, DLTF_GIST_SIZE * sizeof *a);
    assert_memory_equal(a, c, DLTF_GIST_SIZE * sizeof *a);
    free(a);
    free(b);
    free(c);
}

static void negative_values_are_black(void **state) {
    (void)state;
    float image[32 * 32], black[32 * 32];
    for (int i = 0; i < 32 * 32; i++) {
        image[i] = (float)(below(300) - 100);
        black[i] = image[i] < 0 ? 0 : image[i];
    }
    float *a = gist_of(dltf_matrix_f32(image, 1, 32 * 32), 32, 32, with(32, 1));
    float *b = gist_of(dltf_matrix_f32(black, 1, 32 * 32), 32, 32, with(32, 1));
    assert_memory_equal(a, b, DLTF_GIST_SIZE * sizeof *a);
    free(a);
    free(b);
}

typedef struct watch {
    int64_t done, stop_at;
} watch;

static int follow(void *context, const dltf_progress *progress) {
    watch *w = context;
    assert_string_equal(progress->task, "gist");
    assert_true(progress->done >= w->done && progress->done <= progress->total); /* polls repeat a report */
    w->done = progress->done;
    return w->stop_at > 0 && w->done >= w->stop_at;
}

static void reports_progress_and_can_be_cancelled(void **state) {
    (void)state;
    enum { COUNT = 260 };
    float *images = calloc(COUNT, sizeof *images), *out = malloc(COUNT * DLTF_GIST_SIZE * sizeof *out);
    dltf_gist_options o = with(32, 2);
    watch w = {0, 0};
    dltf_matrix all = dltf_matrix_f32(images, COUNT, 1);
    assert_int_equal(dltf_gist(all, 1, 1, &o, follow, &w, out), DLTF_OK);
    assert_int_equal(w.done, COUNT);
    w = (watch){0, 1};
    assert_fails(dltf_gist(all, 1, 1, &o, follow, &w, out), DLTF_CANCELLED, "cancelled");
    assert_true(w.done < COUNT);
    free(images);
    free(out);
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    float image[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, out[DLTF_GIST_SIZE];
    dltf_gist_options o = with(32, 1);
    assert_survives_lack_of_memory(dltf_gist(dltf_matrix_f32(image, 1, 9), 3, 3, &o, NULL, NULL, out), 8);
}

static void rejects(void **state) {
    (void)state;
    float image[12] = {0}, out[DLTF_GIST_SIZE];
    dltf_matrix m = dltf_matrix_f32(image, 1, 12);
    dltf_gist_options o = with(32, 1);
    assert_fails(dltf_gist(m, 3, 3, &o, NULL, NULL, out), DLTF_ARGUMENT,
                 "data: rows of 12 values are not images of 3 x 3 pixels");
    assert_fails(dltf_gist(m, 0, 4, &o, NULL, NULL, out), DLTF_ARGUMENT, "0 x 4 pixels");
    assert_fails(dltf_gist(m, -3, -4, &o, NULL, NULL, out), DLTF_ARGUMENT, "-3 x -4 pixels");
    assert_fails(dltf_gist(m, INT64_MAX, 3, &o, NULL, NULL, out), DLTF_ARGUMENT, "pixels");
    assert_fails(dltf_gist(dltf_matrix_f32(NULL, 1, 12), 3, 4, &o, NULL, NULL, out), DLTF_ARGUMENT,
                 "no data");
    o.side = 48;
    assert_fails(dltf_gist(m, 3, 4, &o, NULL, NULL, out), DLTF_ARGUMENT, "side: 48 is not a power of two");
    o.side = 16;
    assert_fails(dltf_gist(m, 3, 4, &o, NULL, NULL, out), DLTF_ARGUMENT, "side: 16");
    o = with(32, 1);
    image[5] = NAN;
    assert_fails(dltf_gist(m, 3, 4, &o, NULL, NULL, out), DLTF_DATA, "data: row 0, column 5 is NaN");
}

TESTS_MAIN(cmocka_unit_test(equals_plain_sums), cmocka_unit_test(a_constant_image_has_no_structure),
           cmocka_unit_test(mirroring_mirrors_blocks_and_orientations),
           cmocka_unit_test(stripes_excite_their_filter), cmocka_unit_test(threads_do_not_matter),
           cmocka_unit_test(every_type_of_matrix), cmocka_unit_test(negative_values_are_black),
           cmocka_unit_test(reports_progress_and_can_be_cancelled), cmocka_unit_test(survives_lack_of_memory),
           cmocka_unit_test(rejects))
