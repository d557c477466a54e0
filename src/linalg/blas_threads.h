/* Calls of BLAS on one thread: OpenBLAS has one thread count for the whole process, and results must not
 * depend on it. Private to this folder; the functions of blas.h call these themselves. */
#ifndef DL_LINALG_BLAS_THREADS_H
#define DL_LINALG_BLAS_THREADS_H

/* Between these two BLAS is single-threaded; the last end restores the setting from before the first begin.
 * They nest, and may be called from any number of threads at once. */
void dl_blas_begin(void);
void dl_blas_end(void);

/* The same around a single call of BLAS or LAPACK, which needs a buffer. If there is not enough memory for
 * another buffer, waits until another thread leaves: do not nest these. */
void dl_blas_enter(void);
void dl_blas_leave(void);

#endif
