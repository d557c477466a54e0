/* Opening a reader: finds out what the file or stream is, up to its first row. */
#include "base/integer.h"
#include "base/memory.h"
#include "io/files/bytes.h"
#include "io/formats/npy.h"
#include "io/formats/safetensors_data.h"
#include "io/formats/safetensors_header.h"
#include "io/formats/vecs.h"
#include "io/matrix_file.h"
#include "io/place.h"
#include "io/streams/reader.h"
#include "io/streams/reader_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static dltf_status describe_raw(dltf_reader *r, int64_t columns, int64_t size) {
    r->raw = true;
    r->type = DLTF_F32;
    r->elements = (dl_elements){.kind = 'f', .item = sizeof(float), .swapped = !dl_host_is_little()};
    r->cols = columns;
    r->row_bytes = columns * r->elements.item;
    r->rows = size >= 0 ? size / r->row_bytes : -1;
    if (size == 0)
        return dl_fail(DLTF_FORMAT, "is empty");
    if (size > 0 && size % r->row_bytes != 0)
        return dl_reader_partial_row(r, r->rows, size % r->row_bytes);
    return DLTF_OK;
}

/* Sets the matrix that a header describes. `in_order`: whether its rows are contiguous. */
static dltf_status describe_npy(dltf_reader *r, const dl_elements *elements, bool *in_order) {
    dltf_status status = dl_elements_type(elements, &r->type);
    if (status != DLTF_OK)
        return status;
    r->elements = *elements;
    dl_elements_shape(elements, &r->rows, &r->cols);
    dl_elements_remark(elements, r->remark, sizeof r->remark);
    r->row_bytes = r->cols * elements->item;
    *in_order = !elements->fortran || r->rows == 1 || r->cols == 1;
    return DLTF_OK;
}

/* Reads the .npy header, if there is one. `size` is -1 for a stream. Consumes no more than the header or, for
 * other formats, the prefix that rules it out: *start bytes, left in `beginning`. */
static dltf_status begin_npy(dltf_reader *r, int64_t size, dl_columns_axis axis, uint8_t *beginning,
                             int64_t *start, bool *in_order) {
    dltf_status status = DLTF_OK;
    dl_elements elements;
    int64_t begin = 0, length = 0;
    *in_order = false;
    DL_TRY(dl_reader_fill(r->descriptor, beginning, DL_NPY_PREFIX, start, &r->ended));
    if (*start == 0)
        DL_TRY(dl_fail(DLTF_FORMAT, "is empty"));
    if (!dl_npy_recognise(beginning, *start))
        goto done;
    size = size >= 0 ? size : r->ended ? *start : DL_NPY_UNKNOWN_SIZE;
    DL_TRY(dl_npy_find_header(beginning, size, &begin, &length));
    DL_TRY(dl_reader_fill(r->descriptor, beginning, begin + length, start, &r->ended));
    DL_TRY(dl_npy_parse(beginning, *start, size, &elements));
    elements.columns_axis = axis;
    status = describe_npy(r, &elements, in_order);
done:
    return status;
}

/* A stream that begins with a dimension, which no other format does: .fvecs. The bytes read so far are its
 * first. */
static dltf_status begin_fvecs(dltf_reader *r, const uint8_t *beginning, int64_t start) {
    dl_row_layout layout;
    dl_file file = dl_file_borrow(beginning, start);
    dltf_status status = dl_fvecs_describe(&file, 0, &layout);
    if (status != DLTF_OK)
        return status;
    r->type = DLTF_F32;
    r->elements = layout.elements;
    r->rows = -1;
    r->cols = layout.cols;
    r->row_prefix = layout.prefix;
    r->row_bytes = layout.prefix + layout.cols * layout.elements.item;
    r->bytes = dl_alloc(start, 1);
    if (!r->bytes)
        return DLTF_MEMORY;
    memcpy(r->bytes, beginning, (size_t)start);
    r->filled = r->capacity = start;
    return DLTF_OK;
}

