/* dltf_array_open: rows by plain reads. The system caches as much as fits, and nothing counts as memory of
 * the process, as a mapping would under an address space limit. */
#include "io/formats/row_file.h"

#include "base/integer.h"
#include "base/memory.h"
#include "data/array.h"
#include "data/source.h"
#include "io/files/bytes.h"
#include "io/formats.h"
#include "io/formats/npy.h"
#include "io/matrix_file.h"
#include "io/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

/* A group of neighbouring records. It is read as a whole once two of them have been read in order: sequential
 * access then takes few system calls, and random access reads no more than it needs. */
enum { GROUPS = 64, GROUP_BYTES = 1 << 16 };

typedef struct group {
    atomic_bool busy;
    int64_t file;   /* serial number; 0: none yet */
    int64_t number; /* which group of the file */
    int64_t last;   /* row that was read last */
    bool loaded;
    uint8_t bytes[GROUP_BYTES];
} group;

/* Shared by all files: a thousand files take no more memory than one. */
static group groups[GROUPS];

typedef struct row_file {
    int64_t serial; /* unlike that of any other file, also of those closed */
    char *path;
    int descriptor;
    dl_row_layout layout;
    int64_t row_bytes, distance;
} row_file;

/* ---- Rows ---- */

/* The file was this long when it was opened. */
static dltf_status read_exactly(int descriptor, uint8_t *bytes, int64_t count, int64_t from) {
    while (count > 0) {
        ssize_t got = pread(descriptor, bytes, (size_t)count, from);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return dl_fail(DLTF_FILE, "cannot read: %s", strerror(errno));
        if (got == 0)
            return dl_fail(DLTF_FILE, "was truncated while it was in use");
        bytes += got;
        count -= got;
        from += got;
    }
    return DLTF_OK;
}

/* Whether the group is loaded and contains the row. Loads it if rows are read in order. */
static bool in_group(row_file *f, group *g, int64_t number, int64_t row, int64_t size) {
    bool same = g->file == f->serial && g->number == number, next = same && row == g->last + 1;
    if (!same)
        g->loaded = false;
    g->file = f->serial;
    g->number = number;
    g->last = row;
    if (g->loaded || !next)
        return g->loaded;
    int64_t first = number * size, count = dl_min(size, f->layout.rows - first);
    g->loaded = read_exactly(f->descriptor, g->bytes, count * f->distance,
                             f->layout.offset + first * f->distance) == DLTF_OK;
    return g->loaded; /* after a failure the row is tried alone, which reports it */
}

static dltf_status read_record(row_file *f, int64_t row, uint8_t *record) {
    int64_t size = GROUP_BYTES / f->distance, number = size > 1 ? row / size : row;
    group *g = &groups[(f->serial + number) % GROUPS];
    if (size > 1 && !atomic_exchange(&g->busy, true)) {
        bool found = in_group(f, g, number, row, size);
        if (found)
            memcpy(record, g->bytes + (row - number * size) * f->distance, (size_t)f->distance);
        atomic_store(&g->busy, false);
        if (found)
            return DLTF_OK;
    }
    return read_exactly(f->descriptor, record, f->distance, f->layout.offset + row * f->distance);
}

/* The record is read into the end of `out` and widened from its first element on. No element is overwritten
 * before it is used, since none is longer than a double; the elements of records with a prefix have at most
 * 4 bytes, which leaves room for it. */
static dltf_status read_row(void *context, int64_t row, double *out) {
    row_file *f = context;
    const dl_row_layout *layout = &f->layout;
    uint8_t *bytes = (uint8_t *)(out + layout->cols) - f->row_bytes, *record = bytes - layout->prefix;
    dltf_status status = read_record(f, row, record);
    if (status == DLTF_OK && layout->check)
        status = layout->check(record, row, layout->cols);
    if (status == DLTF_OK) {
        dl_elements elements = layout->elements;
        elements.data = bytes;
        elements.count = layout->cols;
        elements.first = row * layout->cols;
        status = dl_elements_widen(&elements, out);
    }
    return dl_file_result(status, f->path);
}

