/* Search among binary codes against plain loops over bits: all widths, methods, kernel levels and numbers of
 * threads, ties and duplicates, limits, bad input. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "test_util.h"

#include "data/index.h"
#include "kernels/kernels.h"
#include "search/linear_scan.h"

#include <sys/mman.h>

/* ---- Oracle ---- */

typedef struct problem {
    int64_t rows, width, queries;
    uint8_t *codes, *query;
    int64_t *ranked; /* queries x rows: by distance, then by row */
    int32_t *distances;
} problem;

static int32_t distance(const uint8_t *a, const uint8_t *b, int64_t width) {
    int32_t sum = 0;
    for (int64_t i = 0; i < width; i++)
        for (int x = a[i] ^ b[i]; x; x >>= 1)
            sum += x & 1;
    return sum;
}

static void rank_rows(problem *p, int64_t q) {
    int64_t listed = q * p->rows;
    int32_t *all = DL_NEW(int32_t, p->rows);
    for (int64_t i = 0; i < p->rows; i++)
        all[i] = distance(p->codes + i * p->width, p->query + q * p->width, p->width);
    for (int32_t d = 0; d <= 8 * p->width; d++)
        for (int64_t i = 0; i < p->rows; i++)
            if (all[i] == d) {
                p->ranked[listed] = i;
                p->distances[listed++] = d;
            }
    dl_free(all);
}

/* Codes near a few centers if flips > 0: bits of a copy flipped at random; otherwise uniform. */
static problem make_problem(int64_t rows, int64_t width, int64_t queries, int64_t flips) {
    problem p = {rows, width, queries, .codes = NULL};
    p.codes = dl_alloc(rows * width, 1);
    p.query = dl_alloc(queries * width, 1);
    p.ranked = DL_NEW(int64_t, queries * rows);
    p.distances = DL_NEW(int32_t, queries * rows);
    for (int64_t i = 0; i < rows + queries; i++) {
        uint8_t *code = i < rows ? p.codes + i * width : p.query + (i - rows) * width;
        if (i < 4 || flips == 0)
            for (int64_t b = 0; b < width; b++)
                code[b] = (uint8_t)below(256);
        else
            memcpy(code, p.codes + below(rows < 4 ? rows : 4) * width, (size_t)width);
        for (int64_t f = i < 4 ? 0 : below(flips + 1); f > 0; f--)
            code[below(width)] ^= (uint8_t)(1 << below(8));
    }
    for (int64_t q = 0; q < queries; q++)
        rank_rows(&p, q);
    return p;
}

static void free_problem(problem *p) {
    dl_free(p->codes);
    dl_free(p->query);
    dl_free(p->ranked);
    dl_free(p->distances);
}

/* ---- Comparison ---- */

static dltf_neighbours *search(const dltf_index *index, const problem *p, dltf_search_options options) {
    dltf_neighbours *found = NULL;
    dltf_matrix queries = dltf_matrix_u8(p->query, p->queries, p->width);
    if (dltf_search(index, queries, &options, NULL, NULL, &found) != DLTF_OK)
        fail_msg("%s", dltf_message());
    return found;
}

static void check_result(const problem *p, dltf_search_options options, const dltf_neighbours *found) {
    dltf_neighbours_view v = dltf_neighbours_get(found);
    assert_int_equal(v.queries, p->queries);
    assert_int_equal(v.k, options.k);
    assert_int_equal(v.rows, p->rows);
    assert_int_equal(v.indptr[0], 0);
    for (int64_t q = 0; q < p->queries; q++) {
        const int64_t *ranked = p->ranked + q * p->rows;
        const int32_t *distances = p->distances + q * p->rows;
        int64_t expected = options.k;
        if (options.k == 0)
            while (expected < p->rows && distances[expected] <= options.radius)
                expected++;
        if (v.indptr[q + 1] - v.indptr[q] != expected)
            fail_msg("query %lld: %lld neighbours instead of %lld", (long long)q,
                     (long long)(v.indptr[q + 1] - v.indptr[q]), (long long)expected);
        assert_memory_equal(v.indices + v.indptr[q], ranked, (size_t)expected * sizeof *ranked);
        assert_memory_equal(v.distances + v.indptr[q], distances, (size_t)expected * sizeof *distances);
    }
}

static void check_search(const dltf_index *index, const problem *p, int64_t k, int64_t radius) {
    for (int method = DLTF_SEARCH_AUTO; method <= DLTF_SEARCH_MULTI_INDEX; method++) {
        if (method == DLTF_SEARCH_MULTI_INDEX && p->width > DL_INDEX_MAX_BYTES)
            continue;
        dltf_search_options options = {sizeof(dltf_search_options), k, radius, (dltf_search_method)method,
                                       1 + below(3)};
        dltf_neighbours *found = search(index, p, options);
        check_result(p, options, found);
        assert_true(method == DLTF_SEARCH_AUTO || (int)dltf_neighbours_get(found).method == method);
        dltf_neighbours_free(found);
    }
}

