/* Files that declare far more than they contain, or that take far more to read than to store: each fails with
 * a message, or loads, within a limit of resident memory. Every file is read by a process of its own. */
#define _DEFAULT_SOURCE /* wait4 */

#include "dltf.h"

#include "test_io.h"

#include "io/matrix_file.h"

#include <sys/wait.h>

#include <jpeglib.h>

typedef dltf_status (*reading)(const char *path);

static dltf_status read_array(const char *path) {
    dltf_array *array = NULL;
    dltf_status status = dltf_array_load(path, &array);
    dltf_array_free(array);
    return status;
}

static dltf_status read_image(const char *path) {
    dltf_image *image = NULL;
    dltf_status status = dltf_image_load(path, &image);
    dltf_image_free(image);
    return status;
}

static dltf_status read_model(const char *path) {
    dltf_model *model = NULL;
    dltf_status status = dltf_model_load(path, &model);
    dltf_model_free(model);
    return status;
}

/* Reads the file in a child, which may use 40 MB and 32 bytes for each byte of the file; frees the file. A
 * sanitizer needs more. */
static void assert_harmless(reading read, dl_text file, const char *name, dltf_status wanted,
                            const char *part) {
    const char *path = in_directory(name);
    long limit = test_small() ? 1024 : 40 + 32 * (long)(file.length >> 20);
    struct rusage usage;
    int result = 0;
    assert_int_equal(dl_text_status(&file), DLTF_OK);
    write_file(path, file.data, file.length);
    dl_text_free(&file);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dltf_status status = read(path);
        bool right = status == wanted && (status == DLTF_OK || strstr(dltf_message(), part));
        if (!right)
            fprintf(stderr, "%s: %s, %s\n", name, dltf_status_name(status), dltf_message());
        _exit(right ? 0 : 1);
    }
    assert_int_equal(wait4(child, &result, 0, &usage), child);
    assert_int_equal(result, 0);
    if (usage.ru_maxrss / 1024 > limit)
        fail_msg("%s: %ld MB resident, at most %ld are allowed", name, usage.ru_maxrss / 1024, limit);
}

/* Bytes that cannot be compressed. */
static void append_noise(dl_text *to, int64_t count) {
    uint32_t state = 1;
    for (int64_t i = 0; i < count; i++) {
        state = state * 1664525 + 1013904223;
        dl_text_append_bytes(to, (char[]){(char)(state >> 24)}, 1);
    }
}

static void append_repeated(dl_text *to, const char *text, int64_t times) {
    for (int64_t i = 0; i < times; i++)
        dl_text_append_bytes(to, text, (int64_t)strlen(text));
}

/* ---- Compressed files ---- */

enum { NOISE = 300 << 10, PROMISE = 300 << 20 };

