/* Philox against its published vectors, and the distributions made of it against their moments. */
#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { DRAWS = 200000 };

static const dl_random source = {.seed = 42, .stream = 3};

/* kat_vectors of Random123 1.x, philox4x32 10. */
static void known_answers(void **state) {
    (void)state;
    const uint32_t ones = 0xffffffff;
    const struct {
        uint32_t counter[4], key[2], out[4];
    } vectors[] = {
        {{0}, {0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{ones, ones, ones, ones}, {ones, ones}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (int v = 0; v < 3; v++) {
        uint32_t out[4];
        dl_philox(vectors[v].counter, vectors[v].key, out);
        assert_memory_equal(out, vectors[v].out, sizeof out);
    }
}

/* Seed, stream and index, all of their bits, decide. */
static void every_key_matters(void **state) {
    (void)state;
    double first = dl_random_uniform(source, 1);
    assert_true(first == dl_random_uniform(source, 1));
    for (int bit = 0; bit < 64; bit++) {
        dl_random other = {source.seed ^ UINT64_C(1) << bit, source.stream};
        assert_true(dl_random_uniform(other, 1) != first);
        assert_true(dl_random_uniform(source, 1 ^ UINT64_C(1) << bit) != first);
    }
    for (int bit = 0; bit < 32; bit++)
        assert_true(dl_random_uniform((dl_random){source.seed, source.stream ^ 1u << bit}, 1) != first);
}

/* Five standard errors everywhere. */
static void assert_mean(double sum, double expected, double sd) {
    assert_true(fabs(sum / DRAWS - expected) < 5 * sd / sqrt(DRAWS));
}

static void uniform_moments(void **state) {
    (void)state;
    double sum = 0, square = 0, lag = 0, bins[16] = {0}, chi = 0, before = 0.5;
    for (uint64_t i = 0; i < DRAWS; i++) {
        double u = dl_random_uniform(source, i);
        assert_true(u >= 0 && u < 1);
        sum += u;
        square += u * u;
        lag += (u - 0.5) * (before - 0.5);
        before = u;
        bins[(int)(16 * u)]++;
    }
    assert_mean(sum, 0.5, sqrt(1.0 / 12));
    assert_mean(square, 1.0 / 3, sqrt(4.0 / 45));
    assert_mean(lag, 0, 1.0 / 12);
    for (int b = 0; b < 16; b++)
        chi += (bins[b] - DRAWS / 16.0) * (bins[b] - DRAWS / 16.0) / (DRAWS / 16.0);
    assert_true(chi > 2 && chi < 45); /* 15 degrees of freedom */
}

static void normal_moments(void **state) {
    (void)state;
    double sum = 0, square = 0, cube = 0, fourth = 0, beyond = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        double x = dl_random_normal(source, i);
        sum += x;
        square += x * x;
        cube += x * x * x;
        fourth += x * x * x * x;
        beyond += fabs(x) > 1.959963984540054;
    }
    assert_mean(sum, 0, 1);
    assert_mean(square, 1, sqrt(2));
    assert_mean(cube, 0, sqrt(15));
    assert_mean(fourth, 3, sqrt(96));
    assert_mean(beyond, 0.05, sqrt(0.05 * 0.95));
}

static void below_is_uniform(void **state) {
    (void)state;
    double bins[7] = {0}, chi = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        int64_t x = dl_random_below(source, i, 7);
        assert_in_range(x, 0, 6);
        bins[x]++;
        assert_int_equal(dl_random_below(source, i, 1), 0);
    }
    for (int b = 0; b < 7; b++)
        chi += (bins[b] - DRAWS / 7.0) * (bins[b] - DRAWS / 7.0) / (DRAWS / 7.0);
    assert_true(chi < 30); /* 6 degrees of freedom */
    int64_t large = dl_random_below(source, 5, INT64_MAX);
    assert_true(large >= 0 && large < INT64_MAX);
}

static void permutation_is_one(void **state) {
    (void)state;
    enum { COUNT = 100 };
    int64_t permutation[COUNT], other[COUNT];
    int first_of_three[3] = {0};
    for (int64_t count = 0; count <= COUNT; count++) {
        int seen[COUNT] = {0};
        dl_random_permutation(source, 1000, count, permutation);
        for (int64_t i = 0; i < count; i++) {
            assert_in_range(permutation[i], 0, count - 1);
            assert_int_equal(seen[permutation[i]]++, 0);
        }
    }
    dl_random_permutation(source, 2000, COUNT, other);
    assert_memory_not_equal(permutation, other, sizeof other);
    for (uint64_t trial = 0; trial < 3000; trial++) {
        dl_random_permutation(source, 3 * trial, 3, permutation);
        first_of_three[permutation[0]]++;
    }
    for (int i = 0; i < 3; i++)
        assert_in_range(first_of_three[i], 870, 1130); /* 1,000 with sd 26 */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),    cmocka_unit_test(every_key_matters),
        cmocka_unit_test(uniform_moments),  cmocka_unit_test(normal_moments),
        cmocka_unit_test(below_is_uniform), cmocka_unit_test(permutation_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
