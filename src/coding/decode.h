/* From codes back to samples: sums of atoms. */
#ifndef DL_CODING_DECODE_H
#define DL_CODING_DECODE_H

#include "coding/feature.h"

/* The entries of one code: a view. */
typedef struct dl_code {
    int64_t count;
    const int32_t *index;
    const float *value;
} dl_code;

dl_code dl_slots_code(const dl_slots *slots, int64_t i);
dl_code dl_codes_code(const dltf_codes *codes, int64_t i);

typedef enum dl_sign { DL_SUBTRACT = -1, DL_ADD = 1 } dl_sign;

/* x += Wz or x -= Wz for a dictionary of atoms of n floats, in double or in single precision; entry by entry,
 * O(count n). With `scale`, unless it is NULL, entry z_j counts as scale_j z_j. */
void dl_decode_scaled(double *x, dl_sign sign, const float *W, const float *scale, int64_t n, dl_code code);
void dl_decode(double *x, dl_sign sign, const float *W, int64_t n, dl_code code);
void dl_decode32(float *x, dl_sign sign, const float *W, int64_t n, dl_code code);

#endif
