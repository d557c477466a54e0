/* Spherical hashing (Heo et al. 2012): bit j says whether a sample lies in ball j. The balls are moved until
 * each contains half of the training samples, and each pair of them a quarter, so that bits are balanced and
 * independent. */
#ifndef DL_HASH_BALLS_H
#define DL_HASH_BALLS_H

#include "base/status.h"

typedef struct dl_balls {
    const float *X; /* N x n, borrowed */
    int64_t N, n, m;
    int threads;
    double *centers;  /* m x n */
    double *radii;    /* m: half of the samples are inside */
    uint64_t *inside; /* m x words: bit i for sample i */
    int64_t words;
    int64_t *overlaps; /* m x m: samples in both */
    /* Work space. */
    float *square;    /* N: ||x||^2 */
    float *distances; /* threads x 2 x panel x N */
    float *centers32;
    double *forces, *moves;
} dl_balls;

/* Starts with centers that are means of a few random samples. */
dltf_status dl_balls_alloc(dl_balls *balls, const float *X, int64_t N, int64_t n, int64_t m, int64_t seed,
                           int threads);
void dl_balls_free(dl_balls *balls);

/* Radii, `inside` and `overlaps` of the centers. O(N m n + N m^2 / 64). */
bool dl_balls_measure(dl_balls *balls);

/* Over all pairs, of (overlap - N/4) / (N/4): the mean magnitude, and the standard deviation. */
void dl_balls_error(const dl_balls *balls, double *mean, double *deviation);

/* Pairs that overlap too much repel each other, pairs that overlap too little attract each other. */
void dl_balls_move(dl_balls *balls);

#endif
