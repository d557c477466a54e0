/* delta_s = max over supports T of s atoms of ||W_T^T W_T - I||: the restricted isometry constant of the
 * paper's Theorem 2. Computing it is NP-hard in general (Tillmann & Pfetsch 2014), so it is bounded by the
 * coherence and by Gershgorin's discs, whose radii are the Babel function; small cases are enumerated. */
#include "theory/isometry.h"

#include "base/memory.h"
#include "kernels/gram.h"
#include "linalg/blas.h"

#include <float.h>
#include <math.h>

static const double MAX_WORK = 5e7; /* supports x order^3: less than a second */

/* m choose s; infinite on overflow. */
static double subsets(int64_t m, int64_t s) {
    double count = 1;
    for (int64_t i = 1; i <= s; i++)
        count *= (double)(m - s + i) / (double)i;
    return count;
}

/* The next s-subset of 0 .. m-1 in lexicographic order; false after the last. */
static bool next_subset(int64_t *T, int64_t s, int64_t m) {
    int64_t i = s - 1;
    while (i >= 0 && T[i] == m - s + i)
        i--;
    if (i < 0)
        return false;
    T[i]++;
    for (int64_t j = i + 1; j < s; j++)
        T[j] = T[j - 1] + 1;
    return true;
}

/* Computed eigenvalues have an error of at most a few s units of rounding of the largest one, which is at
 * most s for unit-norm atoms, and products of at most slack each. */
static dltf_status enumerate(const dl_gains *g, dltf_isometry *isometry) {
    dltf_status status = DLTF_OK;
    int64_t s = isometry->order;
    double *G = NULL, *A = NULL, *values = NULL;
    int64_t *T = NULL;
    DL_TRY(dl_blas_ready(1));
    DL_TRY_NEW(G, g->m * g->m);
    DL_TRY_NEW(A, s * s);
    DL_TRY_NEW(values, 4 * s);
    DL_TRY_NEW(T, s);
    double most = 0, size = (double)s;
    for (int64_t i = 0; i < g->m; i++)
        dl_gram_row(g->W + i * g->n, g->W, g->m, g->n, G + i * g->m);
    for (int64_t i = 0; i < s; i++)
        T[i] = i;
    do {
        for (int64_t i = 0; i < s; i++)
            for (int64_t j = 0; j < s; j++)
                A[i * s + j] = G[T[i] * g->m + T[j]];
        isometry->exact = dl_symmetric_eigenvalues(A, s, values, values + s);
        most = fmax(most, fmax(values[s - 1] - 1, 1 - values[0]));
    } while (isometry->exact && next_subset(T, s, g->m));
    if (isometry->exact)
        isometry->delta = most + size * (g->slack + 8 * size * DBL_EPSILON);
done:
    dl_free(G);
    dl_free(A);
    dl_free(values);
    dl_free(T);
    return status;
}

dltf_status dl_isometry(const dl_gains *tied, int64_t order, dltf_isometry *isometry) {
    double diagonal = 0, s = (double)order;
    for (int64_t i = 0; i < tied->m; i++)
        diagonal = fmax(diagonal, fabs(tied->d[i] - 1) + tied->slack);
    *isometry = (dltf_isometry){.order = order};
    isometry->by_coherence = diagonal + (s - 1) * dl_gains_babel(tied, 1);
    isometry->by_babel = diagonal + dl_gains_babel(tied, order - 1);
    isometry->delta = isometry->by_babel;
    isometry->exact = subsets(tied->m, order) * s * s * s <= MAX_WORK;
    return isometry->exact ? enumerate(tied, isometry) : DLTF_OK;
}
