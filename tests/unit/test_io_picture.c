/* Pictures, read back with libpng and compared pixel by pixel. */
#include "dltf.h"

#include "test_io.h"

#include <math.h>
#include <png.h>

enum { BORDER = 2 };

typedef struct pixels {
    png_image image;
    uint8_t *gray;
} pixels;

static pixels read_png(const char *path) {
    pixels p = {.image = {.version = PNG_IMAGE_VERSION}};
    assert_true(png_image_begin_read_from_file(&p.image, path));
    p.image.format = PNG_FORMAT_GRAY;
    p.gray = malloc(PNG_IMAGE_SIZE(p.image));
    assert_true(png_image_finish_read(&p.image, NULL, p.gray, 0, NULL));
    return p;
}

static int at(pixels p, int x, int y) {
    return p.gray[(size_t)y * p.image.width + (size_t)x];
}

static void draws_tiles_in_a_grid(void **state) {
    (void)state;
    /* Three tiles of 2 x 1, two in a line: enlarged 16 times. */
    const float tiles[] = {0, 10, 5, 5, -1, 3};
    const char *path = in_directory("a.png");
    assert_int_equal(dltf_picture_save(dltf_matrix_f32(tiles, 3, 2), 2, 1, 2, DLTF_GRAY_OWN, path), DLTF_OK);
    pixels p = read_png(path);
    assert_int_equal(p.image.width, 3 * BORDER + 2 * 32);
    assert_int_equal(p.image.height, 3 * BORDER + 2 * 16);
    assert_int_equal(at(p, 0, 0), 255);
    assert_int_equal(at(p, BORDER, BORDER), 0);
    assert_int_equal(at(p, BORDER + 15, BORDER + 15), 0);
    assert_int_equal(at(p, BORDER + 16, BORDER), 255);
    assert_int_equal(at(p, 2 * BORDER + 32, BORDER), 128); /* constant: mid-gray */
    assert_int_equal(at(p, BORDER, 2 * BORDER + 16), 0);
    assert_int_equal(at(p, 2 * BORDER + 32, 2 * BORDER + 16), 255); /* no fourth tile */
    free(p.gray);
}

static void zero_is_mid_gray_in_symmetric_pictures(void **state) {
    (void)state;
    const double tiles[] = {-1, 0, 0.5, 0, 0, 0, 1e308, -1e308, 0};
    const char *path = in_directory("s.png");
    assert_int_equal(dltf_picture_save(dltf_matrix_f64(tiles, 3, 3), 3, 1, 9, DLTF_GRAY_SYMMETRIC, path),
                     DLTF_OK);
    pixels p = read_png(path);
    int side = 11; /* 32 / 3, rounded up */
    assert_int_equal(p.image.width, 4 * BORDER + 3 * 3 * side);
    assert_int_equal(at(p, BORDER, BORDER), 0);
    assert_int_equal(at(p, BORDER + side, BORDER), 128);
    assert_int_equal(at(p, BORDER + 2 * side, BORDER), 191);
    assert_int_equal(at(p, 2 * BORDER + 3 * side, BORDER), 128);
    assert_int_equal(at(p, 3 * BORDER + 6 * side, BORDER), 255);
    assert_int_equal(at(p, 3 * BORDER + 7 * side, BORDER), 0);
    free(p.gray);
}

static void tiles_of_one_scale_are_clipped(void **state) {
    (void)state;
    const double tiles[] = {0, 1, 0.2, -5, 2, 1e308};
    const char *path = in_directory("u.png");
    assert_int_equal(dltf_picture_save(dltf_matrix_f64(tiles, 2, 3), 3, 1, 2, DLTF_GRAY_UNIT, path), DLTF_OK);
    pixels p = read_png(path);
    const int side = 11, expected[] = {0, 255, 51, 0, 255, 255};
    for (int i = 0; i < 6; i++)
        assert_int_equal(at(p, (1 + i / 3) * BORDER + i * side, BORDER), expected[i]);
    free(p.gray);
}

static void large_tiles_keep_their_size_and_bytes_repeat(void **state) {
    (void)state;
    uint8_t *tile = malloc(40 * 50);
    for (int i = 0; i < 40 * 50; i++)
        tile[i] = (uint8_t)(i % 256);
    const char *path = in_directory("l.png");
    assert_int_equal(dltf_picture_save(dltf_matrix_u8(tile, 1, 2000), 40, 50, 1, DLTF_GRAY_OWN, path),
                     DLTF_OK);
    pixels p = read_png(path);
    assert_int_equal(p.image.width, 44);
    assert_int_equal(p.image.height, 54);
    assert_int_equal(at(p, BORDER + 3, BORDER + 2), 83);
    free(p.gray);
    assert_int_equal(
        dltf_picture_save(dltf_matrix_u8(tile, 1, 2000), 40, 50, 1, DLTF_GRAY_OWN, in_directory("m.png")),
        DLTF_OK);
    assert_same_files(path, in_directory("m.png"));
    free(tile);
}