static dl_text gzipped(dl_text content) {
    dl_text packed = deflated(content), file = {0};
    dl_text_append_bytes(&file, "\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
    dl_text_append_bytes(&file, packed.data, packed.length);
    put(&file, crc32(0, (const Bytef *)content.data, (uInt)content.length), 4);
    put(&file, (uint64_t)content.length, 4);
    dl_text_free(&packed);
    dl_text_free(&content);
    return file;
}

static void idx_promises_too_much(void **state) {
    (void)state;
    dl_text content = {0};
    dl_text_append_bytes(&content, "\0\0\x08\1", 4);
    const uint8_t length[] = {PROMISE >> 24, PROMISE >> 16 & 255, PROMISE >> 8 & 255, PROMISE & 255};
    dl_text_append_bytes(&content, length, 4);
    append_noise(&content, NOISE);
    assert_harmless(read_array, gzipped(content), "bomb.idx.gz", DLTF_FORMAT, "header declares 314,572,800");
}

static void gzip_of_many_members(void **state) {
    (void)state;
    dl_text file = {0};
    for (int i = 0; i < 1000; i++) {
        dl_text content = {0};
        dl_text_append_bytes(&content, "\0\0\x08\1\0\0\0\1x", 9);
        dl_text member = gzipped(content);
        dl_text_append_bytes(&file, member.data, member.length);
        dl_text_free(&member);
    }
    assert_harmless(read_array, file, "members.gz", DLTF_FORMAT, "trailing data");
}

/* The directory and the header of the array agree on the size; the compressed data end long before. */
static void npz_promises_too_much(void **state) {
    (void)state;
    char dictionary[100];
    snprintf(dictionary, sizeof dictionary, "{'descr':'|u1','fortran_order':False,'shape':(%d,1)}", PROMISE);
    dl_text noise = {0};
    append_noise(&noise, NOISE);
    made_member member = {"x.npy", npy_bytes(dictionary, noise.data, noise.length), true};
    int64_t declared = member.content.length - NOISE + PROMISE;
    dl_text_free(&noise);
    dl_text zip = zip_bytes(&member, 1, "");
    dl_put_little((uint8_t *)zip.data + find_bytes(zip, "PK\1\2", 4, 0) + 24, (uint64_t)declared, 4);
    assert_harmless(read_array, zip, "bomb.npz", DLTF_FORMAT, "unpacks to less than its size");
}

/* ---- Images ---- */

static dl_text png(int64_t width, int64_t height, int64_t noise) {
    dl_text file = {0}, chunk = {0};
    const uint8_t header[] = {
        0, 0, (uint8_t)(width >> 8), (uint8_t)width, 0, 0, (uint8_t)(height >> 8), (uint8_t)height, 1, 0, 0,
        0, 0};
    dl_text_append_bytes(&file, "\x89PNG\r\n\x1a\n", 8);
    dl_text_append_bytes(&file, "\0\0\0\x0dIHDR", 8);
    dl_text_append_bytes(&file, header, sizeof header);
    uLong crc = crc32(crc32(0, (const Bytef *)"IHDR", 4), header, sizeof header);
    for (int shift = 24; shift >= 0; shift -= 8)
        dl_text_append_bytes(&file, (uint8_t[]){(uint8_t)(crc >> shift)}, 1);
    append_noise(&chunk, noise);
    const uint8_t length[] = {0, (uint8_t)(noise >> 16), (uint8_t)(noise >> 8), (uint8_t)noise};
    dl_text_append_bytes(&file, length, 4);
    dl_text_append_bytes(&file, "IDAT\x78\xda", 6); /* begins as zlib does */
    dl_text_append_bytes(&file, chunk.data, noise - 2);
    dl_text_free(&chunk);
    return file;
}

static void png_promises_too_much(void **state) {
    (void)state;
    assert_harmless(read_image, png(8000, 8000, 10000), "bomb.png", DLTF_FORMAT, "PNG");
    assert_harmless(read_image, png(60000, 60000, 500000), "large.png", DLTF_FORMAT, "refused");
}

static void pnm_promises_too_much(void **state) {
    (void)state;
    dl_text binary = {0}, text = {0};
    dl_text_append(&binary, "P6 100000 100000 255\n");
    append_noise(&binary, 10000);
    assert_harmless(read_image, binary, "bomb.ppm", DLTF_FORMAT, "too few");
    dl_text_append(&text, "P2 16000000 16000000 255\n");
    append_repeated(&text, "1 ", 5000);
    assert_harmless(read_image, text, "bomb.pgm", DLTF_FORMAT, "too few");
}

/* A gray image of one colour. `rounds`: 0 for a sequential file; otherwise every coefficient has a scan of
 * its own, and from the second round on further scans that refine it. */
static dl_text jpeg(int side, int rounds) {
    enum { COEFFICIENTS = 64, MOST = 4 };
    jpeg_scan_info scans[COEFFICIENTS * MOST] = {{1, {0}, 0, 0, 0, 0}};
    int count = 1;
    for (int r = 0; r < rounds; r++)
        for (int i = 1; i < COEFFICIENTS; i++, count++)
            scans[count] = (jpeg_scan_info){1, {0}, i, i, r ? rounds - r : 0, rounds - 1 - r};
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    unsigned char *at = NULL;
    unsigned long size = 0;
    dl_text made = {0};
    JSAMPLE *line = calloc((size_t)side, 1);
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &at, &size);
    jpeg.image_width = jpeg.image_height = (JDIMENSION)side;
    jpeg.input_components = 1;
    jpeg.in_color_space = JCS_GRAYSCALE;
    jpeg_set_defaults(&jpeg);
    if (rounds > 0) {
        jpeg.scan_info = scans;
        jpeg.num_scans = count;
    }
    jpeg_start_compress(&jpeg, TRUE);
    while (jpeg.next_scanline < jpeg.image_height)
        jpeg_write_scanlines(&jpeg, &line, 1);
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    dl_text_append_bytes(&made, at, (int64_t)size);
    free(at);
    free(line);
    return made;
}

