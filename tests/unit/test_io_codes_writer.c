/* Codes written in pieces: the same bytes as written at once, and no files left behind on failure. */
#include "dltf.h"

#include "test_io.h"

#include "base/random.h"
#include "io/files/spool.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* Codes of `rows` samples with 0 to 7 of 40 atoms each. */
static dltf_codes *random_codes(int64_t rows) {
    dl_random source = {.seed = 5, .stream = 1};
    int64_t *indptr = calloc((size_t)rows + 1, sizeof *indptr), at = 0;
    int32_t *indices = calloc((size_t)rows * 8, sizeof *indices);
    float *values = calloc((size_t)rows * 8, sizeof *values);
    dltf_codes *codes = NULL;
    for (int64_t i = 0; i < rows; i++) {
        int64_t count = dl_random_below(source, (uint64_t)i, 8);
        for (int64_t e = 0; e < count; e++, at++) {
            indices[at] = (int32_t)(5 * e + i % 5);
            values[at] = (float)(at % 1000 + 1);
        }
        indptr[i + 1] = at;
    }
    assert_int_equal(dltf_codes_new((dltf_csr){rows, 40, indptr, indices, values, NULL}, &codes), DLTF_OK);
    free(indptr);
    free(indices);
    free(values);
    return codes;
}

/* Rows first .. first + count - 1; `indptr` is scratch space. */
static dltf_csr slice(dltf_csr csr, int64_t first, int64_t count, int64_t *indptr) {
    int64_t begin = csr.indptr[first];
    for (int64_t i = 0; i <= count; i++)
        indptr[i] = csr.indptr[first + i] - begin;
    return (dltf_csr){count, csr.cols, indptr, csr.indices + begin, csr.values + begin, NULL};
}

static dltf_status write_pieces(const dltf_codes *codes, const char *path, dltf_layout layout, bool known,
                                int64_t piece) {
    dltf_csr csr = dltf_codes_csr(codes);
    dltf_codes_writer *writer = NULL;
    int64_t *indptr = malloc((size_t)(csr.rows + 1) * sizeof *indptr);
    dltf_status status = dltf_codes_writer_open(path, layout, known ? csr.rows : -1, csr.cols, &writer);
    for (int64_t first = 0; first < csr.rows && status == DLTF_OK; first += piece) {
        int64_t count = csr.rows - first < piece ? csr.rows - first : piece;
        status = dltf_codes_writer_add(writer, slice(csr, first, count, indptr));
    }
    if (status == DLTF_OK)
        status = dltf_codes_writer_finish(writer);
    dltf_codes_writer_free(writer);
    free(indptr);
    return status;
}

/* The large codes exceed the buffers of the spools. */
static void pieces_give_the_same_bytes(void **state) {
    (void)state;
    const int64_t sizes[] = {1, 500, 150000}, pieces[] = {1, 7, 96, 1000000};
    const char *wanted = in_directory("wanted.npz"), *path = in_directory("pieces.npz");
    for (int s = 0; s < 3; s++) {
        dltf_codes *codes = random_codes(sizes[s]);
        assert_int_equal(dltf_codes_save(codes, wanted), DLTF_OK);
        for (int p = 0; p < 4; p++) {
            assert_int_equal(write_pieces(codes, path, DLTF_LAYOUT_SPARSE, p % 2, pieces[p]), DLTF_OK);
            assert_same_files(path, wanted);
        }
        dltf_codes_free(codes);
    }
    count_files(NULL, true);
}

static void dense_codes_are_the_matrix(void **state) {
    (void)state;
    enum { ROWS = 9000, COLS = 40 }; /* more than a block */
    dltf_codes *codes = random_codes(ROWS);
    dltf_csr csr = dltf_codes_csr(codes);
    float *dense = calloc(ROWS * COLS, sizeof *dense);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t e = csr.indptr[i]; e < csr.indptr[i + 1]; e++)
            dense[i * COLS + csr.indices[e]] = csr.values[e];
    dltf_matrix matrix = dltf_matrix_f32(dense, ROWS, COLS);
    for (int known = 0; known < 2; known++) {
        assert_int_equal(dltf_matrix_save(matrix, in_directory("wanted.npy")), DLTF_OK);
        assert_int_equal(write_pieces(codes, in_directory("d.npy"), DLTF_LAYOUT_DENSE, known, 777), DLTF_OK);
        assert_same_files(in_directory("d.npy"), in_directory("wanted.npy"));
        assert_int_equal(dltf_matrix_save(matrix, in_directory("wanted.csv")), DLTF_OK);
        assert_int_equal(write_pieces(codes, in_directory("d.csv"), DLTF_LAYOUT_DENSE, known, 777), DLTF_OK);
        assert_same_files(in_directory("d.csv"), in_directory("wanted.csv"));
        assert_int_equal(write_pieces(codes, in_directory("d.f32"), DLTF_LAYOUT_RAW, known, 777), DLTF_OK);
        dl_text raw = read_back(in_directory("d.f32"));
        assert_int_equal(raw.length, ROWS * COLS * 4);
        for (int64_t i = 0; i < ROWS * COLS; i++) {
            uint32_t bits = dl_little32((const uint8_t *)raw.data + 4 * i);
            assert_memory_equal(&bits, &dense[i], 4);
        }
        dl_text_free(&raw);
    }
    free(dense);
    dltf_codes_free(codes);
}

