/* dltf_reader: rows in order, some at a time, by plain reads into one buffer. Raw rows and .npy in C order
 * are read so; any other format is loaded whole and handed out in pieces. */
#include "io/reader.h"

#include "base/memory.h"
#include "data/matrix.h"
#include "io/bytes.h"
#include "io/matrix_file.h"
#include "io/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct dltf_reader {
    char *name;                      /* for messages */
    dltf_array *array;               /* everything, where the format cannot be read in pieces */
    int descriptor;                  /* otherwise */
    bool raw, ended;                 /* without header; nothing more will come */
    dl_elements elements;            /* how an element is stored */
    dltf_type type;                  /* what it becomes */
    int64_t rows, cols;              /* rows = -1: only the end will tell */
    int64_t row_bytes;               /* in the stream */
    int64_t done;                    /* rows handed out */
    uint8_t *bytes;                  /* as they come */
    int64_t capacity, filled, given; /* of `bytes`; `given` belong to the rows handed out last */
    void *converted;                 /* rows of the other type, if they need one */
    int64_t room;                    /* rows that fit `converted` */
};

/* Reads until `wanted` bytes are in `bytes` or the stream ends. A signal ends the wait, nothing is lost. */
static dltf_status fill(int descriptor, uint8_t *bytes, int64_t wanted, int64_t *filled, bool *ended) {
    while (*filled < wanted && !*ended) {
        ssize_t got = read(descriptor, bytes + *filled, (size_t)(wanted - *filled));
        if (got < 0 && errno == EINTR)
            return dl_fail(DLTF_CANCELLED, "a signal came while data were waited for");
        if (got < 0)
            return dl_fail(DLTF_FILE, "cannot read: %s", strerror(errno));
        *filled += got;
        *ended = got == 0;
    }
    return DLTF_OK;
}

/* ---- Opening ---- */

