/* dltf/data.h: matrices, codes and models, and their files. */
#ifndef DLTF_DATA_H
#define DLTF_DATA_H

#include "dltf/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Matrices ---------------------------------------------------------------------------------- */

typedef enum dltf_type {
    DLTF_F32,
    DLTF_F64,
    DLTF_U8,
    DLTF_ROWS,   /* rows of a dltf_source, read on demand */
    DLTF_SPARSE, /* the non-zeros in a dltf_csr */
} dltf_type;

/* A view of memory that it does not own. Strides count elements, not bytes: C order is (cols, 1), Fortran
 * order (1, rows), and a slice of either is a view too. For DLTF_ROWS and DLTF_SPARSE, data points to that
 * object and row_stride is the index of the first row. Passed by value, so this struct never changes. */
typedef struct dltf_matrix {
    const void *data;
    dltf_type type;
    int64_t rows, cols;
    int64_t row_stride, col_stride;
} dltf_matrix;

DLTF_API dltf_matrix dltf_matrix_f32(const float *data, int64_t rows, int64_t cols);
DLTF_API dltf_matrix dltf_matrix_f64(const double *data, int64_t rows, int64_t cols);
DLTF_API dltf_matrix dltf_matrix_u8(const uint8_t *data, int64_t rows, int64_t cols);

/* The non-zeros of a matrix in compressed rows (CSR): entries indptr[i] .. indptr[i+1]-1 belong to row i.
 * Passed by value, so this struct never changes. */
typedef struct dltf_csr {
    int64_t rows, cols;
    const int64_t *indptr; /* rows + 1 */
    const int32_t *indices;
    const float *values;
    const double *doubles; /* in place of `values`, which is then NULL; not for codes */
} dltf_csr;

/* Accepted wherever samples are; rows are expanded a few at a time. The entries of a row may be in any order;
 * those of the same column are added. `entries` must outlive the matrix. */
DLTF_API dltf_matrix dltf_matrix_sparse(const dltf_csr *entries);

/* Writes row `row` to `out` as cols floats, for any type and order. */
DLTF_API void dltf_matrix_row(dltf_matrix matrix, int64_t row, float *out);

/* Rows that are not in memory: they are read from a file, computed, or fetched from elsewhere. */
typedef struct dltf_source dltf_source;

/* Writes row `row` to `out` as doubles. Several threads may call it at the same time. */
typedef dltf_status (*dltf_row_reader)(void *context, int64_t row, double *out);

/* The rows of a source are a matrix for every function that takes samples, except those of GIST and pictures,
 * which reject it. After the first failure of `read` all rows are zero, and the function that
 * needed them returns the status that `read` returned. */
DLTF_API dltf_status dltf_source_new(int64_t rows, int64_t cols, dltf_row_reader read, void *context,
                                     dltf_source **source);
DLTF_API dltf_matrix dltf_source_matrix(const dltf_source *source);
DLTF_API void dltf_source_free(dltf_source *source);

/* A matrix read from a file: .npy (v1-3; memory-mapped where possible), .npz ("file.npz" with one array, or
 * "file.npz:name"), a tensor of a safetensors file ("file.safetensors:name"), a dataset of an HDF5 file
 * ("file.h5:name") if the build found libhdf5, a sparse matrix in SciPy's .npz, text (.csv, .tsv, .txt), IDX
 * and IDX.gz, CIFAR-10 (.bin), .fvecs, .bvecs, .ivecs, .fbin, .u8bin, .i8bin, .f16bin. Of three and more axes
 * the last one is the columns; of images (bytes) and IDX files the first one is the sample and the others are
 * flattened. A mapped file must not become shorter while the array exists: reading it would raise SIGBUS. */
typedef struct dltf_array dltf_array;

