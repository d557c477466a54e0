/* Image files: every kind of PNG as libpng writes it, PGM and PPM as text and bytes, .npy; corrupt
 * files. */
#include "program/program.h"
#include "test_io.h"
#include "test_number.h"

#include "image/image.h"
#include "io/formats/png.h"
#include "io/formats/pnm.h"

#include <math.h>
#include <png.h>

/* ---- PNG files made with libpng ---- */

enum { WIDTH = 13, HEIGHT = 9 };

typedef struct kind {
    int colour, bits;
    bool interlaced;
} kind;

static const int channels_of[7] = {
    [PNG_COLOR_TYPE_GRAY] = 1,       [PNG_COLOR_TYPE_RGB] = 3,       [PNG_COLOR_TYPE_PALETTE] = 1,
    [PNG_COLOR_TYPE_GRAY_ALPHA] = 2, [PNG_COLOR_TYPE_RGB_ALPHA] = 4,
};

/* The value of sample c at (x, y), before packing. Alpha is opaque. */
static int sample(kind k, int x, int y, int c) {
    int most = (1 << k.bits) - 1;
    if ((k.colour == PNG_COLOR_TYPE_GRAY_ALPHA && c == 1) || (k.colour == PNG_COLOR_TYPE_RGB_ALPHA && c == 3))
        return most;
    return (x * 7919 + y * 104729 + c * 31) % (most + 1);
}

static void pack_row(kind k, int y, uint8_t *row) {
    int channels = channels_of[k.colour];
    memset(row, 0, WIDTH * 8);
    for (int i = 0; i < WIDTH * channels; i++) {
        int value = sample(k, i / channels, y, i % channels);
        if (k.bits == 16) {
            row[2 * i] = (uint8_t)(value >> 8);
            row[2 * i + 1] = (uint8_t)value;
        } else
            row[i * k.bits / 8] |= (uint8_t)(value << (8 - k.bits - i * k.bits % 8));
    }
}

static void set_palette(png_structp png, png_infop info, int bits) {
    png_color palette[256];
    for (int i = 0; i < 1 << bits; i++)
        palette[i] = (png_color){(png_byte)i, (png_byte)(255 - i), (png_byte)(i / 2)};
    png_set_PLTE(png, info, palette, 1 << bits);
}

static void append(png_structp png, png_bytep bytes, size_t count) {
    dl_text_append_bytes(png_get_io_ptr(png), bytes, (int64_t)count);
}

static void flush(png_structp png) {
    (void)png;
}

