/* Sufficient statistics of X, Z, Q and Y for the W-step. In the paper's notation, with M = Q + Y/beta:
 * C = X Z^T, D = Z Z^T, F = M X^T, H = M Z^T. C and H are stored transposed: one row per atom. */
#ifndef DL_LEARNING_PAPER_STATISTICS_H
#define DL_LEARNING_PAPER_STATISTICS_H

#include "coding/by_atom.h"

/* Atoms, or columns of X, per task. */
enum { DL_STATISTICS_PANEL = 32 };

/* Sums of a caller at the end of the array. */
enum { DL_STATISTICS_OTHERS = 4 };

typedef struct dl_statistics {
    int64_t m, n;
    double *C;        /* m x n: row j = sum_i z_ij x_i */
    double *D;        /* m x m */
    double *use;      /* m: number of codes that contain the atom */
    double *code_sum; /* m: sum_i z_ij */
    double *F;        /* m x n, ADMM only */
    double *H;        /* m x m: row j = sum_i z_ij m_i, ADMM only */
    double M_square;  /* ||M||^2, ADMM only */
    double *sums;     /* all of these in one array, with room for others at the end */
    int64_t sum_count;
    dl_by_atom by_atom; /* the entries of a block */
    float *panel;       /* work space for F, one panel per thread */
    int threads;
} dl_statistics;

/* For blocks of up to `rows` samples with k entries each; `admm` adds F and H. */
dltf_status dl_statistics_alloc(dl_statistics *s, int threads, int64_t m, int64_t n, int64_t rows, int64_t k,
                                bool admm);
void dl_statistics_free(dl_statistics *s);
void dl_statistics_clear(dl_statistics *s);

/* Adds a block of samples X (Z.rows x n) with codes Z and, for ADMM, M (Z.rows x m; otherwise NULL). Parallel
 * over atoms, so that every sum is computed by one thread in a fixed order. O(rows (k n + k^2)), with M
 * O(rows m n) more. */
void dl_statistics_add(dl_statistics *s, const float *X, dl_slots Z, const float *M);

/* A += X X^T (paper's notation) for a block of samples; A is n x n, `panel` holds DL_STATISTICS_PANEL x n
 * floats per thread. */
void dl_moment_add(int threads, const float *X, int64_t rows, int64_t n, float *panel, double *A);

#endif
