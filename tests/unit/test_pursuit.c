/* The kernels of matching pursuit and of rank-one fits: by definition, and the same bytes on every level. */
#include "test_learning.h"

#include "kernels/kernels.h"

enum { MOST_m = 300, MOST_COUNT = 12 };

/* Whether a ranks above b: by magnitude, NaN above all. */
static bool above(float a, float b) {
    return isnan(a) ? !isnan(b) : fabsf(a) > fabsf(b);
}

static void check_largest(const dl_kernels *kernels, const float *x, int64_t m) {
    int64_t wanted = 0;
    for (int64_t j = 1; j < m; j++)
        wanted = above(x[j], x[wanted]) ? j : wanted;
    int64_t found = kernels->largest(x, m);
    if (found != wanted)
        fail_msg("%s, m = %lld: the largest is at %lld, not %lld", kernels->level, (long long)m,
                 (long long)wanted, (long long)found);
}

static void largest(void **state) {
    (void)state;
    static float x[MOST_m + 1];
    const dl_kernels *kernels;
    for (int l = 0; (kernels = dl_kernels_level(l)); l++)
        for (int64_t m = 1; m <= MOST_m; m += m < 70 ? 1 : 13) {
            fill_normal(x, m + 1);
            check_largest(kernels, x, m);
            check_largest(kernels, x + 1, m); /* misaligned */
            for (int64_t j = 0; j < m; j++)
                x[j] = (float)between(-2, 2); /* ties, zeros of both signs */
            check_largest(kernels, x, m);
            memset(x, 0, sizeof x);
            check_largest(kernels, x, m);
            x[below(m)] = -INFINITY;
            check_largest(kernels, x, m);
            x[below(m)] = NAN;
            check_largest(kernels, x, m);
        }
}

static void pursue(void **state) {
    (void)state;
    static float g[MOST_m], D[(MOST_COUNT + 1) * MOST_m], l[MOST_COUNT], alpha[MOST_m];
    static float first_D[(MOST_COUNT + 1) * MOST_m], first_alpha[MOST_m], start[MOST_m];
    for (int64_t m = 1; m <= MOST_m; m += m < 70 ? 1 : 13) {
        int64_t count = m % (MOST_COUNT + 1);
        const dl_kernels *kernels;
        fill_normal(g, m);
        fill_normal(D, (MOST_COUNT + 1) * m);
        fill_normal(l, MOST_COUNT);
        fill_normal(start, m);
        for (int level = 0; (kernels = dl_kernels_level(level)); level++) {
            memcpy(alpha, start, sizeof alpha);
            kernels->pursue(g, D, count, m, l, 0.5f, 1.5f, alpha);
            for (int64_t j = 0; j < m; j++) {
                double d = (double)g[j];
                for (int64_t t = 0; t < count; t++)
                    d -= (double)l[t] * (double)D[t * m + j];
                assert_near((double)D[count * m + j], d / 2, 1e-5);
                assert_near((double)alpha[j], (double)start[j] - 0.75 * d, 2e-5);
            }
            if (level == 0) {
                memcpy(first_D, D, sizeof D);
                memcpy(first_alpha, alpha, sizeof alpha);
            }
            assert_memory_equal(D, first_D, sizeof D);
            assert_memory_equal(alpha, first_alpha, (size_t)m * sizeof *alpha);
        }
    }
}

enum { ROOM = MOST_COUNT + DL_AHEAD, WIDTH = (MOST_m + 15) / 16 * 16 };

/* Steps one at a time; returns the first after which a score outside the list reaches its bound. */
static int64_t pursue_in_turn(const dl_kernels *kernels, const dl_pursuit *s, float *D, float *alpha) {
    int64_t first = DL_AHEAD;
    for (int64_t r = 0; r < s->rows; r++) {
        kernels->pursue(s->g[r], D, s->count + r, s->m, s->l[r], s->scale[r], s->c[r], alpha);
        for (int64_t j = 0; j < s->m && first == DL_AHEAD; j++)
            first = s->place[j] < 0 && fabsf(alpha[j]) >= s->bound[r] ? r : first;
    }
    return first;
}