static dltf_index *index_of(const problem *p, bool tables) {
    dltf_index *index = NULL;
    assert_int_equal(dltf_index_new(dltf_matrix_u8(p->codes, p->rows, p->width), &index), DLTF_OK);
    if (tables)
        assert_int_equal(dltf_index_add_tables(index, 2, NULL, NULL), DLTF_OK);
    return index;
}

/* Many k and radii of one problem. */
static void check_problem(problem p) {
    bool tables = p.width <= DL_INDEX_MAX_BYTES;
    dltf_index *index = index_of(&p, tables);
    int64_t bits = 8 * p.width, k[] = {1, 2, 7, p.rows / 2, p.rows - 1, p.rows};
    int64_t radius[] = {0, 1, 2, 3, 5, 6, 9, bits / 4, bits / 2, bits - 1, bits, bits + 1};
    for (size_t i = 0; i < sizeof k / sizeof *k; i++)
        if (k[i] > 0 && k[i] <= p.rows)
            check_search(index, &p, k[i], 0);
    for (size_t i = 0; i < sizeof radius / sizeof *radius; i++)
        if (radius[i] <= 8 * DLTF_HASH_MAX_BYTES)
            check_search(index, &p, 0, radius[i]);
    dltf_index_free(index);
    free_problem(&p);
}

/* ---- Tests ---- */

static void all_widths(void **state) {
    (void)state;
    for (int64_t width = 1; width <= 40; width++) {
        check_problem(make_problem(between(1, 150), width, 5, 0));
        check_problem(make_problem(between(100, 300), width, 4, 8));
    }
    check_problem(make_problem(70, 64, 3, 30));
    check_problem(make_problem(70, 127, 3, 30));
    check_problem(make_problem(97, 512, 2, 100));
}

static void one_row_and_duplicates(void **state) {
    (void)state;
    check_problem(make_problem(1, 8, 3, 0));
    check_problem(make_problem(1, 1, 1, 0));
    for (int64_t width = 1; width <= 16; width += 5) {
        check_problem(make_problem(200, width, 6, 1)); /* four codes and their neighbours */
        problem same = make_problem(90, width, 2, 0);
        for (int64_t i = 0; i < same.rows; i++)
            memcpy(same.codes + i * width, same.query, (size_t)width);
        for (int64_t q = 0; q < same.queries; q++)
            rank_rows(&same, q);
        check_problem(same);
    }
}

/* More rows than a tile and a bucket of hits, more queries than a block; several parts of the database. */
static void large(void **state) {
    (void)state;
    check_problem(make_problem(5000, 8, 3, 10));
    check_problem(make_problem(1500, 32, 70, 40));
    check_problem(make_problem(3000, 2, 130, 3));
    problem p = make_problem(70000, 1, 2, 0);
    dltf_index *index = index_of(&p, true);
    check_search(index, &p, 50, 0);
    check_search(index, &p, 69999, 0);
    check_search(index, &p, 0, 1);
    dltf_index_free(index);
    free_problem(&p);
}

static void levels_and_threads(void **state) {
    (void)state;
    problem p = make_problem(1000, 24, 80, 20);
    dltf_index *index = index_of(&p, true);
    const dl_kernels *kernels;
    for (int l = 0; (kernels = dl_kernels_level(l)); l++) {
        dl_kernels_force(kernels);
        for (int64_t threads = 1; threads <= 3; threads++)
            for (int method = DLTF_SEARCH_FLAT; method <= DLTF_SEARCH_MULTI_INDEX; method++)
                for (int64_t k = 0; k <= 10; k += 10) {
                    dltf_search_options options = {sizeof(dltf_search_options), k, 12,
                                                   (dltf_search_method)method, threads};
                    dltf_neighbours *found = search(index, &p, options);
                    check_result(&p, options, found);
                    dltf_neighbours_free(found);
                }
    }
    dl_kernels_force(NULL);
    dltf_index_free(index);
    free_problem(&p);
}

