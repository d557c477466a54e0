/* Index files, on disk and in memory. A file has a header of 64 bytes, the codes and the tables, each
 * padded with zeros to a multiple of 64 bytes. Positions follow from the header and are not stored, so that
 * none can be wrong. */
#include "io/index_file.h"

#include "base/memory.h"
#include "data/index.h"
#include "io/files/bytes.h"
#include "io/files/writer.h"
#include "io/matrix_file.h"

#define MAGIC "DLTFINDX"

enum { VERSION = 1, HEADER = 64, AT_VERSION = 8, AT_WIDTH = 12, AT_ROWS = 16, AT_TABLES = 24, AT_REST = 28 };

bool dl_index_recognise(const uint8_t *bytes, int64_t size) {
    return size >= AT_VERSION && memcmp(bytes, MAGIC, AT_VERSION) == 0;
}

/* The tables are arrays of little-endian numbers, used where they are. */
static dltf_status check_machine(void) {
    return dl_host_is_little() ? DLTF_OK : dl_fail(DLTF_FORMAT, "index files need a little-endian machine");
}

/* ---- Reading ---- */

static dltf_status check_header(const uint8_t *bytes, int64_t size) {
    if (size < HEADER)
        return dl_fail(DLTF_FORMAT, "truncated: an index has a header of %d bytes, but the file has %lld",
                       HEADER, (long long)size);
    uint32_t version = dl_little32(bytes + AT_VERSION);
    if (version != VERSION)
        return dl_fail(DLTF_FORMAT, "version %u of the index is not supported: expected %d", version,
                       VERSION);
    uint32_t width = dl_little32(bytes + AT_WIDTH), tables = dl_little32(bytes + AT_TABLES);
    uint64_t rows = dl_little64(bytes + AT_ROWS);
    if (width < 1 || width > DLTF_HASH_MAX_BYTES || rows < 1 || rows >> DL_INDEX_ROW_BITS)
        return dl_fail(DLTF_FORMAT, "is corrupt: %llu codes of %u bytes", (unsigned long long)rows, width);
    bool fitting = width <= DL_INDEX_MAX_BYTES && rows <= UINT32_MAX && tables <= DL_INDEX_MAX_TABLES &&
                   8 * width <= DL_INDEX_MOST_BITS * tables && tables <= 8 * width;
    if (tables > 0 && !fitting)
        return dl_fail(DLTF_FORMAT, "is corrupt: %u tables for %llu codes of %u bytes", tables,
                       (unsigned long long)rows, width);
    for (int i = AT_REST; i < HEADER; i++)
        if (bytes[i] != 0)
            return dl_fail(DLTF_FORMAT, "is corrupt: byte %d of the header is not zero", i);
    return DLTF_OK;
}

static dltf_status place(const uint8_t *bytes, int64_t size, dltf_index *index) {
    index->width = dl_little32(bytes + AT_WIDTH);
    index->rows = (int64_t)dl_little64(bytes + AT_ROWS);
    index->codes = bytes + HEADER;
    int64_t tables = dl_little32(bytes + AT_TABLES);
    int64_t before = HEADER + dl_index_aligned(index->rows * index->width);
    int64_t expected = before + dl_index_place(index, tables, NULL);
    if (size != expected)
        return dl_fail(DLTF_FORMAT, "%s: expected %lld bytes but found %lld",
                       size < expected ? "truncated" : "is corrupt", (long long)expected, (long long)size);
    dl_index_place(index, tables, bytes + before);
    return DLTF_OK;
}

dltf_status dl_index_parse(dl_file *file, dltf_index **index) {
    dltf_index *made = NULL;
    *index = NULL;
    dltf_status status = check_machine();
    if (status == DLTF_OK)
        status = check_header(file->bytes, file->size);
    if (status != DLTF_OK)
        return status;
    DL_TRY_HANDLE(made, INDEX);
    DL_TRY_HANDLE(made->array, ARRAY);
    DL_TRY(place(file->bytes, file->size, made));
    dl_file_give(file, made->array);
    *index = made;
    made = NULL;
done:
    dltf_index_free(made);
    return status;
}

