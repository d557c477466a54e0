/* The dual encoder of a dictionary. */
#ifndef DL_CODING_DUAL_H
#define DL_CODING_DUAL_H

#include "base/status.h"

/* E = (W W^T + r I)^{-1} W, rows scaled so that <e_j, w_j> = 1; `factor` is work space of min(m,n)^2. */
void dl_dual_encoder(int threads, const double *W, int64_t m, int64_t n, double r, double *factor, double *E);

/* The same in single precision for m > n, with n^2 instead of m n numbers in double: products are those of
 * the feature, and W W^T is estimated from the first atoms, dl_dual_atoms of them. In three steps, for ranks
 * to divide: rows of the product B (n x n) of these atoms, from a multiple of DL_DUAL_ROWS on; its inverse
 * with the ridge; rows of the encoder from those of the dictionary. */
enum { DL_DUAL_ROWS = 64 };
int64_t dl_dual_atoms(int64_t m, int64_t n);
dltf_status dl_dual_product(int threads, const double *W, int64_t m, int64_t n, int64_t first, int64_t rows,
                            double *B);
dltf_status dl_dual_invert(int threads, const double *B, int64_t m, int64_t n, double r, double *inverse);
dltf_status dl_dual_encoder32(int threads, const double *inverse, const float *W, int64_t rows, int64_t n,
                              float *E);

#endif