/* Steps together: the scores, the rows of D and the first step that fails. */
static void check_ahead(const dl_kernels *kernels, int64_t m, int64_t count, int64_t rows, float bound) {
    static _Alignas(64) float D[ROOM * WIDTH], alpha[WIDTH], after[WIDTH];
    static _Alignas(64) int32_t place[WIDTH];
    static float g[DL_AHEAD * MOST_m], l[DL_AHEAD * ROOM], wanted_D[ROOM * MOST_m], wanted[MOST_m],
        column[ROOM];
    dl_pursuit s = {.m = m, .room = ROOM, .D = D, .alpha = alpha, .after = after, .place = place};
    memset(D, 0, sizeof D);
    fill_normal(g, DL_AHEAD * m);
    fill_normal(l, DL_AHEAD * ROOM);
    fill_normal(wanted, m);
    memcpy(alpha, wanted, (size_t)m * sizeof *alpha);
    for (int64_t j = 0; j < m; j++)
        place[j] = below(3) == 0 ? 0 : -1;
    for (int64_t j = m; j < WIDTH; j++)
        place[j] = 0;
    for (int64_t first = 0; first < count + rows;
         first += s.rows) { /* the rows before, then those to check */
        s.count = first;
        s.rows = first < count ? (count - first < DL_AHEAD ? count - first : DL_AHEAD) : rows;
        for (int64_t r = 0; r < DL_AHEAD; r++) {
            s.g[r] = g + r * m;
            s.l[r] = l + r * ROOM;
            s.scale[r] = r < s.rows ? 0.25f : 0;
            s.c[r] = r < s.rows ? 0.5f : 0;
            s.bound[r] = r < s.rows ? bound : INFINITY;
        }
        int64_t fails = kernels->pursue_ahead(&s);
        assert_int_equal(fails, pursue_in_turn(kernels, &s, wanted_D, wanted));
        assert_memory_equal(after, wanted, (size_t)m * sizeof *after);
        memcpy(alpha, after, (size_t)m * sizeof *alpha);
    }
    s.count += s.rows;
    s.rows = 0;
    assert_int_equal(kernels->pursue_ahead(&s), DL_AHEAD);
    assert_memory_equal(after, wanted, (size_t)m * (count + rows > 0) * sizeof *after);
    for (int64_t j = 0; j < m && count + rows > 0; j++) {
        kernels->pursued_column(&s, j, column, 1);
        for (int64_t t = 0; t < s.count; t++)
            assert_true(column[t] == wanted_D[t * m + j]);
    }
}

static void pursue_ahead(void **state) {
    (void)state;
    const dl_kernels *kernels;
    for (int level = 0; (kernels = dl_kernels_level(level)); level++)
        for (int64_t m = 1; kernels->pursue_ahead && m <= MOST_m; m += m < 70 ? 1 : 13)
            for (int64_t rows = 0; rows <= DL_AHEAD; rows++)
                check_ahead(kernels, m, (m + rows) % (MOST_COUNT + 1), rows, (float)below(2) * 3 + 2.5f);
}

static void project_rows(void **state) {
    (void)state;
    enum { ROWS = 9, PICKED = 6 };
    static float R[ROWS * MOST_m], z[PICKED], first_z[PICKED];
    static double w[MOST_m], v[MOST_m], first_v[MOST_m];
    const int32_t row[PICKED] = {7, 0, 3, 3, 8, 1};
    for (int64_t n = 1; n <= MOST_m; n += n < 70 ? 1 : 13) {
        const dl_kernels *kernels;
        fill_normal(R, ROWS * n);
        fill_normal_f64(w, n);
        for (int level = 0; (kernels = dl_kernels_level(level)); level++) {
            double sum[MOST_m], squares = 0;
            for (int64_t d = 0; d < n; d++)
                sum[d] = v[d] = 1;
            double got = kernels->project_rows(R, n, row, PICKED, w, z, v);
            for (int i = 0; i < PICKED; i++) {
                double along = 0, square = 0;
                for (int64_t d = 0; d < n; d++) {
                    along += (double)R[row[i] * n + d] * w[d];
                    square += (double)R[row[i] * n + d] * (double)R[row[i] * n + d];
                }
                assert_near((double)z[i], along, 1e-5);
                assert_near(kernels->square(R + row[i] * n, n), square, 1e-10 * square);
                for (int64_t d = 0; d < n; d++)
                    sum[d] += along * (double)R[row[i] * n + d];
                squares += along * along;
            }
            assert_near(got, squares, 1e-9 * squares);
            assert_all_near(v, sum, n, 1e-9 * (double)n);
            if (level == 0) {
                memcpy(first_z, z, sizeof z);
                memcpy(first_v, v, sizeof v);
            }
            assert_memory_equal(z, first_z, sizeof z);
            assert_memory_equal(v, first_v, (size_t)n * sizeof *v);
        }
    }
}

TESTS_MAIN(cmocka_unit_test(largest), cmocka_unit_test(pursue), cmocka_unit_test(pursue_ahead),
           cmocka_unit_test(project_rows))
