/* Sums of atoms, by the kernels. */
#include "coding/decode.h"

#include "data/codes.h"

dl_code dl_slots_code(const dl_slots *slots, int64_t i) {
    return (dl_code){slots->count[i], slots->index + i * slots->k, slots->value + i * slots->k};
}

dl_code dl_codes_code(const dltf_codes *codes, int64_t i) {
    int64_t first = codes->indptr[i];
    return (dl_code){codes->indptr[i + 1] - first, codes->indices + first, codes->values + first};
}

void dl_decode_scaled(double *x, dl_sign sign, const float *W, const float *scale, int64_t n, dl_code code) {
    for (int64_t e = 0; e < code.count; e++) {
        int32_t j = code.index[e];
        float z = scale ? scale[j] * code.value[e] : code.value[e];
        dl_kernels_now()->add_scaled(x, (float)sign * z, W + j * n, n);
    }
}

void dl_decode(double *x, dl_sign sign, const float *W, int64_t n, dl_code code) {
    for (int64_t e = 0; e < code.count; e++)
        dl_kernels_now()->add_scaled(x, (float)sign * code.value[e], W + code.index[e] * n, n);
}

void dl_decode32(float *x, dl_sign sign, const float *W, int64_t n, dl_code code) {
    for (int64_t e = 0; e < code.count; e++)
        dl_kernels_now()->add_scaled32(x, (float)sign * code.value[e], W + code.index[e] * n, n);
}
