/* Shared by the tests of dltf/bind.h: options by name, values by name. */
#ifndef TEST_BIND_H
#define TEST_BIND_H

#include "test_util.h"

static inline dltf_options *options_of(const char *task, const char *const *settings) {
    dltf_options *made = NULL;
    assert_int_equal(dltf_options_new(task, &made), DLTF_OK);
    for (; *settings; settings += 2)
        assert_int_equal(dltf_options_set(made, settings[0], settings[1]), DLTF_OK);
    return made;
}

#define OPTIONS(task, ...) options_of((task), (const char *const[]){__VA_ARGS__, NULL})

static inline double number(const dltf_values *values, const char *name) {
    double found = 0;
    assert_int_equal(dltf_values_number(values, name, &found), DLTF_OK);
    return found;
}

static inline const void *array(const dltf_values *values, const char *name, const char *type, int64_t rows,
                                int64_t cols) {
    const char *found_type = NULL;
    int64_t found_rows = 0, found_cols = 0;
    const void *data = NULL;
    assert_int_equal(dltf_values_array(values, name, &found_type, &found_rows, &found_cols, &data), DLTF_OK);
    assert_string_equal(found_type, type);
    assert_true(found_rows == rows && found_cols == cols);
    return data;
}

#endif