/* `transparent`: the sample value or palette entry that tRNS makes transparent; -1: none. */
static dl_text make_png(kind k, int transparent) {
    dl_text out = {0};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    uint8_t rows[HEIGHT][WIDTH * 8];
    png_bytep pointers[HEIGHT];
    png_set_write_fn(png, &out, append, flush);
    png_set_IHDR(png, info, WIDTH, HEIGHT, k.bits, k.colour,
                 k.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (k.colour == PNG_COLOR_TYPE_PALETTE)
        set_palette(png, info, k.bits);
    if (transparent >= 0) {
        png_byte alpha[256];
        memset(alpha, 255, sizeof alpha);
        alpha[transparent & 255] = 10;
        png_color_16 colour = {.gray = (png_uint_16)transparent};
        bool palette = k.colour == PNG_COLOR_TYPE_PALETTE;
        png_set_tRNS(png, info, palette ? alpha : NULL, palette ? transparent + 1 : 0,
                     palette ? NULL : &colour);
    }
    for (int y = 0; y < HEIGHT; y++) {
        pack_row(k, y, rows[y]);
        pointers[y] = rows[y];
    }
    png_write_info(png, info);
    png_write_image(png, pointers);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    return out;
}

static double expected(kind k, int x, int y, int c) {
    int value = sample(k, x, y, k.colour == PNG_COLOR_TYPE_PALETTE ? 0 : c);
    if (k.colour == PNG_COLOR_TYPE_PALETTE)
        return c == 0 ? value : c == 1 ? 255 - value : value / 2;
    return 255.0 * value / ((1 << k.bits) - 1);
}

static void check_kind(kind k) {
    dl_text bytes = make_png(k, -1);
    dl_file file = dl_file_borrow(bytes.data, bytes.length);
    dltf_image *image = NULL;
    assert_true(dl_png_recognise(file.bytes, file.size));
    assert_int_equal(dl_png_load(&file, &image), DLTF_OK);
    assert_int_equal(image->width, WIDTH);
    assert_int_equal(image->height, HEIGHT);
    assert_int_equal(image->channels, k.colour & PNG_COLOR_MASK_COLOR ? 3 : 1);
    assert_int_equal(image->bits, k.bits == 16 ? 16 : 8);
    for (int c = 0; c < image->channels; c++)
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            if (!(fabs((double)dl_image_plane(image, c)[i] - expected(k, i % WIDTH, i / WIDTH, c)) <= 1e-4))
                fail_msg("colour type %d, %d bits: channel %d, pixel %d is %g", k.colour, k.bits, c, i,
                         (double)dl_image_plane(image, c)[i]);
    dltf_image_free(image);
    dl_text_free(&bytes);
}

static void reads_every_kind_of_png(void **state) {
    (void)state;
    for (int bits = 1; bits <= 16; bits *= 2)
        for (int interlaced = 0; interlaced < 2; interlaced++) {
            check_kind((kind){PNG_COLOR_TYPE_GRAY, bits, interlaced});
            if (bits <= 8)
                check_kind((kind){PNG_COLOR_TYPE_PALETTE, bits, interlaced});
            if (bits < 8)
                continue;
            check_kind((kind){PNG_COLOR_TYPE_RGB, bits, interlaced});
            check_kind((kind){PNG_COLOR_TYPE_GRAY_ALPHA, bits, interlaced});
            check_kind((kind){PNG_COLOR_TYPE_RGB_ALPHA, bits, interlaced});
        }
}

static dltf_status load_png(dl_file *file) {
    dltf_image *image = NULL;
    dltf_status status = dl_png_load(file, &image);
    assert_true((status == DLTF_OK) == (image != NULL));
    dltf_image_free(image);
    return status;
}

static void transparent_pixels_are_rejected(void **state) {
    (void)state;
    kind gray = {PNG_COLOR_TYPE_GRAY, 8, false}, palette = {PNG_COLOR_TYPE_PALETTE, 4, false};
    dl_text a = make_png(gray, sample(gray, 3, 2, 0)), b = make_png(palette, sample(palette, 0, 0, 0));
    assert_int_equal(load_copy(load_png, a.data, a.length), DLTF_FORMAT);
    assert_message_has("transparent");
    assert_int_equal(load_copy(load_png, b.data, b.length), DLTF_FORMAT);
    assert_message_has("row 0, column 0 is transparent");
    dl_text_free(&a);
    dl_text_free(&b);
    bool used[256] = {false};
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        used[sample(gray, i % WIDTH, i / WIDTH, 0)] = true;
    int unused = 0;
    while (used[unused])
        unused++;
    a = make_png(gray, unused);
    assert_int_equal(load_copy(load_png, a.data, a.length), DLTF_OK);
    dl_text_free(&a);
}

static void corrupt_png_files_fail_with_a_message(void **state) {
    (void)state;
    for (int interlaced = 0; interlaced < 2; interlaced++) {
        dl_text a = make_png((kind){PNG_COLOR_TYPE_GRAY, 8, interlaced}, -1);
        assert_truncation_fails(load_png, a.data, a.length);
        flip_every_bit(load_png, a.data, a.length);
        dl_text_free(&a);
    }
}

static void put_big(uint8_t *to, uint32_t value) {
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* Replaces width and height in the header, and its checksum. */
static void set_size(dl_text png, uint32_t width, uint32_t height) {
    uint8_t *ihdr = (uint8_t *)png.data + 12;
    put_big(ihdr + 4, width);
    put_big(ihdr + 8, height);
    put_big(ihdr + 17, (uint32_t)crc32(0, ihdr, 17));
}

/* A header that declares far more than the file can hold is rejected before allocating. */
static void an_oversized_png_header_is_rejected(void **state) {
    (void)state;
    static const struct {
        uint32_t width, height;
        const char *message;
    } sizes[] = {
        {4000000, 4000000, "cannot hold"},
        {1 << 24, 1 << 24, "cannot hold the declared 16777216 x 16777216 pixels"},
        {(1 << 24) + 1, 1, "16777217 x 1 pixels: width and height must be at most 16,777,216"},
        {1, 1 << 30, "must be at most"},
        {1 << 30, 1 << 30, "must be at most"}, /* 2^63 bytes in 16-bit RGBA */
        {INT32_MAX, INT32_MAX, "must be at most"},
    };
    static const kind kinds[] = {{PNG_COLOR_TYPE_GRAY, 1, false},
                                 {PNG_COLOR_TYPE_GRAY, 8, true},
                                 {PNG_COLOR_TYPE_RGB_ALPHA, 16, false},
                                 {PNG_COLOR_TYPE_RGB_ALPHA, 16, true}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        dl_text a = make_png(kinds[k], -1);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            set_size(a, sizes[i].width, sizes[i].height);
            assert_int_equal(load_copy(load_png, a.data, a.length), DLTF_FORMAT);
            assert_message_has(sizes[i].message);
        }
        dl_text_free(&a);
    }
}

/* One bit of a line that compresses well is four bytes in memory: ten thousand times the size of the file. */
static void a_png_out_of_proportion_is_rejected(void **state) {
    (void)state;
    enum { SIDE = 9000 };
    static const uint8_t head[33] = {0x89, 'P', 'N', 'G', 13, 10, 26, 10, 0, 0, 0, 13, 'I', 'H', 'D',
                                     'R',  0,   0,   0,   0,  0,  0,  0,  0, 1, 0, 0,  0,   0};
    dl_text png = {0}, lines = {0};
    dl_text_append_bytes(&png, head, sizeof head);
    set_size(png, SIDE, SIDE);
    uint8_t line[1 + SIDE / 8] = {0};
    for (int y = 0; y < SIDE; y++)
        dl_text_append_bytes(&lines, line, sizeof line);
    uLongf packed = compressBound((uLong)lines.length);
    uint8_t *chunk = calloc(packed + 12, 1);
    assert_int_equal(compress2(chunk + 8, &packed, (const Bytef *)lines.data, (uLong)lines.length, 9), Z_OK);
    put_big(chunk, (uint32_t)packed);
    memcpy(chunk + 4, "IDAT", 4);
    put_big(chunk + 8 + packed, (uint32_t)crc32(0, chunk + 4, (uInt)packed + 4));
    dl_text_append_bytes(&png, chunk, (int64_t)packed + 12);
    dl_text_append_bytes(&png, "\0\0\0\0IEND\xae\x42\x60\x82", 12);
    assert_int_equal(load_copy(load_png, png.data, png.length), DLTF_FORMAT);
    assert_message_has("9000 x 9000 pixels in");
    assert_message_has("refused, since they take 324,009,000 bytes of memory");
    free(chunk);
    dl_text_free(&lines);
    dl_text_free(&png);
}

/* ---- PNM ---- */

static dltf_status load_pnm(dl_file *file) {
    dltf_image *image = NULL;
    dltf_status status = dl_pnm_load(file, &image);
    assert_true((status == DLTF_OK) == (image != NULL));
    dltf_image_free(image);
    return status;
}

static void assert_pnm(const char *bytes, int64_t size, int channels, int bits, const double *values) {
    dl_file file = dl_file_borrow(bytes, size);
    dltf_image *image = NULL;
    assert_true(dl_pnm_recognise(file.bytes, size));
    assert_int_equal(dl_pnm_load(&file, &image), DLTF_OK);
    assert_int_equal(image->width, 2);
    assert_int_equal(image->height, 1);
    assert_int_equal(image->channels, channels);
    assert_int_equal(image->bits, bits);
    for (int i = 0; i < 2 * channels; i++)
        assert_near((double)image->planes[i], values[i], 1e-4);
    dltf_image_free(image);
}

static void reads_every_kind_of_pnm(void **state) {
    (void)state;
    static const char text[] = "P2 # a comment\n2 #another\n 1\n100\n 50 100\n# end";
    assert_pnm(text, sizeof text - 1, 1, 8, (double[]){127.5, 255});
    static const char colour[] = "P3\n2 1 1023\n0 1023 0  1023 0 0";
    assert_pnm(colour, sizeof colour - 1, 3, 16, (double[]){0, 255, 255, 0, 0, 0});
    static const char bytes[] = "P5\n2 1\n255\n\x10\xff";
    assert_pnm(bytes, sizeof bytes - 1, 1, 8, (double[]){16, 255});
    static const char wide[] = "P5 2 1 65535\n\x01\x01\xff\xff";
    assert_pnm(wide, sizeof wide - 1, 1, 16, (double[]){1, 255});
    static const char both[] = "P6 2 1 255 \x01\x02\x03\x04\x05\x06";
    assert_pnm(both, sizeof both - 1, 3, 8, (double[]){1, 4, 2, 5, 3, 6});
}

static void corrupt_pnm_files_fail_with_a_message(void **state) {
    (void)state;
    static const char bytes[] = "P6 2 1 255 \x01\x02\x03\x04\x05\x06", text[] = "P2\n2 2\n9\n1 2 3 4";
    assert_truncation_fails(load_pnm, bytes, sizeof bytes - 1);
    assert_truncation_fails(load_pnm, text, sizeof text - 1);
    flip_every_bit(load_pnm, bytes, sizeof bytes - 1);
    flip_every_bit(load_pnm, text, sizeof text - 1);
    static const struct {
        const char *bytes, *message;
    } bad[] = {
        {"P4\n8 1\n\xff", "bitmap"},
        {"P5\n0 1\n255\n", "at least 1"},
        {"P5\n1 1\n0\n\x01", "at least 1"},
        {"P5\n1 1\n70000\n\x01", "maxval at byte 7 exceeds 65,535"},
        {"P5\n1 1\n9\n\x0a", "value 10 at byte 9 exceeds maxval 9"},
        {"P2\n1 1\n9\n10", "value at byte 9 exceeds 9"},
        {"P2\n1 1\n9\nx", "not a number: 'x'"},
        {"P2\n1 1\n9\n-1", "not a number"},
        {"P5\n1 1\n255\nab", "1 more bytes"},
        {"P2\n1 1\n9\n1 2", "1 more bytes"},
        {"P5\n16777216 16777216\n255\nabc", "too few for 16777216 x 16777216 pixels"},
        {"P2\n16777216 16777216\n255\n1 2", "too few for 16777216 x 16777216 pixels"},
        {"P6\n16777216 16777216\n65535\nabc", "too few for 16777216 x 16777216 pixels"},
        {"P3\n16777216 16777216\n255\n1 2 3", "too few for 16777216 x 16777216 pixels"},
        {"P5\n16777217 1\n255\nabc", "width at byte 3 exceeds 16,777,216"},
        {"P6\n2147483647 2147483647\n255\nabc", "width at byte 3 exceeds 16,777,216"},
        {"P3\n1 2147483647\n255\n1 2 3", "height at byte 5 exceeds 16,777,216"},
        {"P5\n99999999999999999999 1\n255\na", "width at byte 3 exceeds"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(load_copy(load_pnm, bad[i].bytes, (int64_t)strlen(bad[i].bytes)), DLTF_FORMAT);
        assert_message_has(bad[i].message);
    }
}

/* ---- Files ---- */

/* Random values representable at that depth. */
static dltf_image *make_image(int64_t channels, int bits) {
    dltf_image *image = NULL;
    assert_int_equal(dltf_image_new(7, 5, channels, bits, &image), DLTF_OK);
    for (int64_t i = 0; i < channels * 35; i++) {
        int64_t draw = (i * 48271 + 11) % 65521;
        image->planes[i] = bits == 8    ? (float)(draw % 256)
                           : bits == 16 ? (float)draw / 257
                                        : (float)draw - 300.25f;
    }
    return image;
}

static void images_round_trip(void **state) {
    (void)state;
    static const int depths[] = {8, 16, 32};
    for (int64_t channels = 1; channels <= 3; channels += 2)
        for (int d = 0; d < 3; d++) {
            const char *names[] = {"a.png", channels == 1 ? "a.pgm" : "a.ppm", "a.pnm", "a.npy"};
            dltf_image *image = make_image(channels, depths[d]);
            for (int f = depths[d] == 32 ? 3 : 0; f < 4; f++) {
                dltf_image *back = NULL;
                const char *path = in_directory(names[f]);
                assert_int_equal(dltf_image_save(image, path), DLTF_OK);
                assert_int_equal(dltf_image_load(path, &back), DLTF_OK);
                assert_int_equal(dltf_image_get(back).bits, f == 3 ? 32 : depths[d]);
                assert_int_equal(dltf_image_get(back).channels, channels);
                assert_memory_equal(back->planes, image->planes, (size_t)(channels * 35) * sizeof(float));
                dltf_image_free(back);
            }
            dltf_image_free(image);
        }
}

static void values_are_clipped_and_rounded(void **state) {
    (void)state;
    dltf_image *image = NULL, *back = NULL;
    assert_int_equal(dltf_image_new(4, 1, 1, 32, &image), DLTF_OK);
    memcpy(dltf_image_pixels(image), (float[]){-3, 0.6f, 254.4f, 1e6f}, 4 * sizeof(float));
    assert_int_equal(dltf_image_save(image, in_directory("c.png")), DLTF_OK);
    assert_int_equal(dltf_image_load(in_directory("c.png"), &back), DLTF_OK);
    assert_memory_equal(back->planes, ((float[]){0, 1, 254, 255}), 4 * sizeof(float));
    image->planes[2] = NAN;
    assert_fails(dltf_image_save(image, in_directory("n.png")), DLTF_DATA, "row 0, column 2 is NaN");
    dltf_image_free(image);
    dltf_image_free(back);
}

static void rejects_non_images(void **state) {
    (void)state;
    dltf_image *image = NULL;
    write_file(in_directory("t.png"), "no image at all", 15);
    assert_fails(dltf_image_load(in_directory("t.png"), &image), DLTF_FORMAT,
                 "t.png: unrecognised image format: expected .png, .pgm, .ppm, .jpg or .npy");
    assert_fails(dltf_image_load(in_directory("none.png"), &image), DLTF_FILE, "none.png: cannot open");
    const float values[24] = {0};
    dl_text npy =
        npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (24,), }", values, sizeof values);
    write_file(in_directory("v.npy"), npy.data, npy.length);
    assert_fails(dltf_image_load(in_directory("v.npy"), &image), DLTF_FORMAT, "height x width");
    dl_text_free(&npy);
    npy = npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2, 4), }", values, sizeof values);
    write_file(in_directory("v.npy"), npy.data, npy.length);
    assert_fails(dltf_image_load(in_directory("v.npy"), &image), DLTF_FORMAT, "height x width");
    dl_text_free(&npy);
    image = make_image(3, 8);
    assert_fails(dltf_image_save(image, in_directory("a.pgm")), DLTF_ARGUMENT,
                 "a.pgm: a colour image can only be written as .png, .ppm or .npy");
    assert_fails(dltf_image_save(image, in_directory("a.jpg")), DLTF_ARGUMENT,
                 "a.jpg: a colour image can only be written as .png, .ppm or .npy");
    assert_fails(dl_image_check_path(image, "a.pgm"), DLTF_ARGUMENT,
                 "a.pgm: a colour image can only be written");
    assert_int_equal(dl_image_check_path(image, "a.PNM"), DLTF_OK);
    assert_fails(dltf_image_save(image, NULL), DLTF_ARGUMENT, "must not be NULL");
    dltf_image_free(image);
    assert_fails(dltf_image_new(0, 5, 1, 8, &image), DLTF_ARGUMENT, "0 x 5");
    assert_fails(dltf_image_new(5, 5, 2, 8, &image), DLTF_ARGUMENT, "2 channels");
    assert_fails(dltf_image_new(5, 5, 1, 12, &image), DLTF_ARGUMENT, "12 bits");
    assert_fails(dltf_image_new(INT64_MAX, 5, 1, 8, &image), DLTF_MEMORY, "not enough memory");
}

