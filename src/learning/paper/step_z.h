/* The Z-step of the model. */
#ifndef DL_LEARNING_PAPER_STEP_Z_H
#define DL_LEARNING_PAPER_STEP_Z_H

#include "coding/feature.h"

/* Parameters shared by all tiles of an iteration. */
typedef struct dl_z_problem {
    int64_t m, k;
    bool positive;             /* codes are nonnegative */
    const dl_packed *W;        /* for the products W^T X */
    const float *G;            /* W^T W, m x m */
    const dl_packed *G_packed; /* the same, for products; only with beta */
    double theta, beta;
    double step; /* s / L with L = theta sigma + beta sigma^2, sigma the largest eigenvalue of G */
} dl_z_problem;

/* Work space of one thread for a tile of DL_TILE samples. */
typedef struct dl_z_space {
    uint32_t *keys; /* m */
    float *B;       /* W^T X; all four DL_TILE x m */
    float *P;       /* GZ - W^T X */
    float *R, *U;
    double *before;       /* DL_TILE: objective of the initial codes */
    int32_t *picked;      /* m */
    float *b, *z, *pivot; /* least squares: right-hand sides and values, DL_TILE x k; DL_TILE */
    float *supports;      /* dl_solve_supports_work(k); NULL if that is too large */
    double *normal;       /* k x k normal equations and right-hand side, where f32 is not enough */
    dl_slots start;       /* initial codes */
} dl_z_space;

dltf_status dl_z_space_alloc(dl_z_space *space, int64_t m, int64_t k);
void dl_z_space_free(dl_z_space *space);
/* Bytes of its part for least squares, which grows with the square of k. */
double dl_z_space_least_squares(int64_t m, int64_t k);

/* The step length for the largest eigenvalue sigma of G: over-relaxed for beta = 0, safe otherwise. */
double dl_z_step_length(double sigma, double theta, double beta);

/* Z-subproblem (eq. 5 of the paper), for every sample of a tile, with M = Q + Y/beta:
 *   min_z  theta/2 ||x - Wz||^2 + beta/2 ||Gz - W^T x + m||^2   s.t. ||z||_0 <= k
 * Five iterative hard-thresholding steps from z = max_k(W^T x), for beta = 0 followed by least squares on the
 * support; a sample whose objective increased keeps its initial code. Needs W^T X in space->B. Overwrites Z
 * and the rest of the work space. M is NULL for beta = 0; with M, space->P is GZ - W^T X of the result.
 * O(rows (k m + k^3)), with M O(rows m^2) more. */
void dl_z_step(const dl_z_problem *problem, const float *M, int64_t rows, dl_z_space *space, dl_slots Z);

/* P = scale (GZ - W^T X) for given codes and B = W^T X. */
void dl_z_gap(const dl_z_problem *problem, const float *B, dl_slots Z, int64_t rows, float scale, float *P);

/* The objective above for one sample without the constant theta/2 ||x||^2; p, b: its rows of P and B. */
double dl_z_objective(const dl_z_problem *problem, const float *p, const float *b, const float *m_row,
                      const int32_t *index, const float *value, int64_t count);

#endif
