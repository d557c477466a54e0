/* dltf.h: thresholded features z = max_k(W^T x), and the dictionaries that are learned for them.
 *
 * One matrix product, keep the k largest-magnitude entries: the cheapest useful sparse code. This header is
 * the whole public interface. The letters are those of H. Xu et al., "Learning Simple Thresholded Features
 * with Sparse Support Recovery": X samples, W dictionary of unit-norm atoms, Z codes, k entries per code.
 *
 *     dltf_options options = dltf_options_default();
 *     dltf_matrix X = dltf_matrix_f32(data, N, n);              // a row is a sample
 *     dltf_model *model = NULL;
 *     if (dltf_train(X, &options, NULL, NULL, &model) != DLTF_OK)
 *         fprintf(stderr, "%s\n", dltf_message());
 *
 * Conventions
 *   A row is a sample (X: N x n) or an atom (dictionary: m x n): the paper's X^T and W^T, C order.
 *   Inputs are borrowed. Every pointer received through a `**` argument has its own `_free`, which accepts
 * NULL. A call that can fail returns dltf_status; dltf_message() then says what, where and with which value.
 *   Nothing here prints, exits, or installs a signal handler. Handles may be used by one thread at a time.
 *
 * The small static library libdltf-encoder.a holds what coding with a finished model needs, without BLAS and
 * without threads; docs/embedded.md lists its functions.
 */
#ifndef DLTF_H
#define DLTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DLTF_VERSION "0.1.0"

#if defined(__GNUC__)
#define DLTF_API __attribute__((visibility("default")))
#else
#define DLTF_API
#endif

/* ---- Status -------------------------------------------------------------------------------------- */

typedef enum dltf_status {
    DLTF_OK = 0,
    DLTF_ARGUMENT,  /* an option or argument is out of range or contradicts another */
    DLTF_DATA,      /* the samples cannot be used: NaN, infinity, all zero, wrong number of columns */
    DLTF_FORMAT,    /* a file's content is not what its format promises */
    DLTF_FILE,      /* the system refused to open, read, write or rename a file */
    DLTF_MEMORY,    /* not enough memory */
    DLTF_NUMERIC,   /* a computation left the range of the numbers it works with */
    DLTF_CANCELLED, /* the progress callback asked to stop and there is no partial result to return */
} dltf_status;

/* The sentence that belongs to the calling thread's last failed call. Never NULL; valid until its next call.
 */
DLTF_API const char *dltf_message(void);

/* "argument", "data", ... */
DLTF_API const char *dltf_status_name(dltf_status status);

/* "0.1.0", and a line that names the kernel level in use on this CPU, the BLAS and the build. */
DLTF_API const char *dltf_version(void);
DLTF_API const char *dltf_build(void);

/* ---- Progress ------------------------------------------------------------------------------------ */

struct dltf_iteration;

typedef struct dltf_progress {
    const char *task; /* what is being done, e.g. "learning", "encoding" */
    int64_t done;     /* of total, in units of work: about proportional to time */
    int64_t total;    /* 0: not known before the end */
    const struct dltf_iteration
        *iteration; /* the newest history record while a learner runs, otherwise NULL */
} dltf_progress;

/* Called from the calling thread only. A non-zero return cancels. */
typedef int (*dltf_progress_fn)(void *context, const dltf_progress *progress);

/* ---- Matrices ------------------------------------------------------------------------------------ */

typedef enum dltf_type { DLTF_F32, DLTF_F64, DLTF_U8 } dltf_type;

/* A view of memory that belongs to somebody else. Strides count elements, not bytes, so that C order is
 * (cols, 1), Fortran order (1, rows), and a slice of either is a view too. */
typedef struct dltf_matrix {
    const void *data;
    dltf_type type;
    int64_t rows, cols;
    int64_t row_stride, col_stride;
} dltf_matrix;

