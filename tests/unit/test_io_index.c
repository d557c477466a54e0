/* Index files: saved and loaded index give the same neighbours; hostile files are rejected or at least never
 * read out of bounds. Files of neighbours. */
#include "test_io.h"

#include "data/index.h"
#include "io/index_file.h"
#include "program/program.h"

enum { ROWS = 300, WIDTH = 8, QUERIES = 5 };

static uint8_t codes[ROWS * WIDTH], queries[QUERIES * WIDTH];

static void fill(void) {
    uint32_t state = 1;
    for (size_t i = 0; i < sizeof codes; i++) {
        state = state * 1664525 + 1013904223;
        codes[i] = (uint8_t)(state >> 24);
    }
    memcpy(queries, codes + 17 * WIDTH, sizeof queries);
}

static dltf_index *example(int64_t rows, int64_t width, bool tables) {
    dltf_index *index = NULL;
    fill();
    assert_int_equal(dltf_index_new(dltf_matrix_u8(codes, rows, width), &index), DLTF_OK);
    if (tables)
        assert_int_equal(dltf_index_add_tables(index, 1, NULL, NULL), DLTF_OK);
    return index;
}

static dltf_status search(const dltf_index *index, int64_t k, dltf_search_method method,
                          dltf_neighbours **found) {
    dltf_search_options options = {
        .size = sizeof(dltf_search_options), .k = k, .radius = 20, .method = method, .threads = 1};
    *found = NULL;
    return dltf_search(index, dltf_matrix_u8(queries, QUERIES, index->width), &options, NULL, NULL, found);
}

static void assert_same_neighbours(const dltf_index *a, const dltf_index *b, int64_t k) {
    dltf_neighbours *first = NULL, *second = NULL;
    assert_int_equal(search(a, k, DLTF_SEARCH_FLAT, &first), DLTF_OK);
    assert_int_equal(search(b, k, DLTF_SEARCH_MULTI_INDEX, &second), DLTF_OK);
    dltf_neighbours_view x = dltf_neighbours_get(first), y = dltf_neighbours_get(second);
    assert_memory_equal(x.indptr, y.indptr, (QUERIES + 1) * sizeof *x.indptr);
    assert_memory_equal(x.indices, y.indices, (size_t)x.indptr[QUERIES] * sizeof *x.indices);
    assert_memory_equal(x.distances, y.distances, (size_t)x.indptr[QUERIES] * sizeof *x.distances);
    assert_true(x.indptr[QUERIES] >= QUERIES);
    dltf_neighbours_free(first);
    dltf_neighbours_free(second);
}

static void round_trip(void **state) {
    (void)state;
    for (int tables = 0; tables < 2; tables++) {
        dltf_index *index = example(ROWS, WIDTH, tables), *back = NULL;
        assert_int_equal(dltf_index_save(index, in_directory("a.index")), DLTF_OK);
        assert_int_equal(dltf_index_load(in_directory("a.index"), &back), DLTF_OK);
        assert_non_null(back->array->mapping);
        dltf_index_view v = dltf_index_get(back), original = dltf_index_get(index);
        assert_int_equal(v.rows, ROWS);
        assert_int_equal(v.bytes, WIDTH);
        assert_int_equal(v.tables, original.tables);
        assert_int_equal(v.table_bytes, original.table_bytes);
        assert_true((v.tables > 0) == tables);
        assert_memory_equal(v.hashes, codes, sizeof codes);
        assert_same_neighbours(index, back, 7);
        assert_same_neighbours(index, back, 0);
        assert_int_equal(dltf_index_save(back, in_directory("b.index")), DLTF_OK);
        assert_same_files(in_directory("a.index"), in_directory("b.index"));
        dltf_index_free(index);
        dltf_index_free(back);
    }
}

/* A database may also be any matrix of bytes. */
static void matrices(void **state) {
    (void)state;
    float real = 1;
    dltf_index *index = NULL;
    fill();
    assert_int_equal(dltf_matrix_save(dltf_matrix_u8(codes, ROWS, WIDTH), in_directory("x.npy")), DLTF_OK);
    assert_int_equal(dltf_index_load(in_directory("x.npy"), &index), DLTF_OK);
    assert_memory_equal(dltf_index_get(index).hashes, codes, sizeof codes);
    dltf_index_free(index);
    assert_int_equal(dltf_matrix_save(dltf_matrix_f32(&real, 1, 1), in_directory("f.npy")), DLTF_OK);
    assert_fails(dltf_index_load(in_directory("f.npy"), &index), DLTF_DATA,
                 "f.npy: expected packed bits (uint8) but found float32");
    assert_fails(dltf_index_load(in_directory("none"), &index), DLTF_FILE, "none: cannot open");
    assert_fails(dltf_index_load(in_directory("none.npz:x"), &index), DLTF_FILE, "none.npz: cannot open");
    assert_fails(dltf_index_load(NULL, &index), DLTF_ARGUMENT, "must not be NULL");
    assert_null(index);
}

