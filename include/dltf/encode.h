/* dltf/encode.h: from samples to codes and back. */
#ifndef DLTF_ENCODE_H
#define DLTF_ENCODE_H

#include "dltf/data.h"
#include "dltf/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options ----------------------------------------------------------------------------------- */

/* The coders: enum suffix, name and help text. This is the only list of them: the enum, the option's choices
 * and the library's table are generated from it.
 *
 * threshold is the model's own feature; the others work on the dictionary. omp, iht, niht and htp compute
 * coefficients. omp selects by magnitude only. The step size of iht is 1 / lambda_max(W^T W), that of niht is
 * the adaptive one of Blumensath and Davies. htp is preconditioned by the dual of the dictionary. incoherent
 * takes the scores W^T x in order of decreasing magnitude and keeps each one whose atom is nearly orthogonal
 * to those already kept; its values are these scores. shortlist takes more than k of the largest scores
 * of the model's own encoder and drops the weakest until k are left; its values are coefficients. */
#define DLTF_CODERS(ROW)                                                                                     \
    ROW(THRESHOLD, threshold, "one product and a selection")                                                 \
    ROW(OMP, omp, "orthogonal matching pursuit")                                                             \
    ROW(IHT, iht, "iterative hard thresholding with a fixed step")                                           \
    ROW(NIHT, niht, "the same with an adaptive step")                                                        \
    ROW(HTP, htp, "hard-thresholding pursuit")                                                               \
    ROW(INCOHERENT, incoherent, "the largest scores of nearly orthogonal atoms")                             \
    ROW(SHORTLIST, shortlist, "the best of a list of large scores, by elimination")

#define DLTF_CODER_VALUE(NAME, name, help) DLTF_CODER_##NAME,
typedef enum dltf_coder { DLTF_CODERS(DLTF_CODER_VALUE) } dltf_coder;
#undef DLTF_CODER_VALUE

/* How to encode. */
typedef struct dltf_encode_options {
    size_t size; /* of this struct: dltf_encode_options_default sets it */
    int64_t k;   /* 0: the model's */
    dltf_select select;
    dltf_coder coder;
    int64_t passes;     /* iht, niht, htp: maximum number of passes; 0: the coder's default */
    double error;       /* omp: stop when ||x - Wz||^2, x as preprocessed, is at most this; 0: no target */
    double coherence;   /* incoherent: largest |<w_i, w_j>| of two atoms in a code; 0: the default */
    double threshold;   /* incoherent: keep only scores above it */
    int64_t candidates; /* shortlist: length of the list, from k to m; 0: 3k */
    int64_t lists;      /* shortlist: 2: a second list from the residual; 0: 1 */
    bool refit;         /* values by least squares on the support instead of correlations */
    int64_t threads;
    bool no_error; /* dltf_encode_stream: do not measure the error */
} dltf_encode_options;

DLTF_API void dltf_encode_options_init(dltf_encode_options *options, size_t size);
static inline dltf_encode_options dltf_encode_options_default(void) {
    dltf_encode_options options;
    dltf_encode_options_init(&options, sizeof options);
    return options;
}

/* ---- Coding ------------------------------------------------------------------------------------ */

/* z = max_k(E^T x - b) for every row of X; the N x m score matrix is never formed. Ties go to the lowest
 * index. Scores are rounded sums: those of duplicate atoms may differ in the last bit and then do not tie.
 * For coders other than threshold, see DLTF_CODERS. */
DLTF_API dltf_status dltf_encode(const dltf_model *model, dltf_matrix X, const dltf_encode_options *options,
                                 dltf_progress_fn progress, void *context, dltf_codes **codes);

/* An encoder: a model prepared for coding, with all memory that coding needs. For single samples, streams,
 * and code that must not allocate. The model must outlive it; one thread may use it at a time.
 *
 * What coding derives from a model (a Gram matrix of 4 m^2 bytes for most coders other than threshold; for
 * large dictionaries a copy of the encoder in 16 bits) is computed once and kept until the model is freed.
 * All encoders and all calls of dltf_encode share it; any number of threads may use a model at the same time.
 */
typedef struct dltf_encoder dltf_encoder;

DLTF_API dltf_status dltf_encoder_new(const dltf_model *model, const dltf_encode_options *options,
                                      dltf_encoder **encoder);
DLTF_API int64_t dltf_encoder_k(const dltf_encoder *encoder);
/* Codes of fixed width: sample i has count[i] <= k entries, index ascending, at index + i*k and value + i*k.
 * After a failure the codes are undefined. */
DLTF_API dltf_status dltf_encoder_run(dltf_encoder *encoder, dltf_matrix X, int32_t *count, int32_t *index,
                                      float *value);
DLTF_API void dltf_encoder_free(dltf_encoder *encoder);

/* Least-squares values on given supports: z = argmin ||x - Wz|| over the entries of each row of `supports`, x
 * as preprocessed by the model. The values in `supports` are ignored. Of linearly dependent atoms the later
 * ones are dropped. The result does not depend on `threads` (0: all cores). */
DLTF_API dltf_status dltf_refit(const dltf_model *model, dltf_matrix X, const dltf_codes *supports,
                                int64_t threads, dltf_codes **codes);