static void rejects_invalid_pictures(void **state) {
    (void)state;
    float tiles[6] = {0};
    dltf_matrix m = dltf_matrix_f32(tiles, 2, 3);
    const char *path = in_directory("bad.png");
    assert_fails(dltf_picture_save(m, 2, 2, 1, DLTF_GRAY_OWN, path), DLTF_ARGUMENT,
                 "tiles: 2 x 2 pixels do not fit rows of 3");
    assert_fails(dltf_picture_save(m, 0, 3, 1, DLTF_GRAY_OWN, path), DLTF_ARGUMENT, "do not fit");
    assert_fails(dltf_picture_save(m, -1, -3, 1, DLTF_GRAY_OWN, path), DLTF_ARGUMENT, "do not fit");
    assert_fails(dltf_picture_save(m, INT64_MAX, INT64_MAX, 1, DLTF_GRAY_OWN, path), DLTF_ARGUMENT,
                 "do not fit");
    assert_fails(dltf_picture_save(m, 3, 1, 0, DLTF_GRAY_OWN, path), DLTF_ARGUMENT, "0 columns");
    assert_fails(dltf_picture_save(dltf_matrix_f32(NULL, 2, 3), 3, 1, 1, DLTF_GRAY_OWN, path), DLTF_ARGUMENT,
                 "data");
    tiles[4] = NAN;
    assert_fails(dltf_picture_save(m, 3, 1, 1, DLTF_GRAY_OWN, path), DLTF_DATA, "row 1, column 1");
    tiles[4] = 0;
    assert_int_equal(access(path, F_OK), -1);
    assert_fails(dltf_picture_save(m, 3, 1, 1, DLTF_GRAY_OWN, in_directory("no/a.png")), DLTF_FILE,
                 "no/a.png: cannot create");
    if (access("/dev/full", W_OK) == 0)
        assert_fails(dltf_picture_save(m, 3, 1, 1, DLTF_GRAY_OWN, "/dev/full"), DLTF_FILE,
                     "/dev/full: cannot write");
}

/* A picture with too many lines for a PNG: one row repeated with stride 0. */
static void rejects_pictures_that_are_too_large(void **state) {
    (void)state;
    const uint8_t byte = 1;
    dltf_matrix many = {&byte, DLTF_U8, INT64_C(1) << 40, 1, 0, 0};
    assert_fails(dltf_picture_save(many, 1, 1, 1, DLTF_GRAY_OWN, in_directory("x.png")), DLTF_ARGUMENT,
                 "too many");
}

static void a_full_device_is_reported_while_writing(void **state) {
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    uint8_t *noise = malloc(1 << 18);
    uint32_t bits = 1;
    for (int i = 0; i < 1 << 18; i++)
        noise[i] = (uint8_t)((bits = bits * 1664525u + 1013904223u) >> 24);
    assert_fails(
        dltf_picture_save(dltf_matrix_u8(noise, 1, 1 << 18), 512, 512, 1, DLTF_GRAY_OWN, "/dev/full"),
        DLTF_FILE, "/dev/full: cannot write: No space left");
    free(noise);
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    const float tiles[] = {0, 10, 5, 5, -1, 3};
    const char *path = in_directory("memory.png");
    assert_survives_lack_of_memory(
        dltf_picture_save(dltf_matrix_f32(tiles, 3, 2), 2, 1, 2, DLTF_GRAY_OWN, path),
        access(path, F_OK) != 0);
}

IO_TESTS_MAIN(cmocka_unit_test(draws_tiles_in_a_grid),
              cmocka_unit_test(zero_is_mid_gray_in_symmetric_pictures),
              cmocka_unit_test(tiles_of_one_scale_are_clipped),
              cmocka_unit_test(large_tiles_keep_their_size_and_bytes_repeat),
              cmocka_unit_test(rejects_invalid_pictures),
              cmocka_unit_test(rejects_pictures_that_are_too_large),
              cmocka_unit_test(a_full_device_is_reported_while_writing),
              cmocka_unit_test(survives_lack_of_memory))