static dl_text resized_jpeg(int side, int rounds) {
    dl_text made = jpeg(64, rounds);
    int64_t frame = find_bytes(made, rounds > 0 ? "\xff\xc2" : "\xff\xc0", 2, 0);
    for (int i = 0; i < 4; i++)
        made.data[frame + 5 + i] = (char)(i % 2 ? side : side >> 8);
    return made;
}

static void jpeg_promises_too_much(void **state) {
    (void)state;
    assert_harmless(read_image, resized_jpeg(65000, 0), "huge.jpg", DLTF_FORMAT, "cannot hold");
    assert_harmless(read_image, resized_jpeg(8000, 1), "large.jpg", DLTF_FORMAT, "cannot hold");
    assert_harmless(read_image, resized_jpeg(380, 0), "more.jpg", DLTF_FORMAT, "corrupt JPEG");
}

/* 127 scans, most of a few bytes, over an image of 4 million pixels. */
static void jpeg_of_many_scans(void **state) {
    (void)state;
    assert_harmless(read_image, jpeg(2048, 1), "few.jpg", DLTF_OK, "");
    assert_harmless(read_image, jpeg(2048, 2), "scans.jpg", DLTF_FORMAT, "scans of 2048 x 2048 pixels");
}

/* ---- Text ---- */

static void csv_of_one_line(void **state) {
    (void)state;
    dl_text numbers = {0}, digits = {0}, separators = {0};
    append_repeated(&numbers, "1,", 1 << 20);
    dl_text_append(&numbers, "1");
    assert_harmless(read_array, numbers, "line.csv", DLTF_OK, "");
    append_repeated(&digits, "1", 2 << 20);
    assert_harmless(read_array, digits, "digits.csv", DLTF_FORMAT, "");
    append_repeated(&separators, ",", 2 << 20);
    assert_harmless(read_array, separators, "separators.csv", DLTF_FORMAT, "");
}

static dl_text safetensors(const char *begin, const char *repeated, int64_t times, const char *end) {
    dl_text header = {0}, file = {0};
    dl_text_append(&header, "%s", begin);
    append_repeated(&header, repeated, times);
    dl_text_append(&header, "%s", end);
    put(&file, (uint64_t)header.length, 8);
    dl_text_append_bytes(&file, header.data, header.length);
    dl_text_free(&header);
    return file;
}

static void headers_of_safetensors(void **state) {
    (void)state;
    assert_harmless(read_model, safetensors("{\"a\":", "[", 1 << 20, ""), "deep.safetensors", DLTF_FORMAT,
                    "depth");
    assert_harmless(read_model, safetensors("{\"a\":", "{\"a\":", 1 << 18, ""), "nested.safetensors",
                    DLTF_FORMAT, "depth");
    assert_harmless(read_model, safetensors("{\"a\":[", "0,", 1 << 20, "0]}"), "wide.safetensors",
                    DLTF_FORMAT, "tensor 'a'");
    assert_harmless(read_model, safetensors("{\"a\":[", "0,", 3 << 20, "0]}"), "long.safetensors",
                    DLTF_FORMAT, "too long");
}

IO_TESTS_MAIN(cmocka_unit_test(idx_promises_too_much), cmocka_unit_test(gzip_of_many_members),
              cmocka_unit_test(npz_promises_too_much), cmocka_unit_test(png_promises_too_much),
              cmocka_unit_test(pnm_promises_too_much), cmocka_unit_test(jpeg_promises_too_much),
              cmocka_unit_test(jpeg_of_many_scans), cmocka_unit_test(csv_of_one_line),
              cmocka_unit_test(headers_of_safetensors))
