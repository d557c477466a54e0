/* Run-time choice of instruction sets: a function marked DL_KERNEL is compiled for AVX-512, AVX2 and the
 * baseline, and the CPU decides at load time. Sanitizer builds and other CPUs have the baseline alone. */
#ifndef DL_KERNELS_DISPATCH_H
#define DL_KERNELS_DISPATCH_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&     \
    !defined(__SANITIZE_THREAD__)
#define DL_KERNEL __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define DL_KERNEL_CLONES 1
#else
#define DL_KERNEL
#define DL_KERNEL_CLONES 0
#endif

/* "avx512", "avx2" or "c": the level that this CPU runs. */
const char *dl_kernel_level(void);

#endif
