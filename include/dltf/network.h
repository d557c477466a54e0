/* dltf/network.h: fully connected networks: training, autoencoders, deep embedded clustering. */
#ifndef DLTF_NETWORK_H
#define DLTF_NETWORK_H

#include "dltf/data.h"
#include "dltf/learn.h"
#include "dltf/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Networks ---------------------------------------------------------------------------------- */

/* Lists of what a network can be made of and trained with: enum suffix, name and help text. Enums, choices of
 * options and tables are generated from them. */
#define DLTF_ACTIVATIONS(ROW)                                                                                \
    ROW(LINEAR, linear, "the sum itself")                                                                    \
    ROW(RELU, relu, "the positive part")

/* Mean over the samples of -log softmax(y)_label, and of 1/2 ||y - t||^2. */
#define DLTF_LOSSES(ROW)                                                                                     \
    ROW(SOFTMAX, softmax, "cross-entropy of labels")                                                         \
    ROW(SQUARE, square, "squared distance to targets")

#define DLTF_OPTIMISERS(ROW)                                                                                 \
    ROW(SGD, sgd, "gradient descent with momentum")                                                          \
    ROW(NESTEROV, nesterov, "the same with Nesterov's momentum")                                             \
    ROW(ADAM, adam, "Adam")

#define DLTF_SCHEDULES(ROW)                                                                                  \
    ROW(CONSTANT, constant, "unchanged")                                                                     \
    ROW(LINEAR, linear, "falling linearly to 0")                                                             \
    ROW(STEP, step, "divided by 10 every --step-epochs")

#define DLTF_VALUE(NAME, name, help) DLTF_ACTIVATION_##NAME,
typedef enum dltf_activation { DLTF_ACTIVATIONS(DLTF_VALUE) } dltf_activation;
#undef DLTF_VALUE
#define DLTF_VALUE(NAME, name, help) DLTF_LOSS_##NAME,
typedef enum dltf_loss { DLTF_LOSSES(DLTF_VALUE) } dltf_loss;
#undef DLTF_VALUE
#define DLTF_VALUE(NAME, name, help) DLTF_OPTIMISER_##NAME,
typedef enum dltf_optimiser { DLTF_OPTIMISERS(DLTF_VALUE) } dltf_optimiser;
#undef DLTF_VALUE
#define DLTF_VALUE(NAME, name, help) DLTF_SCHEDULE_##NAME,
typedef enum dltf_schedule { DLTF_SCHEDULES(DLTF_VALUE) } dltf_schedule;
#undef DLTF_VALUE

/* Layers y = max_k(f(V x + b)), each fed by the one before; most keep all outputs. */
typedef struct dltf_network dltf_network;

typedef struct dltf_layer {
    int64_t inputs, outputs;
    dltf_activation activation;
    const float *weights; /* outputs x inputs; NULL in a new network: random */
    const float *bias;    /* outputs; NULL in a new network: zero */
    int64_t k;            /* max_k: all but the k largest magnitudes are set to 0; 0: none is */
} dltf_layer;

/* Copies. Random weights are normal with variance 2/inputs before ReLU, 1/inputs otherwise. */
DLTF_API dltf_status dltf_network_new(const dltf_layer *layers, int64_t count, int64_t seed,
                                      dltf_network **network);
DLTF_API dltf_status dltf_network_load(const char *path, dltf_network **network);
DLTF_API dltf_status dltf_network_save(const dltf_network *network, const char *path);
DLTF_API void dltf_network_free(dltf_network *network);

DLTF_API int64_t dltf_network_layers(const dltf_network *network);
/* Layer 0 .. count-1; the arrays belong to the network. */
DLTF_API dltf_layer dltf_network_layer(const dltf_network *network, int64_t index);

/* The factor on all inputs, in training and application; 1 in a new network. */
DLTF_API dltf_status dltf_network_set_scale(dltf_network *network, double scale);
DLTF_API double dltf_network_scale(const dltf_network *network);

/* A new network of `count` layers from `first` on: the encoder of an autoencoder. */
DLTF_API dltf_status dltf_network_part(const dltf_network *network, int64_t first, int64_t count,
                                       dltf_network **part);

/* Outputs of the last layer for every row of X, as N x outputs floats. */
DLTF_API dltf_status dltf_network_apply(const dltf_network *network, dltf_matrix X, int64_t threads,
                                        float *outputs);

/* ---- Training ---------------------------------------------------------------------------------- */

/* Every field is described in the table that dltf_network_option_table() returns. */
typedef struct dltf_network_options {
    dltf_loss loss;
    dltf_optimiser optimiser;
    double rate, momentum;
    dltf_schedule schedule;
    double step_epochs;
    int64_t epochs, batch;
    double dropout, input_dropout;
    double max_norm, decay, average;
    double adversarial;
    double held_out;
    int64_t seed, threads; /* the result does not depend on threads */
} dltf_network_options;

DLTF_API dltf_network_options dltf_network_options_default(void);
DLTF_API dltf_option_table dltf_network_option_table(void);

/* What the outputs should be: labels for loss softmax, values (N x outputs) for loss square. */
typedef struct dltf_targets {
    const int32_t *labels;
    dltf_matrix values;
} dltf_targets;

/* An epoch done. */
typedef struct dltf_epoch {
    double rate;    /* learning rate at its start */
    double loss;    /* mean over its samples, as trained on: with dropout, moved if adversarial */
    double error;   /* share of the validation samples that are misclassified after it; NaN without any */
    double seconds; /* since the training was created or resumed */
} dltf_epoch;

