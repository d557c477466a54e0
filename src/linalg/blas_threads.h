/* BLAS on one thread: OpenBLAS has one number of threads for the whole process, and results must not depend
 * on it. For the files of this folder alone; every function of blas.h does this by itself. */
#ifndef DL_LINALG_BLAS_THREADS_H
#define DL_LINALG_BLAS_THREADS_H

/* Between these two BLAS is single-threaded; the last to end restores what the process had before the first
 * began. They nest, and may be called from any number of threads at once. */
void dl_blas_begin(void);
void dl_blas_end(void);

#endif
