/* Databases of binary codes: checks, layout of the tables, views. */
#include "data/index.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sized.h"
#include "data/matrix.h"

/* Few tables with long substrings, of up to ceil(log2(rows)) + 2 bits: most buckets are then empty or hold
 * one row, and the tables of starts do not get much larger than those of rows. */
int64_t dl_index_tables(int64_t rows, int64_t width) {
    if (rows < 1 || rows > UINT32_MAX || width > DL_INDEX_MAX_BYTES)
        return 0;
    int64_t bits = 2;
    while (rows > 1ll << (bits - 2))
        bits++;
    return dl_tiles(8 * width, dl_min(dl_max(bits, DL_INDEX_LEAST_BITS), DL_INDEX_MOST_BITS));
}

int64_t dl_index_place(dltf_index *index, int64_t tables, const uint8_t *block) {
    int64_t at = 0, bits = 8 * index->width;
    index->tables = tables;
    for (int64_t t = 0; t < tables; t++) {
        dl_table *table = &index->table[t];
        table->first_bit = t * bits / tables;
        table->bits = (t + 1) * bits / tables - table->first_bit;
        int64_t starts = dl_index_aligned((((int64_t)1 << table->bits) + 1) * (int64_t)sizeof *table->starts);
        int64_t rows = dl_index_aligned(index->rows * (int64_t)sizeof *table->rows);
        table->starts = block ? (const void *)(block + at) : NULL;
        table->rows = block ? (const void *)(block + at + starts) : NULL;
        at += starts + rows;
    }
    index->table_bytes = at;
    index->table_block = block;
    return at;
}

static dltf_status check_codes(dltf_matrix codes, dltf_subject subject) {
    static const char *const names[] = {[DLTF_F32] = "float32",
                                        [DLTF_F64] = "float64",
                                        [DLTF_U8] = "uint8",
                                        [DLTF_ROWS] = "rows",
                                        [DLTF_SPARSE] = "a sparse matrix"};
    if (codes.data && codes.rows == 0)
        return dl_fail_about(DLTF_ARGUMENT, subject, "is empty: there are no codes");
    dltf_status status = dl_matrix_check(codes, subject);
    if (status != DLTF_OK)
        return status;
    if (codes.type != DLTF_U8)
        return dl_fail_about(DLTF_DATA, subject, "expected packed bits (uint8) but found %s",
                             names[codes.type]);
    if (codes.cols > DLTF_HASH_MAX_BYTES)
        return dl_fail_about(DLTF_DATA, subject, "codes of %lld bits are too long: at most %d are supported",
                             (long long)(8 * codes.cols), 8 * DLTF_HASH_MAX_BYTES);
    if (codes.rows >> DL_INDEX_ROW_BITS)
        return dl_fail_about(DLTF_DATA, subject, "%lld codes are too many: at most 2^%d - 1 are supported",
                             (long long)codes.rows, DL_INDEX_ROW_BITS);
    return DLTF_OK;
}

static dltf_status copy_rows(dltf_matrix codes, uint8_t **copy) {
    *copy = dl_alloc(codes.rows * codes.cols, 1);
    if (!*copy)
        return DLTF_MEMORY;
    const uint8_t *data = codes.data;
    for (int64_t i = 0; i < codes.rows; i++)
        for (int64_t j = 0; j < codes.cols; j++)
            (*copy)[i * codes.cols + j] = data[i * codes.row_stride + j * codes.col_stride];
    return DLTF_OK;
}

dltf_status dl_index_new(dltf_matrix codes, dltf_subject subject, dltf_index **index) {
    dltf_index *made = NULL;
    *index = NULL;
    dltf_status status = check_codes(codes, subject);
    if (status != DLTF_OK)
        return status;
    DL_TRY_HANDLE(made, INDEX);
    made->rows = codes.rows;
    made->width = codes.cols;
    if (codes.row_stride != codes.cols || codes.col_stride != 1)
        DL_TRY(copy_rows(codes, &made->copy));
    made->codes = made->copy ? made->copy : codes.data;
    *index = made;
    made = NULL;
done:
    dltf_index_free(made);
    return status;
}

dltf_status dltf_index_new(dltf_matrix hashes, dltf_index **index) {
    DL_CLEAR(index);
    DL_REQUIRE(index);
    return dl_index_new(hashes, DLTF_SUBJECT_DATABASE, index);
}

void dltf_index_get_sized(const dltf_index *index, dltf_index_view *found, size_t size) {
    dltf_index_view view = {0};
    if (index)
        view = (dltf_index_view){index->rows, index->width, index->codes, index->tables, index->table_bytes};
    DL_WRITE_STRUCT(dltf_index_view, found, size, &view);
}

void dltf_index_free(dltf_index *index) {
    if (!index)
        return;
    dltf_array_free(index->array);
    dl_free(index->copy);
    dl_free(index->built);
    dl_free(index);
}

const char *dl_hash_bits_expected(int64_t bits) {
    bool allowed = bits >= DL_HASH_MIN_BITS && bits <= DL_HASH_MAX_BITS && bits % 8 == 0;
    return allowed ? NULL : "a multiple of 8 from 8 to 4096";
}
