/* Samples as k-means uses them: dense rows or sparse codes behind the same four functions. With several
 * ranks, each has a part of the samples.
 *
 * Both are copied in f32 and scaled so that squares of distances neither overflow nor underflow. Dense rows
 * are also centered, which keeps the digits of data far from the origin. */
#ifndef DL_CLUSTER_POINTS_H
#define DL_CLUSTER_POINTS_H

#include "base/status.h"
#include "dltf/data.h"

typedef struct dl_points {
    int64_t N, n;
    int64_t first, all;     /* the N samples of this rank begin at `first` of all samples */
    float *rows;            /* N x n; NULL: sparse */
    const int64_t *indptr;  /* sparse: borrowed from the codes */
    const int32_t *indices; /* borrowed, too */
    float *values;          /* sparse: scaled copy */
    double *square;         /* sparse: ||x_i||^2 */
    double *mean;           /* what was subtracted before scaling; NULL: nothing */
    double scale;           /* what was multiplied; of spherical points 1 */
    double variance;        /* mean over columns of the variance of the points */
} dl_points;

/* `spherical`: rows are scaled to norm 1, and not centered; a zero row is an error. Points must be freed
 * after a failure, too. */
dltf_status dl_points_dense(dltf_matrix X, bool spherical, dl_points *points);
dltf_status dl_points_sparse(const dltf_codes *codes, bool spherical, dl_points *points);
void dl_points_free(dl_points *points);

/* A row of doubles, which is overwritten, in the coordinates of the points. Fails for values that are not
 * finite, beyond single precision, or too far from the points for it; spherical: for a zero row. */
dltf_status dl_points_place(const dl_points *points, double *row, bool spherical, int64_t index,
                            dltf_subject subject, float *out);
/* Whether centers have the columns of the samples. */
dltf_status dl_centers_check(dltf_matrix centers, dltf_matrix X);

/* out[e] = ||x_i - y|| for the rows y of Y (rows of n) that `index` lists; square[j] = ||row j of Y||^2. */
void dl_points_distances(const dl_points *points, int64_t i, const float *Y, const double *square,
                         const int32_t *index, int64_t count, float *out);

/* ||x_i - y||^2 with all sums in double. */
double dl_points_square(const dl_points *points, int64_t i, const float *y);

/* sum += factor x_i */
void dl_points_add(const dl_points *points, int64_t i, float factor, double *sum);

/* out = x_i, n floats. */
void dl_points_copy(const dl_points *points, int64_t i, float *out);

/* y (n floats) in the coordinates of the original samples. */
void dl_points_restore(const dl_points *points, const float *y, float *out);

#endif
