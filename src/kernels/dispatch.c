/* The choice of kernels, made once at first use from the CPU and the environment. */
#include "kernels/level/table.h"

#include "base/status.h"
#include "kernels/check.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A kernel table of this build, and whether this CPU can run it. */
typedef struct level {
    const dl_kernels *kernels;
    bool (*runs_here)(void);
} level;

static bool everywhere(void) {
    return true;
}

#if defined(__x86_64__)
static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("fma");
}

/* Dot products of integers: Cascade Lake, Ice Lake, Zen 4 and later. */
static bool has_avx512vnni(void) {
    return has_avx512() && __builtin_cpu_supports("avx512vnni");
}

/* VPOPCNTDQ and VBMI2: Ice Lake, Zen 4 and later. Levels are cumulative. */
static bool has_avx512popcnt(void) {
    return has_avx512vnni() && __builtin_cpu_supports("avx512vpopcntdq") &&
           __builtin_cpu_supports("avx512vbmi2");
}
#endif

/* Best first. */
static const level levels[] = {
#if defined(__x86_64__)
    {&dl_kernels_avx512popcnt, has_avx512popcnt},
    {&dl_kernels_avx512vnni, has_avx512vnni},
    {&dl_kernels_avx512, has_avx512},
    {&dl_kernels_avx2, has_avx2},
#elif defined(__aarch64__)
    {&dl_kernels_neon, everywhere}, /* part of the architecture */
#endif
    {&dl_kernels_c, everywhere},
};

enum { LEVELS = sizeof levels / sizeof *levels };

const dl_kernels *dl_kernels_level(int index) {
    for (int l = 0; l < LEVELS; l++)
        if (levels[l].runs_here() && index-- == 0)
            return levels[l].kernels;
    return NULL;
}

/* The level that the environment names; NULL if it names none, or one that this build does not have. */
static const level *named(void) {
    const char *wanted = getenv("DLTF_KERNELS");
    for (int l = 0; wanted && l < LEVELS; l++)
        if (strcmp(levels[l].kernels->level, wanted) == 0)
            return &levels[l];
    return NULL;
}

static const dl_kernels *choose(void) {
    const level *wanted = named();
    return wanted && wanted->runs_here() ? wanted->kernels : dl_kernels_level(0);
}

dltf_status dl_kernels_check(void) {
    const char *name = getenv("DLTF_KERNELS");
    const level *wanted = named();
    char list[128] = "";
    if (!name || !*name || (wanted && wanted->runs_here()))
        return DLTF_OK;
    if (wanted)
        return dl_fail(DLTF_ARGUMENT, "DLTF_KERNELS=%s: this CPU does not have the instructions", name);
    for (int l = 0, used = 0; l < LEVELS; l++)
        used += snprintf(list + used, sizeof list - (size_t)used, "%s%s", l > 0 ? ", " : "",
                         levels[l].kernels->level);
    return dl_fail(DLTF_ARGUMENT, "DLTF_KERNELS=%s: unknown level; expected one of %s", name, list);
}

static _Atomic(const dl_kernels *) in_use;

/* Threads that race here choose the same table. */
const dl_kernels *dl_kernels_now(void) {
    const dl_kernels *kernels = atomic_load_explicit(&in_use, memory_order_acquire);
    if (!kernels) {
        kernels = choose();
        atomic_store_explicit(&in_use, kernels, memory_order_release);
    }
    return kernels;
}

void dl_kernels_force(const dl_kernels *kernels) {
    atomic_store_explicit(&in_use, kernels, memory_order_release);
}