/* Rows that are not contiguous are copied, in the database and in the queries. */
static void strides(void **state) {
    (void)state;
    enum { WIDTH = 6 };
    problem p = make_problem(50, WIDTH, 4, 0);
    uint8_t wide[50 * (WIDTH + 3)], turned[WIDTH * 4];
    for (int64_t i = 0; i < 50; i++)
        memcpy(wide + i * (WIDTH + 3) + 1, p.codes + i * WIDTH, WIDTH);
    for (int64_t i = 0; i < 4; i++)
        for (int64_t j = 0; j < WIDTH; j++)
            turned[j * 4 + i] = p.query[i * WIDTH + j];
    dltf_matrix rows = {wide + 1, DLTF_U8, 50, WIDTH, WIDTH + 3, 1},
                queries = {turned, DLTF_U8, 4, WIDTH, 1, 4};
    dltf_index *index = NULL;
    dltf_neighbours *found = NULL;
    dltf_search_options options = {.size = sizeof(dltf_search_options), .k = 5, .threads = 1};
    assert_int_equal(dltf_index_new(rows, &index), DLTF_OK);
    assert_int_equal(dltf_search(index, queries, &options, NULL, NULL, &found), DLTF_OK);
    check_result(&p, options, found);
    dltf_neighbours_free(found);
    dltf_index_free(index);
    free_problem(&p);
}

/* Two codes at distance r agree up to floor(r / m) bits in a table: the tables cover all bits once, buckets
 * list their rows in ascending order. */
static void tables(void **state) {
    (void)state;
    for (int64_t width = 1; width <= DL_INDEX_MAX_BYTES; width++) {
        problem p = make_problem(between(1, 2000), width, 1, 0);
        dltf_index *index = index_of(&p, true);
        int64_t bit = 0, bytes = 0;
        assert_in_range(index->tables, 1, DL_INDEX_MAX_TABLES);
        for (int64_t t = 0; t < index->tables; t++) {
            const dl_table *table = &index->table[t];
            assert_int_equal(table->first_bit, bit);
            assert_true(table->bits >= 1 && table->bits <= 13);
            bit += table->bits;
            assert_int_equal(table->starts[0], 0);
            assert_int_equal(table->starts[1 << table->bits], p.rows);
            for (uint32_t key = 0; key < 1u << table->bits; key++)
                for (uint32_t i = table->starts[key]; i < table->starts[key + 1]; i++) {
                    const uint8_t *code = p.codes + table->rows[i] * width;
                    assert_int_equal(dl_substring(code, width, table->first_bit, table->bits), key);
                    assert_true(i == table->starts[key] || table->rows[i - 1] < table->rows[i]);
                }
            bytes += 4 * ((1 << table->bits) + 1 + p.rows);
        }
        assert_int_equal(bit, 8 * width);
        assert_in_range(index->table_bytes, bytes, bytes + 2 * 64 * index->tables);
        dltf_index_free(index);
        free_problem(&p);
    }
}

static void bad_input(void **state) {
    (void)state;
    uint8_t bytes[600 * 2] = {0};
    float reals[4] = {0};
    dltf_index *index = NULL;
    dltf_neighbours *found = NULL;
    dltf_search_options options = {.size = sizeof(dltf_search_options), .k = 3, .threads = 1};
    assert_fails(dltf_index_new(dltf_matrix_u8(bytes, 0, 8), &index), DLTF_ARGUMENT,
                 "database: is empty: there are no codes");
    assert_fails(dltf_index_new(dltf_matrix_u8(bytes, 1, 513), &index), DLTF_DATA, "4104 bits are too long");
    assert_fails(dltf_index_new(dltf_matrix_f32(reals, 2, 2), &index), DLTF_DATA,
                 "expected packed bits (uint8) but found float32");
    assert_fails(dltf_index_new(dltf_matrix_u8(NULL, 1, 1), &index), DLTF_ARGUMENT, "no data");
    assert_null(index);
    assert_int_equal(dltf_index_new(dltf_matrix_u8(bytes, 2, 64), &index), DLTF_OK);
    dltf_matrix one = dltf_matrix_u8(bytes, 1, 64);
    assert_fails(dltf_search(index, one, &options, NULL, NULL, &found), DLTF_ARGUMENT,
                 "database: has 2 codes, fewer than the 3 neighbours requested");
    options.k = 2;
    assert_fails(dltf_search(index, dltf_matrix_u8(bytes, 1, 8), &options, NULL, NULL, &found), DLTF_DATA,
                 "queries: codes have 64 bits, but those of the database have 512");
    assert_fails(dltf_search(index, dltf_matrix_u8(bytes, 0, 64), &options, NULL, NULL, &found),
                 DLTF_ARGUMENT, "queries: is empty");
    options.method = DLTF_SEARCH_MULTI_INDEX;
    assert_fails(dltf_search(index, one, &options, NULL, NULL, &found), DLTF_ARGUMENT,
                 "codes have 512 bits: multi-index hashing supports at most 256");
    options.radius = -1;
    assert_fails(dltf_search(index, one, &options, NULL, NULL, &found), DLTF_ARGUMENT, "radius");
    assert_null(found);
    dltf_index_free(index);
}

