/* What OpenBLAS shares among all threads of the process: its number of threads, and its buffers. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "linalg/blas_threads.h"

#include "base/status.h"
#include "linalg/blas.h"

#include <cblas.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>

/* ---- The number of threads ---- */

/* Counts the calls that are inside BLAS. Only the first and the last of them take the lock and change the
 * setting of OpenBLAS; concurrent calls in between cost two atomic operations each. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int inside;  /* leaves and reaches 0 under the lock only */
static int threads_before; /* of the process; guarded by the lock */

/* Adds `by` to the count and returns true, unless the count is at or below `bound`. */
static bool change(int by, int bound) {
    int now = atomic_load(&inside);
    while (now > bound)
        if (atomic_compare_exchange_weak(&inside, &now, now + by))
            return true;
    return false;
}

/* Setting what is set already would start OpenBLAS's threads again in a child. */
static void set_threads(int count) {
    if (openblas_get_num_threads() != count)
        openblas_set_num_threads(count);
}

static void watch_forks(void);

void dl_blas_begin(void) {
    static pthread_once_t watching = PTHREAD_ONCE_INIT;
    if (change(1, 0))
        return;
    pthread_once(&watching, watch_forks);
    pthread_mutex_lock(&lock);
    if (atomic_load(&inside) == 0) {
        threads_before = openblas_get_num_threads();
        set_threads(1);
    }
    atomic_fetch_add(&inside, 1);
    pthread_mutex_unlock(&lock);
}

void dl_blas_end(void) {
    if (change(-1, 1))
        return;
    pthread_mutex_lock(&lock);
    if (atomic_fetch_sub(&inside, 1) == 1)
        set_threads(threads_before);
    pthread_mutex_unlock(&lock);
}

/* ---- Buffers ---- */

/* OpenBLAS maps a buffer for every call that runs at the same time, keeps it for later calls, and tries for
 * ever if the system refuses. So a call may enter only if a buffer is left from an earlier one, or if a trial
 * shows that there is memory for another. */
enum {
    BUFFER = 130 << 20, /* 128 MiB on x86-64, less elsewhere, and a small margin */
    MOST = 64           /* buffers that are mapped in advance */
};

static pthread_mutex_t buffer_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t buffer_free = PTHREAD_COND_INITIALIZER;
static atomic_int using;   /* buffers in use */
static atomic_int buffers; /* that exist or can be made; grows under the lock only */
static atomic_int waiting;

/* Whether there is memory for another buffer. Beyond the first, as much again must remain for everything
 * else. */
static bool has_memory(int before) {
    size_t size = (size_t)BUFFER * (before > 0 ? 2 : 1);
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    munmap(memory, size);
    return true;
}

static bool take_buffer(void) {
    int now = atomic_load(&using);
    while (now < atomic_load(&buffers))
        if (atomic_compare_exchange_weak(&using, &now, now + 1))
            return true;
    return false;
}

/* Another buffer, made or awaited. Without any, dl_blas_ready was not asked or failed, and waiting would be
 * in vain. */
static void find_buffer(void) {
    pthread_mutex_lock(&buffer_lock);
    atomic_fetch_add(&waiting, 1);
    while (!take_buffer())
        if (atomic_load(&buffers) == 0 || has_memory(1))
            atomic_fetch_add(&buffers, 1);
        else
            pthread_cond_wait(&buffer_free, &buffer_lock);
    atomic_fetch_sub(&waiting, 1);
    pthread_mutex_unlock(&buffer_lock);
}

void dl_blas_enter(void) {
    if (!take_buffer())
        find_buffer();
    dl_blas_begin();
}

void dl_blas_leave(void) {
    dl_blas_end();
    atomic_fetch_sub(&using, 1);
    if (atomic_load(&waiting) > 0) {
        pthread_mutex_lock(&buffer_lock);
        pthread_cond_signal(&buffer_free);
        pthread_mutex_unlock(&buffer_lock);
    }
}

/* OpenBLAS's own functions, not part of its interface; NULL in a build that hides them. */
extern void *blas_memory_alloc(int position) __attribute__((weak));
extern void blas_memory_free(void *buffer) __attribute__((weak));

/* Makes OpenBLAS map up to `count` buffers now, before other memory is allocated. Returns how many there are;
 * there were `before`. */
static int map_buffers(int before, int count) {
    void *mapped[MOST] = {NULL};
    int made = 0;
    while (made < count && (made < before || has_memory(made))) {
        if (blas_memory_alloc)
            mapped[made] = blas_memory_alloc(0);
        made++;
    }
    for (int i = 0; i < made && blas_memory_free; i++)
        blas_memory_free(mapped[i]);
    return made;
}

dltf_status dl_blas_ready(int threads) {
    int count = threads < MOST ? threads : MOST;
    if (atomic_load(&buffers) >= count)
        return DLTF_OK;
    pthread_mutex_lock(&buffer_lock);
    /* Between calls only: a buffer in use would be mapped a second time. */
    if (atomic_load(&using) == 0 && atomic_load(&buffers) < count)
        atomic_store(&buffers, map_buffers(atomic_load(&buffers), count));
    bool any = atomic_load(&buffers) > 0;
    pthread_mutex_unlock(&buffer_lock);
    return any ? DLTF_OK
               : dl_fail(DLTF_MEMORY, "not enough memory for linear algebra: OpenBLAS needs %d MB",
                         BUFFER >> 20);
}

/* ---- Children ---- */

/* In a child, the threads that were inside BLAS do not exist and will not leave. */
static void reset_after_fork(void) {
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    buffer_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    buffer_free = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    atomic_store(&inside, 0);
    atomic_store(&using, 0);
    atomic_store(&waiting, 0);
}

static void watch_forks(void) {
    pthread_atfork(NULL, NULL, reset_after_fork);
}
