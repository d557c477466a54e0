/* dltf/learn.h: learning dictionaries from samples. */
#ifndef DLTF_LEARN_H
#define DLTF_LEARN_H

#include "dltf/data.h"
#include "dltf/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options ----------------------------------------------------------------------------------- */

typedef enum dltf_init { DLTF_INIT_SAMPLES, DLTF_INIT_GAUSSIAN } dltf_init;

/* How a dictionary is learned. */
typedef enum dltf_method {
    DLTF_METHOD_DLTF, /* for thresholded features */
    DLTF_METHOD_KSVD, /* by K-SVD */
    DLTF_METHOD_OMP   /* for codes by OMP: minibatches, then K-SVD */
} dltf_method;

/* Which scores a thresholded feature uses: those of the dictionary itself, or of an encoder. */
typedef enum dltf_encoder_kind {
    DLTF_ENCODER_AUTO, /* the one that the options set apply to; if open, tied with K-SVD and OMP, learned for
                        * more than 512 atoms or 4,096 columns, otherwise best */
    DLTF_ENCODER_TIED,
    DLTF_ENCODER_TIGHT,     /* the tight frame nearest to the dictionary */
    DLTF_ENCODER_DUAL,      /* regularised pseudo-inverse */
    DLTF_ENCODER_DISTILLED, /* affine map that comes closest to multi-pass codes */
    DLTF_ENCODER_LEARNED,   /* together with the dictionary, by gradients through max_k; for any m */
    DLTF_ENCODER_BEST       /* distilled or learned, whichever has the smaller error on held-out samples */
} dltf_encoder_kind;

/* K-SVD: an atom and its coefficients by a full singular value decomposition, or by one step towards it. */
/* How the tied stage ends: with the sum of squares of the paper's model, or with a last stage that lowers the
 * largest |<w_i, w_j>|, too. */
typedef enum dltf_incoherence { DLTF_INCOHERENCE_2, DLTF_INCOHERENCE_INF } dltf_incoherence;

typedef enum dltf_update { DLTF_UPDATE_EXACT, DLTF_UPDATE_APPROXIMATE } dltf_update;

/* How to learn. `dltf train --help` and dltf_options_help describe every field. */
typedef struct dltf_train_options {
    size_t size;  /* of this struct: dltf_train_options_default sets it */
    int64_t m, k; /* 0: chosen from the data */
    int64_t seed;
    int64_t threads; /* 0: all cores; the result does not depend on it */
    dltf_method method;
    dltf_select select;
    dltf_init init;
    dltf_switch center; /* auto: yes with encoder learned or best, if the mean of the samples holds more than
                         * a tenth of their energy; with unit_norm after the samples are scaled */
    bool remove_mean, unit_norm;

    int64_t steps, batch; /* stage minibatch: dual codes */
    double ridge;

    int64_t iterations; /* stage tied: the paper's model without Q */
    double theta_start, theta;

    int64_t admm; /* stage admm: the paper's model, all four steps */
    double lambda, beta;

    dltf_encoder_kind encoder; /* if not tied, replaces the stages tied and admm */
    int64_t polish;            /* iterations of the polish stage before it */

    int64_t finetune; /* distilled: gradient steps at the end */
    double epochs;    /* learned: passes over the samples; 0: chosen from N, m and k */
    double seconds;   /* learned: time limit, even if not all passes are done; 0: none */

    dltf_update update; /* ksvd and omp, which also use `iterations` */
    double error;       /* the same: error target of its codes, as in dltf_encode_options; 0: none */

    double validation; /* share of the samples held out; 0: a tenth if the encoder needs them, else none */
    double tolerance;

    int64_t
        memory; /* bytes that training may use; 0: what the machine has. The result does not depend on it */

    dltf_incoherence incoherence; /* stage spread, after tied and admm: inf */
    double keep;                  /* its weight of the distance from the dictionary before */

    bool nested;      /* learned: the first m/16, m/8, m/4 and m/2 atoms are dictionaries, too
                       * (dltf_model_prefixes) */
    bool standardise; /* every column to mean 0 and variance 1; not for streams */
} dltf_train_options;

DLTF_API void dltf_train_options_init(dltf_train_options *options, size_t size);
static inline dltf_train_options dltf_train_options_default(void) {
    dltf_train_options options;
    dltf_train_options_init(&options, sizeof options);
    return options;
}

/* ---- Learning ---------------------------------------------------------------------------------- */

/* One record of the history. Values that a stage does not compute are NaN. */
typedef struct dltf_iteration {
    const char *stage; /* "minibatch", "tied", "admm", "polish", "encoder", "ksvd", "gradient": see
                        * docs/architecture.md */
    int64_t index;     /* within the stage, from 0 */
    double theta;
    double objective;          /* the sum of the next three */
    double noise_term;         /* lambda/2 sum ||q_i||^2_{2k,2} */
    double incoherence_term;   /* ||W^T W - I||^2 */
    double data_term;          /* theta/2 ||X - WZ||^2; K-SVD has theta = 1 */
    double relative_error;     /* ||X - WZ||^2 / ||X||^2 on the samples seen */
    double primal_residual;    /* ||Q - W^T(X - WZ)|| before the W-step */
    double dual_residual;      /* beta ||Q_t - Q_{t-1}|| */
    double coherence;          /* max_{i != j} |<w_i, w_j>| */
    double frame_potential;    /* ||W^T W||^2 */
    double raw_error;          /* of the current model, on samples held out (dltf_learner_quality), but */
    double refit_error;        /* fewer of them, the same throughout; in some iterations of every stage */
    double explained_variance; /* the same samples, raw codes */
    double refit_explained_variance; /* after refit; both as in dltf_reconstruction */
    int64_t atoms_replaced;
    double seconds; /* since the learner was created or resumed */
} dltf_iteration;

