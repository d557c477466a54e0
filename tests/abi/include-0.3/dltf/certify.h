/* dltf/certify.h: when is the support of a code guaranteed to be right? */
#ifndef DLTF_CERTIFY_H
#define DLTF_CERTIFY_H

#include "dltf/data.h"
#include "dltf/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Assumptions under which a model or samples are certified. */
typedef struct dltf_certify_options {
    size_t size;      /* of this struct: dltf_certify_options_default sets it */
    int64_t k;        /* 0: the model's */
    double noise;     /* a bound on ||e||; 0: no noise */
    double mu_e;      /* a bound on max_i |<e_i, e>|; 0: derived from `noise` */
    double amplitude; /* of the entries of flat codes */
    bool signs;       /* flat codes may have negative entries */
    int64_t threads;
} dltf_certify_options;

DLTF_API void dltf_certify_options_init(dltf_certify_options *options, size_t size);
static inline dltf_certify_options dltf_certify_options_default(void) {
    dltf_certify_options options;
    dltf_certify_options_init(&options, sizeof options);
    return options;
}

/* Conditions under which max_k(E^T x - b) finds the support of z in x = Wz + e. All claims assume codes of
 * exactly k entries, samples as preprocessed by the model, and the model's own W. docs/guarantees.md states
 * and proves them. */

/* The largest k for which a theorem holds for every flat code (k entries of size `amplitude`); 0: none. */
typedef struct dltf_certified_k {
    int64_t theorem1;  /* Corollaries 1.1, 1.2 of the paper: the tied feature, k mu_W */
    int64_t coherence; /* the model's own feature: (2k - 1) mu(E, W), gains and bias */
    int64_t babel;     /* the same with mu_1(k - 1) + mu_1(k) */
} dltf_certified_k;

/* The restricted isometry constant delta of a given order. Computing it is NP-hard: `exact` is set if all
 * supports were enumerated, which is feasible for small problems only; otherwise delta is `by_babel`, a
 * bound. */
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
    double least_gain, most_gain; /* smallest and largest d_i = <e_i, w_i> */
    double most_bias;             /* max |b_i| */
    double mu_e;                  /* the bound on max_i |<e_i, e>| that was used */
    dltf_certified_k without_noise, with_noise;
    dltf_isometry twice; /* order 2k, of the paper's Theorem 2 (its proof needs 2k, not k) */
    dltf_isometry next;  /* order k + 1, of the sharper form */
    int64_t equation4;   /* largest k < 1 / (4 (2 delta - delta^2)), delta bounded for order 2k */
} dltf_model_certificate;

DLTF_API dltf_status dltf_model_certify_sized(const dltf_model *model, const dltf_certify_options *options,
                                              dltf_model_certificate *certificate, size_t size);
static inline dltf_status dltf_model_certify(const dltf_model *model, const dltf_certify_options *options,
                                             dltf_model_certificate *certificate) {
    return dltf_model_certify_sized(model, options, certificate, sizeof *certificate);
}

/* What can be shown for one sample. A flag is 1 or 0; 0 means "not shown", not "false". The first ten need
 * the true code z, which also gives e = x - Wz. */
typedef enum dltf_flag {
    DLTF_FLAG_COVERED,   /* z has exactly k entries; required by the next seven */
    DLTF_FLAG_THEOREM1,  /* Theorem 1, for Wz without the noise; paper's feature (tied, no bias) only */
    DLTF_FLAG_COROLLARY, /* Corollary 1.2: Theorem 1 with noise; paper's feature only */
    DLTF_FLAG_COHERENCE, /* the theorem for encoder, gains and bias */
    DLTF_FLAG_BABEL,     /* the same with the Babel function */
    DLTF_FLAG_THEOREM2,  /* Theorem 2, corrected to delta_2k; paper's feature only */
    DLTF_FLAG_PAIR,      /* its sharper form with delta_(k+1); paper's feature only */
    DLTF_FLAG_EQUATION4, /* eq. (4): necessary for Theorem 2, no guarantee by itself */
    DLTF_FLAG_FEATURE,   /* the model's feature has the support of z: a fact, not a theorem */
    DLTF_FLAG_CANDIDATE, /* the candidate has the support of z: also a fact */
    DLTF_FLAG_FITS,      /* the flat code on the candidate's support is within the noise of x: a fact */
    DLTF_FLAG_PROVEN,    /* it fits, and no flat code on any other support does: the support is proven */
    DLTF_FLAG_COUNT
} dltf_flag;

/* "covered", "theorem1", ... */
DLTF_API const char *dltf_flag_name(dltf_flag flag);

/* Flags of every sample: rows of DLTF_FLAG_COUNT bytes. `known`: true codes, or NULL; `candidates`: codes
 * whose supports are to be proven, or NULL for the model's own features. The proof assumes z with exactly k
 * entries of size `amplitude` and ||e|| <= `noise`; if the assumption is wrong, so is the proof. */
DLTF_API dltf_status dltf_samples_certify_sized(const dltf_model *model, dltf_matrix X,
                                                const dltf_codes *known, const dltf_codes *candidates,
                                                const dltf_certify_options *options,
                                                dltf_progress_fn progress, void *context, uint8_t *flags,
                                                size_t size);
static inline dltf_status dltf_samples_certify(const dltf_model *model, dltf_matrix X,
                                               const dltf_codes *known, const dltf_codes *candidates,
                                               const dltf_certify_options *options, dltf_progress_fn progress,
                                               void *context, uint8_t *flags) {
    return dltf_samples_certify_sized(model, X, known, candidates, options, progress, context, flags,
                                      DLTF_FLAG_COUNT);
}

/* The bound below which the norm of Gaussian noise, n independent entries N(0, sigma^2), stays with
 * probability `quantile`: sigma times a quantile of the chi distribution, from its distribution function. */
DLTF_API dltf_status dltf_noise_bound(int64_t n, double sigma, double quantile, double *bound);

#ifdef __cplusplus
}
#endif

#endif
