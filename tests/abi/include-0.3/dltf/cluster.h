/* dltf/cluster.h: clustering of samples and codes. */
#ifndef DLTF_CLUSTER_H
#define DLTF_CLUSTER_H

#include "dltf/data.h"
#include "dltf/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- k-means ----------------------------------------------------------------------------------- */

typedef struct dltf_cluster_options {
    size_t size;      /* of this struct: dltf_cluster_options_default sets it */
    int64_t clusters; /* c, from 1 to the number of samples */
    int64_t restarts; /* the one with the smallest inertia is kept */
    int64_t iterations;
    double tolerance; /* stop when the squared movement of all centers, relative to the mean variance of a
                       * column, is at most this; 0: only when no sample changes its cluster */
    bool spherical;   /* samples and centers are scaled to norm 1: clusters of directions */
    int64_t seed;
    int64_t threads; /* 0: all cores; the result does not depend on it */
} dltf_cluster_options;

DLTF_API void dltf_cluster_options_init(dltf_cluster_options *options, size_t size);
static inline dltf_cluster_options dltf_cluster_options_default(void) {
    dltf_cluster_options options;
    dltf_cluster_options_init(&options, sizeof options);
    return options;
}

typedef struct dltf_clusters dltf_clusters;

typedef struct dltf_clusters_view {
    int64_t samples, clusters, cols;
    const int32_t *assignment; /* the nearest center of each sample, ties up to rounding */
    const float *centers;      /* clusters x cols; of spherical clusters with norm 1 */
    const int64_t *sizes;      /* samples of each cluster, at least 1 */
    double inertia;            /* sum ||x - center||^2; spherical: of the scaled samples */
    int64_t restart;           /* which restart was the best, from 0 */
    int64_t iterations;        /* of that restart */
    bool converged;
} dltf_clusters_view;

/* Minimises sum_i ||x_i - center(i)||^2 over c centers: greedy k-means++ seeding, then Lloyd's iteration with
 * Elkan's bounds, which skip distances that cannot change an assignment. Memory: N x (n + c) floats.
 * `clusters` has no default. */
DLTF_API dltf_status dltf_clusters_train(dltf_matrix X, const dltf_cluster_options *options,
                                         dltf_progress_fn progress, void *context, dltf_clusters **clusters);

/* The same for sparse codes, which stay sparse. A row without entries is the zero vector. */
DLTF_API dltf_status dltf_clusters_train_codes(const dltf_codes *codes, const dltf_cluster_options *options,
                                               dltf_progress_fn progress, void *context,
                                               dltf_clusters **clusters);

/* The same from given centers instead of seeding, in one run: `restarts` is not used, and `clusters` is the
 * number of centers unless it is 0. */
DLTF_API dltf_status dltf_clusters_train_from(dltf_matrix X, dltf_matrix centers,
                                              const dltf_cluster_options *options, dltf_progress_fn progress,
                                              void *context, dltf_clusters **clusters);

/* The nearest center of each row of X, and the distance to it; ties go to the lowest index. `spherical`:
 * samples and centers are first scaled to norm 1. `distance` may be NULL. */
DLTF_API dltf_status dltf_centers_assign(dltf_matrix centers, dltf_matrix X, bool spherical, int64_t threads,
                                         dltf_progress_fn progress, void *context, int32_t *assignment,
                                         double *distance);

/* Continue a checkpoint that dltf_state_save wrote in the progress callback of one of these, on the same
 * samples or codes. */
DLTF_API dltf_status dltf_clusters_resume(const char *path, dltf_matrix X, int64_t threads,
                                          dltf_progress_fn progress, void *context, dltf_clusters **clusters);
DLTF_API dltf_status dltf_clusters_resume_codes(const char *path, const dltf_codes *codes, int64_t threads,
                                                dltf_progress_fn progress, void *context,
                                                dltf_clusters **clusters);

DLTF_API void dltf_clusters_get_sized(const dltf_clusters *clusters, dltf_clusters_view *found, size_t size);
static inline dltf_clusters_view dltf_clusters_get(const dltf_clusters *clusters) {
    dltf_clusters_view found;
    dltf_clusters_get_sized(clusters, &found, sizeof found);
    return found;
}

DLTF_API void dltf_clusters_free(dltf_clusters *clusters);

/* ---- Principal components ---------------------------------------------------------------------- */

/* The directions of largest variance. */
typedef struct dltf_pca dltf_pca;

typedef struct dltf_pca_view {
    int64_t n, d;
    const float *mean;       /* n */
    const float *components; /* d x n, orthonormal rows by decreasing variance; the entry with the largest
                              * magnitude is positive. A direction without any variance may be zero. */
    const double *variances; /* d, of the samples along the components (divided by N - 1) */
    double total_variance;   /* of the samples in all n directions */
} dltf_pca_view;

