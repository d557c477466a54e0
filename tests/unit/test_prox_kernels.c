/* The passes of the prox at every kernel level: the same bytes as plain C, for columns alone and side by
 * side.
 */
#include "test_util.h"

#include "kernels/kernels.h"
#include "learning/paper/prox.h"

#include <float.h>

enum { MOST_m = 300, MOST_COLUMNS = 3 * DL_COLUMNS + 5 };

static const dl_kernels *plain_level(void) {
    const dl_kernels *kernels, *plain = NULL;
    for (int l = 0; (kernels = dl_kernels_level(l)); l++)
        plain = kernels;
    return plain;
}

enum { NORMAL, TIES, MOSTLY_ZERO, HEAVY_TAILS, LARGEST, SMALLEST, NOT_FINITE, KINDS };

static void fill(float *c, int64_t m, int kind) {
    for (int64_t i = 0; i < m; i++) {
        double z = normal();
        c[i] = (float)(kind == TIES          ? round(2 * z)
                       : kind == MOSTLY_ZERO ? fmax(z, 1.5) - 1.5
                       : kind == HEAVY_TAILS ? z * z * z * z * z
                       : kind == LARGEST     ? copysign((double)FLT_MAX, z) /* sums overflow */
                       : kind == SMALLEST    ? round(2 * z) * (double)FLT_TRUE_MIN
                                             : z);
    }
    if (kind == NOT_FINITE)
        c[below(m)] = below(2) ? NAN : -INFINITY;
}

static void one_column(void **state) {
    (void)state;
    static float c[MOST_m + 1], q[MOST_m], wanted[MOST_m];
    const dl_kernels *kernels, *plain = plain_level();
    for (int l = 0; (kernels = dl_kernels_level(l)) != plain; l++)
        for (int64_t m = 1; m <= MOST_m; m++) {
            fill(c + 1, m, (int)(m % KINDS));
            float low = m % 5 == 0 ? 0 : fabsf((float)normal());
            float high = m % 4 == 0 ? INFINITY : low * 1.5f;
            dl_prox_piece a = kernels->prox_count(c + 1, m, low, high);
            dl_prox_piece b = plain->prox_count(c + 1, m, low, high);
            assert_int_equal(a.full, b.full);
            assert_int_equal(a.middle, b.middle);
            assert_memory_equal(&a.sum, &b.sum, sizeof a.sum);
            kernels->prox_apply(c + 1, m, low, 1 / 1.7, q);
            plain->prox_apply(c + 1, m, low, 1 / 1.7, wanted);
            assert_memory_equal(q, wanted, (size_t)m * sizeof *q);
            memset(q, 0, sizeof q);
            a = kernels->prox_try(c + 1, m, low, high, low, 1 / 1.7, q);
            assert_memory_equal(&a, &b, sizeof a);
            assert_memory_equal(q, wanted, (size_t)m * sizeof *q);
        }
}

/* Columns side by side have the bytes of prox_count, whatever is next to them. */
static void counts_side_by_side(void **state) {
    (void)state;
    static float C[DL_COLUMNS * MOST_m], T[DL_COLUMNS * MOST_m + 1];
    const dl_kernels *kernels;
    for (int l = 0; (kernels = dl_kernels_level(l)); l++)
        for (int64_t m = 1; m <= MOST_m; m++) {
            int64_t count = 1 + m % DL_COLUMNS;
            float low[DL_COLUMNS] = {0}, high[DL_COLUMNS] = {0};
            dl_prox_pieces pieces;
            for (int64_t i = 0; i < count; i++) {
                fill(C + i * m, m, (int)((m + i) % KINDS));
                low[i] = i % 5 == 0 ? 0 : fabsf((float)normal());
                high[i] = i % 4 == 0 ? INFINITY : low[i] * 1.5f + 0.1f;
            }
            T[DL_COLUMNS * m] = -7;
            kernels->prox_transpose(C, m, count, T);
            kernels->prox_count_columns(T, m, low, high, &pieces);
            assert_true(T[DL_COLUMNS * m] == -7);
            for (int64_t i = 0; i < count; i++) {
                dl_prox_piece one = kernels->prox_count(C + i * m, m, low[i], high[i]);
                assert_true(pieces.full[i] == (double)one.full && pieces.middle[i] == (double)one.middle);
                assert_memory_equal(&pieces.sum[i], &one.sum, sizeof one.sum);
            }
        }
}

/* The result does not depend on the level. */
static void roots(void **state) {
    (void)state;
    static float C[MOST_COLUMNS * MOST_m], Q[MOST_COLUMNS * MOST_m], wanted[MOST_COLUMNS * MOST_m];
    const dl_kernels *kernels, *plain = plain_level();
    for (int trial = 0; trial < 100; trial++) {
        int64_t m = 1 + below(MOST_m), k = 1 + below(m), count = 1 + below(MOST_COLUMNS);
        double gamma = pow(10, 4 * normal()), v[MOST_COLUMNS] = {0}, w[MOST_COLUMNS] = {0};
        for (int64_t i = 0; i < count; i++)
            fill(C + i * m, m, (int)below(KINDS));
        dl_kernels_force(plain);
        dl_prox_columns(C, m, k, gamma, count, wanted, w);
        for (int l = 0; (kernels = dl_kernels_level(l)) != plain; l++) {
            v[0] = 0;
            dl_kernels_force(kernels);
            dl_prox_columns(C, m, k, gamma, count, Q, v);
            assert_memory_equal(v, w, (size_t)count * sizeof *v);
            assert_memory_equal(Q, wanted, (size_t)(count * m) * sizeof *Q);
        }
    }
    dl_kernels_force(NULL);
}

TESTS_MAIN(cmocka_unit_test(one_column), cmocka_unit_test(counts_side_by_side), cmocka_unit_test(roots))
