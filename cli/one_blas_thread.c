/* OpenBLAS starts its threads before main, each of which maps a buffer of 128 MiB, again and again if there
 * is no memory for it, and ends the process if a thread cannot be created. The library computes with one
 * thread per call and needs none of them. This function replaces OpenBLAS's own, which reads
 * OPENBLAS_NUM_THREADS. Weak, for a static OpenBLAS, which then keeps its own. */
int openblas_num_threads_env(void);

__attribute__((weak, visibility("default"))) int openblas_num_threads_env(void) {
    return 1;
}