typedef enum dltf_outcome {
    DLTF_CONVERGED,       /* nothing changed by more than the tolerance, or the held-out error has settled */
    DLTF_ITERATION_LIMIT, /* all iterations done: the usual outcome */
    DLTF_INTERRUPTED,     /* the callback cancelled; the learner can be saved and resumed */
    DLTF_TIME_LIMIT,      /* option `seconds` ended it */
    DLTF_ERROR_GREW,      /* learned: the held-out error grew by more than a tenth after its minimum; the
                           * state of the minimum is the result */
} dltf_outcome;

typedef struct dltf_learner dltf_learner;

/* `start`: a model whose dictionary is the starting point, and whose m and k are used where the options leave
 * them open; or NULL for options->init. X must outlive the learner. */
DLTF_API dltf_status dltf_learner_new(dltf_matrix X, const dltf_model *start,
                                      const dltf_train_options *options, dltf_learner **learner);
DLTF_API dltf_status dltf_learner_run(dltf_learner *learner, dltf_progress_fn progress, void *context,
                                      dltf_outcome *outcome);
/* The options in use, with m, k and encoder filled in. */
DLTF_API void dltf_learner_options_sized(const dltf_learner *learner, dltf_train_options *found, size_t size);
static inline dltf_train_options dltf_learner_options(const dltf_learner *learner) {
    dltf_train_options found;
    dltf_learner_options_sized(learner, &found, sizeof found);
    return found;
}

/* The number of records so far. Copies record `index`, counting from 0, to `record`, unless there is no such
 * record or `record` is NULL. */
DLTF_API int64_t dltf_learner_history_sized(const dltf_learner *learner, int64_t index,
                                            dltf_iteration *record, size_t size);
static inline int64_t dltf_learner_history(const dltf_learner *learner, int64_t index,
                                           dltf_iteration *record) {
    return dltf_learner_history_sized(learner, index, record, sizeof *record);
}

DLTF_API dltf_status dltf_learner_model(const dltf_learner *learner, dltf_model **model);

/* What the codes of the model are worth, as dltf_encode and dltf_refit compute them. Thresholded features,
 * unless stated otherwise. */
typedef struct dltf_quality {
    int64_t samples;    /* that were measured: all that were held out; if none, */
    bool held_out;      /* up to 2,000 training samples, and this is false */
    double raw_error;   /* sum ||x - Wz||^2 / sum ||x||^2 */
    double refit_error; /* the same with least-squares values */
    double omp_error;   /* of codes by OMP; NaN if the method is dltf */
    double raw_explained, refit_explained, omp_explained; /* variance, as in dltf_reconstruction */
    double entries;                                       /* of a code, on average (L0) */
    double unused_share;                                  /* fraction of atoms in no code of these samples */
    double mean_share; /* ||mean of x||^2 / mean of ||x||^2, after preprocessing */
} dltf_quality;

/* Of the learner's model, which the caller may have already; NULL: makes it. */
DLTF_API dltf_status dltf_learner_quality_sized(const dltf_learner *learner, const dltf_model *model,
                                                dltf_quality *quality, size_t size);
static inline dltf_status dltf_learner_quality(const dltf_learner *learner, const dltf_model *model,
                                               dltf_quality *quality) {
    return dltf_learner_quality_sized(learner, model, quality, sizeof *quality);
}

/* Writes a checkpoint. Resuming it with the same X gives the same bytes as an uninterrupted run. With several
 * ranks all of them call this; in stage admm each writes its samples to a file of its own beside `path`. A
 * failure on one rank is that of all, but leaves them able to go on, with the old checkpoint in place. */
DLTF_API dltf_status dltf_learner_save(const dltf_learner *learner, const char *path);
DLTF_API dltf_status dltf_learner_resume(const char *path, dltf_matrix X, int64_t threads,
                                         dltf_learner **learner);
DLTF_API void dltf_learner_free(dltf_learner *learner);

/* All of the above in one call. */
DLTF_API dltf_status dltf_train(dltf_matrix X, const dltf_train_options *options, dltf_progress_fn progress,
                                void *context, dltf_model **model);

/* ---- The (k,2)-norm proximal mapping ----------------------------------------------------------- */

/* q = argmin gamma ||q||^2_{k,2} + ||q - c||^2, where ||q||_{k,2} is the norm of the k largest magnitudes of
 * q. O(m): one scalar equation solved by safeguarded Newton. gamma >= 0, 1 <= k <= m; q may be c. */
DLTF_API dltf_status dltf_prox(const float *c, int64_t m, int64_t k, double gamma, float *q);

/* The same by the paper's Algorithm 1: sort and pool adjacent violators, O(m log m). */
DLTF_API dltf_status dltf_prox_sorted(const float *c, int64_t m, int64_t k, double gamma, float *q);

#ifdef __cplusplus
}
#endif

#endif
