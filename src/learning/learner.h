/* The learner from the inside: what its stages share. What only one stage needs is in that stage's file. */
#ifndef DL_LEARNING_LEARNER_H
#define DL_LEARNING_LEARNER_H

#include "base/handle.h"
#include "data/bundle.h"
#include "data/samples.h"
#include "kernels/packed.h"
#include "learning/holdout.h"
#include "learning/stage.h"

enum { DL_CENTER_CHOICE = 80 };

struct dltf_learner {
    dl_handle handle;
    dltf_train_options options; /* complete: m and k as chosen */
    int threads;
    int64_t N, n, m, k; /* N: training samples, without those held out */
    int64_t first, own; /* of them, those of this rank: whole tiles, in order; all if ranks share the atoms */
    dl_samples samples; /* rows of the data, scaled so that the mean of ||x||^2 is k */
    dl_holdout holdout; /* which of them are held out */
    float *mean, *deviation, *offset; /* of `samples`, or NULL */
    dl_summary summary;
    double weight;           /* 10^4 / N: data terms in the units of the paper, whatever N */
    bool warm, warm_encoder; /* started from a model; from one with an encoder, copied to E and bias */

    /* Atoms of this rank: all, unless ranks share them (ranks/atoms.h), as they do if all stages of the
     * method can. What has an entry for every atom then has those of this rank. */
    bool by_atoms; /* ranks share the atoms, not the samples, if there are several */
    int64_t first_atom, atoms;

    /* The dictionary, and what dl_learner_refresh derives from it if a stage needs it. */
    double *W; /* atoms x n, unit-norm rows */
    bool needs_gram;
    double *G;     /* W^T W, m x m */
    float *G32;    /* the same in f32 */
    dl_packed W32; /* W in f32, for products with samples */

    double *code_sum; /* atoms: sums of the newest codes; they decide the signs of atoms */
    double tau;       /* step length of the W-step, carried from one stage to the next */

    double *E, *bias; /* atoms x n and atoms: the untied encoder, once its stage has made it */

    const dl_stage *const *stages; /* of the method */
    int stage;                     /* position: iteration `index` of stages[stage] comes next */
    int64_t index;
    bool partway;         /* that iteration has begun, and goes on from the state of the stage */
    void *state;          /* of that stage; NULL before its first iteration */
    bool ahead;           /* that state has newer parameters than the learner: dl_learner_publish */
    dltf_outcome outcome; /* how training has ended if no stage follows; kept beyond the state of the stage */
    int64_t samples_seen; /* by gradient steps, as of the last iteration */

    char choice[160]; /* the encoder that was chosen, and why; empty if the caller named it */
    char center_choice[DL_CENTER_CHOICE]; /* whether the mean was subtracted, and why; empty likewise */

    double start_time;
    dl_history history;
    bool unmonitored; /* errors are not measured: nobody will read the history */
};

/* A learner without a dictionary: options checked and completed, data scanned. */
dltf_status dl_learner_create(dltf_matrix X, const dltf_train_options *options, dltf_learner **learner);

/* Whether training can start from a model, or NULL, with this option k, which may be 0. */
dltf_status dl_start_check(const dltf_model *start, int64_t k);

/* The first dictionary: a model's, or as the options say. */
dltf_status dl_start_dictionary(dltf_learner *l, const dltf_model *start);

/* G and the f32 copies from W. Required after every change of W. */
void dl_learner_refresh(dltf_learner *l);

/* Sets `first` and `own`, `first_atom` and `atoms`. Fails if there are more ranks than tiles. */
dltf_status dl_learner_divide(dltf_learner *l);
/* Whether this rank has only some of the atoms. */
bool dl_learner_shares_atoms(const dltf_learner *l);
/* Then the rows, of so many bytes, of the first `count` atoms of all ranks, as new memory on rank 0 or
 * `everywhere`. `own`: those of this rank. */
