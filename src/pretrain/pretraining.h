/* First weights of networks, learned from samples without labels. Internal: for the program and the
 * experiments, not part of the library. */
#ifndef DL_PRETRAIN_PRETRAINING_H
#define DL_PRETRAIN_PRETRAINING_H

#include "network/networks.h"

/* ---- The scale of a layer ---------------------------------------------------------------------- */

/* Gradient descent needs sums V x + b of moderate size. How weights of any origin get there: enum suffix,
 * name and help text. Means and deviations are those of at most 10,000 of the samples. */
#define DL_SCALINGS(ROW)                                                                                     \
    ROW(NONE, none, "weights as they are")                                                                   \
    ROW(NORM, norm, "weights of each unit with norm sqrt(2), bias 0")                                        \
    ROW(STANDARD, standard, "sums of each unit with mean 0 and standard deviation 0.5")                      \
    ROW(RMS, rms, "sums of the layer with root mean square 0.5, by one factor")

#define DL_VALUE(NAME, name, help) DL_SCALING_##NAME,
typedef enum dl_scaling { DL_SCALINGS(DL_VALUE) DL_SCALING_AUTO } dl_scaling;
#undef DL_VALUE

/* Scales the weights and sets the bias of layer `layer`. X: samples as inputs of the network. A unit whose
 * sums are all equal keeps its weights, and `standard` gives them the value 0; weights that are all 0 stay
 * so. */
dltf_status dl_network_rescale(dl_network *network, int64_t layer, dltf_matrix X, dl_scaling scaling,
                               int64_t threads);

/* A network of one ReLU layer with the atoms of a model as weights; the bias subtracts the mean that the
 * model subtracts from samples. Scaling samples to norm 1 is left out. */
dltf_status dl_network_from_model(const dltf_model *model, dl_network **network);

/* ---- Layer by layer ---------------------------------------------------------------------------- */

/* Where the weights of a layer come from: enum suffix, name and help text. */
#define DL_STARTS(ROW)                                                                                       \
    ROW(DLTF, dltf, "atoms of a dictionary for thresholded features")                                        \
    ROW(AE, ae, "encoder of an autoencoder with one hidden layer")                                           \
    ROW(SAMPLES, samples, "random samples minus their mean, with norm 1")                                    \
    ROW(GAUSSIAN, gaussian, "random directions")                                                             \
    ROW(RANDOM, random, "normal, with variance 2/inputs")

#define DL_VALUE(NAME, name, help) DL_START_##NAME,
typedef enum dl_start_kind { DL_STARTS(DL_VALUE) } dl_start_kind;
#undef DL_VALUE

/* Every field is described in the table that dl_pretrain_option_table() returns. */
typedef struct dl_pretrain_options {
    dl_start_kind method;
    dl_scaling scaling;
    double scale;    /* of the samples; 0: 1 / largest magnitude */
    int64_t samples; /* to learn from; 0: all */
    bool keep;       /* layers keep only their k largest outputs */
    dltf_encoder_kind encoder;
    int64_t epochs;
    double dropout, input_dropout;
    int64_t seed, threads; /* the result does not depend on threads */
} dl_pretrain_options;

dl_pretrain_options dl_pretrain_options_default(void);
dl_option_table dl_pretrain_option_table(void);

/* A network of `count` ReLU layers with sizes[l] units, made one after the other, each from the outputs of
 * those before. k[l]: entries of the codes that the dictionary of method dltf is learned with, and outputs
 * that a layer keeps; NULL if neither is needed. */
dltf_status dl_pretrain(dltf_matrix X, const int64_t *sizes, const int64_t *k, int64_t count,
                        const dl_pretrain_options *options, dltf_progress_fn progress, void *context,
                        dl_network **network);

#endif
