/* Rows from files and pipes, a few at a time: every type, every truncation, same rows as a full load. */
#include "test_io.h"

#include "data/matrix.h"
#include "io/formats/npy.h"
#include "io/streams/reader.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

/* A pipe with this content, closed at the other end; the content must fit the pipe's buffer. */
static int pipe_with(const void *bytes, int64_t size) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], bytes, (size_t)size), size);
    close(ends[1]);
    return ends[0];
}

static dltf_status open_piped(dl_text content, int64_t raw_columns, dltf_reader **reader) {
    *reader = NULL;
    return dl_reader_adopt(pipe_with(content.data, content.length), "pipe", raw_columns, NULL, reader);
}

/* Reads to the end in pieces of `most` rows and compares with a matrix. */
static void assert_rows(dltf_reader *reader, dltf_matrix wanted, int64_t most) {
    double row[16], other[16];
    int64_t at = 0;
    dltf_matrix piece;
    assert_int_equal(dltf_reader_cols(reader), wanted.cols);
    do {
        assert_int_equal(dltf_reader_next(reader, most, &piece), DLTF_OK);
        assert_int_equal(piece.rows, wanted.rows - at < most ? wanted.rows - at : most);
        for (int64_t i = 0; i < piece.rows; i++) {
            dl_matrix_row(piece, i, row);
            dl_matrix_row(wanted, at + i, other);
            assert_memory_equal(row, other, (size_t)wanted.cols * sizeof *row);
        }
        at += piece.rows;
    } while (piece.rows > 0);
    assert_int_equal(at, wanted.rows);
}

/* All rows, or the failure. */
static dltf_status read_all(dltf_reader *reader, int64_t most) {
    dltf_matrix piece = {.rows = 1};
    dltf_status status = DLTF_OK;
    while (status == DLTF_OK && piece.rows > 0)
        status = dltf_reader_next(reader, most, &piece);
    return status;
}

static dltf_status read_piped(dl_text content, int64_t raw_columns, int64_t most) {
    dltf_reader *reader = NULL;
    dltf_status status = open_piped(content, raw_columns, &reader);
    if (status == DLTF_OK)
        status = read_all(reader, most);
    dltf_reader_free(reader);
    return status;
}

static dl_text npy_of(const char *descr, const char *order, const char *shape, const void *data,
                      int64_t size) {
    char dictionary[200];
    snprintf(dictionary, sizeof dictionary, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr,
             order, shape);
    return npy_bytes(dictionary, data, size);
}

static void every_type_as_loaded(void **state) {
    (void)state;
    static const char *const types[] = {"<f4", ">f4", "<f8", ">f8", "|u1", "|i1",
                                        "<u2", ">i2", "<i4", ">u4", "<i8", ">i8"};
    const int64_t pieces[] = {1, 2, 3, 7, 100};
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        int64_t item = types[t][2] - '0';
        uint8_t data[7 * 6 * 8];
        for (int64_t i = 0; i < (int64_t)sizeof data; i++) /* small exponents, small integers */
            data[i] = (uint8_t)(item == 8 && i % 8 < 2 ? 0 : i % item < 2 || item == 1 ? i * 37 % 64 : 0);
        dl_text content = npy_of(types[t], "False", "(7, 2, 3)", data, 42 * item);
        dl_file file = dl_file_borrow(content.data, content.length);
        dltf_array *whole = NULL;
        assert_int_equal(dl_npy_load(&file, &whole), DLTF_OK);
        const char *path = in_directory("typed.npy");
        write_file(path, content.data, content.length);
        for (size_t p = 0; p < sizeof pieces / sizeof pieces[0]; p++) {
            dltf_reader *reader = NULL;
            assert_int_equal(open_piped(content, 0, &reader), DLTF_OK);
            assert_int_equal(dltf_reader_rows(reader), dltf_array_matrix(whole).rows);
            assert_rows(reader, dltf_array_matrix(whole), pieces[p]);
            dltf_reader_free(reader);
            assert_int_equal(dltf_reader_open(path, 0, &reader), DLTF_OK);
            assert_rows(reader, dltf_array_matrix(whole), pieces[p]);
            dltf_reader_free(reader);
        }
        dltf_array_free(whole);
        dl_text_free(&content);
    }
}

