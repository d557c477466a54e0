/* Batch-OMP with steps made several at a time: the same bytes as with one at a time, where the CPU
 * has AVX-512. */
#include "test_learning.h"

#include "coding/coders/omp_ahead.h"
#include "kernels/packed.h"

enum { ROWS = 24 };

typedef struct problem {
    int64_t m, n, k;
    double *W;
    float *X; /* ROWS x n */
    double error;
} problem;

static void run(const problem *p, const float *G, const dl_packed *W, bool ahead, dl_slots codes) {
    dl_omp omp = {W, G, p->k, p->error};
    dl_omp_space space;
    assert_int_equal(dl_omp_space_alloc(&space, p->m, p->k), DLTF_OK);
    assert_true(space.looks_ahead == (dl_kernels_now()->pursue_ahead != NULL));
    space.looks_ahead = space.looks_ahead && ahead;
    memset(codes.index, 0, (size_t)(ROWS * p->k) * sizeof *codes.index);
    memset(codes.value, 0, (size_t)(ROWS * p->k) * sizeof *codes.value);
    for (int64_t i = 0; i < ROWS; i++) {
        space.ahead.rest = 0;
        dl_omp_tile(&omp, p->X + i * p->n, p->n, 1, &space, dl_slots_from(&codes, i, 1));
    }
    dl_omp_space_free(&space);
}

/* Returns the number of entries of all codes. */
static int64_t check(const problem *p) {
    double *gram = new_gram(p->W, p->m, p->n);
    float *G = new_narrow(gram, p->m * p->m);
    dl_packed W;
    dl_slots one, several;
    int64_t entries = 0;
    assert_int_equal(dl_packed_alloc(&W, p->m, p->n), DLTF_OK);
    dl_packed_fill_f64(&W, p->W);
    assert_int_equal(dl_slots_alloc(&one, ROWS, p->k), DLTF_OK);
    assert_int_equal(dl_slots_alloc(&several, ROWS, p->k), DLTF_OK);
    const dl_kernels *kernels;
    for (int level = 0; (kernels = dl_kernels_level(level)); level++) {
        dl_kernels_force(kernels);
        run(p, G, &W, false, one);
        run(p, G, &W, true, several);
        assert_memory_equal(one.count, several.count, ROWS * sizeof *one.count);
        assert_memory_equal(one.index, several.index, (size_t)(ROWS * p->k) * sizeof *one.index);
        assert_memory_equal(one.value, several.value, (size_t)(ROWS * p->k) * sizeof *one.value);
    }
    dl_kernels_force(NULL);
    for (int64_t i = 0; i < ROWS; i++)
        entries += one.count[i];
    dl_slots_free(&one);
    dl_slots_free(&several);
    dl_packed_free(&W);
    free(G);
    free(gram);
    return entries;
}

static problem new_problem(int64_t m, int64_t n, int64_t k) {
    problem p = {.m = m, .n = n, .k = k, .W = new_dictionary(m, n), .X = new_f32(ROWS * n)};
    fill_normal(p.X, ROWS * n);
    return p;
}

static void free_problem(problem *p) {
    free(p->W);
    free(p->X);
}

static void random_atoms(void **state) {
    (void)state;
    const int64_t sizes[][3] = {/* short and long lists, panels with and without a remainder */
                                {256, 140, 112}, {257, 140, 111}, {351, 110, 81}, {240, 150, 131},
                                {337, 150, 131}, {700, 80, 40},   {528, 100, 55}, {513, 120, 90}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        problem p = new_problem(sizes[s][0], sizes[s][1], sizes[s][2]);
        assert_int_equal(check(&p), ROWS * p.k);
        p.error = 0.2 * (double)p.n; /* ends within eight steps */
        assert_true(check(&p) < ROWS * p.k);
        free_problem(&p);
    }
}

/* The last pass makes any number of rows, or none. */
static void every_end(void **state) {
    (void)state;
    for (int64_t k = 32; k <= 41; k++) {
        problem p = new_problem(753, 48, k);
        assert_int_equal(check(&p), ROWS * p.k);
        free_problem(&p);
    }
}

/* Atoms near each other, and the same one several times: ties, dependent atoms, changes of the order. */
static void check_coherent(int64_t m) {
    problem p = new_problem(m, 90, 85);
    for (int64_t j = 1; j < p.m; j++)
        for (int64_t i = 0; i < p.n; i++)
            p.W[j * p.n + i] = j % 3 == 0 ? p.W[(j - 1) * p.n + i] : p.W[j * p.n + i] + p.W[i] / 2;
    unit_rows(p.W, p.m, p.n);
    assert_true(check(&p) > 0);
    free_problem(&p);
}

static void coherent_atoms(void **state) {
    (void)state;
    check_coherent(360);
    check_coherent(600);
}

/* Samples of few atoms, of none, and out of range; atoms that are orthogonal to them. */
static void special_samples(void **state) {
    (void)state;
    problem p = new_problem(320, 200, 96);
    memset(p.X, 0, (size_t)(ROWS * p.n) * sizeof *p.X);
    for (int64_t j = 0; j < p.m; j++) /* half of the entries of every second atom are zero */
        for (int64_t i = 0; j % 2 && i < p.n / 2; i++)
            p.W[j * p.n + i] = 0;
    unit_rows(p.W, p.m, p.n);
    for (int64_t r = 1; r < ROWS; r++)
        for (int64_t e = 0; e < r; e++)
            for (int64_t i = 0; i < p.n; i++)
                p.X[r * p.n + i] += (float)p.W[(7 * e + r) % p.m * p.n + i];
    for (int64_t i = p.n / 2; i < p.n; i++)
        p.X[5 * p.n + i] = 0;
    p.X[2 * p.n] = 3e38f;
    p.X[3 * p.n + 1] = INFINITY;
    p.X[4 * p.n + 2] = NAN;
    assert_true(check(&p) > 0);
    free_problem(&p);
}

TESTS_MAIN(cmocka_unit_test(random_atoms), cmocka_unit_test(every_end), cmocka_unit_test(coherent_atoms),
           cmocka_unit_test(special_samples))
