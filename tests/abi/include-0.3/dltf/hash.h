/* dltf/hash.h: hashes (binary codes) for nearest-neighbour search: hashers, and how well hashes find
 * neighbours. */
#ifndef DLTF_HASH_H
#define DLTF_HASH_H

#include "dltf/data.h"
#include "dltf/encode.h"
#include "dltf/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options ----------------------------------------------------------------------------------- */

/* The hashing methods: enum suffix, name and help text. This is the only list of them.
 *
 * The mean of the training samples is subtracted first. A bit is 1 where
 * lsh    a random projection is positive (Charikar 2002)
 * sh     a cosine of a principal component is positive (spectral hashing, Weiss et al. 2008)
 * sph    the sample lies in a ball (spherical hashing, Heo et al. 2012)
 * sparseh  an atom is in the nonnegative sparse code of the sample (Zhu et al. 2013)
 * itq    a coordinate of the rotated principal components is positive (Gong and Lazebnik 2011)
 * dltf   an atom is among the k largest positive scores of the sample (Xu et al.)
 * neighbour  a score is above its threshold; scores are trained so that nearby samples get similar hashes
 */
#define DLTF_HASH_METHODS(ROW)                                                                               \
    ROW(LSH, lsh, "signs of random projections")                                                             \
    ROW(SH, sh, "signs of cosines of principal components")                                                  \
    ROW(SPH, sph, "which of a set of balls contain a sample")                                                \
    ROW(SPARSEH, sparseh, "support of a sparse code")                                                        \
    ROW(ITQ, itq, "signs of rotated principal components")                                                   \
    ROW(DLTF, dltf, "support of a thresholded feature")                                                      \
    ROW(NEIGHBOUR, neighbour, "signs of scores trained to be equal for neighbours")

#define DLTF_HASH_VALUE(NAME, name, help) DLTF_HASH_##NAME,
typedef enum dltf_hash_method { DLTF_HASH_METHODS(DLTF_HASH_VALUE) } dltf_hash_method;
#undef DLTF_HASH_VALUE

/* How to train a hasher. `dltf hash train --help` describes every field. */
typedef struct dltf_hash_options {
    size_t size; /* of this struct: dltf_hash_options_default sets it */
    dltf_hash_method method;
    int64_t bits;       /* a multiple of 8 */
    int64_t k;          /* sparseh, dltf: entries of a sparse code; 0: the method's default */
    int64_t samples;    /* to train with; if there are more, this many are chosen at random */
    int64_t iterations; /* sph, itq, neighbour; 0: the method's default */
    int64_t seed;
    int64_t threads; /* 0: all cores; the result does not depend on it */
} dltf_hash_options;

DLTF_API void dltf_hash_options_init(dltf_hash_options *options, size_t size);
static inline dltf_hash_options dltf_hash_options_default(void) {
    dltf_hash_options options;
    dltf_hash_options_init(&options, sizeof options);
    return options;
}

/* ---- Hashers ----------------------------------------------------------------------------------- */

/* Maps samples to hashes. A hash is bits/8 bytes; bit j is the bit of value 1 << j % 8 in byte j / 8:
 * NumPy's packbits and unpackbits with bitorder="little". */
typedef struct dltf_hasher dltf_hasher;

typedef struct dltf_hasher_view {
    dltf_hash_method method;
    const char *name; /* of the method */
    int64_t bits, n;
    int64_t k; /* entries of a sparse code; 0 for methods without */
} dltf_hasher_view;

/* Memory: a copy of the samples to train with, in single precision, and about as much again. `bits` has no
 * default. */
DLTF_API dltf_status dltf_hasher_train(dltf_matrix X, const dltf_hash_options *options,
                                       dltf_progress_fn progress, void *context, dltf_hasher **hasher);

/* Continues a checkpoint that dltf_state_save wrote in the progress callback of dltf_hasher_train, of methods
 * sph, itq and neighbour; the others have no checkpoints. */
DLTF_API dltf_status dltf_hasher_resume(const char *path, dltf_matrix X, int64_t threads,
                                        dltf_progress_fn progress, void *context, dltf_hasher **hasher);

/* Hashes of all rows of X: X.rows x bits/8 bytes. */
DLTF_API dltf_status dltf_hasher_apply(const dltf_hasher *hasher, dltf_matrix X, int64_t threads,
                                       dltf_progress_fn progress, void *context, uint8_t *hashes);

/* The same from a reader to a file, in constant memory; messages count rows from the start of the stream. The
 * file appears under its name only when it is finished; "-" is standard output. Layouts: dense, in the format
 * of dltf_matrix_save, and raw, the bytes alone. */
DLTF_API dltf_status dltf_hasher_apply_stream(const dltf_hasher *hasher, dltf_reader *reader, int64_t threads,
                                              dltf_progress_fn progress, void *context, const char *path,
                                              dltf_layout layout, int64_t *samples);

