/* Sufficient statistics against loops, in one block and in several, with any number of threads. */
#include "learning/paper/statistics.h"
#include "reference/learning.h"

#include "test_learning.h"

typedef struct sample_block {
    int64_t m, n, k, N;
    float *X, *M;
    dl_slots Z;
    double *dense, *X64, *M64;
} sample_block;

static sample_block new_block(int64_t m, int64_t n, int64_t k, int64_t N, bool admm) {
    sample_block b = {.m = m, .n = n, .k = k, .N = N, .X = new_f32(N * n)};
    fill_normal(b.X, N * n);
    b.X64 = new_wide(b.X, N * n);
    assert_int_equal(dl_slots_alloc(&b.Z, N, k), DLTF_OK);
    b.dense = fill_codes(b.Z, m);
    for (int64_t i = 0; i < N; i++)
        for (int64_t e = b.Z.count[i]; e < k; e++) { /* entries beyond the count must not be read */
            b.Z.index[i * k + e] = (int32_t)(m - 1);
            b.Z.value[i * k + e] = NAN;
        }
    if (admm) {
        b.M = new_f32(N * m);
        fill_normal(b.M, N * m);
        b.M64 = new_wide(b.M, N * m);
    }
    return b;
}

static void free_block(sample_block *b) {
    free(b->X);
    free(b->M);
    free(b->dense);
    free(b->X64);
    free(b->M64);
    dl_slots_free(&b->Z);
}

static dl_statistics new_statistics(const sample_block *b, int threads) {
    dl_statistics s;
    assert_int_equal(dl_statistics_alloc(&s, threads, b->m, b->n, b->N, b->k, b->M), DLTF_OK);
    return s;
}

static void add(dl_statistics *s, const sample_block *b, int64_t first, int64_t rows) {
    dl_statistics_add(s, b->X + first * b->n, dl_slots_from(&b->Z, first, rows),
                      b->M ? b->M + first * b->m : NULL);
}

/* Sums of doubles agree to rounding; F is a product in single precision. */
static void assert_statistics(const dl_statistics *s, const sample_block *b) {
    ref_statistics wanted = ref_statistics_new(b->X64, b->dense, b->M64, b->m, b->n, b->N);
    double size = 1e-12 * (double)b->N, single = 1e-5 * sqrt((double)b->N);
    assert_all_near(s->C, wanted.C, b->m * b->n, size);
    assert_all_near(s->D, wanted.D, b->m * b->m, size);
    for (int64_t j = 0; j < b->m; j++) {
        double use = 0, sum = 0;
        for (int64_t i = 0; i < b->N; i++) {
            use += b->dense[i * b->m + j] != 0;
            sum += b->dense[i * b->m + j];
        }
        assert_true(s->use[j] == use);
        assert_near(s->code_sum[j], sum, size);
    }
    if (b->M) {
        assert_all_near(s->F, wanted.F, b->m * b->n, single);
        assert_all_near(s->H, wanted.H, b->m * b->m, size);
        assert_near(s->M_square, wanted.M_square, 1e-12 * wanted.M_square);
    }
    ref_statistics_free(&wanted);
}

static void draw_shape(int trial, int64_t *m, int64_t *n, int64_t *k, int64_t *N) {
    *m = trial == 0 ? 1 : between(1, 100);
    *n = trial == 1 ? 1 : between(1, 40);
    *k = trial == 2 ? *m : between(1, *m < 8 ? *m : 8);
    *N = trial == 3 ? 1 : between(1, 150);
}

static void against_loops(void **state) {
    (void)state;
    for (int trial = 0; trial < sized(30, 10); trial++) {
        int64_t m, n, k, N;
        draw_shape(trial, &m, &n, &k, &N);
        sample_block b = new_block(m, n, k, N, trial % 2);
        dl_statistics s = new_statistics(&b, 1 + trial % 3);
        dl_statistics_clear(&s);
        add(&s, &b, 0, N);
        assert_statistics(&s, &b);
        dl_statistics_free(&s);
        free_block(&b);
    }
}

static void in_pieces(void **state) {
    (void)state;
    for (int trial = 0; trial < sized(20, 8); trial++) {
        int64_t m, n, k, N;
        draw_shape(trial, &m, &n, &k, &N);
        sample_block b = new_block(m, n, k, N, trial % 2);
        dl_statistics s = new_statistics(&b, 2);
        add(&s, &b, 0, N); /* cleared below */
        dl_statistics_clear(&s);
        for (int64_t first = 0, rows; first < N; first += rows) {
            rows = between(1, N - first);
            add(&s, &b, first, rows);
        }
        assert_statistics(&s, &b);
        dl_statistics_free(&s);
        free_block(&b);
    }
}

static void same_bytes(const double *a, const double *b, int64_t count) {
    assert_memory_equal(a, b, (size_t)count * sizeof *a);
}

static void any_number_of_threads(void **state) {
    (void)state;
    sample_block b = new_block(130, 50, 6, sized(600, 200), true);
    dl_statistics one = new_statistics(&b, 1);
    add(&one, &b, 0, b.N);
    for (int threads = 2; threads <= 3; threads++) {
        dl_statistics s = new_statistics(&b, threads);
        add(&s, &b, 0, b.N);
        same_bytes(s.C, one.C, b.m * b.n);
        same_bytes(s.D, one.D, b.m * b.m);
        same_bytes(s.F, one.F, b.m * b.n);
        same_bytes(s.H, one.H, b.m * b.m);
        same_bytes(s.use, one.use, b.m);
        same_bytes(s.code_sum, one.code_sum, b.m);
        assert_true(s.M_square == one.M_square);
        dl_statistics_free(&s);
    }
    assert_statistics(&one, &b);
    dl_statistics_free(&one);
    free_block(&b);
}

/* Samples without any entry. */
static void empty_codes(void **state) {
    (void)state;
    sample_block b = new_block(7, 5, 3, 20, true);
    memset(b.Z.count, 0, (size_t)b.N * sizeof *b.Z.count);
    memset(b.dense, 0, (size_t)(b.N * b.m) * sizeof *b.dense);
    dl_statistics s = new_statistics(&b, 1);
    add(&s, &b, 0, b.N);
    assert_statistics(&s, &b);
    dl_statistics_free(&s);
    free_block(&b);
}

static dltf_status make_statistics(void) {
    dl_statistics s;
    dltf_status status = dl_statistics_alloc(&s, 2, 9, 5, 20, 3, true);
    dl_statistics_free(&s);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    assert_survives_lack_of_memory(make_statistics(), 4);
}

TESTS_MAIN(cmocka_unit_test(against_loops), cmocka_unit_test(in_pieces),
           cmocka_unit_test(any_number_of_threads), cmocka_unit_test(empty_codes),
           cmocka_unit_test(out_of_memory))