static void rejects_inconsistent_codes(void **state) {
    (void)state;
    count_files(NULL, true);
    dltf_codes_writer *writer = NULL;
    const char *path = in_directory("c.npz");
    const dltf_csr one = {1, 4, (const int64_t[]){0, 1}, (const int32_t[]){2}, (const float[]){1}, NULL};
    dltf_csr bad = one;
    assert_fails(dltf_codes_writer_open(path, DLTF_LAYOUT_SPARSE, -1, 0, &writer), DLTF_ARGUMENT,
                 "0 columns");
    assert_fails(dltf_codes_writer_open("", DLTF_LAYOUT_SPARSE, -1, 4, &writer), DLTF_ARGUMENT,
                 "no file name");
    assert_fails(dltf_codes_writer_open(in_directory("no/c.npz"), DLTF_LAYOUT_SPARSE, -1, 4, &writer),
                 DLTF_FILE, "no/c.npz: cannot create: No such file");
    assert_int_equal(dltf_codes_writer_open(path, DLTF_LAYOUT_SPARSE, 2, 4, &writer), DLTF_OK);
    bad.values = (const float[]){NAN};
    assert_fails(dltf_codes_writer_add(writer, bad), DLTF_DATA, "not finite");
    bad = one;
    bad.cols = 5;
    assert_fails(dltf_codes_writer_add(writer, bad), DLTF_ARGUMENT, "codes: expected 4 columns but found 5");
    assert_int_equal(dltf_codes_writer_add(writer, one), DLTF_OK);
    assert_fails(dltf_codes_writer_finish(writer), DLTF_ARGUMENT, "c.npz: expected 2 rows but found 1");
    dltf_codes_writer_free(writer);
    dltf_codes_writer_free(NULL);
    assert_int_equal(count_files(NULL, false), 0);
}

static void unfinished_leaves_nothing(void **state) {
    (void)state;
    count_files(NULL, true);
    dltf_codes *codes = random_codes(150000);
    for (int layout = DLTF_LAYOUT_SPARSE; layout <= DLTF_LAYOUT_RAW; layout++) {
        dltf_codes_writer *writer = NULL;
        assert_int_equal(dltf_codes_writer_open(in_directory("out"), (dltf_layout)layout, -1, 40, &writer),
                         DLTF_OK);
        assert_int_equal(dltf_codes_writer_add(writer, dltf_codes_csr(codes)), DLTF_OK);
        /* The spools have no names; nor has the output, where files can be created without. */
        assert_true(count_files(NULL, false) <= (has_unnamed_files() ? 0 : 1));
        dltf_codes_writer_free(writer);
        assert_int_equal(count_files(NULL, false), 0);
    }
    dltf_codes_free(codes);
}

/* In a child process: lowering the file size limit cannot be undone. */
static void a_full_disk_keeps_the_old_file(void **state) {
    (void)state;
    count_files(NULL, true);
    const char *path = in_directory("out.npz");
    const int64_t limits[] = {1000000, 3000000}; /* too small for a spool; only for the file */
    dltf_codes *codes = random_codes(150000);
    write_file(path, "old", 3);
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0) {
            struct rlimit limit = {(rlim_t)limits[i], (rlim_t)limits[i]};
            signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &limit);
            dltf_status status = write_pieces(codes, path, DLTF_LAYOUT_SPARSE, false, 1000);
            const char *part =
                i == 0 ? "cannot write a temporary file in " : "out.npz: cannot write: File too large";
            _exit(status == DLTF_FILE && strstr(dltf_message(), part) ? 0 : 1);
        }
        int result = 1;
        waitpid(child, &result, 0);
        assert_int_equal(result, 0);
        dl_text content = read_back(path);
        assert_string_equal(content.data, "old");
        dl_text_free(&content);
        assert_int_equal(count_files("out.npz", false), 0);
    }
    dltf_codes_free(codes);
}

