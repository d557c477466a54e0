/* Fully connected networks: training, classification, autoencoders, deep embedded clustering. Internal: for
 * the program and the experiments, not part of the library. */
#ifndef DL_NETWORK_NETWORKS_H
#define DL_NETWORK_NETWORKS_H

#include "base/options.h"
#include "dltf/learn.h"

/* ---- Networks ---------------------------------------------------------------------------------- */

/* Lists of what a network can be made of and trained with: enum suffix, name and help text. Enums, choices of
 * options and tables are generated from them. */
#define DL_ACTIVATIONS(ROW)                                                                                  \
    ROW(LINEAR, linear, "the sum itself")                                                                    \
    ROW(RELU, relu, "the positive part")

/* Mean over the samples of -log softmax(y)_label, and of 1/2 ||y - t||^2. */
#define DL_LOSSES(ROW)                                                                                       \
    ROW(SOFTMAX, softmax, "cross-entropy of labels")                                                         \
    ROW(SQUARE, square, "squared distance to targets")

#define DL_OPTIMISERS(ROW)                                                                                   \
    ROW(SGD, sgd, "gradient descent with momentum")                                                          \
    ROW(NESTEROV, nesterov, "the same with Nesterov's momentum")                                             \
    ROW(ADAM, adam, "Adam")

#define DL_SCHEDULES(ROW)                                                                                    \
    ROW(CONSTANT, constant, "unchanged")                                                                     \
    ROW(LINEAR, linear, "falling linearly to 0")                                                             \
    ROW(STEP, step, "divided by 10 every --step-epochs")

#define DL_VALUE(NAME, name, help) DL_ACTIVATION_##NAME,
typedef enum dl_activation_kind { DL_ACTIVATIONS(DL_VALUE) } dl_activation_kind;
#undef DL_VALUE
#define DL_VALUE(NAME, name, help) DL_LOSS_##NAME,
typedef enum dl_loss_kind { DL_LOSSES(DL_VALUE) } dl_loss_kind;
#undef DL_VALUE
#define DL_VALUE(NAME, name, help) DL_OPTIMISER_##NAME,
typedef enum dl_optimiser_kind { DL_OPTIMISERS(DL_VALUE) } dl_optimiser_kind;
#undef DL_VALUE
#define DL_VALUE(NAME, name, help) DL_SCHEDULE_##NAME,
typedef enum dl_schedule { DL_SCHEDULES(DL_VALUE) } dl_schedule;
#undef DL_VALUE

/* Layers y = max_k(f(V x + b)), each fed by the one before; most keep all outputs. */
typedef struct dl_network dl_network;

typedef struct dl_layer_view {
    int64_t inputs, outputs;
    dl_activation_kind activation;
    const float *weights; /* outputs x inputs; NULL in a new network: random */
    const float *bias;    /* outputs; NULL in a new network: zero */
    int64_t k;            /* max_k: all but the k largest magnitudes are set to 0; 0: none is */
} dl_layer_view;

/* Copies. Random weights are normal with variance 2/inputs before ReLU, 1/inputs otherwise. */
dltf_status dl_network_new(const dl_layer_view *layers, int64_t count, int64_t seed, dl_network **network);
dltf_status dl_network_load(const char *path, dl_network **network);
dltf_status dl_network_save(const dl_network *network, const char *path);
void dl_network_free(dl_network *network);

int64_t dl_network_layers(const dl_network *network);
/* Layer 0 .. count-1; the arrays belong to the network. */
dl_layer_view dl_network_layer(const dl_network *network, int64_t index);

/* The factor on all inputs, in training and application; 1 in a new network. */
dltf_status dl_network_set_scale(dl_network *network, double scale);
double dl_network_scale(const dl_network *network);

/* A new network of `count` layers from `first` on: the encoder of an autoencoder. */
dltf_status dl_network_part(const dl_network *network, int64_t first, int64_t count, dl_network **part);

/* Outputs of the last layer for every row of X, as N x outputs floats. */
dltf_status dl_network_apply(const dl_network *network, dltf_matrix X, int64_t threads, float *outputs);

/* ---- Training ---------------------------------------------------------------------------------- */

/* Every field is described in the table that dl_network_option_table() returns. */
typedef struct dl_network_options {
    dl_loss_kind loss;
    dl_optimiser_kind optimiser;
    double rate, momentum;
    dl_schedule schedule;
    double step_epochs;
    int64_t epochs, batch;
    double dropout, input_dropout;
    double max_norm, decay, average;
    double adversarial;
    double held_out;
    int64_t seed, threads; /* the result does not depend on threads */
} dl_network_options;

dl_network_options dl_network_options_default(void);
dl_option_table dl_network_option_table(void);

/* What the outputs should be: labels for loss softmax, values (N x outputs) for loss square. */
typedef struct dl_targets {
    const int32_t *labels;
    dltf_matrix values;
} dl_targets;

/* An epoch done. */
typedef struct dl_epoch {
    double rate;    /* learning rate at its start */
    double loss;    /* mean over its samples, as trained on: with dropout, moved if adversarial */
    double error;   /* share of the validation samples that are misclassified after it; NaN without any */
    double seconds; /* since the training was created or resumed */
} dl_epoch;