DLTF_API dltf_status dltf_array_load(const char *path, dltf_array **array);
/* The same for files larger than memory: rows are read on demand, as DLTF_ROWS, if the format stores rows of
 * equal size in order: .npy in C order, safetensors, HDF5, IDX, CIFAR-10, .fvecs, .fbin and their kin. Other
 * formats are loaded; .npy in Fortran order is rejected. `raw_columns` > 0: the file is rows of that many
 * little-endian floats, without a header. */
DLTF_API dltf_status dltf_array_open(const char *path, int64_t raw_columns, dltf_array **array);
/* The rows of several arrays, one after the other. Takes ownership of the parts, even on failure. */
DLTF_API dltf_status dltf_array_join(dltf_array **parts, int64_t count, dltf_array **array);
DLTF_API dltf_matrix dltf_array_matrix(const dltf_array *array);
DLTF_API void dltf_array_free(dltf_array *array);

/* Writes .csv or .fvecs (single precision) according to the extension, .bvecs for matrices of bytes,
 * otherwise .npy; not for sparse matrices, nor for NaN and infinity. Like every writer here, it writes a
 * temporary file in the same folder, which is given its name when it is complete. */
DLTF_API dltf_status dltf_matrix_save(dltf_matrix matrix, const char *path);

/* ---- Labels ------------------------------------------------------------------------------------ */

/* One integer per sample, read from any format of dltf_array_load: a row or a column of whole numbers.
 * CIFAR-10 files contain both samples and labels. */
typedef struct dltf_labels dltf_labels;

DLTF_API dltf_status dltf_labels_load(const char *path, dltf_labels **labels);
DLTF_API const int64_t *dltf_labels_get(const dltf_labels *labels, int64_t *count);
DLTF_API void dltf_labels_free(dltf_labels *labels);

/* Writes a vector of int64 as .npy or, by extension, as .csv or .ivecs (32 bits), one label per row. */
DLTF_API dltf_status dltf_labels_save(const int64_t *labels, int64_t count, const char *path);

/* ---- Codes ------------------------------------------------------------------------------------- */

/* Sparse codes in compressed rows (CSR): entries indptr[i] .. indptr[i+1]-1 belong to sample i, at most k per
 * sample (of a model with thresholds: at most m); their indices (atoms) ascend, their values are non-zero. */
typedef struct dltf_codes dltf_codes;

/* Copies and checks. */
DLTF_API dltf_status dltf_codes_new(dltf_csr csr, dltf_codes **codes);
DLTF_API dltf_csr dltf_codes_csr(const dltf_codes *codes);

/* How many atoms are in none of the codes. */
DLTF_API dltf_status dltf_codes_unused(const dltf_codes *codes, int64_t *atoms);
DLTF_API void dltf_codes_free(dltf_codes *codes);

/* SciPy's sparse .npz, interchangeable with scipy.sparse.load_npz and save_npz. */
DLTF_API dltf_status dltf_codes_load(const char *path, dltf_codes **codes);
DLTF_API dltf_status dltf_codes_save(const dltf_codes *codes, const char *path);
/* ---- Models ------------------------------------------------------------------------------------ */

typedef enum dltf_select {
    DLTF_SELECT_MODEL,    /* as the model was trained; in training the same as abs */
    DLTF_SELECT_ABS,      /* the k largest magnitudes: the paper's max_k */
    DLTF_SELECT_POSITIVE, /* the k largest positive scores, fewer if fewer are positive */
} dltf_select;

/* A dictionary, how to encode with it, and its provenance. */
typedef struct dltf_model dltf_model;