static void expect_rows(void *context, int64_t first, int64_t count) {
    const row_file *f = context;
    posix_fadvise(f->descriptor, f->layout.offset + first * f->distance, count * f->distance,
                  POSIX_FADV_WILLNEED);
}

static void close_rows(void *context) {
    row_file *f = context;
    if (f->descriptor >= 0)
        close(f->descriptor);
    dl_free(f->path);
    dl_free(f);
}

/* ---- Layouts ---- */

static dltf_status describe_raw(int64_t columns, int64_t size, dl_row_layout *layout) {
    int64_t row_bytes = columns * (int64_t)sizeof(float);
    layout->elements = (dl_elements){.kind = 'f', .item = sizeof(float), .swapped = !dl_host_is_little()};
    layout->cols = columns;
    layout->rows = size / row_bytes;
    if (size == 0)
        return dl_fail(DLTF_FORMAT, "is empty");
    if (size % row_bytes != 0)
        return dl_fail(
            DLTF_FORMAT, "truncated: row %s (counting from 0) has %s of %s bytes (%s float32 values)",
            DL_COMMAS(layout->rows), DL_COMMAS(size % row_bytes), DL_COMMAS(row_bytes), DL_COMMAS(columns));
    return DLTF_OK;
}

/* ---- Opening ---- */

/* By content or, for formats without a signature, by name. */
static const dl_format *find_format(const char *path, const uint8_t *start, int64_t available) {
    const dl_format *named = dl_format_of_path(DL_CONTENT_MATRIX, NULL, path);
    const dl_format *found = dl_format_of_content(DL_CONTENT_MATRIX, start, available);
    return found || !named || named->recognise ? found : named;
}

/* Describes the rows by the first `available` bytes. */
static dltf_status describe_start(int descriptor, const char *path, const dl_reading *reading,
                                  int64_t available, int64_t size, dl_row_layout *layout, bool *possible) {
    dltf_status status = DLTF_OK;
    uint8_t *bytes = NULL;
    DL_TRY_NEW(bytes, available);
    DL_TRY(read_exactly(descriptor, bytes, available, 0));
    const dl_format *format = find_format(path, bytes, available);
    *possible = format && format->describe;
    if (*possible) {
        dl_file start = dl_file_borrow(bytes, available);
        start.reading = reading;
        DL_TRY(dl_reading_check_binary(reading));
        status = format->describe(&start, size, layout);
    }
done:
    dl_free(bytes);
    return status;
}

dltf_status dl_row_file_describe(int descriptor, const char *path, const dl_reading *reading, int64_t size,
                                 dl_row_layout *layout, bool *possible) {
    *layout = (dl_row_layout){0};
    dltf_status status =
        describe_start(descriptor, path, reading, dl_min(size, DL_ROW_FILE_START), size, layout, possible);
    if (status == DLTF_OK && layout->header > 0)
        status = describe_start(descriptor, path, reading, layout->header, size, layout, possible);
    return status;
}

/* Raw rows do not begin like a .npy file. */
static dltf_status describe_raw_file(row_file *f, int64_t columns, int64_t size) {
    uint8_t start[DL_NPY_PREFIX];
    int64_t available = dl_min(size, DL_NPY_PREFIX);
    dltf_status status = read_exactly(f->descriptor, start, available, 0);
    if (status == DLTF_OK && dl_npy_recognise(start, available))
        status = dl_fail(DLTF_FORMAT, "is a .npy file, not raw rows");
    return status == DLTF_OK ? describe_raw(columns, size, &f->layout) : status;
}

/* Opens regular files only. Opening a pipe, closing it and opening it again to load it would lose what its
 * writer sends in between. */
