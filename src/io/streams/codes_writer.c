/* dltf_codes_writer: writes codes incrementally, in constant memory. Sparse codes are spooled, because the
 * archive stores the length of an array before its content; dense rows are written immediately. */
#include "base/memory.h"
#include "data/codes.h"
#include "dltf/encode.h"
#include "io/files/bytes.h"
#include "io/formats/codes.h"
#include "io/streams/row_writer.h"

#include <stdlib.h>

/* Dense rows are assembled in blocks of about this many floats. */
enum { BLOCK = 1 << 18 };

struct dltf_codes_writer {
    char *name; /* for messages */
    dltf_layout layout;
    bool failed;      /* codes were lost: the file must not be committed */
    int64_t expected; /* rows; -1 if unknown */
    dl_writer out;
    dl_codes_spools codes; /* rows, columns and entries so far; the arrays of the sparse layout */
    char *directory;       /* of the spools */
    dl_row_writer dense;
    float *block; /* dense rows */
    int64_t block_rows;
};

static bool is_output(const char *path) {
    return path && strcmp(path, "-") == 0;
}

static char *copy_bytes(const char *text, size_t length) {
    char *copy = dl_alloc((int64_t)length + 1, 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

/* The directory of the output, which needs the space anyway. For pipes and devices, TMPDIR or /var/tmp, the
 * directory for large temporary files. */
static char *spool_directory(const dl_writer *out) {
    const char *chosen = getenv("TMPDIR");
    const char *directory = !out->in_place ? out->directory : chosen && *chosen ? chosen : "/var/tmp";
    return copy_bytes(directory, strlen(directory));
}

static dltf_status open_spools(dltf_codes_writer *w) {
    dltf_status status = DLTF_OK;
    w->directory = spool_directory(&w->out);
    if (!w->directory)
        return DLTF_MEMORY;
    DL_TRY(dl_spool_open(&w->codes.indptr, w->directory));
    DL_TRY(dl_spool_open(&w->codes.indices, w->directory));
    DL_TRY(dl_spool_open(&w->codes.values, w->directory));
    status = dl_spool_append(&w->codes.indptr, &(int64_t){0}, sizeof(int64_t));
done:
    return status;
}

static dltf_status open_dense(dltf_codes_writer *w) {
    dltf_status status = DLTF_OK;
    w->dense = (dl_row_writer){.out = &w->out,
                               .type = DLTF_F32,
                               .raw = w->layout == DLTF_LAYOUT_RAW,
                               .expected = w->expected,
                               .cols = w->codes.cols};
    w->block_rows = w->codes.cols < BLOCK ? BLOCK / w->codes.cols : 1;
    DL_TRY_NEW(w->block, w->block_rows * w->codes.cols);
    status = dl_row_writer_begin(&w->dense, w->name);
done:
    return status;
}

dltf_status dltf_codes_writer_open(const char *path, dltf_layout layout, int64_t rows, int64_t cols,
                                   dltf_codes_writer **writer) {
    DL_CLEAR(writer);
    DL_REQUIRE(path, writer);
    dltf_status status = DLTF_OK;
    dltf_codes_writer *w = NULL;
    const char *name = is_output(path) ? "standard output" : path;
    if (cols < 1 || cols > INT32_MAX)
        return dl_fail(DLTF_ARGUMENT, "%lld columns are out of range", (long long)cols);
    if (rows < -1 || rows > INT64_MAX / (int64_t)sizeof(float) / cols)
        return dl_fail(DLTF_ARGUMENT, "%lld rows of %lld columns are out of range", (long long)rows,
                       (long long)cols);
    if ((unsigned)layout > DLTF_LAYOUT_RAW)
        return dl_fail(DLTF_ARGUMENT, "unsupported layout %d", (int)layout);
    DL_TRY_NEW(w, 1);
    w->layout = layout;
    w->expected = rows;
    w->codes.cols = cols;
    w->codes.index_size = sizeof(int32_t);
    w->codes.value_code = "f4";
    w->codes.indptr = w->codes.indices = w->codes.values = dl_spool_borrow(NULL, 0);
    DL_TRY(is_output(path) ? dl_writer_open_output(&w->out) : dl_writer_open(&w->out, path));
    w->name = copy_bytes(name, strlen(name));
    if (!w->name) {
        status = DLTF_MEMORY;
        goto done;
    }
    DL_TRY(layout == DLTF_LAYOUT_SPARSE ? open_spools(w) : open_dense(w));
    *writer = w;
    w = NULL;
done:
    dltf_codes_writer_free(w);
    return dl_file_result(status, name);
}

/* The spooled indptr counts from the first row of the file. */
static dltf_status add_sparse(dltf_codes_writer *w, dltf_csr csr) {
    dltf_status status = DLTF_OK;
    int64_t entries = csr.indptr[csr.rows];
    DL_TRY(dl_spool_append(&w->codes.indices, csr.indices, entries * (int64_t)sizeof *csr.indices));
    DL_TRY(dl_spool_append(&w->codes.values, csr.values, entries * (int64_t)sizeof *csr.values));
    for (int64_t i = 1; i <= csr.rows; i++) {
        int64_t end = w->codes.entries + csr.indptr[i];
        DL_TRY(dl_spool_append(&w->codes.indptr, &end, sizeof end));
    }
done:
    return status;
}

/* Raw rows are little-endian on every machine. */
static void make_little(float *values, int64_t count) {
    for (int64_t i = 0; i < count && !dl_host_is_little(); i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        dl_put_little((uint8_t *)&values[i], bits, sizeof bits);
    }
}

static dltf_status add_dense(dltf_codes_writer *w, dltf_csr csr) {
    dltf_status status = DLTF_OK;
    for (int64_t first = 0; first < csr.rows && status == DLTF_OK; first += w->block_rows) {
        int64_t left = csr.rows - first, rows = left < w->block_rows ? left : w->block_rows;
        int64_t count = rows * csr.cols;
        memset(w->block, 0, (size_t)count * sizeof *w->block);
        for (int64_t i = 0; i < rows; i++)
            for (int64_t e = csr.indptr[first + i]; e < csr.indptr[first + i + 1]; e++)
                w->block[i * csr.cols + csr.indices[e]] = csr.values[e];
        if (w->layout == DLTF_LAYOUT_RAW)
            make_little(w->block, count);
        status = dl_row_writer_add(&w->dense, w->block, rows);
    }
    return status;
}

dltf_status dltf_codes_writer_add(dltf_codes_writer *writer, dltf_csr csr) {
    DL_REQUIRE(writer);
    dltf_codes_writer *w = writer;
    dltf_status status = dl_codes_check(csr);
    if (status != DLTF_OK)
        return status;
    if (csr.cols != w->codes.cols)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_CODES, "expected %lld columns but found %lld",
                             (long long)w->codes.cols, (long long)csr.cols);
    if (w->failed)
        return dl_file_result(dl_fail(DLTF_FILE, "output is incomplete after an earlier failure"), w->name);
    status = w->layout == DLTF_LAYOUT_SPARSE ? add_sparse(w, csr) : add_dense(w, csr);
    w->failed = status != DLTF_OK;
    w->codes.rows += csr.rows;
    w->codes.entries += csr.indptr[csr.rows];
    return dl_file_result(status, w->name);
}

dltf_status dltf_codes_writer_finish(dltf_codes_writer *writer) {
    DL_REQUIRE(writer);
    dltf_codes_writer *w = writer;
    dltf_status status = DLTF_OK;
    if (w->failed)
        return dl_file_result(dl_fail(DLTF_FILE, "output is incomplete after an earlier failure"), w->name);
    if (w->expected >= 0 && w->expected != w->codes.rows)
        DL_TRY(dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_CODES, "expected %lld rows but found %lld",
                             (long long)w->expected, (long long)w->codes.rows));
    if (w->layout == DLTF_LAYOUT_SPARSE)
        DL_TRY(dl_codes_write(&w->codes, w->codes.entries > INT32_MAX, &w->out));
    else
        DL_TRY(dl_row_writer_end(&w->dense));
    status = dl_writer_commit(&w->out);
done:
    return dl_file_result(status, w->name);
}

void dltf_codes_writer_free(dltf_codes_writer *w) {
    if (!w)
        return;
    dl_writer_abort(&w->out);
    dl_spool_close(&w->codes.indptr);
    dl_spool_close(&w->codes.indices);
    dl_spool_close(&w->codes.values);
    dl_free(w->block);
    dl_free(w->directory);
    dl_free(w->name);
    dl_free(w);
}
