/* Distances of binary codes at every kernel level against bits counted one by one: all widths, tails,
 * misalignments; selection of small distances. */
#include "test_util.h"

#include "kernels/kernels.h"
#include "kernels/word.h"

enum { MOST_ROWS = 4 * DL_CODES, MOST_WIDTH = 512, MOST_WORDS = MOST_WIDTH / 8, COUNT_MOST = 300 };

static uint8_t codes[MOST_ROWS * MOST_WIDTH + 8], one[MOST_WIDTH + 8];
static uint64_t planes[MOST_ROWS * MOST_WORDS + 1], words[MOST_WORDS];

static void fill_bytes(uint8_t *bytes, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)below(256);
}

static int64_t distance(const uint8_t *a, const uint8_t *b, int64_t width) {
    int64_t sum = 0;
    for (int64_t bit = 0; bit < 8 * width; bit++)
        sum += ((a[bit / 8] ^ b[bit / 8]) >> bit % 8) & 1;
    return sum;
}

/* The first row is the query, the last one its complement: the extreme distances. */
static void fill_codes(uint8_t *code, int64_t rows, int64_t width, uint8_t *query) {
    fill_bytes(query, width);
    fill_bytes(code, rows * width);
    for (int64_t b = 0; b < width; b++) {
        code[b] = query[b];
        code[(rows - 1) * width + b] = (uint8_t)~query[b];
    }
}

static void pack(const uint8_t *code, int64_t rows, int64_t width, const uint8_t *query, uint64_t *to) {
    for (int64_t b = 0; b < width; b += 8) {
        words[b / 8] = dl_code_word(query, width, b);
        for (int64_t r = 0; r < rows; r++)
            to[b / 8 * rows + r] = dl_code_word(code + r * width, width, b);
    }
}

static void check_distances(const dl_kernels *kernels, int64_t rows, int64_t width, int64_t shift) {
    uint16_t found[MOST_ROWS + 1];
    uint32_t listed[MOST_ROWS];
    uint8_t *code = codes + shift, *query = one + shift % 3;
    fill_codes(code, rows, width, query);
    uint64_t *to = planes + shift % 2; /* also where vectors are not aligned */
    pack(code, rows, width, query, to);
    found[rows] = 77;
    kernels->hamming(to, (width + 7) / 8, rows, words, found);
    for (int64_t r = 0; r < rows; r++)
        if (found[r] != distance(code + r * width, query, width))
            fail_msg("%s: width %lld, row %lld of %lld: %d", kernels->level, (long long)width, (long long)r,
                     (long long)rows, found[r]);
    assert_int_equal(found[0], 0);
    assert_int_equal(found[rows - 1], 8 * width);
    assert_int_equal(found[rows], 77);
    int64_t count = rows / 2 + shift % 2;
    for (int64_t e = 0; e < count; e++)
        listed[e] = (uint32_t)below(rows);
    found[count] = 77;
    kernels->hamming_listed(code, width, listed, count, query, found);
    for (int64_t e = 0; e < count; e++)
        assert_int_equal(found[e], distance(code + listed[e] * width, query, width));
    assert_int_equal(found[count], 77);
}

static void distances(void **state) {
    (void)state;
    const dl_kernels *kernels;
    for (int l = 0; (kernels = dl_kernels_level(l)); l++) {
        for (int64_t width = 1; width <= 72; width++)
            check_distances(kernels, DL_CODES * (1 + width % 3), width, width % 8);
        for (int64_t width = 232; width <= 264; width++) /* where sums of bytes are folded */
            check_distances(kernels, DL_CODES, width, 0);
        check_distances(kernels, MOST_ROWS, MOST_WIDTH, 0);
        check_distances(kernels, MOST_ROWS, MOST_WIDTH - 1, 1);
        check_distances(kernels, DL_CODES, MOST_WIDTH - 16, 5);
    }
}

static void nearer(void **state) {
    (void)state;
    uint16_t distances_[COUNT_MOST], found[COUNT_MOST + 1];
    const dl_kernels *kernels;
    for (int l = 0; (kernels = dl_kernels_level(l)); l++)
        for (int64_t count = 0; count < COUNT_MOST; count++) {
            uint16_t bound = (uint16_t)below(12);
            int64_t expected = 0;
            for (int64_t i = 0; i < count; i++)
                distances_[i] = below(30) ? (uint16_t)between(8, 4096) : (uint16_t)below(9);
            int64_t listed = kernels->nearer(distances_, count, bound, found);
            for (int64_t i = 0; i < count; i++)
                if (distances_[i] < bound)
                    assert_int_equal(found[expected++], i);
            assert_int_equal(listed, expected);
        }
}

TESTS_MAIN(cmocka_unit_test(distances), cmocka_unit_test(nearer))