/* Loads a stream that cannot be read row by row and whose first bytes were already read. */
static dltf_status load_rest(dltf_reader *r, const dl_reading *reading, const uint8_t *beginning,
                             int64_t start) {
    if (dl_npy_recognise(beginning, start))
        return dl_fail(DLTF_FORMAT, "is in Fortran order: rows cannot be read from a stream; save the array "
                                    "in C order, or pass a file name");
    dl_file file;
    dltf_status status = dl_file_read(r->descriptor, beginning, start, &file);
    if (status == DLTF_OK) {
        file.reading = reading;
        status = dl_matrix_load(&file, NULL, NULL, &r->array);
        dl_file_close(&file);
    }
    return status;
}

/* Rows at equal distances, from the next byte on. */
static dltf_status take_layout(dltf_reader *r, const dl_row_layout *layout) {
    r->elements = layout->elements;
    r->rows = layout->rows;
    r->cols = layout->cols;
    r->row_bytes = layout->cols * layout->elements.item;
    r->bounded = true;
    dl_elements_remark(&layout->elements, r->remark, sizeof r->remark);
    return dl_elements_type(&layout->elements, &r->type);
}

/* A stream that begins with a safetensors header: reads it, and what is before the tensor. */
static dltf_status begin_safetensors(dltf_reader *r, const dl_reading *reading, const uint8_t *beginning,
                                     int64_t start) {
    dltf_status status = DLTF_OK;
    dl_row_layout layout = {0};
    int64_t data = 0, filled = start;
    uint8_t *header = NULL;
    DL_TRY(dl_safetensors_begin(beginning, start, INT64_MAX, &data));
    DL_TRY_NEW(header, dl_max(data, start));
    memcpy(header, beginning, (size_t)start);
    DL_TRY(dl_reader_fill(r->descriptor, header, data, &filled, &r->ended));
    if (filled < data)
        DL_TRY(dl_fail(DLTF_FORMAT, "truncated: incomplete header"));
    dl_file file = dl_file_borrow(header, filled);
    file.reading = reading;
    DL_TRY(dl_safetensors_describe(&file, INT64_MAX, &layout));
    DL_TRY(take_layout(r, &layout));
    r->drained = true;
    status = dl_reader_discard(r, layout.offset - data);
done:
    dl_free(header);
    return status;
}

/* A regular file with rows that can be read in order. `possible`: whether it is one. */
static dltf_status begin_rows(dltf_reader *r, const char *path, const dl_reading *reading, int64_t size,
                              bool *possible) {
    dl_row_layout layout;
    dltf_status status = dl_row_file_describe(r->descriptor, path, reading, size, &layout, possible);
    *possible = *possible && layout.prefix == 0;
    if (status != DLTF_OK || !*possible)
        return status;
    if (layout.open)
        return layout.open(path, reading, &r->array);
    if (lseek(r->descriptor, layout.offset, SEEK_SET) < 0)
        return dl_fail(DLTF_FILE, "cannot read: %s", strerror(errno));
    return take_layout(r, &layout);
}

/* A stream, of which the first bytes were read. */
static dltf_status begin_stream(dltf_reader *r, const dl_reading *reading, const uint8_t *beginning,
                                int64_t start) {
    if (dl_safetensors_recognise(beginning, start))
        return begin_safetensors(r, reading, beginning, start);
    if (dl_fvecs_recognise(beginning, start))
        return begin_fvecs(r, beginning, start);
    return load_rest(r, reading, beginning, start);
}

/* `place` is that of a regular file, which can be read again; NULL for a stream. */
static dltf_status open_content(dltf_reader *r, const dl_place *place, const dl_reading *reading,
                                int64_t raw_columns) {
    uint8_t beginning[DL_NPY_PREFIX + DL_NPY_MAX_HEADER];
    struct stat about;
    bool in_order = false, possible = false;
    dl_reading named = reading ? *reading : (dl_reading){0};
    int64_t start = 0, size = place && fstat(r->descriptor, &about) == 0 ? about.st_size : -1;
    if (raw_columns > 0)
        return dl_file_result(describe_raw(r, raw_columns, size), r->name);
    named.member = place ? place->member : NULL;
    dltf_status status = begin_npy(r, size, named.columns_axis, beginning, &start, &in_order);
    if (status == DLTF_OK && (in_order || dl_npy_recognise(beginning, start)))
        status = dl_reading_check_binary(reading);
    if (status == DLTF_OK && !in_order && !place)
        status = begin_stream(r, &named, beginning, start);
    else if (status == DLTF_OK && !in_order && !dl_npy_recognise(beginning, start))
        status = begin_rows(r, place->file, &named, size, &possible);
    if (status == DLTF_OK && !in_order && !possible && place)
        return dl_array_load(r->name, reading, &r->array); /* already prefixed with the path */
    return dl_file_result(status, r->name);
}

