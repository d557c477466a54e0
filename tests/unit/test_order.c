/* The order of samples: every sample once in an epoch, in windows that touch few chunks. */
#include "test_util.h"

#include "base/memory.h"
#include "data/source.h"
#include "learning/order.h"

#include <string.h>

static void assert_permutation(int64_t N, int64_t n) {
    dltf_learner l = {.N = N, .n = n};
    dl_order order = dl_order_new(&l, DL_STREAM_EPOCH);
    uint8_t *seen = DL_NEW(uint8_t, N);
    int64_t moved = 0, differs = 0;
    for (int64_t epoch = 0; epoch < 2; epoch++) {
        memset(seen, 0, (size_t)N);
        for (int64_t i = 0; i < N; i++) {
            int64_t sample = dl_order_sample(&order, epoch, i);
            assert_in_range(sample, 0, N - 1);
            assert_int_equal(seen[sample], 0);
            seen[sample] = 1;
            moved += sample != i;
            differs += sample != dl_order_sample(&order, 1 - epoch, i);
        }
    }
    if (N > 1000) {
        assert_true(moved > N);
        assert_true(differs > N);
    }
    dl_free(seen);
}

static void an_epoch_has_every_sample_once(void **state) {
    (void)state;
    static const int64_t sizes[][2] = {{1, 1},         {2, 3},         {1000, 64},       {300, 1 << 18},
                                       {1000, 300000}, {2000, 100000}, {256 * 4, 65536}, {256 * 4 + 1, 65536},
                                       {70001, 1000}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        assert_permutation(sizes[i][0], sizes[i][1]);
}

static void a_window_reads_whole_chunks(void **state) {
    (void)state;
    dltf_learner l = {.N = 300 * 8 + 5, .n = 1 << 13};
    dl_order order = dl_order_new(&l, DL_STREAM_EPOCH);
    assert_true(order.whole);
    assert_int_equal(order.chunk, 8);
    order.whole = false;
    uint8_t used[300] = {0};
    int chunks = 0;
    for (int64_t i = 0; i < DL_WINDOW_CHUNKS * 8; i++) {
        int64_t chunk = dl_order_sample(&order, 3, i) / 8;
        chunks += !used[chunk];
        used[chunk] = 1;
    }
    assert_int_equal(chunks, DL_WINDOW_CHUNKS);
    for (int64_t i = 0; i < 5; i++)
        assert_int_equal(dl_order_sample(&order, 3, 300 * 8 + i), 300 * 8 + i);
}

/* ---- What is read ahead ---- */

typedef struct reading {
    int64_t rows, calls;
} reading;

static dltf_status read_nothing(void *context, int64_t row, double *out) {
    (void)context;
    (void)row;
    *out = 0;
    return DLTF_OK;
}

static void count_rows(void *context, int64_t first, int64_t count) {
    reading *l = context;
    assert_true(first >= 0);
    l->rows += count;
    l->calls++;
}

static void windows_are_announced_once(void **state) {
    (void)state;
    reading expected = {0, 0};
    dltf_source *source = NULL;
    int64_t N = 1100 * 8;
    assert_int_equal(dltf_source_new(N, 1 << 13, read_nothing, &expected, &source), DLTF_OK);
    dl_source_extend(source, (dl_source_extras){.expect = count_rows});
    dltf_learner l = {.N = N, .n = 1 << 13, .samples.X = dltf_source_matrix(source)};
    dl_order order = dl_order_new(&l, DL_STREAM_EPOCH);
    for (int64_t position = 0; position + 250 <= N; position += 250)
        dl_order_expect(&order, &l, 0, position, 250);
    assert_int_equal(expected.rows, N);
    assert_int_equal(expected.calls, 1100);
    dltf_source_free(source);
}

TESTS_MAIN(cmocka_unit_test(an_epoch_has_every_sample_once), cmocka_unit_test(a_window_reads_whole_chunks),
           cmocka_unit_test(windows_are_announced_once))