DLTF_API dltf_matrix dltf_matrix_f32(const float *data, int64_t rows, int64_t cols);
DLTF_API dltf_matrix dltf_matrix_f64(const double *data, int64_t rows, int64_t cols);
DLTF_API dltf_matrix dltf_matrix_u8(const uint8_t *data, int64_t rows, int64_t cols);

/* Row `row` as cols floats, whatever the type and order. */
DLTF_API void dltf_matrix_row(dltf_matrix matrix, int64_t row, float *out);

/* A matrix read from a file: .npy (v1-3; mapped, not read, where possible), .npz ("file.npz" with one array,
 * or "file.npz:name"), .csv, IDX and IDX.gz. The first axis counts samples; the others are flattened. */
typedef struct dltf_array dltf_array;

DLTF_API dltf_status dltf_array_load(const char *path, dltf_array **array);
DLTF_API dltf_matrix dltf_array_matrix(const dltf_array *array);
DLTF_API void dltf_array_free(dltf_array *array);

/* Writes .npy or, if the path ends so, .csv. Like every writer here: to a temporary name, then renamed. */
DLTF_API dltf_status dltf_matrix_save(dltf_matrix matrix, const char *path);

/* Text, written in the same way: reports, tables, histories. */
DLTF_API dltf_status dltf_text_save(const char *text, const char *path);

/* ---- Codes --------------------------------------------------------------------------------------- */

/* Sparse codes, compressed by rows: entries indptr[i] .. indptr[i+1]-1 belong to sample i, their indices
 * (atoms) ascend, their values are non-zero and at most k per sample. */
typedef struct dltf_codes dltf_codes;

typedef struct dltf_csr {
    int64_t rows, cols;
    const int64_t *indptr; /* rows + 1 */
    const int32_t *indices;
    const float *values;
} dltf_csr;

/* Copies and checks. */
DLTF_API dltf_status dltf_codes_new(dltf_csr csr, dltf_codes **codes);
DLTF_API dltf_csr dltf_codes_csr(const dltf_codes *codes);
DLTF_API void dltf_codes_free(dltf_codes *codes);

/* SciPy's sparse .npz: scipy.sparse.load_npz reads it, what save_npz writes is read. */
DLTF_API dltf_status dltf_codes_load(const char *path, dltf_codes **codes);
DLTF_API dltf_status dltf_codes_save(const dltf_codes *codes, const char *path);

/* ---- Options ------------------------------------------------------------------------------------- */

typedef enum dltf_select {
    DLTF_SELECT_MODEL,    /* as the model was trained; in training the same as abs */
    DLTF_SELECT_ABS,      /* the k largest magnitudes: the paper's max_k */
    DLTF_SELECT_POSITIVE, /* the k largest of the positive scores, fewer where fewer are positive */
} dltf_select;

typedef enum dltf_init { DLTF_INIT_SAMPLES, DLTF_INIT_GAUSSIAN } dltf_init;

/* How a dictionary is learned: for thresholded features, or by K-SVD. */
typedef enum dltf_method { DLTF_METHOD_DLTF, DLTF_METHOD_KSVD } dltf_method;

/* The scores that a thresholded feature keeps: those of the dictionary itself, or of an encoder made for it.
 */
typedef enum dltf_encoder_kind {
    DLTF_ENCODER_AUTO, /* distilled; tied with K-SVD, ADMM iterations, or fewer than 20 samples per atom */
    DLTF_ENCODER_TIED,
    DLTF_ENCODER_TIGHT,    /* the tight frame nearest to the dictionary */
    DLTF_ENCODER_DUAL,     /* regularised pseudo-inverse */
    DLTF_ENCODER_DISTILLED /* affine map that comes closest to codes of several passes */
} dltf_encoder_kind;

/* K-SVD: an atom and its coefficients by the whole singular value decomposition, or by one step towards it.
 */
typedef enum dltf_update { DLTF_UPDATE_EXACT, DLTF_UPDATE_APPROXIMATE } dltf_update;

