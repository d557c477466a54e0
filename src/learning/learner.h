/* The learner from the inside: what its stages share. */
#ifndef DL_LEARNING_LEARNER_H
#define DL_LEARNING_LEARNER_H

#include "coding/omp.h"
#include "data/bundle.h"
#include "learning/rank_one.h"
#include "learning/statistics.h"
#include "learning/step_w.h"
#include "learning/step_z.h"

/* Samples whose codes and statistics are computed together: large enough to keep all threads busy between two
 * barriers, small enough for the last-level cache. Fixed: results must not depend on the threads. */
enum { DL_BLOCK = 42 * DL_TILE };

/* Stage 1: running averages of the minibatch statistics. */
typedef struct dl_minibatch {
    double *D, *C;   /* averages of Z Z^T (m x m) and of X Z^T (m x n, rows are atoms), per sample */
    double *use;     /* m: average number of codes that an atom is in, per sample */
    double *E;       /* dual encoder, m x n */
    double *factor;  /* work space of the solves, max(m, min(m, n))^2 */
    int64_t *order;  /* N: the samples in the order of this epoch */
    int64_t epoch;   /* that `order` belongs to; -1 none */
    double X_square; /* of the batch */
} dl_minibatch;

/* K-SVD: the residuals of all samples, and the work space of one atom. */
typedef struct dl_ksvd {
    float *R; /* N x n: X - WZ */
    dl_rank_one rank_one;
    double *use; /* m: in how many codes an atom is */
    dl_omp_space *spaces;
} dl_ksvd;

/* The stage of an untied encoder: samples that are coded in several passes, sums over them, and the result.
 */
typedef struct dl_encoder_stage {
    int64_t *order, count; /* the samples */
    double *A, *x_sum;     /* distilled: X X^T (the paper's letters), n x n, and the sum of x */
    double X_square, residual;
    double *E, *bias;      /* m x n and m: the encoder, once it is there */
    double *factor;        /* m x m: work space of solves */
    float *panel;          /* threads x DL_STATISTICS_PANEL x n: work space of A */
    dltf_encoder *encoder; /* while a pass runs */
    dltf_status status;
} dl_encoder_stage;

struct dltf_learner {
    dltf_train_options options; /* m and k as chosen */
    int threads;
    int64_t N, n, m, k;
    dl_samples samples; /* scaled so that the mean of ||x||^2 is k */
    float *mean;
    dl_scan scan;
    double weight; /* 10^4 / N: data terms in the units of the paper, whatever N */
    bool warm;     /* started from a model */

    double *W;        /* m x n, unit-norm rows */
    dl_packed W32;    /* the same in f32, for the products with samples */
    dl_packed E32;    /* the dual encoder in f32 */
    float *G32;       /* W^T W */
    double *code_sum; /* m: of the newest codes; decides the sign of atoms */

    float *block; /* DL_BLOCK x n samples */
    double *rows; /* threads x n: work space of loading */
    dl_slots Z;   /* codes: of a block, or of all samples in stage 3 and K-SVD */
    dl_z_space *z_spaces;
    dl_statistics statistics;
    dl_w_space w_space;
    double tau; /* step length of the curvilinear search, carried from one W-step to the next */

    int32_t *useless; /* m: atoms that were replaced last */
    double *squares;  /* of the residuals of a block */
    double *residual; /* n */
    float *narrow;    /* m x n: a matrix on its way from double to packed f32 */

    dl_minibatch minibatch;
    dl_ksvd ksvd;
    dl_encoder_stage encoder;

    float *Q, *Y; /* stage 3: N x m */
    float *M;     /* stage 3: DL_BLOCK x m, Q + Y/beta */
    double *A;    /* stage 3: X X^T, n x n */
    double *sums; /* stage 3: results of each tile of a pass */

    dltf_stage stage; /* what comes next: iteration `index` of this stage */
    int64_t index;
    double start_time;
    dltf_iteration *history;
    int64_t history_count, history_capacity;
};

