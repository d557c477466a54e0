/* dltf/search.h: exact search among hashes. The distance is Hamming's: the number of bits that differ. */
#ifndef DLTF_SEARCH_H
#define DLTF_SEARCH_H

#include "dltf/data.h"
#include "dltf/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Hashes are rows of packed bits, as numpy.packbits makes them: a matrix of bytes (DLTF_U8) with 1 to 512
 * columns, 8 to 4,096 bits. The order of bits does not matter here, as long as it is the same in database and
 * queries. */
enum { DLTF_HASH_MAX_BYTES = 512 };

/* ---- Databases --------------------------------------------------------------------------------- */

/* The hashes to search, and optionally the tables of multi-index hashing. */
typedef struct dltf_index dltf_index;

typedef struct dltf_index_view {
    int64_t rows;
    int64_t bytes;         /* of a hash */
    const uint8_t *hashes; /* rows x bytes */
    int64_t tables;        /* 0: none, only the linear search is possible */
    int64_t table_bytes;   /* of all tables */
} dltf_index_view;

/* Without tables. Borrows the hashes; copies them if rows are not contiguous. */
DLTF_API dltf_status dltf_index_new(dltf_matrix hashes, dltf_index **index);

/* Adds the tables of multi-index hashing (M. Norouzi, A. Punjani and D. Fleet, CVPR 2012): hashes are split
 * into substrings of about log2(rows) bits, and a table for each lists the rows that have a given substring.
 * Two hashes at distance r agree up to r / tables bits in some substring. For hashes of at most 256 bits and
 * fewer than 2^32 rows; a table takes 5 to 36 bytes per row. */
DLTF_API dltf_status dltf_index_add_tables(dltf_index *index, int64_t threads, dltf_progress_fn progress,
                                           void *context);

/* Reads an index file, which is mapped and not read, or any matrix of bytes that dltf_array_load reads, as an
 * index without tables. */
DLTF_API dltf_status dltf_index_load(const char *path, dltf_index **index);
DLTF_API dltf_status dltf_index_save(const dltf_index *index, const char *path);
/* The same in memory: the bytes of an index file, which are copied. dltf_bytes_free frees those written. */
DLTF_API dltf_status dltf_index_read(const void *bytes, int64_t size, dltf_index **index);
DLTF_API dltf_status dltf_index_write(const dltf_index *index, uint8_t **bytes, int64_t *size);
DLTF_API void dltf_index_get_sized(const dltf_index *index, dltf_index_view *found, size_t size);
static inline dltf_index_view dltf_index_get(const dltf_index *index) {
    dltf_index_view found;
    dltf_index_get_sized(index, &found, sizeof found);
    return found;
}

DLTF_API void dltf_index_free(dltf_index *index);

/* ---- Search ------------------------------------------------------------------------------------ */

/* All methods give the same result. */
typedef enum dltf_search_method {
    DLTF_SEARCH_AUTO,        /* the one with the smaller estimated cost, see docs/search.md */
    DLTF_SEARCH_FLAT,        /* compare with every row */
    DLTF_SEARCH_MULTI_INDEX, /* look up substrings; tables are built first if the index has none */
} dltf_search_method;

typedef struct dltf_search_options {
    size_t size;    /* of this struct: dltf_search_options_default sets it */
    int64_t k;      /* the k nearest; 0: all within the radius */
    int64_t radius; /* largest distance; for k = 0 */
    dltf_search_method method;
    int64_t threads; /* 0: all cores; the result does not depend on it */
} dltf_search_options;

DLTF_API void dltf_search_options_init(dltf_search_options *options, size_t size);
static inline dltf_search_options dltf_search_options_default(void) {
    dltf_search_options options;
    dltf_search_options_init(&options, sizeof options);
    return options;
}

typedef struct dltf_neighbours dltf_neighbours;

/* Entries indptr[i] .. indptr[i+1]-1 belong to query i, by ascending distance and, at equal distance, by
 * ascending row. */
typedef struct dltf_neighbours_view {
    int64_t queries;
    int64_t k;    /* entries of each query, or 0 if found by radius: any number */
    int64_t rows; /* of the database */
    const int64_t *indptr;
    const int64_t *indices; /* rows of the database */
    const int32_t *distances;
    dltf_search_method method; /* flat or multi-index */
} dltf_neighbours_view;

/* The neighbours of each query among the rows of the database: the k nearest (of equally distant rows, the
 * first), or all within the radius. */
DLTF_API dltf_status dltf_search(const dltf_index *index, dltf_matrix queries,
                                 const dltf_search_options *options, dltf_progress_fn progress, void *context,
                                 dltf_neighbours **neighbours);

DLTF_API void dltf_neighbours_get_sized(const dltf_neighbours *neighbours, dltf_neighbours_view *found,
                                        size_t size);
static inline dltf_neighbours_view dltf_neighbours_get(const dltf_neighbours *neighbours) {
    dltf_neighbours_view found;
    dltf_neighbours_get_sized(neighbours, &found, sizeof found);
    return found;
}

DLTF_API void dltf_neighbours_free(dltf_neighbours *neighbours);

/* Rows of the neighbours: .npz, a sparse matrix of distances as SciPy reads it, or for k neighbours also .npy
 * and .ivecs. */
DLTF_API dltf_status dltf_neighbours_save(const dltf_neighbours *neighbours, const char *path);
#ifdef __cplusplus
}
#endif

#endif