/* How to learn. Every field is described once, in the table that dltf_train_options() returns. */
typedef struct dltf_options {
    int64_t m, k; /* 0: chosen from the data */
    int64_t seed;
    int64_t threads; /* 0: all cores; the result does not depend on it */
    dltf_method method;
    dltf_select select;
    dltf_init init;
    bool center, unit_norm;

    int64_t steps, batch; /* stage 1: minibatches, dual codes */
    double ridge;

    int64_t iterations; /* stage 2: the paper's model without Q */
    double theta_start, theta;

    int64_t admm; /* stage 3: the paper's model, all four steps */
    double lambda, beta;

    dltf_encoder_kind encoder; /* other than tied: instead of stages 2 and 3 */
    int64_t polish;            /* iterations that sharpen the dictionary first */

    dltf_update update; /* ksvd, which has `iterations` of them */
    double error;       /* ksvd: error target of its codes, as in dltf_encoding; 0: none */

    double tolerance;
} dltf_options;

/* How samples become codes. All but the first work on the dictionary and give coefficients. */
typedef enum dltf_coder {
    DLTF_CODER_THRESHOLD, /* max_k of one product: the model's own feature */
    DLTF_CODER_OMP,       /* orthogonal matching pursuit, by magnitude only */
    DLTF_CODER_IHT,       /* iterative hard thresholding, step 1 / lambda_max(W^T W) */
    DLTF_CODER_NIHT,      /* the same with Blumensath and Davies' adaptive step */
    DLTF_CODER_HTP,       /* hard-thresholding pursuit, preconditioned by the dual of the dictionary */
} dltf_coder;

/* How to encode. */
typedef struct dltf_encoding {
    int64_t k; /* 0: the model's */
    dltf_select select;
    dltf_coder coder;
    int64_t passes; /* of iht, niht and htp, at most; 0: chosen */
    double error;   /* of omp: stop when ||x - Wz||^2, x as preprocessed, is this small; 0: never */
    bool refit;     /* values by least squares on the support instead of correlations */
    int64_t threads;
} dltf_encoding;

DLTF_API dltf_options dltf_options_default(void);

/* What to assume when a model or samples are certified. */
typedef struct dltf_certification {
    int64_t k;        /* 0: the model's */
    double noise;     /* a bound on ||e||; 0: no noise */
    double mu_e;      /* a bound on max_i |<e_i, e>|; 0: what follows from `noise` */
    double amplitude; /* of the entries of flat codes */
    bool signs;       /* these entries may be negative */
    int64_t threads;
} dltf_certification;

DLTF_API dltf_encoding dltf_encoding_default(void);
DLTF_API dltf_certification dltf_certification_default(void);

typedef enum dltf_option_kind {
    DLTF_OPTION_INTEGER,
    DLTF_OPTION_REAL,
    DLTF_OPTION_FLAG,   /* bool, no argument */
    DLTF_OPTION_CHOICE, /* an enum; `choices` names its values in order, separated by '|' */
    DLTF_OPTION_TEXT,   /* const char *, borrowed */
} dltf_option_kind;

/* One row of an option table: everything that anybody needs to know of an option. */
typedef struct dltf_option {
    const char *name; /* "theta-start" */
    char letter;      /* 'm', or 0 */
    dltf_option_kind kind;
    size_t offset;        /* of the field in its struct */
    const char *standard; /* default, as text; NULL for none */
    double least, most;   /* bounds of numbers, both included */
    const char *choices;
    const char *argument; /* how help names the value: "N", "FILE" */
    const char *help;
} dltf_option;

typedef struct dltf_option_table {
    const dltf_option *options;
    int count;
} dltf_option_table;

DLTF_API dltf_option_table dltf_train_options(void);
DLTF_API dltf_option_table dltf_encode_options(void);
DLTF_API dltf_option_table dltf_certify_options(void);

