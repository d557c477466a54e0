/* Accuracy against all permutations of labels, mutual information against its definition. */
#include "test_util.h"

#include <math.h>

enum { COUNT = 60, KINDS = 5 };

/* The largest share of samples whose cluster, permuted, equals their label. */
static double best_share(const int32_t *a, const int64_t *b, int32_t *map, int used, unsigned taken) {
    if (used == KINDS) {
        double hits = 0;
        for (int i = 0; i < COUNT; i++)
            hits += map[a[i]] == b[i];
        return hits / COUNT;
    }
    double best = 0;
    for (int j = 0; j < KINDS; j++)
        if (!(taken >> j & 1u)) {
            map[used] = j;
            best = fmax(best, best_share(a, b, map, used + 1, taken | 1u << j));
        }
    return best;
}

static double share_of(const int32_t *a, const int64_t *b, int32_t i, int64_t j) {
    double hits = 0;
    for (int s = 0; s < COUNT; s++)
        hits += (i < 0 || a[s] == i) && (j < 0 || b[s] == j);
    return hits / COUNT;
}

static double plogp(double p) {
    return p > 0 ? -p * log(p) : 0;
}

/* 2 (H(a) + H(b) - H(a, b)) / (H(a) + H(b)) */
static double definition(const int32_t *a, const int64_t *b) {
    double one = 0, two = 0, both = 0;
    for (int32_t i = 0; i < KINDS; i++) {
        one += plogp(share_of(a, b, i, -1));
        two += plogp(share_of(a, b, -1, i));
        for (int64_t j = 0; j < KINDS; j++)
            both += plogp(share_of(a, b, i, j));
    }
    return 2 * (one + two - both) / (one + two);
}

static void against_definitions(void **state) {
    (void)state;
    for (int trial = 0; trial < 40; trial++) {
        int32_t a[COUNT], map[KINDS];
        int64_t b[COUNT], shifted[COUNT];
        for (int i = 0; i < COUNT; i++) {
            a[i] = (int32_t)below(KINDS);
            b[i] = below(4) < trial % 5 ? (a[i] + 2) % KINDS : below(KINDS);
            shifted[i] = INT64_C(1) << (10 * b[i]); /* labels may be any integers */
            shifted[i] = b[i] == 3 ? -shifted[i] : shifted[i];
        }
        dltf_agreement plain, moved;
        assert_int_equal(dltf_partitions_compare(a, b, COUNT, &plain), DLTF_OK);
        assert_int_equal(dltf_partitions_compare(a, shifted, COUNT, &moved), DLTF_OK);
        assert_true(fabs(plain.accuracy - best_share(a, b, map, 0, 0)) < 1e-12);
        assert_true(fabs(plain.nmi - definition(a, b)) < 1e-12);
        assert_true(plain.accuracy == moved.accuracy && fabs(plain.nmi - moved.nmi) < 1e-12);
    }
}

static void special_partitions(void **state) {
    (void)state;
    int32_t a[4] = {2, 2, 0, 1};
    int64_t same[4] = {9, 9, -1, 4}, one[4] = {0, 0, 0, 0}, each[4] = {3, 2, 1, 0};
    int32_t zero[4] = {0, 0, 0, 0};
    dltf_agreement found;
    assert_int_equal(dltf_partitions_compare(a, same, 4, &found), DLTF_OK);
    assert_true(found.accuracy == 1 && fabs(found.nmi - 1) < 1e-15);
    assert_int_equal(dltf_partitions_compare(a, one, 4, &found), DLTF_OK);
    assert_true(found.accuracy == 0.5 && found.nmi == 0);
    assert_int_equal(dltf_partitions_compare(zero, one, 4, &found), DLTF_OK);
    assert_true(found.accuracy == 1 && found.nmi == 1);
    assert_int_equal(dltf_partitions_compare(zero, each, 4, &found), DLTF_OK);
    assert_true(found.accuracy == 0.25 && found.nmi == 0);
    assert_fails(dltf_partitions_compare(zero, each, 0, &found), DLTF_ARGUMENT, "no samples");
}

static void out_of_memory(void **state) {
    (void)state;
    int32_t a[3] = {0, 1, 1};
    int64_t b[3] = {5, 6, 6};
    dltf_agreement found;
    assert_survives_lack_of_memory(dltf_partitions_compare(a, b, 3, &found), 10);
}

TESTS_MAIN(cmocka_unit_test(against_definitions), cmocka_unit_test(special_partitions),
           cmocka_unit_test(out_of_memory))