/* Loads, then searches in every way. A search may fail, with a message about the database. */
static dltf_status load(dl_file *file) {
    dltf_index *index = NULL;
    dltf_status status = dl_index_parse(file, &index);
    assert_int_equal(status == DLTF_OK, index != NULL);
    for (int64_t k = 0; index && k <= 3 && index->width <= WIDTH; k += 3) {
        dltf_neighbours *found = NULL;
        dltf_status searched = search(index, k, DLTF_SEARCH_MULTI_INDEX, &found);
        if (searched == DLTF_FORMAT)
            assert_message_has("database: is corrupt");
        else if (searched != DLTF_OK)
            assert_true(searched == DLTF_MEMORY || searched == DLTF_ARGUMENT);
        dltf_neighbours_free(found);
    }
    dltf_index_free(index);
    return status;
}

static void survives_corruption(void **state) {
    (void)state;
    dltf_index *index = example(10, 2, true);
    const char *path = in_directory("memory.index");
    assert_survives_lack_of_memory(dltf_index_save(index, path), access(path, F_OK) != 0);
    dl_text file = read_back(path);
    assert_truncation_fails(load, file.data, file.length);
    flip_every_bit(load, file.data, file.length);
    assert_survives_lack_of_memory(load_copy(load, file.data, file.length), true);
    dl_text_free(&file);
    dltf_index_free(index);
}

static dltf_status load_changed(const dl_text *file, int64_t at, uint64_t value, int bytes) {
    char *copy = malloc((size_t)file->length);
    memcpy(copy, file->data, (size_t)file->length);
    dl_put_little((uint8_t *)copy + at, value, bytes);
    dl_file borrowed = dl_file_borrow(copy, file->length);
    dltf_status status = load(&borrowed);
    free(copy);
    return status;
}

static void hostile_headers(void **state) {
    (void)state;
    dltf_index *index = example(ROWS, WIDTH, true);
    assert_int_equal(dltf_index_save(index, in_directory("h.index")), DLTF_OK);
    dl_text file = read_back(in_directory("h.index"));
    assert_fails(load_changed(&file, 8, 2, 4), DLTF_FORMAT, "version 2 of the index is not supported");
    assert_fails(load_changed(&file, 12, 0, 4), DLTF_FORMAT, "is corrupt: 300 codes of 0 bytes");
    assert_fails(load_changed(&file, 12, 513, 4), DLTF_FORMAT, "is corrupt: 300 codes of 513 bytes");
    assert_fails(load_changed(&file, 12, 33, 4), DLTF_FORMAT, "is corrupt: 6 tables");
    assert_fails(load_changed(&file, 16, 0, 8), DLTF_FORMAT, "is corrupt: 0 codes");
    assert_fails(load_changed(&file, 16, 1ull << 48, 8), DLTF_FORMAT, "is corrupt: 281474976710656 codes");
    assert_fails(load_changed(&file, 16, 1ull << 32, 8), DLTF_FORMAT, "is corrupt: 6 tables");
    assert_fails(load_changed(&file, 16, UINT32_MAX, 8), DLTF_FORMAT, "truncated: expected");
    assert_fails(load_changed(&file, 16, ROWS - 20, 8), DLTF_FORMAT, "is corrupt: expected");
    assert_fails(load_changed(&file, 24, 1, 4), DLTF_FORMAT, "is corrupt: 1 tables");
    assert_fails(load_changed(&file, 24, 33, 4), DLTF_FORMAT, "is corrupt: 33 tables");
    assert_fails(load_changed(&file, 24, 0, 4), DLTF_FORMAT, "is corrupt: expected");
    assert_fails(load_changed(&file, 40, 1, 1), DLTF_FORMAT, "is corrupt: byte 40 of the header");
    dl_text_free(&file);
    dltf_index_free(index);
}

/* Loads an index whose tables were overwritten: entry i becomes first + i step. */
static dltf_index *hostile_index(int64_t width, uint32_t first, uint32_t step, dl_text *file) {
    dltf_index *index = example(ROWS, width, true), *hostile = NULL;
    assert_int_equal(dltf_index_save(index, in_directory("t.index")), DLTF_OK);
    *file = read_back(in_directory("t.index"));
    uint8_t *tables = (uint8_t *)file->data + 64 + dl_index_aligned(ROWS * width);
    for (int64_t i = 0; i < index->table_bytes / 4; i++)
        dl_put_little(tables + 4 * i, first + (uint32_t)i * step, 4);
    dl_file borrowed = dl_file_borrow(file->data, file->length);
    assert_int_equal(dl_index_parse(&borrowed, &hostile), DLTF_OK);
    dltf_index_free(index);
    return hostile;
}