/* G, and W and G in f32, from W. Called after every change of W. */
void dl_learner_refresh(dltf_learner *l);

/* Coherence and frame potential of the current Gram matrix into a record. */
void dl_learner_describe(const dltf_learner *l, dltf_iteration *record);

/* One iteration each: change W (and the state of the stage), fill in the record. */
void dl_minibatch_step(dltf_learner *l, int64_t index, dltf_iteration *record);
void dl_model_iteration(dltf_learner *l, int64_t index, dltf_iteration *record);
void dl_admm_iteration(dltf_learner *l, dltf_iteration *record);
void dl_ksvd_iteration(dltf_learner *l, int64_t index, dltf_iteration *record);
dltf_status dl_encoder_iteration(dltf_learner *l, int64_t index, dltf_iteration *record);

/* Whether iteration `index` of stage 2 and the one before it had the final theta: only then may it have
 * converged. */
bool dl_model_holds(const dltf_train_options *options, int64_t index);

/* Memory of a stage, and its first state; called when the learner is made, for stages that have iterations.
 */
dltf_status dl_minibatch_alloc(dltf_learner *l);
void dl_minibatch_free(dltf_learner *l);
dltf_status dl_ksvd_alloc(dltf_learner *l);
void dl_ksvd_free(dltf_learner *l);
dltf_status dl_encoder_stage_alloc(dltf_learner *l);
void dl_encoder_stage_free(dltf_learner *l);
dltf_status dl_admm_alloc(dltf_learner *l);
/* Q and A = X X^T at the dictionary that stage 2 left. */
void dl_admm_start(dltf_learner *l);

/* Packs a matrix of doubles (m x n) in f32. */
void dl_learner_pack(dltf_learner *l, const double *matrix, dl_packed *packed);

/* An untied encoder that is finished. */
bool dl_has_encoder(const dltf_learner *l);

/* First dictionary. */
dltf_status dl_start_dictionary(dltf_learner *l, const dltf_model *start);

/* W = C (D + ridge I)^{-1} (the paper's letters; ridge as a share of the mean diagonal of D), then unit
 * norms, with D and C rescaled to the new atoms. An atom that no code uses has no fit and keeps its
 * direction. `factor` (m x m) and `fit` (m x n) are work space. */
void dl_fit_dictionary(dltf_learner *l, double *D, double *C, double ridge, double *factor, double *fit);

enum { DL_REPLACE_EVERY = 5 }; /* iterations */

/* Replaces unused and duplicate atoms by the largest residuals of the first `rows` samples and codes of the
 * current block, or by Gaussian directions where nothing is left to explain. Returns how many; their numbers
 * are then in l->useless. */
int64_t dl_replace_useless(dltf_learner *l, const double *use, int64_t rows, int64_t index);

/* The same with any residuals; see dl_replacement. */
int64_t dl_replace_by(dltf_learner *l, const double *use, int64_t samples, int64_t index,
                      double (*residual)(void *context, int64_t i, double *r), void *context);

/* The state of an unfinished training, to and from a bundle. */
dltf_status dl_checkpoint_make(const dltf_learner *l, dl_bundle *bundle);
dltf_status dl_checkpoint_restore(const dl_bundle *bundle, dltf_matrix X, int64_t threads,
                                  dltf_learner **learner);

/* A learner without a first dictionary: options checked and completed, data scanned, memory there. */
dltf_status dl_learner_create(dltf_matrix X, const dltf_train_options *options, dltf_learner **learner);

/* Provenance: every option that can change the result, shape and checksum of the data. */
dltf_status dl_learner_notes(const dltf_learner *l, dl_notes *notes);

/* The stages of the method, and the iterations of one of them, as the options say. */
dltf_stage dl_first_stage(const dltf_train_options *options);
dltf_stage dl_last_stage(const dltf_train_options *options);
int64_t dl_stage_length(const dltf_train_options *options, dltf_stage stage);

dltf_status dl_learner_record(dltf_learner *l, const dltf_iteration *record);

#endif