/* Reads `text` into the field of `target` that the table describes; flags take "true" or "false". */
DLTF_API dltf_status dltf_option_set(dltf_option_table table, void *target, const char *name,
                                     const char *text);

/* All standard values of a table. */
DLTF_API void dltf_option_defaults(dltf_option_table table, void *target);

/* A field as text that dltf_option_set reads back to the same value; returns like snprintf. */
DLTF_API int dltf_option_format(const dltf_option *option, const void *target, char *text, size_t size);

/* ---- Models -------------------------------------------------------------------------------------- */

/* A dictionary, how to encode with it, and where it came from. */
typedef struct dltf_model dltf_model;

typedef struct dltf_model_view {
    int64_t m, n, k;
    const float *dictionary; /* m x n, unit-norm rows */
    const float *encoder;    /* m x n; NULL: tied, the dictionary itself */
    const float *bias;       /* m, subtracted from the scores; NULL: none */
    const float *mean;       /* n, subtracted from samples before anything else; NULL: none */
    bool unit_norm;          /* samples are then scaled to norm 1 */
    dltf_select select;      /* DLTF_SELECT_MODEL in a new model means abs */
} dltf_model_view;

/* Copies; dictionary rows are normalised. */
DLTF_API dltf_status dltf_model_new(const dltf_model_view *parts, dltf_model **model);
DLTF_API dltf_status dltf_model_load(const char *path, dltf_model **model);
/* The same from memory: the bytes of a model file, at any address. */
DLTF_API dltf_status dltf_model_read(const void *bytes, int64_t size, dltf_model **model);
DLTF_API dltf_status dltf_model_save(const dltf_model *model, const char *path);
DLTF_API dltf_model_view dltf_model_get(const dltf_model *model);
DLTF_API void dltf_model_free(dltf_model *model);

/* Provenance: options and data checksum of the training, as text. NULL where there is none. */
DLTF_API const char *dltf_model_note(const dltf_model *model, const char *name);
DLTF_API const char *dltf_model_note_name(const dltf_model *model, int index);

/* ---- Coding -------------------------------------------------------------------------------------- */

/* z = max_k(E^T x - b) for every row of X; the N x m score matrix never exists. Ties go to the lowest index.
 * Scores are rounded sums: copies of an atom may differ in the last bit and then do not tie. NULL encoding:
 * the defaults. Other coders than threshold: see dltf_coder. */
DLTF_API dltf_status dltf_encode(const dltf_model *model, dltf_matrix X, const dltf_encoding *encoding,
                                 dltf_progress_fn progress, void *context, dltf_codes **codes);

/* An encoder: a model made ready for samples, with all the memory that coding needs. For one sample at a
 * time, for streams, and wherever nothing may be allocated. The model must outlive it; it belongs to one
 * thread at a time. */
typedef struct dltf_encoder dltf_encoder;

DLTF_API dltf_status dltf_encoder_new(const dltf_model *model, const dltf_encoding *encoding,
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

/* ---- Streams ------------------------------------------------------------------------------------- */

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
                                        const dltf_encoding *encoding, dltf_progress_fn progress,
                                        void *context, dltf_codes_writer *writer, dltf_stream_totals *totals);

/* ---- Learning ------------------------------------------------------------------------------------ */

/* The first are those of DLTF, the encoder being that of untied features; K-SVD has the last alone. */
typedef enum dltf_stage {
    DLTF_STAGE_MINIBATCH = 1,
    DLTF_STAGE_MODEL,
    DLTF_STAGE_ADMM,
    DLTF_STAGE_ENCODER,
    DLTF_STAGE_KSVD
} dltf_stage;