/* Entries of the tables that are out of range are found when they are used. */
static void hostile_tables(void **state) {
    (void)state;
    dl_text file;
    dltf_neighbours *found = NULL;
    uint32_t firsts[] = {0xfffffff0, ROWS + 1, ROWS, 0}, steps[] = {1, 0, UINT32_MAX, 1};
    for (int i = 0; i < 4; i++) {
        dltf_index *hostile = hostile_index(WIDTH, firsts[i], steps[i], &file);
        assert_fails(search(hostile, 3, DLTF_SEARCH_MULTI_INDEX, &found), DLTF_FORMAT,
                     "database: is corrupt: a table has an entry that is out of range");
        assert_int_equal(search(hostile, 3, DLTF_SEARCH_FLAT, &found), DLTF_OK);
        dltf_neighbours_free(found);
        dltf_index_free(hostile);
        dl_text_free(&file);
    }
    dltf_index *empty = hostile_index(1, 0, 0, &file);
    assert_fails(search(empty, 3, DLTF_SEARCH_MULTI_INDEX, &found), DLTF_FORMAT,
                 "is corrupt: its tables do not list all rows");
    dltf_index_free(empty);
    dl_text_free(&file);
}

/* ---- Neighbours ---- */

static void neighbours(void **state) {
    (void)state;
    dltf_index *index = example(ROWS, WIDTH, false);
    dltf_neighbours *nearest = NULL, *within = NULL;
    assert_int_equal(search(index, 4, DLTF_SEARCH_FLAT, &nearest), DLTF_OK);
    assert_int_equal(search(index, 0, DLTF_SEARCH_FLAT, &within), DLTF_OK);
    dltf_neighbours_view v = dltf_neighbours_get(nearest);
    assert_int_equal(dltf_neighbours_save(nearest, in_directory("k.npy")), DLTF_OK);
    assert_int_equal(dl_neighbours_save_distances(nearest, in_directory("d.npy")), DLTF_OK);
    static const char *const names[] = {"k.npy", "d.npy"};
    for (int f = 0; f < 2; f++) {
        dltf_array *array = NULL;
        assert_int_equal(dltf_array_load(in_directory(names[f]), &array), DLTF_OK);
        dltf_matrix m = dltf_array_matrix(array);
        assert_true(m.rows == QUERIES && m.cols == 4 && m.type == DLTF_F64);
        for (int64_t i = 0; i < QUERIES * 4; i++)
            assert_true(((const double *)m.data)[i] ==
                        (f == 0 ? (double)v.indices[i] : (double)v.distances[i]));
        dltf_array_free(array);
    }
    assert_int_equal(dltf_neighbours_save(nearest, in_directory("k.npz")), DLTF_OK);
    assert_int_equal(dltf_neighbours_save(within, in_directory("r.NPZ")), DLTF_OK);
    assert_fails(dltf_neighbours_save(within, in_directory("r.npy")), DLTF_ARGUMENT,
                 "r.npy: the number of neighbours within a radius differs from query to query");
    assert_fails(dl_neighbours_save_distances(within, in_directory("r.npy")), DLTF_ARGUMENT, "radius");
    assert_int_not_equal(access(in_directory("r.npy"), F_OK), 0);
    assert_fails(dltf_neighbours_save(nearest, in_directory("k.txt")), DLTF_ARGUMENT,
                 "k.txt: unsupported extension: neighbours can be written as .npy, .npz or .ivecs");
    assert_fails(dltf_neighbours_save(nearest, NULL), DLTF_ARGUMENT, "must not be NULL");
    const char *path = in_directory("m.npz");
    assert_survives_lack_of_memory(dltf_neighbours_save(nearest, path), access(path, F_OK) != 0);
    path = in_directory("m.npy");
    assert_survives_lack_of_memory(dltf_neighbours_save(nearest, path), access(path, F_OK) != 0);
    dltf_neighbours_free(nearest);
    dltf_neighbours_free(within);
    dltf_index_free(index);
}

IO_TESTS_MAIN(cmocka_unit_test(round_trip), cmocka_unit_test(matrices), cmocka_unit_test(survives_corruption),
              cmocka_unit_test(hostile_headers), cmocka_unit_test(hostile_tables),
              cmocka_unit_test(neighbours))
