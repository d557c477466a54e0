/* JPEG files as libjpeg writes them: gray, colour, progressive, CMYK; truncated and damaged ones. */
#include "test_io.h"

#include "image/image.h"
#include "io/formats/jpeg.h"

#include <math.h>
#include <stdio.h>

#include <jpeglib.h>

enum { WIDTH = 37, HEIGHT = 21 };

typedef struct kind {
    J_COLOR_SPACE space;
    int channels;
    bool progressive, many_scans, arithmetic;
} kind;

static const kind gray = {.space = JCS_GRAYSCALE, .channels = 1}, colour = {.space = JCS_RGB, .channels = 3},
                  progressive = {.space = JCS_RGB, .channels = 3, .progressive = true},
                  cmyk = {.space = JCS_CMYK, .channels = 4},
                  scanned = {.space = JCS_GRAYSCALE, .channels = 1, .many_scans = true},
                  arithmetic = {.space = JCS_GRAYSCALE, .channels = 1, .arithmetic = true};

/* A smooth picture, which JPEG keeps nearly as it is. */
static int sample(int x, int y, int c) {
    return 40 + 3 * x + 2 * y + 20 * c;
}

typedef struct bytes {
    unsigned char *at;
    unsigned long size;
} bytes;

enum { COEFFICIENTS = 64, ROUNDS = 4, SCANS = 1 + (COEFFICIENTS - 1) * ROUNDS };

/* The means, then each other coefficient by itself, without its last bits; then these bits, one by one. */
static void list_scans(jpeg_scan_info scans[SCANS]) {
    int count = 0;
    scans[count++] = (jpeg_scan_info){1, {0}, 0, 0, 0, 0};
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 1; i < COEFFICIENTS; i++)
            scans[count++] = (jpeg_scan_info){1, {0}, i, i, r ? ROUNDS - r : 0, ROUNDS - 1 - r};
}

static bytes make_jpeg(kind k) {
    jpeg_scan_info scans[SCANS];
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    bytes made = {NULL, 0};
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &made.at, &made.size);
    jpeg.image_width = WIDTH;
    jpeg.image_height = HEIGHT;
    jpeg.input_components = k.channels;
    jpeg.in_color_space = k.space;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, 98, TRUE);
    if (k.progressive)
        jpeg_simple_progression(&jpeg);
    list_scans(scans);
    if (k.many_scans) {
        jpeg.scan_info = scans;
        jpeg.num_scans = SCANS;
    }
    jpeg.arith_code = k.arithmetic;
    jpeg_start_compress(&jpeg, TRUE);
    for (int y = 0; y < HEIGHT; y++) {
        JSAMPLE row[WIDTH * 4], *line = row;
        for (int i = 0; i < WIDTH * k.channels; i++)
            row[i] = (JSAMPLE)sample(i / k.channels, y, i % k.channels);
        jpeg_write_scanlines(&jpeg, &line, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    return made;
}

static dltf_status load(const unsigned char *at, int64_t size, dltf_image **image) {
    dl_file file = dl_file_borrow(at, size);
    *image = NULL;
    return dl_jpeg_load(&file, image);
}

static void reads_gray_colour_and_progressive(void **state) {
    (void)state;
    const kind kinds[] = {gray, colour, progressive};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bytes made = make_jpeg(kinds[i]);
        dltf_image *image = NULL;
        assert_true(dl_jpeg_recognise(made.at, (int64_t)made.size));
        assert_int_equal(load(made.at, (int64_t)made.size, &image), DLTF_OK);
        dltf_image_view view = dltf_image_get(image);
        assert_int_equal(view.width, WIDTH);
        assert_int_equal(view.height, HEIGHT);
        assert_int_equal(view.channels, kinds[i].channels);
        assert_int_equal(view.bits, 8);
        for (int c = 0; c < kinds[i].channels; c++)
            for (int y = 0; y < HEIGHT; y++)
                for (int x = 0; x < WIDTH; x++)
                    assert_true(fabs((double)view.planes[(c * HEIGHT + y) * WIDTH + x] - sample(x, y, c)) <=
                                4);
        dltf_image_free(image);
        free(made.at);
    }
}

static void formats_are_recognised_by_content(void **state) {
    (void)state;
    bytes made = make_jpeg(gray);
    const char *path = in_directory("photo.dat");
    write_file(path, made.at, (int64_t)made.size);
    dltf_image *image = NULL;
    assert_int_equal(dltf_image_load(path, &image), DLTF_OK);
    assert_fails(dltf_image_save(image, in_directory("out.jpg")), DLTF_ARGUMENT, "can only be written as");
    dltf_image_free(image);
    free(made.at);
}