/* One record of the history. Terms that a stage does not have are 0. */
typedef struct dltf_iteration {
    dltf_stage stage;
    int64_t index; /* within the stage, from 0 */
    double theta;
    double objective;        /* the sum of the next three */
    double noise_term;       /* lambda/2 sum ||q_i||^2_{2k,2} */
    double incoherence_term; /* ||W^T W - I||^2 */
    double data_term;        /* theta/2 ||X - WZ||^2; K-SVD has theta = 1 */
    double relative_error;   /* ||X - WZ||^2 / ||X||^2 on the samples seen */
    double primal_residual;  /* ||Q - W^T(X - WZ)|| before the W-step */
    double dual_residual;    /* beta ||Q_t - Q_{t-1}|| */
    double coherence;        /* max_{i != j} |<w_i, w_j>| */
    double frame_potential;  /* ||W^T W||^2 */
    int64_t atoms_replaced;
    double seconds; /* since the learner was created or resumed */
} dltf_iteration;

typedef enum dltf_outcome {
    DLTF_CONVERGED,       /* nothing moved by more than the tolerance */
    DLTF_ITERATION_LIMIT, /* all iterations done: the usual end */
    DLTF_INTERRUPTED,     /* the callback cancelled; the learner can be saved and resumed */
} dltf_outcome;

typedef struct dltf_learner dltf_learner;

/* `start`: a model whose dictionary is the starting point, and whose m and k are used where the options leave
 * them open; or NULL for options->init. X must outlive the learner. */
DLTF_API dltf_status dltf_learner_new(dltf_matrix X, const dltf_options *options, const dltf_model *start,
                                      dltf_learner **learner);
DLTF_API dltf_status dltf_learner_run(dltf_learner *learner, dltf_progress_fn progress, void *context,
                                      dltf_outcome *outcome);
/* The options in use: m and k as chosen. */
DLTF_API dltf_options dltf_learner_options(const dltf_learner *learner);
DLTF_API const dltf_iteration *dltf_learner_history(const dltf_learner *learner, int64_t *count);
DLTF_API dltf_status dltf_learner_model(const dltf_learner *learner, dltf_model **model);
/* A checkpoint; resuming it on the same X gives the same bytes as never having stopped. */
DLTF_API dltf_status dltf_learner_save(const dltf_learner *learner, const char *path);
DLTF_API dltf_status dltf_learner_resume(const char *path, dltf_matrix X, int64_t threads,
                                         dltf_learner **learner);
DLTF_API void dltf_learner_free(dltf_learner *learner);

/* All of the above in one call. */
DLTF_API dltf_status dltf_train(dltf_matrix X, const dltf_options *options, dltf_progress_fn progress,
                                void *context, dltf_model **model);

/* ---- The (k,2)-norm proximal mapping ------------------------------------------------------------- */

/* q = argmin gamma ||q||^2_{k,2} + ||q - c||^2, where ||q||_{k,2} is the norm of the k largest magnitudes of
 * q. O(m): one scalar equation solved by safeguarded Newton. gamma >= 0, 1 <= k <= m; q may be c. */
DLTF_API dltf_status dltf_prox(const float *c, int64_t m, int64_t k, double gamma, float *q);

/* The same by the paper's Algorithm 1: sort and pool adjacent violators, O(m log m). */
DLTF_API dltf_status dltf_prox_sorted(const float *c, int64_t m, int64_t k, double gamma, float *q);

/* ---- Measures ------------------------------------------------------------------------------------ */

/* Of the rows of a dictionary, normalised first: max_{i != j} |<w_i, w_j>|; mu_1(s) for s = 1 .. order (the
 * largest sum of s of the |<w_i, w_j>|, j != i); ||W^T W||_F^2. */
DLTF_API dltf_status dltf_coherence(dltf_matrix dictionary, double *coherence);
DLTF_API dltf_status dltf_babel(dltf_matrix dictionary, int64_t order, double *babel);
DLTF_API dltf_status dltf_frame_potential(dltf_matrix dictionary, double *potential);

/* mu_1(s) for s = 1 .. order of a model's own feature: sums of |<e_i, w_j>|, j != i, of encoder and
 * dictionary as they are, rounded upward. */
DLTF_API dltf_status dltf_model_babel(const dltf_model *model, int64_t order, double *babel);