/* d from 1 to min(N, n). O(N n^2 + n^3), or O(N^2 n + N^3) if there are fewer samples than columns. */
DLTF_API dltf_status dltf_pca_train(dltf_matrix X, int64_t d, int64_t threads, dltf_pca **pca);
/* out = (X - mean) components^T, X.rows x d. */
DLTF_API dltf_status dltf_pca_apply(const dltf_pca *pca, dltf_matrix X, int64_t threads, float *out);
/* Copies and checks. */
DLTF_API dltf_status dltf_pca_new_sized(const dltf_pca_view *parts, size_t size, dltf_pca **pca);
static inline dltf_status dltf_pca_new(const dltf_pca_view *parts, dltf_pca **pca) {
    return dltf_pca_new_sized(parts, sizeof *parts, pca);
}

DLTF_API dltf_status dltf_pca_load(const char *path, dltf_pca **pca);
DLTF_API dltf_status dltf_pca_save(const dltf_pca *pca, const char *path);
/* The same in memory: the bytes of the file. dltf_bytes_free frees them. */
DLTF_API dltf_status dltf_pca_read(const void *bytes, int64_t size, dltf_pca **pca);
DLTF_API dltf_status dltf_pca_write(const dltf_pca *pca, uint8_t **bytes, int64_t *size);
DLTF_API void dltf_pca_get_sized(const dltf_pca *pca, dltf_pca_view *found, size_t size);
static inline dltf_pca_view dltf_pca_get(const dltf_pca *pca) {
    dltf_pca_view found;
    dltf_pca_get_sized(pca, &found, sizeof found);
    return found;
}

DLTF_API void dltf_pca_free(dltf_pca *pca);

/* ---- Landmark codes ---------------------------------------------------------------------------- */

/* Coordinates in which neighbouring samples are close, so that k-means finds clusters that are not round: one
 * product and a small linear map: landmark-based spectral clustering (X. Chen and D. Cai, AAAI 2011) with
 * thresholded features. Samples are scaled to norm 1 and coded by their k largest positive scores with m
 * landmarks, the centers of spherical k-means; codes are scaled to sum 1. Two landmarks are related if they
 * code the same training samples; the map projects codes onto the d leading singular vectors of this
 * relation.
 */
typedef struct dltf_landmark_options {
    size_t size; /* of this struct: dltf_landmark_options_default sets it */
    int64_t m, k, d;
    double power; /* of the singular values that weight the coordinates: larger means smoother */
    int64_t seed, threads;
} dltf_landmark_options;

DLTF_API void dltf_landmark_options_init(dltf_landmark_options *options, size_t size);
static inline dltf_landmark_options dltf_landmark_options_default(void) {
    dltf_landmark_options options;
    dltf_landmark_options_init(&options, sizeof options);
    return options;
}

typedef struct dltf_landmarks dltf_landmarks;

typedef struct dltf_landmarks_view {
    int64_t m, n, k, d;
    const dltf_model *model; /* the landmarks and how samples are coded */
    const float *map;        /* m x d */
} dltf_landmarks_view;

/* Learns landmarks and map from samples; no row may be all zero. NULL options: the defaults. */
DLTF_API dltf_status dltf_landmarks_train(dltf_matrix X, const dltf_landmark_options *options,
                                          dltf_progress_fn progress, void *context,
                                          dltf_landmarks **landmarks);
/* The coordinates of samples, X.rows x d with rows of norm 1. A row without positive scores is zero. */
DLTF_API dltf_status dltf_landmarks_apply(const dltf_landmarks *landmarks, dltf_matrix X, int64_t threads,
                                          float *out);
DLTF_API void dltf_landmarks_get_sized(const dltf_landmarks *landmarks, dltf_landmarks_view *found,
                                       size_t size);
static inline dltf_landmarks_view dltf_landmarks_get(const dltf_landmarks *landmarks) {
    dltf_landmarks_view found;
    dltf_landmarks_get_sized(landmarks, &found, sizeof found);
    return found;
}

DLTF_API void dltf_landmarks_free(dltf_landmarks *landmarks);

/* ---- Agreement with labels --------------------------------------------------------------------- */

typedef struct dltf_agreement {
    double accuracy; /* share of samples in the cluster matched to their label, under the best one-to-one
                      * matching of clusters and labels (Hungarian method) */
    double nmi;      /* mutual information / arithmetic mean of the two entropies; 1 if both are 0 */
} dltf_agreement;

/* Compares two partitions of `count` samples. Labels may be any integers. */
DLTF_API dltf_status dltf_partitions_compare_sized(const int32_t *assignment, const int64_t *labels,
                                                   int64_t count, dltf_agreement *agreement, size_t size);
static inline dltf_status dltf_partitions_compare(const int32_t *assignment, const int64_t *labels,
                                                  int64_t count, dltf_agreement *agreement) {
    return dltf_partitions_compare_sized(assignment, labels, count, agreement, sizeof *agreement);
}

#ifdef __cplusplus
}
#endif

#endif
