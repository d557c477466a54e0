/* dltf_reader: reads rows in order, a few at a time. Raw rows, .npy in C order, safetensors and other files
 * with rows of equal size, and .fvecs from a pipe are streamed through one buffer; other formats are loaded
 * whole and returned in pieces. */
#include "io/streams/reader.h"

#include "base/integer.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "io/files/bytes.h"
#include "io/formats/npy.h"
#include "io/formats/vecs.h"
#include "io/streams/reader_state.h"

#include <errno.h>
#include <unistd.h>

dltf_status dl_reader_fill(int descriptor, uint8_t *bytes, int64_t wanted, int64_t *filled, bool *ended) {
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

dltf_status dl_reader_discard(dltf_reader *r, int64_t bytes) {
    uint8_t unused[1 << 14];
    dltf_status status = DLTF_OK;
    while (bytes > 0 && !r->ended && status == DLTF_OK) {
        int64_t got = 0;
        status = dl_reader_fill(r->descriptor, unused, dl_min(bytes, sizeof unused), &got, &r->ended);
        bytes -= got;
    }
    return status;
}

dltf_status dl_reader_partial_row(const dltf_reader *r, int64_t row, int64_t bytes) {
    return dl_fail(DLTF_FORMAT, "truncated: row %s (counting from 0) has %s of %s bytes (%s float32 values)",
                   DL_COMMAS(row), DL_COMMAS(bytes), DL_COMMAS(r->row_bytes), DL_COMMAS(r->cols));
}

int64_t dltf_reader_rows(const dltf_reader *r) {
    return r ? r->rows : 0;
}

const char *dl_reader_remark(const dltf_reader *r) {
    return r->remark;
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
        status = dl_reader_fill(r->descriptor, r->bytes, some, &r->filled, &r->ended);
    }
    return status;
}

/* Checks for truncated or trailing data after an attempt to read `wanted` rows. */
static dltf_status check_end(const dltf_reader *r, int64_t wanted) {
    int64_t row = r->done + r->filled / r->row_bytes, bytes = r->filled % r->row_bytes;
    if (r->rows >= 0 && wanted == 0 && r->filled > 0 && !r->bounded)
        return dl_fail(DLTF_FORMAT, "corrupt: data continues after the %s rows the header declares",
                       DL_COMMAS(r->rows));
    if (r->rows >= 0 && r->filled < wanted * r->row_bytes)
        return dl_fail(DLTF_FORMAT,
                       "truncated: header declares %s rows, row %s (counting from 0) has %s of %s bytes",
                       DL_COMMAS(r->rows), DL_COMMAS(row), DL_COMMAS(bytes), DL_COMMAS(r->row_bytes));
    if (r->ended && r->rows < 0 && bytes > 0)
        return dl_reader_partial_row(r, row, bytes);
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
    /* After the last declared row, try one more byte to detect trailing data. A pipe is read to its end, so
     * that its writer is not stopped by a signal. */
    if (wanted == 0 && r->drained)
        DL_TRY(dl_reader_discard(r, INT64_MAX));
    DL_TRY(fill_buffer(r, wanted > 0 ? wanted * r->row_bytes : !r->bounded));
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
