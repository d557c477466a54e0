/* Version and build, names of statuses, error messages. */
#include "base/status.h"

#include "test_util.h"

#include "kernels/kernels.h"

#include <pthread.h>
#include <stdio.h>

static void version_and_build(void **state) {
    (void)state;
    int major = 0, minor = 0, patch = 0;
    assert_string_equal(dltf_version(), DLTF_VERSION);
    assert_int_equal(sscanf(dltf_version(), "%d.%d.%d", &major, &minor, &patch), 3);
    assert_int_equal(major, DLTF_VERSION_MAJOR);
    assert_int_equal(minor, DLTF_VERSION_MINOR);
    assert_int_equal(patch, DLTF_VERSION_PATCH);
    assert_int_equal(dltf_version_number(), 10000 * major + 100 * minor + patch);
    const char *build = dltf_build();
    assert_true(strncmp(build, "kernels: ", 9) == 0);
    bool named = false;
    for (int l = 0; dl_kernels_level(l); l++)
        named |= strstr(build, dl_kernels_level(l)->level) != NULL;
    assert_true(named);
    assert_non_null(strstr(build, "; BLAS: OpenBLAS"));
    assert_non_null(strstr(build, "; build: "));
    assert_null(strchr(build, '\n'));
}

static void status_names(void **state) {
    (void)state;
    static const char *const names[] = {"ok",   "argument", "data",    "format",
                                        "file", "memory",   "numeric", "cancelled"};
    for (int status = DLTF_OK; status <= DLTF_CANCELLED; status++)
        assert_string_equal(dltf_status_name((dltf_status)status), names[status]);
    assert_string_equal(dltf_status_name((dltf_status)100), "unknown");
}

static void *fail_elsewhere(void *unused) {
    dl_fail(DLTF_DATA, "another thread's failure");
    return unused;
}

static void messages(void **state) {
    (void)state;
    assert_non_null(dltf_message());
    assert_int_equal(dl_fail(DLTF_FILE, "file %d", 3), DLTF_FILE);
    assert_string_equal(dltf_message(), "file 3");
    assert_int_equal(dl_fail_prefix(DLTF_FORMAT, "x.npy"), DLTF_FORMAT);
    assert_string_equal(dltf_message(), "x.npy: file 3");
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_string_equal(dltf_message(), "x.npy: file 3");
}

static void assert_last_error(dltf_status status, dltf_subject subject, const char *name, const char *text) {
    dltf_error error = dltf_last_error();
    assert_int_equal(error.status, status);
    assert_int_equal(error.subject, subject);
    assert_string_equal(error.name, name);
    assert_string_equal(error.text, text);
}

/* An error in parts, and how the name of a file changes them. */
static void subjects(void **state) {
    (void)state;
    dl_fail(DLTF_NUMERIC, "row %d", 3);
    assert_last_error(DLTF_NUMERIC, DLTF_SUBJECT_NONE, "", "row 3");
    assert_int_equal(dl_fail_about(DLTF_DATA, DLTF_SUBJECT_CODES, "row %d", 3), DLTF_DATA);
    assert_last_error(DLTF_DATA, DLTF_SUBJECT_CODES, "codes", "row 3");
    assert_string_equal(dltf_message(), "codes: row 3");
    dl_fail_prefix(DLTF_FORMAT, "z.npz");
    assert_last_error(DLTF_FORMAT, DLTF_SUBJECT_FILE, "z.npz", "row 3");
    assert_int_equal(dl_fail_option(DLTF_ARGUMENT, "theta", "%d is outside", 5), DLTF_ARGUMENT);
    assert_last_error(DLTF_ARGUMENT, DLTF_SUBJECT_OPTION, "theta", "5 is outside");
    dl_fail_prefix(DLTF_ARGUMENT, "array 'a'");
    assert_last_error(DLTF_ARGUMENT, DLTF_SUBJECT_FILE, "array 'a'", "theta: 5 is outside");
    dl_fail_prefix(DLTF_ARGUMENT, "z.npz");
    assert_last_error(DLTF_ARGUMENT, DLTF_SUBJECT_FILE, "z.npz", "array 'a': theta: 5 is outside");
    assert_string_equal(dltf_message(), "z.npz: array 'a': theta: 5 is outside");
}

static void every_subject_has_a_name(void **state) {
    (void)state;
    for (int subject = DLTF_SUBJECT_NONE + 1; subject < DLTF_SUBJECT_COUNT; subject++) {
        dl_fail_about(DLTF_DATA, (dltf_subject)subject, "x");
        assert_true(strlen(dltf_last_error().name) > 3);
    }
}

static void long_messages(void **state) {
    (void)state;
    char name[3000];
    memset(name, 'p', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    dl_fail(DLTF_FILE, "%s", name);
    assert_in_range(strlen(dltf_message()), 500, 2999);
    dl_fail(DLTF_FILE, "the reason");
    dl_fail_prefix(DLTF_FILE, name); /* may be cut, not the reason */
    assert_message_has("ppp: the reason");
}

TESTS_MAIN(cmocka_unit_test(version_and_build), cmocka_unit_test(status_names), cmocka_unit_test(messages),
           cmocka_unit_test(subjects), cmocka_unit_test(every_subject_has_a_name),
           cmocka_unit_test(long_messages))