/* 3 billion rows, of which only the last exist in memory: the linear search reaches them. */
static void search_last_rows(dltf_index *large) {
    enum { LAST = 100 };
    size_t size = (size_t)(large->rows * large->width);
    uint8_t *codes =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (codes == MAP_FAILED) {
        print_message("no address space for %zu bytes\n", size);
        return;
    }
    int64_t first = large->rows - LAST, query = large->rows - 7;
    for (int64_t i = first * large->width; i < large->rows * large->width; i++)
        codes[i] = (uint8_t)below(256);
    large->codes = codes;
    dl_linear_scan scan;
    assert_int_equal(dl_linear_scan_alloc(&scan, large, 1), DLTF_OK);
    dl_linear_scan_begin(&scan, 0, codes + query * large->width, 0, 0);
    dl_linear_scan_rows(&scan, first, large->rows, 1);
    assert_int_equal(scan.hits[0].count, 1);
    assert_int_equal(dl_hit_row(scan.hits[0].hits[0]), query);
    uint16_t distances[2];
    uint32_t listed[] = {(uint32_t)query, (uint32_t)query + 1};
    dl_kernels_now()->hamming_listed(codes, 8, listed, 2, codes + query * 8, distances);
    assert_int_equal(distances[0], 0);
    assert_int_equal(distances[1], distance(codes + query * 8, codes + (query + 1) * 8, 8));
    dl_linear_scan_free(&scan);
    munmap(codes, size);
}

/* Sizes and positions do not overflow, and tables still have room. */
static void beyond_32_bits(void **state) {
    (void)state;
    dltf_index large = {.rows = 3000000000, .width = 8};
    search_last_rows(&large);
    int64_t tables = dl_index_tables(large.rows, large.width);
    assert_int_equal(tables, 2);
    assert_true(dl_index_place(&large, tables, NULL) > 2 * 4 * large.rows);
    assert_int_equal(dl_index_tables(1ll << 32, 8), 0);
}

static int cancel(void *context, const dltf_progress *progress) {
    assert_true(progress->done <= progress->total && strlen(progress->task) > 0);
    return --*(int *)context < 0;
}

static void cancelled(void **state) {
    (void)state;
    problem p = make_problem(300, 8, 2, 0);
    dltf_index *index = index_of(&p, false);
    dltf_matrix queries = dltf_matrix_u8(p.query, 2, 8);
    dltf_neighbours *found = NULL;
    int calls = 0;
    for (int method = DLTF_SEARCH_FLAT; method <= DLTF_SEARCH_MULTI_INDEX; method++)
        for (int allowed = 0; allowed < (method == DLTF_SEARCH_FLAT ? 1 : 3); allowed++) {
            dltf_search_options options = {.size = sizeof(dltf_search_options),
                                           .k = 3,
                                           .method = (dltf_search_method)method,
                                           .threads = 1};
            calls = allowed;
            assert_int_equal(dltf_search(index, queries, &options, cancel, &calls, &found), DLTF_CANCELLED);
            assert_null(found);
        }
    calls = 1;
    assert_int_equal(dltf_index_add_tables(index, 1, cancel, &calls), DLTF_CANCELLED);
    assert_int_equal(dltf_index_get(index).tables, 0);
    calls = 2;
    assert_int_equal(dltf_index_add_tables(index, 1, cancel, &calls), DLTF_OK);
    assert_true(dltf_index_get(index).tables > 0);
    dltf_index_free(index);
    free_problem(&p);
}

static dltf_status build_and_search(const problem *p, dltf_search_options options) {
    dltf_index *index = NULL;
    dltf_neighbours *found = NULL;
    dltf_matrix turned = {p->codes, DLTF_U8, p->rows, p->width, 1, p->rows}; /* must be copied */
    dltf_status status = dltf_index_new(turned, &index);
    if (status == DLTF_OK)
        status =
            dltf_search(index, dltf_matrix_u8(p->query, p->queries, p->width), &options, NULL, NULL, &found);
    dltf_neighbours_free(found);
    dltf_index_free(index);
    return status;
}

static void lack_of_memory(void **state) {
    (void)state;
    problem p = make_problem(2500, 8, 3, 2);
    for (int method = DLTF_SEARCH_FLAT; method <= DLTF_SEARCH_MULTI_INDEX; method++)
        for (int64_t k = 0; k <= 10; k += 10) {
            dltf_search_options options = {sizeof(dltf_search_options), k, 64, (dltf_search_method)method, 1};
            assert_survives_lack_of_memory(build_and_search(&p, options), 20);
        }
    free_problem(&p);
}

TESTS_MAIN(cmocka_unit_test(all_widths), cmocka_unit_test(one_row_and_duplicates), cmocka_unit_test(large),
           cmocka_unit_test(levels_and_threads), cmocka_unit_test(strides), cmocka_unit_test(tables),
           cmocka_unit_test(bad_input), cmocka_unit_test(beyond_32_bits), cmocka_unit_test(cancelled),
           cmocka_unit_test(lack_of_memory))
