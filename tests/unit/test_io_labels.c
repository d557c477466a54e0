/* Labels from every format of matrices, and what is not a vector of integers. */
#include "test_io.h"

static void write_text(const char *name, const char *text) {
    write_file(in_directory(name), text, (int64_t)strlen(text));
}

static void assert_labels(const char *name, const int64_t *wanted, int64_t count) {
    dltf_labels *labels = NULL;
    int64_t found = 0;
    if (dltf_labels_load(in_directory(name), &labels) != DLTF_OK)
        fail_msg("%s", dltf_message());
    const int64_t *values = dltf_labels_get(labels, &found);
    assert_int_equal(found, count);
    assert_memory_equal(values, wanted, (size_t)count * sizeof *wanted);
    dltf_labels_free(labels);
}

static void reads_labels(void **state) {
    (void)state;
    static const uint8_t idx[] = {0, 0, 8, 1, 0, 0, 0, 4, 7, 2, 255, 0};
    static const uint8_t wide[] = {0, 0, 0x0c, 1, 0, 0, 0, 2, 255, 255, 255, 254, 0, 1, 0, 0};
    write_file(in_directory("labels-idx1-ubyte"), idx, sizeof idx);
    assert_labels("labels-idx1-ubyte", (int64_t[]){7, 2, 255, 0}, 4);
    write_file(in_directory("wide.idx"), wide, sizeof wide);
    assert_labels("wide.idx", (int64_t[]){-2, 65536}, 2);
    write_text("column.csv", "label\n3\n-1\n3.0\n");
    assert_labels("column.csv", (int64_t[]){3, -1, 3}, 3);
    write_text("row.csv", "5,6,7\n");
    assert_labels("row.csv", (int64_t[]){5, 6, 7}, 3);
}

static void saved_and_loaded(void **state) {
    (void)state;
    int64_t labels[] = {0, -5, 9007199254740992, 3, 3};
    static const char *const names[] = {"a.npy", "a.csv"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(dltf_labels_save(labels, 5, in_directory(names[i])), DLTF_OK);
        assert_labels(names[i], labels, 5);
    }
    assert_fails(dltf_labels_save(labels, 5, in_directory("none/a.npy")), DLTF_FILE, "none/a.npy: cannot");
}

static void rejects(void **state) {
    (void)state;
    dltf_labels *labels = NULL;
    write_text("half.csv", "1\n2.5\n");
    assert_fails(dltf_labels_load(in_directory("half.csv"), &labels), DLTF_FORMAT,
                 "half.csv: label 1 is 2.5 (counting from 0): expected an integer");
    write_text("nan.csv", "nan\n");
    assert_fails(dltf_labels_load(in_directory("nan.csv"), &labels), DLTF_FORMAT, "label 0 is nan");
    write_text("huge.csv", "1e300\n");
    assert_fails(dltf_labels_load(in_directory("huge.csv"), &labels), DLTF_FORMAT, "label 0 is 1e+300");
    write_text("table.csv", "1,2\n3,4\n");
    assert_fails(dltf_labels_load(in_directory("table.csv"), &labels), DLTF_FORMAT,
                 "table.csv: 2 rows of 2 numbers: expected one label per sample");
    assert_fails(dltf_labels_load(in_directory("no.npy"), &labels), DLTF_FILE, "no.npy: cannot open");
    assert_null(labels);
}

static void out_of_memory(void **state) {
    (void)state;
    write_text("few.csv", "1\n2\n");
    dltf_status status = DLTF_MEMORY;
    int64_t failures = 0;
    for (; status != DLTF_OK; failures++) {
        dltf_labels *labels = NULL;
        dl_alloc_fail_after(failures + 1);
        status = dltf_labels_load(in_directory("few.csv"), &labels);
        dl_alloc_fail_after(0);
        assert_true(status == DLTF_OK || status == DLTF_MEMORY);
        dltf_labels_free(labels);
    }
    assert_in_range(failures, 4, 30);
}

IO_TESTS_MAIN(cmocka_unit_test(reads_labels), cmocka_unit_test(saved_and_loaded), cmocka_unit_test(rejects),
              cmocka_unit_test(out_of_memory))
