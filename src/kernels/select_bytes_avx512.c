/* max_k with AVX-512 where bytes can be compressed. */
#include "kernels/select_bytes_avx512.h"

void dl_select_avx512popcnt(const float *S, int64_t stride, int64_t rows, int64_t m, int64_t k, bool positive,
                            uint32_t *keys, int32_t *count, int32_t *index, float *value) {
    if (selects_few(m, k))
        select_small(S, stride, rows, m, k, positive, count, (output){index, value, rows * k});
    else
        dl_select_avx512(S, stride, rows, m, k, positive, keys, count, index, value);
}

void dl_kth_of_group(const __m512i keys[GROUP], int64_t k, int32_t kth[GROUP]) {
    __m512i v[GROUP];
    for (int r = 0; r < GROUP; r++)
        v[r] = keys[r];
    kth_of_rows(v, k, kth);
}

void dl_cuts_of_group(const candidate_list list[GROUP], int64_t k, bool positive, int32_t cut[GROUP]) {
    cuts_of_lists(list, k, positive, cut);
}
