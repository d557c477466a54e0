/* dltf_reader: reads rows in order, a few at a time. Raw rows, .npy in C order and .fvecs from a pipe are
 * streamed through one buffer; other formats are loaded whole and returned in pieces. */
#include "io/streams/reader.h"

#include "base/integer.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "io/files/bytes.h"
#include "io/formats/npy.h"
#include "io/formats/vecs.h"
#include "io/matrix_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct dltf_reader {
    char *name;                      /* for messages */
    dltf_array *array;               /* the whole file, if its format cannot be streamed */
    int descriptor;                  /* of the stream otherwise */
    bool raw, ended;                 /* no header; end of input reached */
    dl_elements elements;            /* how an element is stored */
    dltf_type type;                  /* element type of returned rows */
    int64_t rows, cols;              /* rows = -1 if unknown until end of input */
    int64_t row_bytes;               /* of a row in the stream, */
    int64_t row_prefix;              /* of which so many come before its elements */
    int64_t done;                    /* rows returned so far */
    uint8_t *bytes;                  /* buffer, as read */
    int64_t capacity, filled, given; /* of `bytes`; the first `given` belong to the rows returned last */
    void *converted;                 /* rows converted to `type`, if needed */
    int64_t room;                    /* capacity of `converted` in rows */
};

/* Reads until `bytes` holds `wanted` bytes or the stream ends. A signal interrupts the wait without loss. */
static dltf_status fill(int descriptor, uint8_t *bytes, int64_t wanted, int64_t *filled, bool *ended) {
    while (*filled < wanted && !*ended) {
        ssize_t got = read(descriptor, bytes + *filled, (size_t)(wanted - *filled));
        if (got < 0 && errno == EINTR)
            return dl_fail(DLTF_CANCELLED, "interrupted while waiting for data");
        if (got < 0)
            return dl_fail(DLTF_FILE, "cannot read: %s", strerror(errno));
        *filled += got;
        *ended = got == 0;
    }
    return DLTF_OK;
}

/* ---- Opening ---- */

static dltf_status partial_row(const dltf_reader *r, int64_t row, int64_t bytes) {
    return dl_fail(DLTF_FORMAT, "truncated: row %s (counting from 0) has %s of %s bytes (%s float32 values)",
                   DL_COMMAS(row), DL_COMMAS(bytes), DL_COMMAS(r->row_bytes), DL_COMMAS(r->cols));
}

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
        return partial_row(r, r->rows, size % r->row_bytes);
    return DLTF_OK;
}

/* Sets the matrix that a header describes. `in_order`: whether its rows are contiguous. */
static dltf_status describe_npy(dltf_reader *r, const dl_elements *elements, bool *in_order) {
    dltf_status status = dl_elements_type(elements, &r->type);
    if (status != DLTF_OK)
        return status;
    r->elements = *elements;
    r->rows = elements->shape[0];
    r->cols = elements->count / r->rows;
    r->row_bytes = r->cols * elements->item;
    *in_order = !elements->fortran || r->rows == 1 || r->cols == 1;
    return DLTF_OK;
}

/* Reads the .npy header, if there is one. `size` is -1 for a stream. Consumes no more than the header or, for
 * other formats, the prefix that rules it out: *start bytes, left in `beginning`. */
static dltf_status begin_npy(dltf_reader *r, int64_t size, uint8_t *beginning, int64_t *start,
                             bool *in_order) {
    dltf_status status = DLTF_OK;
    dl_elements elements;
    int64_t begin = 0, length = 0;
    *in_order = false;
    DL_TRY(fill(r->descriptor, beginning, DL_NPY_PREFIX, start, &r->ended));
    if (*start == 0)
        DL_TRY(dl_fail(DLTF_FORMAT, "is empty"));
    if (!dl_npy_recognise(beginning, *start))
        goto done;
    size = size >= 0 ? size : r->ended ? *start : DL_NPY_UNKNOWN_SIZE;
    DL_TRY(dl_npy_find_header(beginning, size, &begin, &length));
    DL_TRY(fill(r->descriptor, beginning, begin + length, start, &r->ended));
    DL_TRY(dl_npy_parse(beginning, *start, size, &elements));
    status = describe_npy(r, &elements, in_order);
done:
    return status;
}

/* A stream that begins with a dimension, which no other format does: .fvecs. The bytes read so far are its
 * first. */
