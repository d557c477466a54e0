/* Which method is faster? The rule is documented in docs/search.md. */
#include "search/cost.h"

#include "base/parallel.h"

#include <math.h>

double dl_cost_flat(const dltf_index *index) {
    return (double)index->rows * (double)dl_tiles(index->width, 8);
}

double dl_cost_build(const dltf_index *index) {
    return (double)index->rows * (double)index->tables * DL_COST_BUILD;
}

double dl_cost_keys(int64_t n, int64_t s) {
    double keys = s <= n ? 1 : 0;
    for (int64_t i = 0; i < s && i < n; i++)
        keys *= (double)(n - i) / (double)(i + 1);
    return keys;
}

/* The radius within which a query has k of the rows, if codes are uniformly distributed. */
static int64_t expected_radius(const dltf_index *index, int64_t k) {
    int64_t bits = 8 * index->width;
    double expected = 0;
    for (int64_t r = 0; r < bits; r++) {
        expected += dl_cost_keys(bits, r) * ldexp((double)index->rows, (int)-bits);
        if (expected >= (double)k)
            return r;
    }
    return bits;
}

double dl_cost_multi_index(const dltf_index *index, int64_t k, int64_t radius) {
    double cost = 0;
    int64_t last = k > 0 ? expected_radius(index, k) : radius;
    for (int64_t step = 0; step <= last; step++) {
        int64_t bits = index->table[step % index->tables].bits;
        double rows = ldexp((double)index->rows, (int)-bits);
        cost += dl_cost_keys(bits, step / index->tables) * (DL_COST_BUCKET + DL_COST_ROW * rows);
    }
    return cost;
}
