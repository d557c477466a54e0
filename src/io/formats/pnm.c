/* PGM and PPM: a magic number, width, height and maxval as text, then the values as bytes or text. */
#include "io/formats/pnm.h"

#include "base/memory.h"
#include "image/image.h"
#include "io/files/bytes.h"
#include "io/formats/pixels.h"

#include <inttypes.h>

typedef struct reader {
    const uint8_t *bytes;
    int64_t size, at;
    int64_t width, height, channels, maxval; /* maxval is white */
    bool text;
} reader;

static bool is_blank(uint8_t byte) {
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

bool dl_pnm_recognise(const uint8_t *bytes, int64_t size) {
    return size >= 3 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6' &&
           (is_blank(bytes[2]) || bytes[2] == '#');
}

/* Skips whitespace and comments, which extend to the end of the line. */
static void skip_blanks(reader *r) {
    bool comment = false;
    for (; r->at < r->size; r->at++) {
        uint8_t byte = r->bytes[r->at];
        if (byte == '#')
            comment = true;
        else if (byte == '\n' || byte == '\r')
            comment = false;
        else if (!comment && !is_blank(byte))
            return;
    }
}

static dltf_status read_number(reader *r, const char *what, int64_t max, int64_t *number) {
    skip_blanks(r);
    int64_t begin = r->at, value = 0;
    for (; r->at < r->size && r->bytes[r->at] >= '0' && r->bytes[r->at] <= '9'; r->at++) {
        value = 10 * value + (r->bytes[r->at] - '0');
        if (value > max)
            return dl_fail(DLTF_FORMAT, "corrupt: %s at byte %" PRId64 " exceeds %s", what, begin,
                           DL_COMMAS(max));
    }
    if (begin == r->size)
        return dl_fail(DLTF_FORMAT, "truncated: expected %s but found end of file", what);
    if (r->at == begin)
        return dl_fail(DLTF_FORMAT, "corrupt: %s at byte %" PRId64 " is not a number: '%s'", what, begin,
                       DL_PRINTABLE(r->bytes + begin, 1));
    *number = value;
    return DLTF_OK;
}

static dltf_status read_header(reader *r) {
    dltf_status status = DLTF_OK;
    char kind = (char)r->bytes[1];
    if (kind == '1' || kind == '4')
        return dl_fail(DLTF_FORMAT, "unsupported bitmap (P%c): expected PGM or PPM (P2, P3, P5, P6)", kind);
    r->text = kind < '4';
    r->channels = kind == '2' || kind == '5' ? 1 : 3;
    r->at = 2;
    DL_TRY(read_number(r, "width", DL_PIXELS_MAX_SIDE, &r->width));
    DL_TRY(read_number(r, "height", DL_PIXELS_MAX_SIDE, &r->height));
    DL_TRY(read_number(r, "maxval", 65535, &r->maxval));
    if (r->width < 1 || r->height < 1 || r->maxval < 1)
        return dl_fail(DLTF_FORMAT, "corrupt: width, height and maxval must be at least 1");
    if (r->at == r->size || !is_blank(r->bytes[r->at]))
        return dl_fail(DLTF_FORMAT, "truncated: expected whitespace after maxval");
    r->at++;
done:
    return status;
}

/* Checks before allocating that the file can hold all values. As text, a value takes at least a digit and,
 * except for the last, a blank. */
static dltf_status check_size(const reader *r) {
    int64_t left = r->size - r->at, wide = r->maxval > 255 ? 2 : 1;
    int64_t present = r->text ? (left + 1) / 2 : left / wide;
    int64_t values = r->width * r->height * r->channels;
    if (values > present)
        return dl_fail(DLTF_FORMAT, "truncated: %s bytes are too few for %lld x %lld pixels",
                       DL_COMMAS(r->size), (long long)r->width, (long long)r->height);
    if (!r->text && values * wide < left)
        return dl_fail(DLTF_FORMAT, "corrupt: %s more bytes than the header declares",
                       DL_COMMAS(left - values * wide));
    return DLTF_OK;
}

static dltf_status read_value(reader *r, int64_t *value) {
    if (r->text)
        return read_number(r, "value", r->maxval, value);
    int64_t begin = r->at;
    *value = r->bytes[r->at++];
    if (r->maxval > 255)
        *value = *value << 8 | r->bytes[r->at++];
    if (*value > r->maxval)
        return dl_fail(DLTF_FORMAT, "corrupt: value %lld at byte %" PRId64 " exceeds maxval %lld",
                       (long long)*value, begin, (long long)r->maxval);
    return DLTF_OK;
}

static dltf_status read_values(reader *r, dltf_image *image) {
    double unit = 255.0 / (double)r->maxval;
    for (int64_t pixel = 0; pixel < r->width * r->height; pixel++)
        for (int64_t c = 0; c < r->channels; c++) {
            int64_t value = 0;
            dltf_status status = read_value(r, &value);
            if (status != DLTF_OK)
                return status;
            dl_image_plane(image, c)[pixel] = (float)((double)value * unit);
        }
    if (r->text)
        skip_blanks(r);
    if (r->at < r->size)
        return dl_fail(DLTF_FORMAT, "corrupt: %s more bytes than the header declares",
                       DL_COMMAS(r->size - r->at));
    return DLTF_OK;
}

dltf_status dl_pnm_load(dl_file *file, dltf_image **image) {
    reader r = {.bytes = file->bytes, .size = file->size};
    dltf_image *made = NULL;
    if (!dl_pnm_recognise(file->bytes, file->size))
        return dl_fail(DLTF_FORMAT, "is not a PGM or PPM file");
    dltf_status status = read_header(&r);
    if (status != DLTF_OK)
        return status;
    DL_TRY(check_size(&r));
    DL_TRY(dltf_image_new(r.width, r.height, r.channels, r.maxval > 255 ? 16 : 8, &made));
    DL_TRY(read_values(&r, made));
    *image = made;
    made = NULL;
done:
    dltf_image_free(made);
    return status;
}

dltf_status dl_pnm_write(const dltf_image *image, dl_writer *out) {
    dltf_status status = DLTF_OK;
    char header[80];
    int bits = dl_pixels_bits(image);
    int length = snprintf(header, sizeof header, "P%d\n%lld %lld\n%d\n", image->channels == 1 ? 5 : 6,
                          (long long)image->width, (long long)image->height, bits == 16 ? 65535 : 255);
    int64_t row_bytes = image->width * image->channels * bits / 8;
    uint8_t *line = NULL;
    DL_TRY_NEW(line, row_bytes);
    DL_TRY(dl_writer_write(out, header, length));
    for (int64_t y = 0; y < image->height; y++) {
        dl_pixels_row(image, y, line);
        DL_TRY(dl_writer_write(out, line, row_bytes));
    }
done:
    dl_free(line);
    return status;
}