DLTF_API dltf_status dltf_hasher_load(const char *path, dltf_hasher **hasher);
DLTF_API dltf_status dltf_hasher_save(const dltf_hasher *hasher, const char *path);
/* The same in memory: the bytes of the file. dltf_bytes_free frees them. */
DLTF_API dltf_status dltf_hasher_read(const void *bytes, int64_t size, dltf_hasher **hasher);
DLTF_API dltf_status dltf_hasher_write(const dltf_hasher *hasher, uint8_t **bytes, int64_t *size);
DLTF_API void dltf_hasher_get_sized(const dltf_hasher *hasher, dltf_hasher_view *found, size_t size);
static inline dltf_hasher_view dltf_hasher_get(const dltf_hasher *hasher) {
    dltf_hasher_view found;
    dltf_hasher_get_sized(hasher, &found, sizeof found);
    return found;
}

DLTF_API void dltf_hasher_free(dltf_hasher *hasher);

/* Provenance: training options and data checksum, as text. NULL if there is none. */
DLTF_API const char *dltf_hasher_note(const dltf_hasher *hasher, const char *name);
DLTF_API const char *dltf_hasher_note_name(const dltf_hasher *hasher, int index);

/* ---- Evaluation -------------------------------------------------------------------------------- */

/* Which samples of a database are relevant to which queries. */
typedef struct dltf_relevance dltf_relevance;

/* Those with the label of the query. */
DLTF_API dltf_status dltf_relevance_by_labels(const int64_t *labels, int64_t samples,
                                              const int64_t *query_labels, int64_t queries,
                                              dltf_relevance **relevance);
/* The `count` nearest samples of a query by Euclidean distance, in double precision; ties go to the lowest
 * index. O(queries x samples x columns). */
DLTF_API dltf_status dltf_relevance_by_nearest(dltf_matrix database, dltf_matrix queries, int64_t count,
                                               int64_t threads, dltf_progress_fn progress, void *context,
                                               dltf_relevance **relevance);
/* Those within a radius that is the same for all queries: the mean of their distances to their `count`-th
 * nearest sample. A query may have none. */
DLTF_API dltf_status dltf_relevance_by_radius(dltf_matrix database, dltf_matrix queries, int64_t count,
                                              int64_t threads, dltf_progress_fn progress, void *context,
                                              dltf_relevance **relevance);
/* That radius; 0 for relevance of the other kinds. */
DLTF_API double dltf_relevance_radius(const dltf_relevance *relevance);
DLTF_API void dltf_relevance_free(dltf_relevance *relevance);

/* Distances of hashes: the number of bits that differ; or that number divided by the number of bits that are
 * 1 in both, infinite without such bits (Heo et al. 2012; for hashes of method sph). */
typedef enum dltf_hash_distance { DLTF_DISTANCE_HAMMING, DLTF_DISTANCE_SPHERICAL } dltf_hash_distance;

typedef struct dltf_hash_evaluate_options {
    size_t size; /* of this struct: dltf_hash_evaluate_options_default sets it */
    dltf_hash_distance distance;
    int64_t depth;   /* of average precision; 0: the whole database */
    int64_t k;       /* of precision and recall; 0: 100, or the whole database if that is smaller */
    int64_t threads; /* 0: all cores; the result does not depend on it */
} dltf_hash_evaluate_options;

DLTF_API void dltf_hash_evaluate_options_init(dltf_hash_evaluate_options *options, size_t size);
static inline dltf_hash_evaluate_options dltf_hash_evaluate_options_default(void) {
    dltf_hash_evaluate_options options;
    dltf_hash_evaluate_options_init(&options, sizeof options);
    return options;
}

/* Means over the queries that have relevant samples. Samples at equal distances are in random order: every
 * figure is its exact expected value over these orders. */
typedef struct dltf_retrieval {
    int64_t queries;  /* that have relevant samples; the others do not count */
    double relevant;  /* samples per query */
    int64_t depth, k; /* in use */
    double map;       /* of the average precision: the sum of the precision at each relevant sample among the
                       * first `depth`, divided by the number of relevant samples or by depth, if that is smaller */
    double precision; /* relevant share of the first k */
    double recall;    /* share of the relevant samples among the first k */
} dltf_retrieval;

/* Ranks a database by the distance of its hashes to those of the queries: matrices of bytes, as
 * dltf_hasher_apply makes them. */
DLTF_API dltf_status dltf_hashes_evaluate_sized(dltf_matrix database, dltf_matrix queries,
                                                const dltf_relevance *relevance,
                                                const dltf_hash_evaluate_options *options,
                                                dltf_progress_fn progress, void *context,
                                                dltf_retrieval *found, size_t size);
static inline dltf_status dltf_hashes_evaluate(dltf_matrix database, dltf_matrix queries,
                                               const dltf_relevance *relevance,
                                               const dltf_hash_evaluate_options *options,
                                               dltf_progress_fn progress, void *context,
                                               dltf_retrieval *found) {
    return dltf_hashes_evaluate_sized(database, queries, relevance, options, progress, context, found,
                                      sizeof *found);
}

#ifdef __cplusplus
}
#endif

#endif