static dltf_status begin_fvecs(dltf_reader *r, const uint8_t *beginning, int64_t start) {
    dl_row_layout layout;
    dltf_status status = dl_fvecs_describe(beginning, start, 0, &layout);
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
static dltf_status load_rest(dltf_reader *r, const uint8_t *beginning, int64_t start) {
    if (dl_npy_recognise(beginning, start))
        return dl_fail(DLTF_FORMAT, "is in Fortran order: rows cannot be read from a stream; save the array "
                                    "in C order, or pass a file name");
    dl_file file;
    dltf_status status = dl_file_read(r->descriptor, beginning, start, &file);
    if (status == DLTF_OK) {
        status = dl_matrix_load(&file, NULL, NULL, &r->array);
        dl_file_close(&file);
    }
    return status;
}

/* `path` is that of a regular file, which can be read again; NULL for a stream. */
static dltf_status open_content(dltf_reader *r, const char *path, int64_t raw_columns) {
    uint8_t beginning[DL_NPY_PREFIX + DL_NPY_MAX_HEADER];
    struct stat about;
    bool in_order = false;
    int64_t start = 0, size = path && fstat(r->descriptor, &about) == 0 ? about.st_size : -1;
    if (raw_columns > 0)
        return dl_file_result(describe_raw(r, raw_columns, size), r->name);
    dltf_status status = begin_npy(r, size, beginning, &start, &in_order);
    if (status == DLTF_OK && !in_order && path)
        return dltf_array_load(path, &r->array); /* already prefixed with the path */
    if (status == DLTF_OK && !in_order && dl_fvecs_recognise(beginning, start))
        status = begin_fvecs(r, beginning, start);
    else if (status == DLTF_OK && !in_order)
        status = load_rest(r, beginning, start);
    return dl_file_result(status, r->name);
}

/* Paths that cannot be opened here go to the loader: it handles FILE.npz:NAME, and otherwise reports the
 * error. */
static dltf_status open_path(dltf_reader *r, const char *path, int64_t raw_columns) {
    struct stat about;
    r->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (r->descriptor < 0 && errno == EINTR)
        return dl_file_result(dl_fail(DLTF_CANCELLED, "interrupted while waiting for data"), path);
    if (r->descriptor < 0 && raw_columns > 0)
        return dl_file_result(dl_fail(DLTF_FILE, "cannot open: %s", strerror(errno)), path);
    if (r->descriptor < 0 || fstat(r->descriptor, &about) != 0)
        return dltf_array_load(path, &r->array);
    if (S_ISREG(about.st_mode))
        return open_content(r, path, raw_columns);
    return raw_columns > 0 || S_ISFIFO(about.st_mode) ? open_content(r, NULL, raw_columns)
                                                      : dltf_array_load(path, &r->array);
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
        *reader = r;
    } else
        dltf_reader_free(r);
    return status;
}

dltf_status dl_reader_adopt(int descriptor, const char *name, int64_t raw_columns, dltf_reader **reader) {
    dltf_reader *r = NULL;
    dltf_status status = reader_new(name, &r);
    if (status != DLTF_OK) {
        close(descriptor);
        return status;
    }
    r->descriptor = descriptor;
    return hand_over(open_content(r, NULL, raw_columns), r, reader);
}

dltf_status dltf_reader_open(const char *path, int64_t raw_columns, dltf_reader **reader) {
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
        return dl_reader_adopt(descriptor, "standard input", raw_columns, reader);
    }
    dltf_status status = reader_new(path, &r);
    return status == DLTF_OK ? hand_over(open_path(r, path, raw_columns), r, reader) : status;
}

int64_t dltf_reader_rows(const dltf_reader *r) {
    return r ? r->rows : 0;
}

int64_t dltf_reader_cols(const dltf_reader *r) {
    return r ? r->cols : 0;
}

void dltf_reader_free(dltf_reader *r) {
    if (!r)
        return;
    if (r->descriptor >= 0)
        close(r->descriptor);
    dltf_array_free(r->array);
    dl_free(r->bytes);
    dl_free(r->converted);
    dl_free(r->name);
    dl_free(r);
}

/* ---- Reading ---- */

/* The next rows of the loaded matrix, as a view. */
static void take_from_array(dltf_reader *r, int64_t most, dltf_matrix *rows) {
    dltf_matrix all = dltf_array_matrix(r->array);
    int64_t left = all.rows - r->done;
    *rows = dl_matrix_part(all, r->done, left < most ? left : most);
    r->done += rows->rows;
}

/* The buffer grows with the input, so that a header that declares too much allocates nothing. */
static dltf_status fill_buffer(dltf_reader *r, int64_t wanted) {
    enum { MIN_CAPACITY = 1 << 20 };
    dltf_status status = DLTF_OK;
    while (r->filled < wanted && !r->ended && status == DLTF_OK) {
        if (r->filled == r->capacity) {
            int64_t larger = r->capacity < MIN_CAPACITY ? MIN_CAPACITY : 2 * r->capacity;
            larger = larger < wanted ? larger : wanted;
            uint8_t *memory = dl_grow(r->bytes, r->filled, larger, 1);
            if (!memory)
                return DLTF_MEMORY;
            r->bytes = memory;
            r->capacity = larger;
        }
        int64_t some = wanted < r->capacity ? wanted : r->capacity;
        status = fill(r->descriptor, r->bytes, some, &r->filled, &r->ended);
    }
    return status;
}

