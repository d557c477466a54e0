/* dltf/encode.h: from samples to codes and back. */
#ifndef DLTF_ENCODE_H
#define DLTF_ENCODE_H

#include "dltf/data.h"
#include "dltf/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options ----------------------------------------------------------------------------------- */

/* How samples become codes: DLTF_CODER_THRESHOLD and so on, the name of the coder, and what it is. The only
 * list of them: the enum, the choices of the option and the library's table are made from it.
 *
 * threshold is the model's own feature; all others work on the dictionary. omp, iht, niht and htp give
 * coefficients. omp goes by magnitude only. The step of iht is 1 / lambda_max(W^T W), that of niht Blumensath
 * and Davies' adaptive one. htp is preconditioned by the dual of the dictionary. incoherent
 * goes through the scores W^T x in decreasing magnitude and keeps one if its atom is nearly orthogonal to
 * those kept before; its values are these scores. shortlist takes the largest scores of the model's own
 * encoder, more than k, and drops from these until k are left; its values are coefficients. */
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
    int64_t k; /* 0: the model's */
    dltf_select select;
    dltf_coder coder;
    int64_t passes;     /* of iht, niht and htp, at most; 0: chosen */
    double error;       /* of omp: stop when ||x - Wz||^2, x as preprocessed, is this small; 0: never */
    double coherence;   /* of incoherent: |<w_i, w_j>| of two atoms of a code, at most; 0: chosen */
    double threshold;   /* of incoherent: only scores above it are kept */
    int64_t candidates; /* of shortlist: length of the list, from k to m; 0: 3k */
    int64_t lists;      /* of shortlist: 2: a second list from the residual; 0: 1 */
    bool refit;         /* values by least squares on the support instead of correlations */
    int64_t threads;
} dltf_encode_options;

DLTF_API dltf_encode_options dltf_encode_options_default(void);
DLTF_API dltf_option_table dltf_encode_option_table(void);

/* ---- Coding ------------------------------------------------------------------------------------ */

/* z = max_k(E^T x - b) for every row of X; the N x m score matrix never exists. Ties go to the lowest index.
 * Scores are rounded sums: copies of an atom may differ in the last bit and then do not tie. NULL encoding:
 * the defaults. Other coders than threshold: see dltf_coder. */
DLTF_API dltf_status dltf_encode(const dltf_model *model, dltf_matrix X, const dltf_encode_options *encoding,
                                 dltf_progress_fn progress, void *context, dltf_codes **codes);

/* An encoder: a model made ready for samples, with all the memory that coding needs. For one sample at a
 * time, for streams, and wherever nothing may be allocated. The model must outlive it; it belongs to one
 * thread at a time. */
typedef struct dltf_encoder dltf_encoder;

DLTF_API dltf_status dltf_encoder_new(const dltf_model *model, const dltf_encode_options *encoding,
                                      dltf_encoder **encoder);
DLTF_API int64_t dltf_encoder_k(const dltf_encoder *encoder);
/* Codes of fixed width: sample i has count[i] <= k entries, index ascending, at index + i*k and value + i*k.
 * After a failure the codes are not to be used. */
DLTF_API dltf_status dltf_encoder_run(dltf_encoder *encoder, dltf_matrix X, int32_t *count, int32_t *index,
                                      float *value);
DLTF_API void dltf_encoder_free(dltf_encoder *encoder);

/* The least-squares values of given supports: z = argmin ||x - Wz|| over the entries that `supports` has for
 * each row of X, x as the model preprocesses it. The values in `supports` do not matter. Of dependent atoms
 * the later ones are dropped. The result does not depend on the threads (0: all cores). */
DLTF_API dltf_status dltf_refit(const dltf_model *model, dltf_matrix X, const dltf_codes *supports,
                                int64_t threads, dltf_codes **codes);

/* X = Z W^T (rows x n floats), plus the mean that the model subtracts. With unit_norm the scale of a sample
 * is not in its code: X is then the sample as preprocessed, without mean and with norm about 1. */
DLTF_API dltf_status dltf_decode(const dltf_model *model, const dltf_codes *codes, float *X);

/* sum ||x - Wz||^2 / sum ||x||^2 over all samples, x as the model preprocesses it; 0 for 0/0, infinite if
 * only the samples are zero. */
DLTF_API dltf_status dltf_reconstruction_error(const dltf_model *model, dltf_matrix X,
                                               const dltf_codes *codes, double *relative);

/* ---- Streams ----------------------------------------------------------------------------------- */

/* Data larger than memory, and pipes: rows are read some at a time, codes are written as they come. */

/* Rows in order, by plain reads. "-" is standard input. raw_columns = 0: whatever dltf_array_load reads; .npy
 * in C order in pieces, other formats whole. raw_columns > 0: rows of so many little-endian float32, without
 * a header, to the end. */
typedef struct dltf_reader dltf_reader;

DLTF_API dltf_status dltf_reader_open(const char *path, int64_t raw_columns, dltf_reader **reader);
DLTF_API int64_t dltf_reader_rows(const dltf_reader *reader); /* in all; -1: only the end will tell */
DLTF_API int64_t dltf_reader_cols(const dltf_reader *reader);
/* The next rows: `most`, fewer at the end, then none. Valid until the next call. DLTF_CANCELLED: a signal
 * handler ran while data were waited for; call again to go on. */
DLTF_API dltf_status dltf_reader_next(dltf_reader *reader, int64_t most, dltf_matrix *rows);
DLTF_API void dltf_reader_free(dltf_reader *reader);

typedef enum dltf_layout {
    DLTF_LAYOUT_SPARSE, /* as dltf_codes_save: SciPy's .npz */
    DLTF_LAYOUT_DENSE,  /* all values, as dltf_matrix_save: .npy or, if the path ends so, .csv */
    DLTF_LAYOUT_RAW,    /* all values as little-endian float32, without a header */
} dltf_layout;

/* Codes to a file that appears when it is finished and not before, or to "-", standard output. rows: -1 if
 * not known yet. Sparse codes are kept in nameless files until then, beside the output or, for standard
 * output and pipes, in $TMPDIR or /var/tmp. */
typedef struct dltf_codes_writer dltf_codes_writer;

DLTF_API dltf_status dltf_codes_writer_open(const char *path, dltf_layout layout, int64_t rows, int64_t cols,
                                            dltf_codes_writer **writer);
DLTF_API dltf_status dltf_codes_writer_add(dltf_codes_writer *writer, dltf_csr codes);
/* Once, after the last codes. */
DLTF_API dltf_status dltf_codes_writer_finish(dltf_codes_writer *writer);
/* Without finish: nothing is left behind. */
DLTF_API void dltf_codes_writer_free(dltf_codes_writer *writer);

typedef struct dltf_stream_totals {
    int64_t samples, entries;
    double relative_error; /* as dltf_reconstruction_error */
} dltf_stream_totals;

/* dltf_encode from a reader to a writer, in constant memory and with the same codes; messages name rows of
 * the whole stream. The writer is not finished: that is left to the caller. */
DLTF_API dltf_status dltf_encode_stream(const dltf_model *model, dltf_reader *reader,
                                        const dltf_encode_options *encoding, dltf_progress_fn progress,
                                        void *context, dltf_codes_writer *writer, dltf_stream_totals *totals);

#ifdef __cplusplus
}
#endif

#endif
