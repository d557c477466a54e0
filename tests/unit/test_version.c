/* What the build says of itself, and the names of statuses. */
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
           cmocka_unit_test(long_messages))