/* X = Z W^T (rows x n floats), plus the offset and the mean that the model subtracts from all samples. What
 * preprocessing removes from a single sample is not in its code: with remove_mean, X lacks the sample's own
 * mean; with unit_norm, it is the sample scaled to norm 1, without its own mean and `mean`. */
DLTF_API dltf_status dltf_decode(const dltf_model *model, const dltf_codes *codes, float *X);

/* How well codes reconstruct samples. */
typedef struct dltf_reconstruction {
    double relative_error;     /* as dltf_reconstruction_error */
    double explained_variance; /* 1 - sum ||x - x'||^2 / sum ||x - mean||^2 with the mean of these samples.
                                * x': as decoded and, with remove_mean, plus the own mean of the sample; so it
                                * compares models with different preprocessing. With unit_norm, x is the
                                * scaled sample, before the offset. NaN if all samples are equal */
    double entries;            /* of a code, on average (L0) */
} dltf_reconstruction;

/* The result does not depend on `threads` (0: all cores). */
DLTF_API dltf_status dltf_reconstruction_measure_sized(const dltf_model *model, dltf_matrix X,
                                                       const dltf_codes *codes, int64_t threads,
                                                       dltf_reconstruction *found, size_t size);
static inline dltf_status dltf_reconstruction_measure(const dltf_model *model, dltf_matrix X,
                                                      const dltf_codes *codes, int64_t threads,
                                                      dltf_reconstruction *found) {
    return dltf_reconstruction_measure_sized(model, X, codes, threads, found, sizeof *found);
}

/* sum ||x - Wz||^2 / sum ||x||^2 over all samples, x as preprocessed by the model; 0 for 0/0, infinite if
 * only the samples are zero. */
DLTF_API dltf_status dltf_reconstruction_error(const dltf_model *model, dltf_matrix X,
                                               const dltf_codes *codes, double *relative);

/* ---- Streams ----------------------------------------------------------------------------------- */

/* For data larger than memory, and for pipes: rows are read, and codes written, a piece at a time. */

/* Reads rows in order, sequentially. "-" is standard input. raw_columns = 0: any format of dltf_array_load;
 * .npy in C order is read in pieces, other formats whole. raw_columns > 0: rows of that many little-endian
 * float32, without a header, to the end of input. */
typedef struct dltf_reader dltf_reader;

DLTF_API dltf_status dltf_reader_open(const char *path, int64_t raw_columns, dltf_reader **reader);
DLTF_API int64_t dltf_reader_rows(const dltf_reader *reader); /* -1 if unknown until end of input */
DLTF_API int64_t dltf_reader_cols(const dltf_reader *reader);
/* The next `most` rows; fewer at the end of input, then none. Valid until the next call. DLTF_CANCELLED: a
 * signal handler ran while waiting for data; call again to continue. */
DLTF_API dltf_status dltf_reader_next(dltf_reader *reader, int64_t most, dltf_matrix *rows);
DLTF_API void dltf_reader_free(dltf_reader *reader);

typedef enum dltf_layout {
    DLTF_LAYOUT_SPARSE, /* as dltf_codes_save: SciPy's .npz */
    DLTF_LAYOUT_DENSE,  /* all values, as dltf_matrix_save: .npy, or .csv if the path ends in .csv */
    DLTF_LAYOUT_RAW,    /* all values as little-endian float32, without a header */
} dltf_layout;

/* Writes codes to a file, which appears under its name only when it is finished, or to "-", standard output.
 * rows: -1 if unknown. Sparse codes are first spooled to unnamed temporary files, next to the output or, for
 * standard output and pipes, in $TMPDIR or /var/tmp. */
typedef struct dltf_codes_writer dltf_codes_writer;

DLTF_API dltf_status dltf_codes_writer_open(const char *path, dltf_layout layout, int64_t rows, int64_t cols,
                                            dltf_codes_writer **writer);
DLTF_API dltf_status dltf_codes_writer_add(dltf_codes_writer *writer, dltf_csr codes);
/* To be called once, after the last codes. */
DLTF_API dltf_status dltf_codes_writer_finish(dltf_codes_writer *writer);
/* Leaves no file behind if the writer was not finished. */
DLTF_API void dltf_codes_writer_free(dltf_codes_writer *writer);

typedef struct dltf_stream_totals {
    int64_t samples, entries;
    double relative_error, explained_variance; /* as dltf_reconstruction_measure; NaN with no_error */
} dltf_stream_totals;

/* dltf_encode from a reader to a writer, in constant memory and with the same codes; messages count rows from
 * the start of the stream. Does not finish the writer, which is that of rank 0; other ranks may pass NULL. */
DLTF_API dltf_status dltf_encode_stream_sized(const dltf_model *model, dltf_reader *reader,
                                              const dltf_encode_options *options, dltf_progress_fn progress,
                                              void *context, dltf_codes_writer *writer,
                                              dltf_stream_totals *totals, size_t size);
static inline dltf_status dltf_encode_stream(const dltf_model *model, dltf_reader *reader,
                                             const dltf_encode_options *options, dltf_progress_fn progress,
                                             void *context, dltf_codes_writer *writer,
                                             dltf_stream_totals *totals) {
    return dltf_encode_stream_sized(model, reader, options, progress, context, writer, totals,
                                    sizeof *totals);
}

#ifdef __cplusplus
}
#endif

#endif
