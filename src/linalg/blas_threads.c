/* Counts the calls that are inside BLAS. Only the first and the last of them take the lock and change the
 * setting of OpenBLAS; concurrent calls in between cost two atomic operations each. */
#include "linalg/blas_threads.h"

#include <cblas.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

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

void dl_blas_begin(void) {
    if (change(1, 0))
        return;
    pthread_mutex_lock(&lock);
    if (atomic_load(&inside) == 0) {
        threads_before = openblas_get_num_threads();
        openblas_set_num_threads(1);
    }
    atomic_fetch_add(&inside, 1);
    pthread_mutex_unlock(&lock);
}

void dl_blas_end(void) {
    if (change(-1, 1))
        return;
    pthread_mutex_lock(&lock);
    if (atomic_fetch_sub(&inside, 1) == 1)
        openblas_set_num_threads(threads_before);
    pthread_mutex_unlock(&lock);
}
