/* max_k with AVX-512. Small k: see avx512/select_small.c. */
#include "kernels/avx512/select_passes.h"
#include "kernels/select_few.h"

int32_t dl_select_row_avx512(const float *scores, int64_t m, int64_t k, bool positive, output out) {
    expectation e = expect(m, k);
    return select_row(scores, m, k, positive, &e, out);
}

void dl_select_avx512(const float *S, int64_t stride, int64_t rows, int64_t m, int64_t k, bool positive,
                      uint32_t *keys, int32_t *count, int32_t *index, float *value) {
    output out = {index, value, rows * k};
    (void)keys;
    if (selects_few(m, k)) {
        dl_select_small_avx512(S, stride, rows, m, k, positive, count, out);
        return;
    }
    select_rows(S, stride, rows, m, k, positive, count, out);
}

int64_t dl_above_avx512(const float *scores, int64_t m, bool positive, uint32_t cut, int32_t base,
                        int32_t *index, float *value) {
    return emit(scores, NULL, m, positive, cut, 0, base, (output){index, value, m});
}