/* The one-to-one assignment of atoms to true atoms with the largest sum of |<w_i, w0_j>| (Hungarian method).
 * match[i] = j or -1; cosine[i] = |<w_i, w0_j>| or 0; both of length dictionary.rows, cosine may be NULL. */
DLTF_API dltf_status dltf_match(dltf_matrix dictionary, dltf_matrix truth, int32_t *match, float *cosine);

typedef struct dltf_support_score {
    double ave_dif; /* mean of |supp(z) xor supp(z0)| / 2: the paper's ave_dif */
    double exact;   /* share of samples whose whole support is right */
} dltf_support_score;

/* Compares supports; atoms of `codes` are renamed by match first (an unmatched atom is always wrong). NULL
 * match: no renaming. */
DLTF_API dltf_status dltf_score_supports(const dltf_codes *codes, const dltf_codes *truth,
                                         const int32_t *match, dltf_support_score *score);

/* ---- Guarantees ---------------------------------------------------------------------------------- */

/* When does max_k(E^T x - b) find the support of z in x = Wz + e? All claims are about codes of exactly k
 * entries, samples as the model preprocesses them, and the model's own W. docs/guarantees.md states and
 * proves them. */

/* The largest k for which a theorem holds for every flat code: k entries of size `amplitude`. 0: for none. */
typedef struct dltf_certified_k {
    int64_t theorem1;  /* Corollaries 1.1, 1.2 of the paper: the tied feature, k mu_W */
    int64_t coherence; /* the model's own feature: (2k - 1) mu(E, W), gains and bias */
    int64_t babel;     /* the same with mu_1(k - 1) + mu_1(k) */
} dltf_certified_k;

/* The restricted isometry constant delta of an order. Finding it is NP-hard: `exact` says whether all
 * supports were tried, which only small problems allow; otherwise delta is `by_babel`, a bound. */
typedef struct dltf_isometry {
    int64_t order;
    double by_coherence; /* (order - 1) mu_W */
    double by_babel;     /* mu_1(order - 1): Gershgorin's discs */
    double delta;
    bool exact;
} dltf_isometry;

typedef struct dltf_model_certificate {
    int64_t k;
    double mu;                    /* mu_W = max_{i != j} |<w_i, w_j>| */
    double mu_encoder;            /* max_{i != j} |<e_i, w_j>|; tied: mu_W */
    double least_gain, most_gain; /* of d_i = <e_i, w_i> */
    double most_bias;             /* max |b_i| */
    double mu_e;                  /* the bound on max_i |<e_i, e>| that was used */
    dltf_certified_k without_noise, with_noise;
    dltf_isometry twice; /* order 2k, of the paper's Theorem 2 (its proof needs 2k, not k) */
    dltf_isometry next;  /* order k + 1, of the sharper form */
    int64_t equation4;   /* largest k < 1 / (4 (2 delta - delta^2)), delta bounded for order 2k */
} dltf_model_certificate;

/* NULL certification: the defaults. */
DLTF_API dltf_status dltf_certify_model(const dltf_model *model, const dltf_certification *certification,
                                        dltf_model_certificate *certificate);

/* What can be said of one sample. A flag is 1 or 0; 0 means "not shown", never "false". The first eight need
 * the known code z, and e = x - Wz is then known too. */