static void cmyk_is_rejected(void **state) {
    (void)state;
    bytes made = make_jpeg(cmyk);
    dltf_image *image = NULL;
    assert_fails(load(made.at, (int64_t)made.size, &image), DLTF_FORMAT, "CMYK");
    assert_null(image);
    free(made.at);
}

/* Every proper prefix is an error and leaks nothing, except that the last marker may be missing. */
static void truncated_files_are_rejected(void **state) {
    (void)state;
    const kind kinds[] = {gray, progressive};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bytes made = make_jpeg(kinds[i]);
        for (unsigned long size = 3; size + 2 < made.size; size++) {
            unsigned char *copy = malloc(size); /* so that a sanitizer sees reads beyond it */
            dltf_image *image = NULL;
            memcpy(copy, made.at, size);
            assert_int_equal(load(copy, (int64_t)size, &image), DLTF_FORMAT);
            assert_null(image);
            free(copy);
        }
        free(made.at);
    }
}

/* Any damage gives an image of the declared size or a message. */
static void damaged_files_do_no_harm(void **state) {
    (void)state;
    bytes made = make_jpeg(progressive);
    int rejected = 0;
    for (unsigned long at = 2; at < made.size; at += 3) {
        unsigned char before = made.at[at];
        made.at[at] ^= (unsigned char)(1 + at % 255);
        dltf_image *image = NULL;
        dltf_status status = load(made.at, (int64_t)made.size, &image);
        assert_true(status == DLTF_OK || status == DLTF_FORMAT);
        rejected += status == DLTF_FORMAT;
        dltf_image_free(image);
        made.at[at] = before;
    }
    assert_true(rejected > 10);
    free(made.at);
}

/* Sets the sides in the frame header, which follows the marker FF C0 or FF C2, its length and precision. */
static void set_size(bytes made, int width, int height) {
    for (unsigned long i = 2; i + 9 < made.size; i++)
        if (made.at[i] == 0xff && (made.at[i + 1] == 0xc0 || made.at[i + 1] == 0xc2)) {
            const int sides[] = {height >> 8, height, width >> 8, width};
            for (unsigned long b = 0; b < 4; b++)
                made.at[i + 5 + b] = (unsigned char)sides[b];
            return;
        }
    fail_msg("no frame header");
}

static void images_out_of_proportion_are_rejected(void **state) {
    (void)state;
    const kind kinds[] = {colour, progressive};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bytes made = make_jpeg(kinds[i]);
        dltf_image *image = NULL;
        set_size(made, 65000, 65000);
        assert_fails(load(made.at, (int64_t)made.size, &image), DLTF_FORMAT, "cannot hold the declared");
        set_size(made, 0, HEIGHT);
        assert_fails(load(made.at, (int64_t)made.size, &image), DLTF_FORMAT, "corrupt JPEG");
        set_size(made, 65535, 1); /* libjpeg's limit is 65,500 */
        assert_fails(load(made.at, (int64_t)made.size, &image), DLTF_FORMAT, "corrupt JPEG");
        free(made.at);
    }
}

/* One scan of the means, and four of every other coefficient. */
static void endless_scans_are_rejected(void **state) {
    (void)state;
    bytes made = make_jpeg(scanned);
    dltf_image *image = NULL;
    assert_fails(load(made.at, (int64_t)made.size, &image), DLTF_FORMAT, "more than 200 scans");
    assert_null(image);
    free(made.at);
}

static void arithmetic_coding_is_rejected(void **state) {
    (void)state;
    bytes made = make_jpeg(arithmetic);
    dltf_image *image = NULL;
    assert_fails(load(made.at, (int64_t)made.size, &image), DLTF_FORMAT, "arithmetic coding");
    assert_null(image);
    free(made.at);
}

static dltf_status load_and_free(const char *path) {
    dltf_image *image = NULL;
    dltf_status status = dltf_image_load(path, &image);
    dltf_image_free(image);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    bytes made = make_jpeg(colour);
    write_file(in_directory("m.jpg"), made.at, (int64_t)made.size);
    assert_survives_lack_of_memory(load_and_free(in_directory("m.jpg")), true);
    free(made.at);
}

IO_TESTS_MAIN(cmocka_unit_test(reads_gray_colour_and_progressive),
              cmocka_unit_test(formats_are_recognised_by_content), cmocka_unit_test(cmyk_is_rejected),
              cmocka_unit_test(truncated_files_are_rejected), cmocka_unit_test(damaged_files_do_no_harm),
              cmocka_unit_test(images_out_of_proportion_are_rejected),
              cmocka_unit_test(endless_scans_are_rejected), cmocka_unit_test(arithmetic_coding_is_rejected),
              cmocka_unit_test(survives_lack_of_memory))