static dltf_status open_file(row_file *f, int64_t *size, bool *regular) {
    struct stat about;
    if (stat(f->path, &about) != 0)
        return dl_fail(DLTF_FILE, "cannot open: %s", strerror(errno));
    *regular = S_ISREG(about.st_mode);
    if (!*regular)
        return DLTF_OK;
    f->descriptor = open(f->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (f->descriptor < 0)
        return dl_fail(DLTF_FILE, "cannot open: %s", strerror(errno));
    if (fstat(f->descriptor, &about) != 0)
        return dl_fail(DLTF_FILE, "cannot read: %s", strerror(errno));
    *size = about.st_size;
    return DLTF_OK;
}

static dltf_status make_array(row_file *f, dltf_array **array) {
    dltf_status status = DLTF_OK;
    const dl_row_layout *layout = &f->layout;
    static atomic_int_least64_t files;
    dltf_array *made = NULL;
    f->serial = atomic_fetch_add(&files, 1) + 1;
    f->row_bytes = layout->cols * layout->elements.item;
    f->distance = layout->prefix + f->row_bytes;
    DL_TRY_HANDLE(made, ARRAY);
    DL_TRY(dltf_source_new(layout->rows, layout->cols, read_row, f, &made->source));
    dl_source_extend(made->source, (dl_source_extras){expect_rows, close_rows});
    made->matrix = dltf_source_matrix(made->source);
    made->channels = layout->channels;
    made->height = layout->height;
    made->width = layout->width;
    if (layout->elements.rank > 0)
        dl_elements_remark(&layout->elements, made->remark, sizeof made->remark);
    *array = made;
    made = NULL;
done:
    dltf_array_free(made);
    return status;
}

/* Sets f->layout if the rows of the file can be read one by one. */
static dltf_status describe(row_file *f, const dl_place *place, int64_t raw_columns,
                            const dl_reading *reading, bool *possible) {
    int64_t size = 0;
    bool regular = false;
    dl_reading named = reading ? *reading : (dl_reading){0};
    named.member = place->member;
    dltf_status status = open_file(f, &size, &regular);
    if (status == DLTF_OK && raw_columns > 0 && !regular)
        status = dl_fail(DLTF_FILE, "is not a regular file, which raw rows need");
    *possible = raw_columns > 0;
    if (status != DLTF_OK || !regular)
        return status;
    return raw_columns > 0 ? describe_raw_file(f, raw_columns, size)
                           : dl_row_file_describe(f->descriptor, f->path, &named, size, &f->layout, possible);
}

static dltf_status open_by_format(const row_file *f, const dl_place *place, const dl_reading *reading,
                                  dltf_array **array) {
    dl_reading named = reading ? *reading : (dl_reading){0};
    named.member = place->member;
    return f->layout.open(place->file, &named, array);
}

dltf_status dl_array_open(const char *path, int64_t raw_columns, const dl_reading *reading,
                          dltf_array **array) {
    DL_CLEAR(array);
    DL_REQUIRE(path, array);
    dltf_status status = DLTF_OK;
    dl_place place = {0};
    row_file *f = NULL;
    bool possible = false;
    if (!*path)
        return dl_fail(DLTF_ARGUMENT, "no file name given");
    if (raw_columns < 0 || raw_columns > INT32_MAX)
        return dl_fail(DLTF_ARGUMENT, "%lld columns are out of range", (long long)raw_columns);
    DL_TRY(dl_place_find(path, &place));
    DL_TRY_NEW(f, 1);
    f->descriptor = -1;
    DL_TRY_NEW(f->path, (int64_t)strlen(place.file) + 1);
    strcpy(f->path, place.file);
    status = describe(f, &place, raw_columns, reading, &possible);
    if (status == DLTF_OK && f->layout.open)
        status = open_by_format(f, &place, reading, array);
    else if (status == DLTF_OK && possible) {
        status = make_array(f, array);
        f = status == DLTF_OK ? NULL : f;
    }
    status = dl_file_result(status, place.file);
done:
    if (f)
        close_rows(f);
    dl_place_free(&place);
    return status == DLTF_OK && !possible ? dl_array_load(path, reading, array) : status;
}

dltf_status dltf_array_open(const char *path, int64_t raw_columns, dltf_array **array) {
    return dl_array_open(path, raw_columns, NULL, array);
}