typedef struct dltf_training dltf_training;

/* Copies the network; X and targets must outlive the training. */
DLTF_API dltf_status dltf_training_new(const dltf_network *network, dltf_matrix X, dltf_targets targets,
                                       const dltf_network_options *options, dltf_training **training);
/* Measures the error on these samples after every epoch from now on, instead of on those that the option
 * held_out sets apart. They must outlive the training. */
DLTF_API dltf_status dltf_training_validate(dltf_training *training, dltf_matrix X, const int32_t *labels);
/* Progress counts samples. */
DLTF_API dltf_status dltf_training_run(dltf_training *training, dltf_progress_fn progress, void *context,
                                       dltf_outcome *outcome);
/* With the weights of the last step; after all epochs their averages, if the options ask for these. */
DLTF_API const dltf_network *dltf_training_network(const dltf_training *training);
DLTF_API dltf_network_options dltf_training_options(const dltf_training *training);
DLTF_API const dltf_epoch *dltf_training_history(const dltf_training *training, int64_t *count);
/* Writes a checkpoint. Resuming it with the same X and targets gives the same bytes as an uninterrupted run;
 * dltf_training_validate must be called again. */
DLTF_API dltf_status dltf_training_save(const dltf_training *training, const char *path);
DLTF_API dltf_status dltf_training_resume(const char *path, dltf_matrix X, dltf_targets targets,
                                          int64_t threads, dltf_training **training);
DLTF_API void dltf_training_free(dltf_training *training);

/* All of the above in one call; trains in place. `losses`: the mean loss of every epoch, with dropout, or
 * NULL. On failure and after cancelling, the network has the weights of the last step. */
DLTF_API dltf_status dltf_network_train(dltf_network *network, dltf_matrix X, dltf_targets targets,
                                        const dltf_network_options *options, dltf_progress_fn progress,
                                        void *context, double *losses);

/* ---- Classification ---------------------------------------------------------------------------- */

/* A label for each output, ascending; copied. NULL if there are none: then the labels are 0, 1, ... */
DLTF_API dltf_status dltf_network_set_classes(dltf_network *network, const int64_t *classes);
DLTF_API const int64_t *dltf_network_classes(const dltf_network *network);

/* The label of the largest output for every row of X, and softmax of the outputs as N x outputs
 * `probabilities`, or NULL. */
DLTF_API dltf_status dltf_network_predict(const dltf_network *network, dltf_matrix X, int64_t threads,
                                          int64_t *labels, float *probabilities);

/* counts[i * outputs + j]: how many samples with the label of output i are predicted to have that of j. */
DLTF_API dltf_status dltf_network_confusion(const dltf_network *network, dltf_matrix X, const int64_t *labels,
                                            int64_t threads, int64_t *counts);

/* ---- Autoencoders ------------------------------------------------------------------------------ */

/* A new autoencoder with layers of sizes[0] (the columns of X), sizes[1], ..., sizes[count-1], and back. Its
 * code, the output of layer count-1, and its output are linear unless `relu_code`; all other layers are ReLU.
 *
 * Weights come from layer-wise training on X: each pair of layers is trained as an autoencoder with one
 * hidden layer on the outputs of those before. With input_dropout its input, and with dropout its code, are
 * corrupted: a denoising autoencoder (Vincent et al. 2010). epochs = 0 leaves the weights random. The whole
 * is then to be trained by dltf_network_train with X as targets. `options->loss` is ignored. */
DLTF_API dltf_status dltf_autoencoder_new(dltf_matrix X, const int64_t *sizes, int64_t count, bool relu_code,
                                          const dltf_network_options *options, dltf_progress_fn progress,
                                          void *context, dltf_network **network);

/* ---- Deep embedded clustering ------------------------------------------------------------------ */

/* DEC (Xie, Girshick, Farhadi 2016): codes z = f(x) of an encoder network and cluster centres mu are trained
 * together to sharpen the soft assignments q_ij ~ 1 / (1 + ||z_i - mu_j||^2), by the gradient of KL(P || Q)
 * for targets p_ij ~ q_ij^2 / sum_i q_ij, which are fixed for `interval` steps at a time. */
typedef struct dltf_dec_options {
    dltf_optimiser optimiser;
    double rate, momentum;
    int64_t batch, interval, steps;
    double tolerance;
    int64_t seed, threads; /* the result does not depend on threads */
} dltf_dec_options;

DLTF_API dltf_dec_options dltf_dec_options_default(void);
DLTF_API dltf_option_table dltf_dec_option_table(void);

typedef struct dltf_dec_result {
    int64_t steps;     /* made */
    bool converged;    /* by `tolerance` */
    double changed;    /* share of the samples that changed their cluster during the last interval */
    double divergence; /* KL(P || Q) per sample at its start */
} dltf_dec_result;

/* Trains the encoder and `centers` (clusters x outputs of the encoder) in place; they start from k-means on
 * the codes. `result` may be NULL. */
DLTF_API dltf_status dltf_dec_train(dltf_network *encoder, dltf_matrix X, float *centers, int64_t clusters,
                                    const dltf_dec_options *options, dltf_progress_fn progress, void *context,
                                    dltf_dec_result *result);

/* The cluster of every row of X: the centre nearest to its code, the first of equals. */
DLTF_API dltf_status dltf_dec_assign(const dltf_network *encoder, dltf_matrix X, const float *centers,
                                     int64_t clusters, int64_t threads, int32_t *labels);

#ifdef __cplusplus
}
#endif

#endif
