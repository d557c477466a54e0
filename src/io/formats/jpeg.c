/* Reads JPEG files into planes, line by line. libjpeg reports failure by longjmp, which never leaves this
 * file. It only warns about missing or damaged data and fills them in: here that is an error. */
#include "io/formats/jpeg.h"

#include "base/memory.h"
#include "image/image.h"
#include "io/files/bytes.h"
#include "io/formats/pixels.h"

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include <jerror.h>

/* A block of 8 x 8 pixels takes at least one bit. */
enum { MAX_PIXELS_PER_BYTE = 512 };

/* A progressive file can make a decoder go over the image once for every few bytes. Usual ones have about 10
 * scans, and visit a pixel 4,096 times per byte only if they are large and of one colour. */
enum { MAX_SCANS = 200, MAX_VISITS_PER_BYTE = 4096, FREE_VISITS = 1 << 28 };

typedef struct reader {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf start;
    dltf_status status;
    const dl_file *file;
    uint8_t *line;
    dltf_image *image;
} reader;

bool dl_jpeg_recognise(const uint8_t *bytes, int64_t size) {
    return size >= 3 && bytes[0] == 0xff && bytes[1] == 0xd8 && bytes[2] == 0xff;
}

/* ---- Callbacks ---- */

/* The message is already set. */
static _Noreturn void give_up(reader *r, dltf_status status) {
    r->status = status;
    longjmp(r->start, 1);
}

static _Noreturn void on_error(j_common_ptr jpeg) {
    static const char prefix[] = "Corrupt JPEG data: "; /* of many messages of libjpeg */
    reader *r = jpeg->client_data;
    char text[JMSG_LENGTH_MAX];
    if (jpeg->err->msg_code == JERR_OUT_OF_MEMORY)
        give_up(r, dl_fail(DLTF_MEMORY, "not enough memory to read the image"));
    if (jpeg->err->msg_code == JWRN_JPEG_EOF)
        give_up(
            r, dl_fail(DLTF_FORMAT, "truncated: %s bytes are not a complete JPEG", DL_COMMAS(r->file->size)));
    jpeg->err->format_message(jpeg, text);
    bool repeated = strncmp(text, prefix, sizeof prefix - 1) == 0;
    give_up(r, dl_fail(DLTF_FORMAT, "corrupt JPEG: %s", text + (repeated ? sizeof prefix - 1 : 0)));
}

/* Level -1 is a warning, others trace. Bytes between segments, which some cameras write, do no harm. */
static void on_message(j_common_ptr jpeg, int level) {
    if (level < 0 && jpeg->err->msg_code != JWRN_EXTRANEOUS_DATA)
        on_error(jpeg);
}

static void on_progress(j_common_ptr jpeg) {
    reader *r = jpeg->client_data;
    int64_t scans = r->jpeg.input_scan_number, pixels = (int64_t)r->jpeg.image_width * r->jpeg.image_height;
    if (scans > MAX_SCANS)
        give_up(r, dl_fail(DLTF_FORMAT, "more than %d scans: refused", MAX_SCANS));
    if (scans > 1 && (scans * pixels - FREE_VISITS) / MAX_VISITS_PER_BYTE > r->file->size)
        give_up(r, dl_fail(DLTF_FORMAT, "%lld scans of %u x %u pixels in %s bytes: refused", (long long)scans,
                           r->jpeg.image_width, r->jpeg.image_height, DL_COMMAS(r->file->size)));
}

/* ---- Reading ---- */

static void read_header(reader *r) {
    jpeg_mem_src(&r->jpeg, r->file->bytes, (unsigned long)r->file->size);
    jpeg_read_header(&r->jpeg, TRUE);
    J_COLOR_SPACE stored = r->jpeg.jpeg_color_space;
    if (stored == JCS_CMYK || stored == JCS_YCCK)
        give_up(r, dl_fail(DLTF_FORMAT, "CMYK image: convert it to RGB first"));
    if (r->jpeg.arith_code) /* the end of its data is not detected */
        give_up(r, dl_fail(DLTF_FORMAT, "arithmetic coding is not supported: convert it to Huffman coding"));
    r->jpeg.out_color_space = stored == JCS_GRAYSCALE ? JCS_GRAYSCALE : JCS_RGB;
}

/* libjpeg itself holds all coefficients of a progressive file, two bytes each, and a few lines of others. */
static void allocate(reader *r) {
    int64_t width = r->jpeg.image_width, height = r->jpeg.image_height;
    int64_t colours = r->jpeg.out_color_space == JCS_GRAYSCALE ? 1 : 3, values = width * height * colours;
    int64_t memory = values * (int64_t)sizeof(float);
    if (jpeg_has_multiple_scans(&r->jpeg))
        memory += width * height * r->jpeg.num_components * (int64_t)sizeof(JCOEF);
    if (width * height / MAX_PIXELS_PER_BYTE > r->file->size)
        give_up(r, dl_fail(DLTF_FORMAT, "corrupt: %s bytes cannot hold the declared %lld x %lld pixels",
                           DL_COMMAS(r->file->size), (long long)width, (long long)height));
    dltf_status status = dl_pixels_check(width, height, memory, r->file->size);
    if (status != DLTF_OK)
        give_up(r, status);
    r->line = dl_alloc(width * colours, 1);
    if (!r->line)
        give_up(r, DLTF_MEMORY);
    status = dltf_image_new(width, height, colours, 8, &r->image);
    if (status != DLTF_OK)
        give_up(r, status);
    r->image->jpeg = true;
}

static void read_lines(reader *r) {
    int64_t colours = r->image->channels, width = r->image->width;
    jpeg_start_decompress(&r->jpeg);
    while (r->jpeg.output_scanline < r->jpeg.output_height) {
        int64_t y = r->jpeg.output_scanline;
        jpeg_read_scanlines(&r->jpeg, &r->line, 1);
        for (int64_t c = 0; c < colours; c++)
            for (int64_t x = 0; x < width; x++)
                dl_image_plane(r->image, c)[y * width + x] = r->line[x * colours + c];
    }
    jpeg_finish_decompress(&r->jpeg);
}

/* No variable of this function changes between setjmp and longjmp except through pointers. */
static dltf_status decode(reader *r) {
    r->jpeg.err = jpeg_std_error(&r->errors);
    r->errors.error_exit = on_error;
    r->errors.emit_message = on_message;
    r->progress.progress_monitor = on_progress;
    r->jpeg.client_data = r;
    if (setjmp(r->start) == 0) {
        jpeg_create_decompress(&r->jpeg);
        r->jpeg.progress = &r->progress;
        read_header(r);
        allocate(r);
        read_lines(r);
    }
    jpeg_destroy_decompress(&r->jpeg);
    return r->status;
}

dltf_status dl_jpeg_load(dl_file *file, dltf_image **image) {
    reader r = {.status = DLTF_OK, .file = file};
    dltf_status status = decode(&r);
    dl_free(r.line);
    if (status == DLTF_OK)
        *image = r.image;
    else
        dltf_image_free(r.image);
    return status;
}