typedef struct dl_training dl_training;

/* Copies the network; X and targets must outlive the training. */
dltf_status dl_training_new(const dl_network *network, dltf_matrix X, dl_targets targets,
                            const dl_network_options *options, dl_training **training);
/* Measures the error on these samples after every epoch from now on, instead of on those that the option
 * held_out sets apart. They must outlive the training. */
dltf_status dl_training_validate(dl_training *training, dltf_matrix X, const int32_t *labels);
/* Progress counts samples. */
dltf_status dl_training_run(dl_training *training, dltf_progress_fn progress, void *context,
                            dltf_outcome *outcome);
/* With the weights of the last step; after all epochs their averages, if the options ask for these. */
const dl_network *dl_training_network(const dl_training *training);
dl_network_options dl_training_options(const dl_training *training);
const dl_epoch *dl_training_history(const dl_training *training, int64_t *count);
/* Writes a checkpoint. Resuming it with the same X and targets gives the same bytes as an uninterrupted run;
 * dl_training_validate must be called again. */
dltf_status dl_training_save(const dl_training *training, const char *path);
dltf_status dl_training_resume(const char *path, dltf_matrix X, dl_targets targets, int64_t threads,
                               dl_training **training);
void dl_training_free(dl_training *training);

/* All of the above in one call; trains in place. `losses`: the mean loss of every epoch, with dropout, or
 * NULL. On failure and after cancelling, the network has the weights of the last step. */
dltf_status dl_network_train(dl_network *network, dltf_matrix X, dl_targets targets,
                             const dl_network_options *options, dltf_progress_fn progress, void *context,
                             double *losses);

/* ---- Classification ---------------------------------------------------------------------------- */

/* A label for each output, ascending; copied. NULL if there are none: then the labels are 0, 1, ... */
dltf_status dl_network_set_classes(dl_network *network, const int64_t *classes);
const int64_t *dl_network_classes(const dl_network *network);

/* The label of the largest output for every row of X, and softmax of the outputs as N x outputs
 * `probabilities`, or NULL. */
dltf_status dl_network_predict(const dl_network *network, dltf_matrix X, int64_t threads, int64_t *labels,
                               float *probabilities);

/* counts[i * outputs + j]: how many samples with the label of output i are predicted to have that of j. */
dltf_status dl_network_confusion(const dl_network *network, dltf_matrix X, const int64_t *labels,
                                 int64_t threads, int64_t *counts);

/* ---- Autoencoders ------------------------------------------------------------------------------ */

/* A new autoencoder with layers of sizes[0] (the columns of X), sizes[1], ..., sizes[count-1], and back. Its
 * code, the output of layer count-1, and its output are linear unless `relu_code`; all other layers are ReLU.
 *
 * Weights come from layer-wise training on X: each pair of layers is trained as an autoencoder with one
 * hidden layer on the outputs of those before. With input_dropout its input, and with dropout its code, are
 * corrupted: a denoising autoencoder (Vincent et al. 2010). epochs = 0 leaves the weights random. The whole
 * is then to be trained by dl_network_train with X as targets. `options->loss` is ignored. */
dltf_status dl_autoencoder_new(dltf_matrix X, const int64_t *sizes, int64_t count, bool relu_code,
                               const dl_network_options *options, dltf_progress_fn progress, void *context,
                               dl_network **network);

/* ---- Deep embedded clustering ------------------------------------------------------------------ */

/* DEC (Xie, Girshick, Farhadi 2016): codes z = f(x) of an encoder network and cluster centers mu are trained
 * together to sharpen the soft assignments q_ij ~ 1 / (1 + ||z_i - mu_j||^2), by the gradient of KL(P || Q)
 * for targets p_ij ~ q_ij^2 / sum_i q_ij, which are fixed for `interval` steps at a time. */
typedef struct dl_dec_options {
    dl_optimiser_kind optimiser;
    double rate, momentum;
    int64_t batch, interval, steps;
    double tolerance;
    int64_t seed, threads; /* the result does not depend on threads */
} dl_dec_options;

dl_dec_options dl_dec_options_default(void);
dl_option_table dl_dec_option_table(void);

typedef struct dl_dec_result {
    int64_t steps;     /* made */
    bool converged;    /* by `tolerance` */
    double changed;    /* share of the samples that changed their cluster during the last interval */
    double divergence; /* KL(P || Q) per sample at its start */
} dl_dec_result;

/* Trains the encoder and `centers` (clusters x outputs of the encoder) in place; they start from k-means on
 * the codes. `result` may be NULL. */
dltf_status dl_dec_train(dl_network *encoder, dltf_matrix X, float *centers, int64_t clusters,
                         const dl_dec_options *options, dltf_progress_fn progress, void *context,
                         dl_dec_result *result);

/* The cluster of every row of X: the center nearest to its code, the first of equals. */
dltf_status dl_dec_assign(const dl_network *encoder, dltf_matrix X, const float *centers, int64_t clusters,
                          int64_t threads, int32_t *labels);

#endif