static void raw_rows_have_no_known_end(void **state) {
    (void)state;
    float values[15];
    for (int i = 0; i < 15; i++)
        values[i] = (float)i;
    dl_text content = {0};
    dl_text_append_bytes(&content, values, sizeof values);
    for (int64_t most = 1; most < 8; most++) {
        dltf_reader *reader = NULL;
        assert_int_equal(open_piped(content, 3, &reader), DLTF_OK);
        assert_int_equal(dltf_reader_rows(reader), -1);
        assert_rows(reader, dltf_matrix_f32(values, 5, 3), most);
        dltf_reader_free(reader);
    }
    const char *path = in_directory("rows.f32");
    write_file(path, content.data, content.length);
    dltf_reader *reader = NULL;
    assert_int_equal(dltf_reader_open(path, 3, &reader), DLTF_OK);
    assert_int_equal(dltf_reader_rows(reader), 5);
    assert_rows(reader, dltf_matrix_f32(values, 5, 3), 2);
    dltf_reader_free(reader);
    assert_fails(dltf_reader_open(path, 4, &reader), DLTF_FORMAT,
                 "rows.f32: truncated: row 3 (counting from 0) has 12 of 16 bytes (4 float32 values)");
    assert_fails(dltf_reader_open(in_directory("missing"), 4, &reader), DLTF_FILE, "missing: cannot open");
    assert_fails(dltf_reader_open(path, -1, &reader), DLTF_ARGUMENT, "-1 columns are out of range");
    assert_fails(dltf_reader_open("", 0, &reader), DLTF_ARGUMENT, "no file name");
    content.length -= 5;
    for (int64_t most = 1; most < 8; most++)
        assert_fails(read_piped(content, 3, most), DLTF_FORMAT,
                     "pipe: truncated: row 4 (counting from 0) has 7 of 12 bytes");
    content.length = 0;
    assert_fails(read_piped(content, 3, 10), DLTF_FORMAT, "pipe: is empty");
    assert_fails(read_piped(content, 0, 10), DLTF_FORMAT, "pipe: is empty");
    dl_text_free(&content);
}

static void streams_that_end_too_early_or_too_late(void **state) {
    (void)state;
    const float values[12] = {1, 2, 3};
    dl_text content = npy_of("<f4", "False", "(4, 3)", values, sizeof values);
    int64_t whole = content.length, header = whole - (int64_t)sizeof values;
    for (int64_t most = 1; most < 6; most++) {
        content.length = whole;
        assert_int_equal(read_piped(content, 0, most), DLTF_OK);
        for (content.length = 1; content.length < whole; content.length++)
            assert_fails(read_piped(content, 0, most), DLTF_FORMAT, "pipe: ");
        content.length = header + 2 * 12 + 5;
        assert_fails(read_piped(content, 0, most), DLTF_FORMAT,
                     "pipe: truncated: header declares 4 rows, row 2 (counting from 0) has 5 of 12 bytes");
        content.length = header;
        assert_fails(read_piped(content, 0, most), DLTF_FORMAT, "declares 4 rows, row 0");
        content.length = whole;
        dl_text longer = {0};
        dl_text_append_bytes(&longer, content.data, whole);
        dl_text_append_bytes(&longer, "", 1);
        assert_fails(read_piped(longer, 0, most), DLTF_FORMAT,
                     "pipe: corrupt: data continues after the 4 rows");
        dl_text_free(&longer);
    }
    assert_fails(read_piped(content, 3, 4), DLTF_FORMAT, "row"); /* as raw rows: not a multiple of 12 bytes */
    assert_fails(read_piped(content, 1, 400), DLTF_FORMAT, "pipe: ");
    dl_text_free(&content);
    content =
        npy_of("<f4", "False", "(4, 3)   ", values, sizeof values); /* header length is a multiple of 4 */
    while (content.length % 4 != 0)
        dl_text_append_bytes(&content, "", 1);
    assert_fails(read_piped(content, 1, 400), DLTF_FORMAT, "is a .npy file, not raw rows");
    dl_text_free(&content);
}