typedef struct dltf_model_view {
    int64_t m, n, k;
    const float *dictionary; /* m x n, unit-norm rows */
    const float *encoder;    /* m x n; NULL: tied, the dictionary itself */
    const float *bias;       /* m, subtracted from the scores; NULL: none */
    const float *mean;       /* n, first subtracted from samples; NULL: none */
    bool unit_norm;          /* samples are then scaled to norm 1 */
    dltf_select select;      /* DLTF_SELECT_MODEL in a new model means abs */
    bool remove_mean;        /* before scaling, the mean of its entries is subtracted from each sample */
    const float *offset;     /* n, subtracted from preprocessed samples last; NULL: none */
    const float *deviation;  /* n, positive; samples are divided by it after `mean`; NULL: none */
    const float *scale;      /* m, positive: entry z_j of a code stands for z_j scale_j w_j; NULL: all 1 */
    const float *threshold;  /* m: a code has all positive scores above their thresholds, and k is m; NULL: it
                              * has the k largest. Needs DLTF_SELECT_POSITIVE */
    bool layer_norm;         /* instead of remove_mean and unit_norm: the mean of its entries is subtracted
                              * from each sample, which is then divided by their standard deviation (n - 1
                              * degrees of freedom) + 1e-5 */
    double factor;           /* samples are multiplied by it before `offset` is subtracted; 0: 1 */
} dltf_model_view;

/* Copies; dictionary rows are normalised. */
DLTF_API dltf_status dltf_model_new_sized(const dltf_model_view *parts, size_t size, dltf_model **model);
static inline dltf_status dltf_model_new(const dltf_model_view *parts, dltf_model **model) {
    return dltf_model_new_sized(parts, sizeof *parts, model);
}

DLTF_API dltf_status dltf_model_load(const char *path, dltf_model **model);
/* The same from the bytes of a model file in memory, at any alignment. */
DLTF_API dltf_status dltf_model_read(const void *bytes, int64_t size, dltf_model **model);
DLTF_API dltf_status dltf_model_save(const dltf_model *model, const char *path);
/* The bytes of that file, to be freed with dltf_bytes_free. */
DLTF_API dltf_status dltf_model_write(const dltf_model *model, uint8_t **bytes, int64_t *size);
DLTF_API void dltf_bytes_free(uint8_t *bytes);

/* The sparse autoencoder of another program in a folder: cfg.json and sae_weights.safetensors of SAELens,
 * cfg.json and sae.safetensors of sparsify, or params.npz of Gemma Scope (docs/formats.md). `factor`: what
 * samples are multiplied by, where cfg.json says expected_average_only_in and no file has it; otherwise 0. */
DLTF_API dltf_status dltf_model_import(const char *folder, double factor, dltf_model **model);
/* The reverse; creates the folder. `format`: "saelens", "sparsify" or "gemma-scope". Fails if an autoencoder
 * of this format cannot compute the same codes. */
DLTF_API dltf_status dltf_model_export(const dltf_model *model, const char *format, const char *folder);

DLTF_API void dltf_model_get_sized(const dltf_model *model, dltf_model_view *found, size_t size);
static inline dltf_model_view dltf_model_get(const dltf_model *model) {
    dltf_model_view found;
    dltf_model_get_sized(model, &found, sizeof found);
    return found;
}

DLTF_API void dltf_model_free(dltf_model *model);

/* A model of the first atoms of another one, with its k (at most `atoms`), encoder, preprocessing and notes.
 * A dictionary of its own if the other was trained with option `nested` and this is one of its prefixes;
 * otherwise the errors of its codes can be much larger than those of a dictionary trained with as many atoms.
 */
DLTF_API dltf_status dltf_model_first_atoms(const dltf_model *model, int64_t atoms, dltf_model **first);
/* How many prefixes of a nested dictionary are dictionaries, all atoms included; 0: it is not nested. Writes
 * up to `room` of their sizes, ascending, unless `sizes` is NULL. */
DLTF_API int64_t dltf_model_prefixes(const dltf_model *model, int64_t *sizes, int64_t room);

/* Provenance: training options and data checksum, as text. NULL if there is none. */
DLTF_API const char *dltf_model_note(const dltf_model *model, const char *name);
DLTF_API const char *dltf_model_note_name(const dltf_model *model, int index);

#ifdef __cplusplus
}
#endif

#endif
