/* The dual encoder of a dictionary. */
#ifndef DL_CODING_DUAL_H
#define DL_CODING_DUAL_H

#include <stdint.h>

/* E = (W W^T + r I)^{-1} W, rows scaled so that <e_j, w_j> = 1; `factor` is work space of min(m,n)^2. */
void dl_dual_encoder(int threads, const double *W, int64_t m, int64_t n, double r, double *factor, double *E);

#endif