/* Memory grows with the input, not with the declared size. */
static void declared_sizes_take_no_memory(void **state) {
    (void)state;
    const float values[4] = {1, 2, 3, 4};
    dl_text content = npy_of("<f4", "False", "(3, 1000000000000)", values, sizeof values);
    assert_fails(read_piped(content, 0, 100), DLTF_FORMAT,
                 "row 0 (counting from 0) has 16 of 4,000,000,000,000");
    dl_text_free(&content);
    content = npy_of("<f4", "False", "(1000000000000, 2)", values, sizeof values);
    assert_fails(read_piped(content, 0, INT64_MAX), DLTF_FORMAT, "row 2 (counting from 0) has 0 of 8 bytes");
    dl_text_free(&content);
}

static void fortran_order(void **state) {
    (void)state;
    const float values[6] = {1, 2, 3, 4, 5, 6}, rows[6] = {1, 4, 2, 5, 3, 6};
    dl_text content = npy_of("<f4", "True", "(3, 2)", values, sizeof values);
    assert_fails(read_piped(content, 0, 2), DLTF_FORMAT, "pipe: is in Fortran order");
    const char *path = in_directory("fortran.npy");
    write_file(path, content.data, content.length);
    dltf_reader *reader = NULL;
    assert_int_equal(dltf_reader_open(path, 0, &reader), DLTF_OK);
    assert_int_equal(dltf_reader_rows(reader), 3);
    assert_rows(reader, dltf_matrix_f32(rows, 3, 2), 2);
    dltf_reader_free(reader);
    dl_text_free(&content);
    content = npy_of("<f4", "True", "(6,)", values, sizeof values); /* one column: both orders are the same */
    assert_int_equal(open_piped(content, 0, &reader), DLTF_OK);
    assert_rows(reader, dltf_matrix_f32(values, 6, 1), 4);
    dltf_reader_free(reader);
    dl_text_free(&content);
}

static void other_formats_are_loaded_whole(void **state) {
    (void)state;
    const uint8_t idx[] = {0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 2, 1, 2, 3, 4};
    dl_text content = {0};
    dltf_reader *reader = NULL;
    dl_text_append_bytes(&content, idx, sizeof idx);
    assert_int_equal(open_piped(content, 0, &reader), DLTF_OK);
    assert_int_equal(dltf_reader_rows(reader), 2);
    assert_rows(reader, dltf_matrix_u8(idx + 12, 2, 2), 1);
    dltf_reader_free(reader);
    dl_text_free(&content);
    dl_text_append(&content, "1,2\n3,4\n");
    assert_fails(read_piped(content, 0, 1), DLTF_FORMAT, "pipe: unrecognised format");
    const char *path = in_directory("x.csv");
    write_file(path, content.data, content.length);
    assert_int_equal(dltf_reader_open(path, 0, &reader), DLTF_OK);
    assert_rows(reader, dltf_matrix_f64((const double[]){1, 2, 3, 4}, 2, 2), 1);
    dltf_reader_free(reader);
    dl_text_free(&content);
    content = npy_of("|S4", "False", "(2,)", "textmore", 8);
    assert_fails(read_piped(content, 0, 1), DLTF_FORMAT, "pipe: contains text");
    dl_text_free(&content);
    assert_fails(dltf_reader_open(test_directory, 0, &reader), DLTF_FILE, "is a directory");
    assert_fails(dltf_reader_open("/dev/zero", 0, &reader), DLTF_FILE, "is a device");
    write_file(in_directory("empty"), "", 0);
    assert_fails(dltf_reader_open(in_directory("empty"), 0, &reader), DLTF_FORMAT, "is empty");
    assert_fails(dltf_reader_open(in_directory("missing.npz:x"), 0, &reader), DLTF_FILE, "No such file");
}