/* Checks for truncated or trailing data after an attempt to read `wanted` rows. */
static dltf_status check_end(const dltf_reader *r, int64_t wanted) {
    int64_t row = r->done + r->filled / r->row_bytes, bytes = r->filled % r->row_bytes;
    if (r->rows >= 0 && wanted == 0 && r->filled > 0)
        return dl_fail(DLTF_FORMAT, "corrupt: data continues after the %s rows the header declares",
                       DL_COMMAS(r->rows));
    if (r->rows >= 0 && r->filled < wanted * r->row_bytes)
        return dl_fail(DLTF_FORMAT,
                       "truncated: header declares %s rows, row %s (counting from 0) has %s of %s bytes",
                       DL_COMMAS(r->rows), DL_COMMAS(row), DL_COMMAS(bytes), DL_COMMAS(r->row_bytes));
    if (r->ended && r->rows < 0 && bytes > 0)
        return partial_row(r, row, bytes);
    if (r->ended && row == 0)
        return dl_fail(DLTF_FORMAT, "is empty");
    if (r->raw && r->done == 0 && dl_npy_recognise(r->bytes, r->filled))
        return dl_fail(DLTF_FORMAT, "is a .npy file, not raw rows");
    return DLTF_OK;
}

/* Moves the elements of the first `count` rows together. */
static dltf_status remove_prefixes(dltf_reader *r, int64_t count) {
    int64_t size = r->row_bytes - r->row_prefix;
    for (int64_t i = 0; r->row_prefix > 0 && i < count; i++) {
        const uint8_t *row = r->bytes + i * r->row_bytes;
        dltf_status status = dl_vecs_check(row, r->done + i, r->cols);
        if (status != DLTF_OK)
            return status;
        memmove(r->bytes + i * size, row + r->row_prefix, (size_t)size);
    }
    return DLTF_OK;
}

/* The first `count` rows of the buffer as a matrix. */
static dltf_status convert(dltf_reader *r, int64_t count, dltf_matrix *rows) {
    dltf_status status = remove_prefixes(r, count);
    if (status != DLTF_OK)
        return status;
    *rows = (dltf_matrix){r->bytes, r->type, count, r->cols, r->cols, 1};
    if (dl_elements_native(&r->elements, r->type))
        return DLTF_OK;
    if (count > r->room) {
        void *larger = dl_alloc(count, (size_t)(r->cols * dl_type_size(r->type)));
        if (!larger)
            return DLTF_MEMORY;
        dl_free(r->converted);
        r->converted = larger;
        r->room = count;
    }
    r->elements.data = r->bytes;
    r->elements.count = count * r->cols;
    r->elements.bytes = count * (r->row_bytes - r->row_prefix);
    r->elements.first = r->done * r->cols;
    status = dl_elements_convert(&r->elements, r->type, r->converted);
    rows->data = r->converted;
    return status;
}

static dltf_status take_from_stream(dltf_reader *r, int64_t most, dltf_matrix *rows) {
    dltf_status status = DLTF_OK;
    int64_t wanted = most, count = 0;
    if (r->rows >= 0 && r->rows - r->done < most)
        wanted = r->rows - r->done;
    if (wanted > INT64_MAX / r->row_bytes)
        return dl_fail(DLTF_MEMORY, "cannot read %lld rows at once", (long long)most);
    r->filled -= r->given;
    if (r->filled > 0)
        memmove(r->bytes, r->bytes + r->given, (size_t)r->filled);
    r->given = 0;
    /* After the last declared row, try one more byte to detect trailing data. */
    DL_TRY(fill_buffer(r, wanted > 0 ? wanted * r->row_bytes : 1));
    DL_TRY(check_end(r, wanted));
    count = r->filled / r->row_bytes;
    count = count < wanted ? count : wanted;
    DL_TRY(convert(r, count, rows));
    r->done += count;
    r->given = count * r->row_bytes;
done:
    return dl_file_result(status, r->name);
}

dltf_status dltf_reader_next(dltf_reader *reader, int64_t most, dltf_matrix *rows) {
    DL_REQUIRE(reader, rows);
    if (most < 1)
        return dl_fail(DLTF_ARGUMENT, "cannot read %lld rows: expected at least 1", (long long)most);
    if (!reader->array)
        return take_from_stream(reader, most, rows);
    take_from_array(reader, most, rows);
    return DLTF_OK;
}

dltf_status dl_reader_skip(dltf_reader *r, int64_t rows) {
    rows = dl_min(rows, r->rows - r->done);
    r->done += rows;
    if (r->array)
        return DLTF_OK;
    int64_t bytes = rows * r->row_bytes, buffered = r->filled - r->given;
    if (bytes <= buffered) {
        r->given += bytes;
        return DLTF_OK;
    }
    r->filled = r->given = 0;
    if (lseek(r->descriptor, bytes - buffered, SEEK_CUR) >= 0)
        return DLTF_OK;
    return dl_file_result(dl_fail(DLTF_FILE, "cannot read a part of it: %s", strerror(errno)), r->name);
}