static dltf_status load_and_free(const char *path) {
    dltf_image *image = NULL;
    dltf_status status = dltf_image_load(path, &image);
    dltf_image_free(image);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    dltf_image *image = make_image(3, 16);
    const char *names[] = {"m.png", "m.ppm", "m.npy"};
    for (int f = 0; f < 3; f++) {
        const char *path = in_directory(names[f]);
        assert_survives_lack_of_memory(dltf_image_save(image, path), access(path, F_OK) != 0);
        assert_survives_lack_of_memory(load_and_free(path), true);
    }
    dltf_image_free(image);
    dl_text a = make_png((kind){PNG_COLOR_TYPE_RGB, 8, true}, -1);
    write_file(in_directory("i.png"), a.data, a.length);
    assert_survives_lack_of_memory(load_and_free(in_directory("i.png")), true);
    dl_text_free(&a);
}

IO_TESTS_MAIN(cmocka_unit_test(reads_every_kind_of_png), cmocka_unit_test(transparent_pixels_are_rejected),
              cmocka_unit_test(corrupt_png_files_fail_with_a_message),
              cmocka_unit_test(an_oversized_png_header_is_rejected),
              cmocka_unit_test(a_png_out_of_proportion_is_rejected),
              cmocka_unit_test(reads_every_kind_of_pnm),
              cmocka_unit_test(corrupt_pnm_files_fail_with_a_message), cmocka_unit_test(images_round_trip),
              cmocka_unit_test(values_are_clipped_and_rounded), cmocka_unit_test(rejects_non_images),
              cmocka_unit_test(survives_lack_of_memory))
