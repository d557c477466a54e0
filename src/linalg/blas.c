/* Products in f32, for use inside tasks: each call runs on the calling thread. */
#include "linalg/blas.h"

#include "linalg/blas_threads.h"

#include <cblas.h>

const char *dl_blas_name(void) {
    return openblas_get_config();
}

void dl_gemm32(dl_transpose ta, dl_transpose tb, int64_t rows, int64_t cols, int64_t inner, const float *A,
               int64_t lda, const float *B, int64_t ldb, float *C, int64_t ldc) {
    dl_blas_enter();
    cblas_sgemm(CblasRowMajor, ta == DL_TRANSPOSED ? CblasTrans : CblasNoTrans,
                tb == DL_TRANSPOSED ? CblasTrans : CblasNoTrans, (int)rows, (int)cols, (int)inner, 1, A,
                (int)lda, B, (int)ldb, 0, C, (int)ldc);
    dl_blas_leave();
}

void dl_accumulate_tn(const float *A, int64_t lda, const float *B, int64_t samples, int64_t cols, int64_t n,
                      float *scratch, double *sum) {
    dl_blas_enter();
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)cols, (int)n, (int)samples, 1, A, (int)lda, B,
                (int)n, 0, scratch, (int)n);
    dl_blas_leave();
    for (int64_t i = 0; i < cols * n; i++)
        sum[i] += (double)scratch[i];
}