dltf_status dl_learner_gather(const dltf_learner *l, const void *own, int64_t bytes, int64_t count,
                              bool everywhere, void **rows);
/* Fails if ranks start from different dictionaries: they would not stay in step. `source`: where they come
 * from. */
dltf_status dl_learner_compare(const dltf_learner *l, dltf_subject source);
/* The first sample of a rank. */
int64_t dl_learner_first(const dltf_learner *l, int rank);
/* The rank that training sample i belongs to. */
int dl_learner_owner(const dltf_learner *l, int64_t i);

/* Training samples `first` .. first + count - 1 will be needed soon. */
void dl_learner_expect(const dltf_learner *l, int64_t first, int64_t count);

/* Samples to measure errors on: those held out or, if there are none, up to 2,000 training samples. */
int64_t dl_learner_check_count(const dltf_learner *l);

/* All work of the training, in the units of stage.h. */
int64_t dl_learner_work(const dltf_learner *l);

/* How often errors are measured in a stage, at least after its last iteration. */
int64_t dl_learner_measurements(const dltf_learner *l);
/* Errors of the model as it stands, on a few of them, into a record, which a failure leaves as it was. */
dltf_status dl_learner_monitor(const dltf_learner *l, dltf_iteration *record);

/* The share of the mean in the energy of the samples as they are preprocessed. */
dltf_status dl_mean_share(const dl_samples *samples, double *share);

/* Errors of thresholded features of a model on samples: all but omp_error. */
dltf_status dl_model_quality(const dltf_model *model, dltf_matrix X, int threads, dltf_quality *quality);

/* The model of the atoms of this rank, with k at most their number. If it has none, the model has no
 * matrices, but means, settings and notes. */
dltf_status dl_learner_own_model(const dltf_learner *l, dltf_model **model);

/* Coherence and frame potential into a record. */
void dl_learner_describe(const dltf_learner *l, dltf_iteration *record);

/* Creates the state of the current stage if it is not there yet. */
dltf_status dl_learner_enter(dltf_learner *l);
/* Frees it. */
void dl_learner_leave(dltf_learner *l);

/* W, the encoder and code_sum as the current stage has them by now. */
void dl_learner_publish(const dltf_learner *l);

/* Whether the current stage has begun and not ended: only then does its state matter. */
bool dl_learner_inside(const dltf_learner *l);

/* Whether any iteration is done. */
bool dl_learner_begun(const dltf_learner *l);

/* Whether the stage that makes the encoder has finished; memory for the encoder. */
bool dl_learner_has_encoder(const dltf_learner *l);
dltf_status dl_learner_make_encoder(dltf_learner *l);

/* Provenance: every option that can change the result, shape and checksum of the data. */
dltf_status dl_learner_notes(const dltf_learner *l, dl_notes *notes);

/* dltf_train from a model, as in dltf_learner_new. */
dltf_status dl_train(dltf_matrix X, const dltf_train_options *options, const dltf_model *start,
                     dltf_progress_fn progress, void *context, dltf_model **model);

/* The scratch file of the current stage; empty without. */
dl_scratch dl_learner_scratch(const dltf_learner *l);

/* The state of an unfinished training, to and from a bundle, which borrows it. The state of samples may be in
 * shards instead (shard.h), which `source` opens; NULL: there are none. */
typedef struct dl_shard_source dl_shard_source;
enum { DL_CHECKPOINT_FIELDS = DL_MAX_FIELDS + 8 };
/* The tensors of the learner itself, then those of the current stage. Returns their number. */
int dl_checkpoint_fields(const dltf_learner *l, dl_field *fields);
dltf_status dl_checkpoint_make(const dltf_learner *l, dl_bundle *bundle);
dltf_status dl_checkpoint_restore(const dl_bundle *bundle, dltf_matrix X, int64_t threads,
                                  const dl_shard_source *source, dltf_learner **learner);

#endif