static dltf_status partial_row(const dltf_reader *r, int64_t row, int64_t bytes) {
    return dl_fail(DLTF_FORMAT, "truncated: row %s (counting from 0) has %s of %s bytes, %s float32 numbers",
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

/* The matrix that a header describes. False: its rows do not follow each other. */
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

/* A stream without a known end has size -1. Takes no more from it than the header, or what tells that there
 * is none: *start bytes, left in `beginning`. */
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
    size = size >= 0 ? size : r->ended ? *start : DL_NPY_ENDLESS;
    DL_TRY(dl_npy_find_header(beginning, size, &begin, &length));
    DL_TRY(fill(r->descriptor, beginning, begin + length, start, &r->ended));
    DL_TRY(dl_npy_parse(beginning, *start, size, &elements));
    status = describe_npy(r, &elements, in_order);
done:
    return status;
}

/* A stream in another format than .npy, whose first bytes are known already. */
static dltf_status load_rest(dltf_reader *r, const uint8_t *beginning, int64_t start) {
    if (dl_npy_recognise(beginning, start))
        return dl_fail(DLTF_FORMAT, "is in Fortran order, columns first: rows cannot be read from a stream; "
                                    "save it in C order, or name the file");
    dl_file file;
    dltf_status status = dl_file_read(r->descriptor, beginning, start, &file);
    if (status == DLTF_OK) {
        status = dl_matrix_load(&file, NULL, NULL, &r->array);
        dl_file_close(&file);
    }
    return status;
}

/* `path`: of a regular file, from which everything can be read again; NULL for a stream. */
static dltf_status open_content(dltf_reader *r, const char *path, int64_t raw_columns) {
    uint8_t beginning[DL_NPY_PREFIX + DL_NPY_MOST_HEADER];
    struct stat about;
    bool in_order = false;
    int64_t start = 0, size = path && fstat(r->descriptor, &about) == 0 ? about.st_size : -1;
    if (raw_columns > 0)
        return dl_file_result(describe_raw(r, raw_columns, size), r->name);
    dltf_status status = begin_npy(r, size, beginning, &start, &in_order);
    if (status == DLTF_OK && !in_order && path)
        return dltf_array_load(path, &r->array); /* names the file itself */
    if (status == DLTF_OK && !in_order)
        status = load_rest(r, beginning, start);
    return dl_file_result(status, r->name);
}

/* By the kind of file. What cannot be opened, or only by the loader (an array in an archive), gets the
 * loader's words. */
static dltf_status open_path(dltf_reader *r, const char *path, int64_t raw_columns) {
    struct stat about;
    r->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (r->descriptor < 0 && errno == EINTR)
        return dl_file_result(dl_fail(DLTF_CANCELLED, "a signal came while data were waited for"), path);
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
    dltf_reader *r = NULL;
    *reader = NULL;
    if (!path || !*path)
        return dl_fail(DLTF_ARGUMENT, "no file name given");
    if (raw_columns < 0 || raw_columns > INT32_MAX)
        return dl_fail(DLTF_ARGUMENT, "rows of %lld columns are not possible", (long long)raw_columns);
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
    return r->rows;
}

int64_t dltf_reader_cols(const dltf_reader *r) {
    return r->cols;
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

/* Rows of a matrix in memory: a view. */
static void take_from_array(dltf_reader *r, int64_t most, dltf_matrix *rows) {
    dltf_matrix all = dltf_array_matrix(r->array);
    int64_t left = all.rows - r->done;
    *rows = all;
    rows->rows = left < most ? left : most;
    rows->data = (const char *)all.data + r->done * all.row_stride * dl_type_size(all.type);
    r->done += rows->rows;
}

/* Room grows with what arrives: a header that promises too much takes no memory. */
static dltf_status fill_buffer(dltf_reader *r, int64_t wanted) {
    enum { LEAST = 1 << 20 };
    dltf_status status = DLTF_OK;
    while (r->filled < wanted && !r->ended && status == DLTF_OK) {
        if (r->filled == r->capacity) {
            int64_t larger = r->capacity < LEAST ? LEAST : 2 * r->capacity;
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

/* The stream's end, where `wanted` more rows were hoped for. */
static dltf_status check_end(const dltf_reader *r, int64_t wanted) {
    int64_t row = r->done + r->filled / r->row_bytes, bytes = r->filled % r->row_bytes;
    if (r->rows >= 0 && wanted == 0 && r->filled > 0)
        return dl_fail(DLTF_FORMAT, "damaged: goes on after the %s rows that its header promises",
                       DL_COMMAS(r->rows));
    if (r->rows >= 0 && r->filled < wanted * r->row_bytes)
        return dl_fail(DLTF_FORMAT,
                       "truncated: header promises %s rows, row %s (counting from 0) has %s of %s bytes",
                       DL_COMMAS(r->rows), DL_COMMAS(row), DL_COMMAS(bytes), DL_COMMAS(r->row_bytes));
    if (r->ended && r->rows < 0 && bytes > 0)
        return partial_row(r, row, bytes);
    if (r->ended && row == 0)
        return dl_fail(DLTF_FORMAT, "is empty");
    if (r->raw && r->done == 0 && dl_npy_recognise(r->bytes, r->filled))
        return dl_fail(DLTF_FORMAT, "is a .npy file, not raw rows");
    return DLTF_OK;
}

/* The first rows in the buffer as a matrix. */
static dltf_status convert(dltf_reader *r, int64_t count, dltf_matrix *rows) {
    dltf_status status = DLTF_OK;
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
    r->elements.bytes = count * r->row_bytes;
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
        return dl_fail(DLTF_MEMORY, "%lld rows at once are too many", (long long)most);
    r->filled -= r->given;
    if (r->filled > 0)
        memmove(r->bytes, r->bytes + r->given, (size_t)r->filled);
    r->given = 0;
    /* After the last row of a header: one byte more would be too many. */
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

dltf_status dltf_reader_next(dltf_reader *r, int64_t most, dltf_matrix *rows) {
    if (most < 1)
        return dl_fail(DLTF_ARGUMENT, "%lld rows cannot be read; at least one", (long long)most);
    if (!r->array)
        return take_from_stream(r, most, rows);
    take_from_array(r, most, rows);
    return DLTF_OK;
}
