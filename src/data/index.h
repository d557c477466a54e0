/* A database of binary codes, with or without the tables of multi-index hashing. */
#ifndef DL_DATA_INDEX_H
#define DL_DATA_INDEX_H

#include "base/handle.h"
#include "data/array.h"
#include "dltf/search.h"
#include "kernels/word.h"

/* Bits of a substring; bytes of a code with tables. */
enum { DL_INDEX_LEAST_BITS = 8, DL_INDEX_MOST_BITS = 32, DL_INDEX_MAX_BYTES = 32 };
enum { DL_INDEX_MAX_TABLES = 8 * DL_INDEX_MAX_BYTES / DL_INDEX_LEAST_BITS };

/* Of the tables in memory and in files. */
enum { DL_INDEX_ALIGNMENT = 64 };

static inline int64_t dl_index_aligned(int64_t bytes) {
    return (bytes + DL_INDEX_ALIGNMENT - 1) / DL_INDEX_ALIGNMENT * DL_INDEX_ALIGNMENT;
}

/* Rows are fewer than 2^48: they share a word with a distance. */
enum { DL_INDEX_ROW_BITS = 48 };

/* The rows whose bits first_bit .. first_bit+bits-1 are the number `key`:
 * rows[starts[key]] .. rows[starts[key+1]-1], ascending. Tables of a file are not checked when it is opened,
 * since that would read them: their users must check every start and row. */
typedef struct dl_table {
    int64_t first_bit, bits;
    const uint32_t *starts; /* 2^bits + 1 */
    const uint32_t *rows;   /* all rows */
} dl_table;

struct dltf_index {
    dl_handle handle;
    int64_t rows, width; /* bytes of a code */
    const uint8_t *codes;
    int64_t tables;
    dl_table table[DL_INDEX_MAX_TABLES];
    int64_t table_bytes; /* of all tables, in one block */
    const uint8_t *table_block;
    uint8_t *copy, *built; /* codes and tables owned by the index; NULL if they belong to the array */
    dltf_array *array;     /* owner of a file's bytes, or NULL */
};

/* Bits first_bit .. first_bit+bits-1 of a code of `width` bytes, bits <= 32. */
static inline uint32_t dl_substring(const uint8_t *code, int64_t width, int64_t first_bit, int64_t bits) {
    int64_t byte = first_bit / 8 + 8 <= width || width < 8 ? first_bit / 8 : width - 8;
    return (uint32_t)(dl_code_word(code, width, byte) >> (first_bit - 8 * byte) & ((1ull << bits) - 1));
}

/* The number of tables for a database of this size, 0 if they are not supported. */
int64_t dl_index_tables(int64_t rows, int64_t width);

/* Places `tables` tables in a block: sets their bits and, unless the block is NULL, their arrays. Returns the
 * size of the block. */
int64_t dl_index_place(dltf_index *index, int64_t tables, const uint8_t *block);

/* dltf_index_new for codes that messages call `subject`. */
dltf_status dl_index_new(dltf_matrix codes, dltf_subject subject, dltf_index **index);

/* Limits of a code: whole bytes, and short enough for one table of distances. */
enum { DL_HASH_MIN_BITS = 8, DL_HASH_MAX_BITS = 4096 };

/* "a multiple of 8 from 8 to 4096", or NULL if the number of bits is allowed. */
const char *dl_hash_bits_expected(int64_t bits);

#endif