/* Other files go to the loader, which reports the error if there is one. */
static dltf_status open_path(dltf_reader *r, const dl_place *place, const dl_reading *reading,
                             int64_t raw_columns) {
    struct stat about;
    r->descriptor = open(place->file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (r->descriptor < 0 && errno == EINTR)
        return dl_file_result(dl_fail(DLTF_CANCELLED, "interrupted while waiting for data"), r->name);
    if (r->descriptor < 0 && raw_columns > 0)
        return dl_file_result(dl_fail(DLTF_FILE, "cannot open: %s", strerror(errno)), r->name);
    if (r->descriptor < 0 || fstat(r->descriptor, &about) != 0)
        return dl_array_load(r->name, reading, &r->array);
    if (S_ISREG(about.st_mode))
        return open_content(r, place, reading, raw_columns);
    return raw_columns > 0 || S_ISFIFO(about.st_mode) ? open_content(r, NULL, reading, raw_columns)
                                                      : dl_array_load(r->name, reading, &r->array);
}

static dltf_status reader_new(const char *name, dltf_reader **reader) {
    dltf_reader *r = DL_NEW(dltf_reader, 1);
    if (!r)
        return DLTF_MEMORY;
    r->descriptor = -1;
    r->name = dl_alloc((int64_t)strlen(name) + 1, 1);
    if (!r->name) {
        dltf_reader_free(r);
        return DLTF_MEMORY;
    }
    strcpy(r->name, name);
    *reader = r;
    return DLTF_OK;
}

static dltf_status hand_over(dltf_status status, dltf_reader *r, dltf_reader **reader) {
    if (status == DLTF_OK) {
        r->rows = r->array ? dltf_array_matrix(r->array).rows : r->rows;
        r->cols = r->array ? dltf_array_matrix(r->array).cols : r->cols;
        if (r->array)
            snprintf(r->remark, sizeof r->remark, "%s", dl_array_remark(r->array));
        *reader = r;
    } else
        dltf_reader_free(r);
    return status;
}

dltf_status dl_reader_adopt(int descriptor, const char *name, int64_t raw_columns, const dl_reading *reading,
                            dltf_reader **reader) {
    dltf_reader *r = NULL;
    dltf_status status = reader_new(name, &r);
    if (status != DLTF_OK) {
        close(descriptor);
        return status;
    }
    r->descriptor = descriptor;
    return hand_over(open_content(r, NULL, reading, raw_columns), r, reader);
}

dltf_status dl_reader_open(const char *path, int64_t raw_columns, const dl_reading *reading,
                           dltf_reader **reader) {
    DL_CLEAR(reader);
    DL_REQUIRE(path, reader);
    dltf_reader *r = NULL;
    if (!*path)
        return dl_fail(DLTF_ARGUMENT, "no file name given");
    if (raw_columns < 0 || raw_columns > INT32_MAX)
        return dl_fail(DLTF_ARGUMENT, "%lld columns are out of range", (long long)raw_columns);
    if (strcmp(path, "-") == 0) {
        int descriptor = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
        if (descriptor < 0)
            return dl_file_result(dl_fail(DLTF_FILE, "cannot read: %s", strerror(errno)), "standard input");
        return dl_reader_adopt(descriptor, "standard input", raw_columns, reading, reader);
    }
    dl_place place;
    dltf_status status = dl_place_find(path, &place);
    if (status == DLTF_OK)
        status = reader_new(path, &r);
    if (status == DLTF_OK)
        status = hand_over(open_path(r, &place, reading, raw_columns), r, reader);
    dl_place_free(&place);
    return status;
}

dltf_status dltf_reader_open(const char *path, int64_t raw_columns, dltf_reader **reader) {
    return dl_reader_open(path, raw_columns, NULL, reader);
}