static void pipes_and_devices(void **state) {
    (void)state;
    dltf_codes *small = random_codes(10), *large = random_codes(150000);
    char *old = getenv("TMPDIR"), *kept = old ? strdup(old) : NULL;
    assert_int_equal(write_pieces(small, "/dev/null", DLTF_LAYOUT_SPARSE, false, 3), DLTF_OK);
    assert_int_equal(write_pieces(small, "/dev/null", DLTF_LAYOUT_DENSE, true, 3), DLTF_OK);
    assert_int_equal(write_pieces(small, "/dev/null", DLTF_LAYOUT_RAW, false, 3), DLTF_OK);
    assert_fails(write_pieces(small, "/dev/null", DLTF_LAYOUT_DENSE, false, 3), DLTF_ARGUMENT,
                 "/dev/null: cannot write .npy to a pipe or device before the number of rows is known");
    struct stat about;
    if (stat("/dev/full", &about) == 0)
        for (int layout = DLTF_LAYOUT_SPARSE; layout <= DLTF_LAYOUT_RAW; layout++)
            assert_fails(write_pieces(small, "/dev/full", (dltf_layout)layout, true, 3), DLTF_FILE,
                         "/dev/full: cannot write: No space left");
    setenv("TMPDIR", in_directory("missing"), 1);
    assert_int_equal(write_pieces(small, "/dev/null", DLTF_LAYOUT_SPARSE, false, 3),
                     DLTF_OK); /* needs no temporary file */
    assert_fails(write_pieces(large, "/dev/null", DLTF_LAYOUT_SPARSE, false, 1000), DLTF_FILE,
                 "cannot create a temporary file in ");
    setenv("TMPDIR", test_directory, 1);
    assert_int_equal(write_pieces(large, "/dev/null", DLTF_LAYOUT_SPARSE, false, 1000), DLTF_OK);
    if (kept)
        setenv("TMPDIR", kept, 1);
    else
        unsetenv("TMPDIR");
    free(kept);
    dltf_codes_free(small);
    dltf_codes_free(large);
}

static void spools_read_any_piece(void **state) {
    (void)state;
    enum { SIZE = 3000000 };
    uint8_t *bytes = malloc(SIZE), *back = malloc(SIZE);
    for (int64_t i = 0; i < SIZE; i++)
        bytes[i] = (uint8_t)(i * i % 251);
    dl_spool spool;
    assert_int_equal(dl_spool_open(&spool, test_directory), DLTF_OK);
    for (int64_t at = 0, some = 1; at < SIZE; at += some, some = SIZE - at < 99991 ? SIZE - at : 99991)
        assert_int_equal(dl_spool_append(&spool, bytes + at, some), DLTF_OK);
    const int64_t places[][2] = {{0, SIZE},           {0, 1},      {SIZE - 1, 1}, {1 << 20, 5},
                                 {(2 << 20) - 3, 10}, {5, 2500000}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        assert_int_equal(dl_spool_read(&spool, places[i][0], back, places[i][1]), DLTF_OK);
        assert_memory_equal(back, bytes + places[i][0], (size_t)places[i][1]);
    }
    dl_spool_close(&spool);
    free(bytes);
    free(back);
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    count_files(NULL, true);
    dltf_codes *codes = random_codes(150000);
    for (int layout = DLTF_LAYOUT_SPARSE; layout <= DLTF_LAYOUT_RAW; layout++) {
        assert_survives_lack_of_memory(
            write_pieces(codes, in_directory("out"), (dltf_layout)layout, false, 100000),
            count_files(NULL, false) == 0);
        count_files(NULL, true);
    }
    dltf_codes_free(codes);
}

IO_TESTS_MAIN(cmocka_unit_test(pieces_give_the_same_bytes), cmocka_unit_test(dense_codes_are_the_matrix),
              cmocka_unit_test(rejects_inconsistent_codes), cmocka_unit_test(unfinished_leaves_nothing),
              cmocka_unit_test(a_full_disk_keeps_the_old_file), cmocka_unit_test(pipes_and_devices),
              cmocka_unit_test(spools_read_any_piece), cmocka_unit_test(survives_lack_of_memory))
