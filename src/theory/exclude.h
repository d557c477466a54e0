/* The a-posteriori certificate: excludes all supports but one. */
#ifndef DL_THEORY_EXCLUDE_H
#define DL_THEORY_EXCLUDE_H

#include "theory/gains.h"

/* The assumption: x = Wz + e, z has exactly k entries of size `amplitude`, positive unless `signs`, and
 * ||e|| <= noise. */
typedef struct dl_exclusion {
    const dl_gains *gains; /* for its atoms */
    int64_t k;
    double amplitude, noise;
    bool signs;
} dl_exclusion;

/* Work space of one thread. */
typedef struct dl_exclude_space {
    double *v;                 /* n: the point of the hull */
    double *vertices, *weight; /* v = sum of weight x vertex over `active` rows of n */
    int64_t active;
    double *scores, *ranks; /* m: W^T v, and the ranks that supports are chosen by */
    bool *in_S;             /* m */
    int32_t *T;             /* k */
} dl_exclude_space;

dltf_status dl_exclude_space_alloc(dl_exclude_space *space, int64_t m, int64_t n, int64_t k);
void dl_exclude_space_free(dl_exclude_space *space);

/* Whether all supports of k atoms other than S (k indices) are proven impossible for x (n doubles). */
bool dl_exclude(const dl_exclusion *p, const double *x, const int32_t *S, dl_exclude_space *space);

/* Whether x is within the noise of Wz for the flat code z on S with the signs of `values`; without `signs`
 * all are positive. */
bool dl_fits(const dl_exclusion *p, const double *x, const int32_t *S, const float *values,
             dl_exclude_space *space);

#endif