typedef enum dltf_flag {
    DLTF_FLAG_COVERED,   /* z has exactly k entries: without this, none of the next seven */
    DLTF_FLAG_THEOREM1,  /* Theorem 1, for Wz without the noise; paper's feature (tied, no bias) only */
    DLTF_FLAG_COROLLARY, /* Corollary 1.2: Theorem 1 with noise; paper's feature only */
    DLTF_FLAG_COHERENCE, /* the theorem for encoder, gains and bias */
    DLTF_FLAG_BABEL,     /* the same with the Babel function */
    DLTF_FLAG_THEOREM2,  /* Theorem 2, corrected to delta_2k; paper's feature only */
    DLTF_FLAG_PAIR,      /* its sharper form with delta_(k+1); paper's feature only */
    DLTF_FLAG_EQUATION4, /* eq. (4): necessary for Theorem 2, no guarantee by itself */
    DLTF_FLAG_FEATURE,   /* the model's feature has the support of z: a fact, not a theorem */
    DLTF_FLAG_CANDIDATE, /* the candidate has the support of z: the same */
    DLTF_FLAG_FITS,      /* the flat code on the candidate's support is within the noise of x: a fact */
    DLTF_FLAG_PROVEN,    /* it fits, and no flat code on any other support does: the support is proven */
    DLTF_FLAG_COUNT
} dltf_flag;

/* "covered", "theorem1", ... */
DLTF_API const char *dltf_flag_name(dltf_flag flag);

/* Flags of every sample: rows of DLTF_FLAG_COUNT bytes. `known`: true codes, or NULL; `candidates`: codes
 * whose supports are to be proven, or NULL for the model's own features. The proof assumes z with exactly k
 * entries of size `amplitude` and ||e|| <= `noise`; a wrong assumption gives wrong proofs. */
DLTF_API dltf_status dltf_certify_samples(const dltf_model *model, dltf_matrix X, const dltf_codes *known,
                                          const dltf_codes *candidates,
                                          const dltf_certification *certification, dltf_progress_fn progress,
                                          void *context, uint8_t *flags);

/* The norm that Gaussian noise of n independent entries N(0, sigma^2) stays below with probability
 * `quantile`: sigma times a quantile of the chi distribution, from its distribution function. */
DLTF_API dltf_status dltf_noise_bound(int64_t n, double sigma, double quantile, double *bound);

/* ---- Synthetic problems -------------------------------------------------------------------------- */

/* The entries of true codes: 1; 1 or -1; uniform in [0.5, 1.5]; standard normal. */
typedef enum dltf_entries {
    DLTF_ENTRIES_ONES,
    DLTF_ENTRIES_SIGNS,
    DLTF_ENTRIES_UNIFORM,
    DLTF_ENTRIES_GAUSSIAN
} dltf_entries;

/* The paper's protocol: W0 normalised Gaussian, codes with k ones at random places, X = Z W0^T + noise.
 * Training and test set share W0. */
typedef struct dltf_synthetic_spec {
    int64_t n, m, k, samples;
    double noise; /* standard deviation */
    int64_t seed;
    dltf_entries entries; /* ones in the paper */
} dltf_synthetic_spec;

typedef struct dltf_synthetic dltf_synthetic;

DLTF_API dltf_status dltf_synthetic_new(const dltf_synthetic_spec *spec, dltf_synthetic **problem);
DLTF_API dltf_matrix dltf_synthetic_dictionary(const dltf_synthetic *problem);
DLTF_API dltf_matrix dltf_synthetic_samples(const dltf_synthetic *problem, bool test);
DLTF_API const dltf_codes *dltf_synthetic_codes(const dltf_synthetic *problem, bool test);
DLTF_API void dltf_synthetic_free(dltf_synthetic *problem);

/* ---- Images -------------------------------------------------------------------------------------- */

/* Planes of floats on the scale 0 (black) .. 255 (white), whatever the depth of the file: 16-bit values are
 * divided by 257 and come back exactly. */
typedef struct dltf_image dltf_image;

typedef struct dltf_image_view {
    int64_t width, height, channels; /* 1: gray, 3: red, green, blue */
    int bits;                        /* of a file: 8, 16, or 32 for floats */
    const float *planes;             /* channels x height x width */
} dltf_image_view;

/* Black. */
DLTF_API dltf_status dltf_image_new(int64_t width, int64_t height, int64_t channels, int bits,
                                    dltf_image **image);
/* PNG, PGM, PPM, and .npy arrays of height x width (x 3) whose values are taken as they are. Transparent
 * pixels are refused. */