/* A matrix of bytes as an index without tables. */
static dltf_status from_array(dltf_array *array, dltf_index **index) {
    dltf_status status = dltf_index_new(dltf_array_matrix(array), index);
    if (status == DLTF_OK)
        (*index)->array = array;
    else
        dltf_array_free(array);
    return status;
}

dltf_status dl_index_load_matrix(dl_file *file, const char *path, dltf_index **index) {
    dltf_array *array = NULL;
    dltf_status status = dl_matrix_load(file, path, NULL, &array);
    return status == DLTF_OK ? from_array(array, index) : status;
}

dltf_status dltf_index_load(const char *path, dltf_index **index) {
    DL_CLEAR(index);
    DL_REQUIRE(path, index);
    dltf_array *array = NULL;
    dl_file file;
    dltf_status status = DLTF_OK;
    if (dl_array_member(path)) {
        status = dltf_array_load(path, &array);
        return status == DLTF_OK ? dl_file_result(from_array(array, index), path) : status;
    }
    status = dl_file_open(path, &file);
    if (status == DLTF_OK) {
        status = dl_index_recognise(file.bytes, file.size) ? dl_index_parse(&file, index)
                                                           : dl_index_load_matrix(&file, path, index);
        dl_file_close(&file); /* empty if the index took ownership */
    }
    return dl_file_result(status, path);
}

/* The index points into a copy, which is aligned. */
dltf_status dltf_index_read(const void *bytes, int64_t size, dltf_index **index) {
    DL_CLEAR(index);
    DL_REQUIRE(bytes, index);
    DL_REQUIRE_BYTES(size);
    if (!dl_index_recognise(bytes, size))
        return dl_fail(DLTF_FORMAT, "is not an index");
    uint8_t *copy = DL_NEW(uint8_t, size);
    if (!copy)
        return DLTF_MEMORY;
    memcpy(copy, bytes, (size_t)size);
    dl_file file = {.bytes = copy, .size = size, .memory = copy};
    dltf_status status = dl_index_parse(&file, index);
    dl_file_close(&file); /* empty if the index took ownership */
    return status;
}

/* ---- Writing ---- */

static dltf_status write_index(dl_writer *out, const dltf_index *index) {
    static const uint8_t zeros[DL_INDEX_ALIGNMENT];
    dltf_status status = DLTF_OK;
    int64_t codes = index->rows * index->width;
    uint8_t header[HEADER] = MAGIC;
    dl_put_little(header + AT_VERSION, VERSION, 4);
    dl_put_little(header + AT_WIDTH, (uint64_t)index->width, 4);
    dl_put_little(header + AT_ROWS, (uint64_t)index->rows, 8);
    dl_put_little(header + AT_TABLES, (uint64_t)index->tables, 4);
    DL_TRY(dl_writer_write(out, header, HEADER));
    DL_TRY(dl_writer_write(out, index->codes, codes));
    DL_TRY(dl_writer_write(out, zeros, dl_index_aligned(codes) - codes));
    status = dl_writer_write(out, index->table_block, index->table_bytes);
done:
    return status;
}

dltf_status dltf_index_save(const dltf_index *index, const char *path) {
    DL_REQUIRE(index, path);
    dltf_status status = DLTF_OK;
    dl_writer out = {0};
    DL_TRY(check_machine());
    DL_TRY(dl_writer_open(&out, path));
    DL_TRY(write_index(&out, index));
    status = dl_writer_commit(&out);
done:
    dl_writer_abort(&out);
    return dl_file_result(status, path);
}

dltf_status dltf_index_write(const dltf_index *index, uint8_t **bytes, int64_t *size) {
    DL_CLEAR(bytes);
    DL_REQUIRE(index, bytes, size);
    dl_writer out;
    dl_writer_open_memory(&out);
    dltf_status status = check_machine();
    if (status == DLTF_OK)
        status = write_index(&out, index);
    if (status == DLTF_OK)
        dl_writer_take(&out, bytes, size);
    dl_writer_abort(&out);
    return status;
}