static void integer_errors_count_from_the_first_row(void **state) {
    (void)state;
    int64_t values[10] = {0};
    values[7] = (INT64_C(1) << 53) + 1;
    dl_text content = npy_of("<i8", "False", "(5, 2)", values, sizeof values);
    assert_fails(read_piped(content, 0, 2), DLTF_DATA, "pipe: element 7 is 9007199254740993");
    dl_text_free(&content);
}

static void ignore_signal(int signal) {
    (void)signal;
}

/* A child sends the first rows, then a signal, then the rest once the parent has seen the signal. */
static void a_signal_interrupts_without_loss(void **state) {
    (void)state;
    const float values[6] = {1, 2, 3, 4, 5, 6};
    int data[2], told[2];
    assert_int_equal(pipe(data), 0);
    assert_int_equal(pipe(told), 0);
    struct sigaction action = {.sa_handler = ignore_signal}, old;
    sigaction(SIGUSR1, &action, &old);
    pid_t child = fork();
    if (child == 0) {
        char byte;
        close(told[1]);
        bool fine = write(data[1], values, 14) == 14; /* two rows before the wait, all but 6 bytes of three */
        struct timespec pause = {0, 2000000};
        /* Repeat until the parent has seen one: a signal before it waits is lost. */
        fcntl(told[0], F_SETFL, O_NONBLOCK);
        while (read(told[0], &byte, 1) < 0) {
            kill(getppid(), SIGUSR1);
            nanosleep(&pause, NULL);
        }
        fine = fine && write(data[1], (const char *)values + 14, 10) == 10;
        _exit(fine ? 0 : 1);
    }
    close(data[1]);
    close(told[0]);
    dltf_reader *reader = NULL;
    dltf_matrix rows = {0};
    assert_int_equal(dl_reader_adopt(data[0], "pipe", 1, NULL, &reader), DLTF_OK);
    assert_fails(dltf_reader_next(reader, 6, &rows), DLTF_CANCELLED, "interrupted while waiting for data");
    assert_int_equal(write(told[1], "", 1), 1);
    close(told[1]);
    assert_int_equal(dltf_reader_next(reader, 2, &rows), DLTF_OK); /* of the three available */
    assert_int_equal(rows.rows, 2);
    assert_memory_equal(rows.data, values, 8);
    dltf_status status;
    while ((status = dltf_reader_next(reader, 6, &rows)) == DLTF_CANCELLED)
        ;
    assert_int_equal(status, DLTF_OK);
    assert_int_equal(rows.rows, 4);
    assert_memory_equal(rows.data, values + 2, 16);
    int result = 1;
    while (waitpid(child, &result, 0) < 0)
        ;
    assert_int_equal(result, 0);
    sigaction(SIGUSR1, &old, NULL);
    dltf_reader_free(reader);
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    const int16_t values[4] = {1, 2, 3, 4};
    dl_text content = npy_of("<i2", "False", "(2, 2)", values, sizeof values);
    assert_survives_lack_of_memory(read_piped(content, 0, 1), true);
    const char *path = in_directory("small.npy");
    write_file(path, content.data, content.length);
    dltf_reader *reader = NULL;
    assert_survives_lack_of_memory(dltf_reader_open(path, 0, &reader), reader == NULL);
    dltf_reader_free(reader);
    dltf_reader_free(NULL);
    dl_text_free(&content);
}

IO_TESTS_MAIN(cmocka_unit_test(every_type_as_loaded), cmocka_unit_test(raw_rows_have_no_known_end),
              cmocka_unit_test(streams_that_end_too_early_or_too_late),
              cmocka_unit_test(declared_sizes_take_no_memory), cmocka_unit_test(fortran_order),
              cmocka_unit_test(other_formats_are_loaded_whole),
              cmocka_unit_test(integer_errors_count_from_the_first_row),
              cmocka_unit_test(a_signal_interrupts_without_loss), cmocka_unit_test(survives_lack_of_memory))