DLTF_API dltf_status dltf_image_load(const char *path, dltf_image **image);
/* .png, .pgm, .ppm: rounded and clipped, with 16 bits if the image has, otherwise 8. .npy: the floats. */
DLTF_API dltf_status dltf_image_save(const dltf_image *image, const char *path);
DLTF_API dltf_image_view dltf_image_get(const dltf_image *image);
/* The planes, to be written to. */
DLTF_API float *dltf_image_pixels(dltf_image *image);
DLTF_API void dltf_image_free(dltf_image *image);

/* Adds Gaussian noise of standard deviation sigma; nothing is clipped, the image has 32 bits from then on. */
DLTF_API dltf_status dltf_image_add_noise(dltf_image *image, double sigma, int64_t seed);

/* The standard deviation of the noise, from the image alone. */
DLTF_API dltf_status dltf_image_noise(const dltf_image *image, double *sigma);

/* Peak signal-to-noise ratio in dB, peak 255; infinite for equal images. */
DLTF_API dltf_status dltf_image_psnr(const dltf_image *a, const dltf_image *b, double *psnr);
/* Structural similarity (Wang et al. 2004: Gaussian window of 11 x 11, at the places where it fits), the mean
 * over channels. */
DLTF_API dltf_status dltf_image_ssim(const dltf_image *a, const dltf_image *b, double *ssim);

/* ---- Denoising ----------------------------------------------------------------------------------- */

typedef enum dltf_denoise_method {
    DLTF_DENOISE_DLTF,  /* incoherent thresholded features, in one product; a dictionary learned for them */
    DLTF_DENOISE_KSVD,  /* K-SVD and orthogonal matching pursuit to an error */
    DLTF_DENOISE_PAPER, /* the paper's: max_k(W^T x) with a dictionary of dltf_train, plain averages */
} dltf_denoise_method;

/* How to denoise. Every field is described once, in the table that dltf_denoise_options() returns. */
typedef struct dltf_denoising {
    dltf_denoise_method method;
    double sigma; /* DLTF_SIGMA_UNKNOWN: estimated */
    int64_t m, k; /* 0: chosen by the method */
    int64_t patch, stride, stages;
    int64_t seed, threads;
} dltf_denoising;

#define DLTF_SIGMA_UNKNOWN (-1.0)

DLTF_API dltf_denoising dltf_denoising_default(void);
DLTF_API dltf_option_table dltf_denoise_options(void);

/* What was done. Of colour images: sums and means over the three planes. */
typedef struct dltf_denoise_info {
    double sigma; /* given or estimated */
    bool estimated;
    int64_t patches, m;       /* coded patches, atoms */
    double entries_per_patch; /* mean number of atoms */
    double learning_seconds;
    double coding_seconds; /* codes of all patches, summed over threads; without cutting out and averaging */
    double second_seconds; /* the second stage */
    double seconds;
} dltf_denoise_info;

/* Removes Gaussian noise. `model`: a dictionary of patch x patch entries to be used instead of learning one;
 * or NULL. The result has the depth of the input and values within 0 .. 255. `info` may be NULL. */
DLTF_API dltf_status dltf_denoise(const dltf_image *noisy, const dltf_denoising *options,
                                  const dltf_model *model, dltf_progress_fn progress, void *context,
                                  dltf_image **clean, dltf_denoise_info *info);

/* ---- Pictures ------------------------------------------------------------------------------------ */

/* Draws rows of `tiles` as gray images of width x height in a grid of `columns`, each scaled to its own range
 * (`symmetric`: zero is mid-gray, as for atoms; otherwise from smallest to largest value), into a PNG. */
DLTF_API dltf_status dltf_picture_save(dltf_matrix tiles, int64_t width, int64_t height, int64_t columns,
                                       bool symmetric, const char *path);

#ifdef __cplusplus
}
#endif

#endif
