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

/* ---- What each atom stands for ----------------------------------------------------------------- */

/* How many samples of each atom to keep. */
typedef struct dltf_top_options {
    size_t size;      /* of this struct: dltf_top_options_default sets it */
    int64_t top;      /* those with the largest values */
    int64_t random;   /* drawn from all samples that use the atom */
    int64_t interval; /* drawn from each interval of values */
    int64_t seed;     /* of the draws */
} dltf_top_options;

DLTF_API void dltf_top_options_init(dltf_top_options *options, size_t size);
static inline dltf_top_options dltf_top_options_default(void) {
    dltf_top_options options;
    dltf_top_options_init(&options, sizeof options);
    return options;
}

/* The use of all atoms of a model on data. Memory is O(m (top + random + 8 interval)), and 32 MiB at most for
 * correlations, for any number of samples. Samples are ordered by the magnitude of the atom's value in their
 * codes; a model that selects by magnitude also has negative values. Draws depend on the seed and the row,
 * not on threads. */
typedef struct dltf_top dltf_top;

/* Codes X. `encoding`: how (NULL: as the model does). */
DLTF_API dltf_status dltf_top_find(const dltf_model *model, dltf_matrix X,
                                   const dltf_encode_options *encoding, const dltf_top_options *options,
                                   dltf_progress_fn progress, void *context, dltf_top **top);
DLTF_API dltf_status dltf_top_find_stream(const dltf_model *model, dltf_reader *reader,
                                          const dltf_encode_options *encoding,
                                          const dltf_top_options *options, dltf_progress_fn progress,
                                          void *context, dltf_top **top);
DLTF_API void dltf_top_free(dltf_top *top);

DLTF_API int64_t dltf_top_samples(const dltf_top *top); /* that were coded */
DLTF_API int64_t dltf_top_atoms(const dltf_top *top);   /* m */

/* A sample, and the value of the atom in its code. */
typedef struct dltf_example {
    int64_t row;
    float value;
} dltf_example;

/* Arrays belong to the dltf_top. Bar i counts the values with magnitudes from i to i + 1 times bar_width, a
 * power of two: 33 to 64 bars, as many as the largest value needs; none without uses. */
typedef struct dltf_top_atom {
    int64_t uses;         /* samples whose code has the atom */
    double mean, largest; /* magnitude of its values */
    const dltf_example *top, *random;
    int64_t top_count, random_count;
    const int64_t *bars;
    int64_t bar_count;
    double bar_width;
    int64_t intervals; /* of eight bars each; the last may reach beyond the bars */
} dltf_top_atom;

DLTF_API dltf_status dltf_top_get_sized(const dltf_top *top, int64_t atom, dltf_top_atom *found, size_t size);
static inline dltf_status dltf_top_get(const dltf_top *top, int64_t atom, dltf_top_atom *found) {
    return dltf_top_get_sized(top, atom, found, sizeof *found);
}

/* Samples drawn from those with a magnitude of at least `min` and below `max`. */
typedef struct dltf_top_interval {
    double min, max;
    int64_t uses;
    const dltf_example *examples;
    int64_t count;
} dltf_top_interval;

DLTF_API dltf_status dltf_top_interval_get_sized(const dltf_top *top, int64_t atom, int64_t interval,
                                                 dltf_top_interval *found, size_t size);
static inline dltf_status dltf_top_interval_get(const dltf_top *top, int64_t atom, int64_t interval,
                                                dltf_top_interval *found) {
    return dltf_top_interval_get_sized(top, atom, interval, found, sizeof *found);
}

/* The atoms in the order of their uses, most first; those with the same number in order. `atoms`: m. */
DLTF_API dltf_status dltf_top_by_use(const dltf_top *top, int32_t *atoms);

/* The `most` atoms whose values correlate most with those of `atom` (Pearson's r over codes, zeros included),
 * largest first; `found`: how many have a positive r. Over all samples if their codes fit in 32 MiB,
 * otherwise over a random sample of them. */
DLTF_API dltf_status dltf_top_correlated(const dltf_top *top, int64_t atom, int64_t most, int32_t *atoms,
                                         double *pearson, int64_t *found);

/* The top samples as sparse matrix: a row for each atom, a column for each sample. */
DLTF_API dltf_status dltf_top_codes(const dltf_top *top, dltf_codes **codes);

#ifdef __cplusplus
}
#endif

#endif
