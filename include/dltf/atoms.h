/* dltf/atoms.h: what a model does on data: how well it reconstructs them, and which samples each atom stands
 * for. One pass over the data, in constant memory. */
#ifndef DLTF_ATOMS_H
#define DLTF_ATOMS_H

#include "dltf/encode.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Evaluation -------------------------------------------------------------------------------- */

/* The measures of sparse autoencoders, under the names that they have there. x is the sample, x' its
 * reconstruction: as decoded and, with remove_mean, plus the own mean of the sample; with unit_norm, x is the
 * scaled sample, before the offset. Means are over samples; those of cossim and l2_ratio leave out samples
 * whose x, or for cossim also x', is zero. NaN: undefined, since no sample is left or a denominator is 0. */
typedef struct dltf_evaluation {
    int64_t samples;
    double explained_variance;       /* 1 - sum ||x - x'||^2 / sum ||x - mean||^2, as dltf_reconstruction */
    double relative_error;           /* sum ||p - Wz||^2 / sum ||p||^2, p as preprocessed by the model */
    double refit_explained_variance; /* both with least-squares values on the supports: the raw figure */
    double refit_relative_error;     /* times the ratio of the two errors of `refit_samples` samples */
    int64_t refit_samples;           /* all, or 1,536 to 3,072 of them, in evenly spaced groups */
    double l0, l1;                   /* means of the number of entries, and of the sum of their magnitudes */
    double mse;                      /* mean of ||x - x'||^2, summed over the entries of a sample */
    double cossim;                   /* mean of <x, x'> / (||x|| ||x'||) */
    double l2_norm_in, l2_norm_out;  /* means of ||x|| and ||x'|| */
    double l2_ratio;                 /* mean of ||x'|| / ||x|| */
    double relative_reconstruction_bias; /* sum ||x'||^2 / sum <x, x'>: below 1 if x' is too small */
    double frac_alive;                   /* share of the atoms that are in a code */
} dltf_evaluation;

/* Codes X and measures the codes. `options`: how to encode (NULL: as the model does). `uses`: m counters, the
 * number of codes that each atom is in; NULL: not needed. The result does not depend on the threads. */
DLTF_API dltf_status dltf_evaluate_sized(const dltf_model *model, dltf_matrix X,
                                         const dltf_encode_options *options, dltf_progress_fn progress,
                                         void *context, int64_t *uses, dltf_evaluation *found, size_t size);
static inline dltf_status dltf_evaluate(const dltf_model *model, dltf_matrix X,
                                        const dltf_encode_options *options, dltf_progress_fn progress,
                                        void *context, int64_t *uses, dltf_evaluation *found) {
    return dltf_evaluate_sized(model, X, options, progress, context, uses, found, sizeof *found);
}

/* The same for the rows of a reader, with the same result. */
DLTF_API dltf_status dltf_evaluate_stream_sized(const dltf_model *model, dltf_reader *reader,
                                                const dltf_encode_options *options, dltf_progress_fn progress,
                                                void *context, int64_t *uses, dltf_evaluation *found,
                                                size_t size);
static inline dltf_status dltf_evaluate_stream(const dltf_model *model, dltf_reader *reader,
                                               const dltf_encode_options *options, dltf_progress_fn progress,
                                               void *context, int64_t *uses, dltf_evaluation *found) {
    return dltf_evaluate_stream_sized(model, reader, options, progress, context, uses, found, sizeof *found);
}

#ifdef __cplusplus
}
#endif

#endif
