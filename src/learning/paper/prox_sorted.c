/* The proximal mapping of the squared (k,2) norm as the paper states it: Algorithm 1, sort and pool.
 *
 * The learner uses prox.c, which solves the same problem without a sort. This one is kept because it is the
 * paper's contribution, and as an independent check in tests and benchmarks. */
#include "base/memory.h"
#include "dltf/learn.h"
#include "learning/paper/prox.h"

#include <math.h>
#include <stdlib.h>

typedef struct entry {
    double magnitude;
    int64_t place;
} entry;

/* Consecutive entries in the order of magnitude that share one value of q. */
typedef struct block {
    double sum;    /* of t_j u_j, which is c_j for every j: u_j = c_j/t_j */
    double weight; /* of t_j: 1 for small entries, 1 + gamma for the k largest */
    int64_t count;
} block;

static int compare(const void *left, const void *right) {
    double a = ((const entry *)left)->magnitude, b = ((const entry *)right)->magnitude;
    return (a > b) - (a < b);
}

static double value(block b) {
    return b.sum / b.weight;
}

/* min sum_j t_j (x_j - u_j)^2 subject to x_1 <= ... <= x_m (paper eq. (orderobj), "Reduce"): neighbours out
 * of order get their weighted mean. `sorted` ascends; `stack` has room for m blocks and receives the
 * solution; returns the number of blocks. O(m): each merge removes a block. */
static int64_t reduce(const entry *sorted, int64_t m, int64_t k, double gamma, block *stack) {
    int64_t blocks = 0;
    for (int64_t j = 0; j < m; j++) {
        block last = {sorted[j].magnitude, j < m - k ? 1 : 1 + gamma, 1};
        while (blocks > 0 && value(stack[blocks - 1]) > value(last)) {
            block before = stack[--blocks];
            last.sum += before.sum;
            last.weight += before.weight;
            last.count += before.count;
        }
        stack[blocks++] = last;
    }
    return blocks;
}

/* Minimises gamma ||q||^2_{k,2} + ||q - c||^2 over q by the paper's Algorithm 1, for c of any sign and order,
 * O(m log m). q, of m entries like c, may be c.
 *
 * The order of magnitudes in q is that in c (Lemma "order"), so sorting leaves a weighted isotonic
 * regression. The algorithm as printed needs four corrections: the loop must stop at j < J, since it reads
 * u_{j+1}; u_{1:m-k} means u_{1:m-k'}; the 1/(lambda+1) of the appendix is 1/(1+gamma); and rebuilding u'
 * and t' at each merge costs O(m^2), a stack O(m). */
dltf_status dltf_prox_sorted(const float *c, int64_t m, int64_t k, double gamma, float *q) {
    DL_REQUIRE(c, q);
    entry *sorted = NULL;
    block *stack = NULL;
    dltf_status status = dl_prox_check(c, m, k, gamma);
    if (status != DLTF_OK)
        return status;
    DL_TRY_NEW(sorted, m);
    DL_TRY_NEW(stack, m);
    for (int64_t i = 0; i < m; i++)
        sorted[i] = (entry){fabs((double)c[i]), i};
    qsort(sorted, (size_t)m, sizeof *sorted, compare);
    int64_t blocks = reduce(sorted, m, k, gamma, stack), j = 0;
    for (int64_t b = 0; b < blocks; b++)
        for (int64_t last = j + stack[b].count; j < last; j++) {
            int64_t i = sorted[j].place;
            q[i] = copysignf((float)value(stack[b]), c[i]);
        }
done:
    dl_free(sorted);
    dl_free(stack);
    return status;
}
