/* The neighbour-trained hasher: loss and gradients against double precision, and that training lowers it. */
#include "test_util.h"

#include "hash/hasher.h"
#include "hash/neighbour_loss.h"
#include "reference/hash.h"

#include <math.h>

enum { B = 70, n = 6, M = 10, NEIGHBOURS = 5 };

static const double GAMMA = 0.7, T = 0.8;
static float X[B * n], E[M * n], b[M];
static double X64[B * n], E64[M * n], b64[M];

static void fill(void) {
    fill_normal(X, B * n);
    fill_normal(E, M * n);
    fill_normal(b, M);
    for (int i = 0; i < M * n; i++)
        E[i] *= 0.5f;
    widen(X, B * n, X64);
    widen(E, M * n, E64);
    widen(b, M, b64);
}

static void make(dl_neighbour_loss *l, int threads) {
    assert_int_equal(dl_neighbour_loss_alloc(l, B, n, M, NEIGHBOURS, threads), DLTF_OK);
    memcpy(l->X, X, sizeof X);
    l->E = E;
    l->b = b;
    l->gamma = GAMMA;
    l->T = T;
    dl_neighbour_loss_compute(l);
}

static double reference(void) {
    return ref_neighbour_loss(X64, B, n, E64, b64, M, NEIGHBOURS, GAMMA, T);
}

/* (L(p + h) - L(p - h)) / 2h */
static double slope(double *parameter) {
    const double h = 1e-5, before = *parameter;
    *parameter = before + h;
    double above = reference();
    *parameter = before - h;
    double below_ = reference();
    *parameter = before;
    return (above - below_) / (2 * h);
}

static void gradients(void **state) {
    (void)state;
    dl_neighbour_loss l;
    fill();
    make(&l, 2);
    assert_true(fabs(l.loss - reference()) < 1e-5 * l.loss);
    double largest = 0;
    for (int i = 0; i < M * n; i++)
        largest = fmax(largest, fabs((double)l.gradient[i]));
    for (int i = 0; i < M * n; i++)
        assert_true(fabs((double)l.gradient[i] - slope(&E64[i])) < 1e-4 * largest);
    for (int j = 0; j < M; j++)
        assert_true(fabs((double)l.gradient_b[j] - slope(&b64[j])) < 1e-4 * largest);
    dl_neighbour_loss_free(&l);
}

static void threads_do_not_matter(void **state) {
    (void)state;
    dl_neighbour_loss first, l;
    fill();
    make(&first, 1);
    for (int threads = 2; threads <= 3; threads++) {
        make(&l, threads);
        assert_true(l.loss == first.loss);
        assert_memory_equal(l.gradient, first.gradient, sizeof E);
        assert_memory_equal(l.gradient_b, first.gradient_b, sizeof b);
        dl_neighbour_loss_free(&l);
    }
    dl_neighbour_loss_free(&first);
}

static void lack_of_memory(void **state) {
    (void)state;
    dl_neighbour_loss l = {0};
    dltf_status status = DLTF_MEMORY;
    int64_t failures = 0;
    for (; status != DLTF_OK; failures++) {
        dl_alloc_fail_after(failures + 1);
        status = dl_neighbour_loss_alloc(&l, B, n, M, NEIGHBOURS, 1);
        dl_alloc_fail_after(0);
        dl_neighbour_loss_free(&l);
    }
    assert_true(failures >= 9);
}

/* On data with neighbours to find, its codes find more of them than signs of random projections. */
static void finds_neighbours(void **state) {
    (void)state;
    enum { N = 1500, COLUMNS = 16, BITS = 16 };
    static float data[N * COLUMNS];
    uint8_t codes[N * BITS / 8];
    double map[2];
    const dltf_hash_method methods[] = {DLTF_HASH_LSH, DLTF_HASH_NEIGHBOUR};
    for (int64_t i = 0; i < N * COLUMNS; i++)
        data[i] = (float)(normal() / (1 + (double)(i % COLUMNS) / 3));
    dltf_matrix D = dltf_matrix_f32(data, N, COLUMNS);
    dltf_relevance *relevance = NULL;
    assert_int_equal(dltf_relevance_by_nearest(D, D, 30, 0, NULL, NULL, &relevance), DLTF_OK);
    for (int m = 0; m < 2; m++) {
        dltf_hash_options o = dltf_hash_options_default();
        dltf_hasher *h = NULL;
        dltf_retrieval found;
        o.method = methods[m];
        o.bits = BITS;
        if (m == 1)
            o.iterations = 60;
        assert_int_equal(dltf_hasher_train(D, &o, NULL, NULL, &h), DLTF_OK);
        assert_int_equal(dltf_hasher_apply(h, D, 0, NULL, NULL, codes), DLTF_OK);
        dltf_matrix C = dltf_matrix_u8(codes, N, BITS / 8);
        assert_int_equal(dltf_hashes_evaluate(C, C, relevance, NULL, NULL, NULL, &found), DLTF_OK);
        map[m] = found.map;
        dltf_hasher_free(h);
    }
    assert_true(map[1] > 1.2 * map[0]);
    dltf_relevance_free(relevance);
}

TESTS_MAIN(cmocka_unit_test(gradients), cmocka_unit_test(threads_do_not_matter),
           cmocka_unit_test(lack_of_memory), cmocka_unit_test(finds_neighbours))
