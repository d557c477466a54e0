/* Packed score matrices. */
#ifndef DL_KERNELS_PACKED_H
#define DL_KERNELS_PACKED_H

#include "base/status.h"
#include "kernels/kernels.h"

dltf_status dl_packed_alloc(dl_packed *packed, int64_t m, int64_t n);
void dl_packed_free(dl_packed *packed);
/* Fills with E (m x n rows) and bias (m, or NULL for none). */
void dl_packed_fill(dl_packed *packed, const float *E, const float *bias);
/* The same for the rows of one panel; and for their biases only. */
void dl_packed_fill_panel(dl_packed *packed, int64_t panel, const float *E, const float *bias);
void dl_packed_fill_bias(dl_packed *packed, int64_t panel, const float *bias);
/* `atoms` of it from a panel on, without a copy. */
dl_packed dl_packed_range(const dl_packed *packed, int64_t panel, int64_t atoms);
/* Fills with a matrix in double, rounded, without bias. */
void dl_packed_fill_f64(dl_packed *packed, const double *E);

#endif
