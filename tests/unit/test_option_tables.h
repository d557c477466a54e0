/* What holds for every option table, the library's and those of the command line. */
#ifndef TEST_OPTION_TABLES_H
#define TEST_OPTION_TABLES_H

#include "program/program.h"
#include "test_util.h"

static inline size_t option_field_size(const dl_option *option) {
    static const size_t sizes[] = {sizeof(int64_t),      sizeof(double),  sizeof(bool),       sizeof(int),
                                   sizeof(const char *), sizeof(int64_t), sizeof(dltf_switch)};
    return sizes[option->kind];
}

/* Whether `name`, not terminated, is one of the names that '|' separates. */
static inline bool is_among(const char *names, const char *name, size_t length) {
    for (; names && *names; names += strcspn(names, "|"), names += *names == '|')
        if (strcspn(names, "|") == length && memcmp(names, name, length) == 0)
            return true;
    return false;
}

static inline bool is_choice(dl_option_table table, const char *name, size_t length) {
    for (int i = 0; i < table.count; i++)
        if (table.options[i].kind == DL_OPTION_CHOICE && is_among(table.options[i].choices, name, length))
            return true;
    return false;
}

static inline void assert_field_apart(dl_option_table table, const dl_option *option) {
    assert_true(option->offset + option_field_size(option) <= table.size);
    for (const dl_option *other = table.options; other < option; other++) {
        assert_string_not_equal(other->name, option->name);
        assert_true(option->letter == 0 || other->letter != option->letter);
        assert_true(other->offset + option_field_size(other) <= option->offset ||
                    option->offset + option_field_size(option) <= other->offset);
    }
}

/* Variants are named like choices, and what an option applies to is named like variants. */
static inline void assert_variants_exist(dl_option_table table) {
    assert_true((table.variants != NULL) == (table.possible != NULL));
    for (const char *name = table.variants; name && *name; name += *name == '|') {
        assert_true(is_choice(table, name, strcspn(name, "|")));
        name += strcspn(name, "|");
    }
    for (int i = 0; i < table.count; i++)
        for (const char *name = table.options[i].applies; name && *name; name += *name == '|') {
            assert_true(is_among(table.variants, name, strcspn(name, "|")));
            name += strcspn(name, "|");
        }
}

static inline void assert_consistent_table(dl_option_table table) {
    char *target = calloc(1, table.size); /* exactly: a sanitizer sees what is beyond */
    assert_non_null(target);
    for (int i = 0; i < table.count; i++) {
        const dl_option *option = &table.options[i];
        bool is_number = option->kind == DL_OPTION_INTEGER || option->kind == DL_OPTION_REAL;
        assert_true(strlen(option->name) > 0 && strlen(option->help) > 10);
        assert_ptr_equal(dl_option_find(table, option->name), option);
        assert_field_apart(table, option);
        assert_true(option->kind != DL_OPTION_CHOICE || option->choices);
        bool flag = option->kind == DL_OPTION_FLAG || option->kind == DL_OPTION_SWITCH;
        assert_true(flag == (option->argument == NULL));
        assert_true(!is_number || option->min < option->max);
        if (option->default_text)
            assert_int_equal(dl_option_set(table, target, option->name, option->default_text), DLTF_OK);
    }
    assert_variants_exist(table);
    assert_int_equal(dl_option_check(table, target, NULL), DLTF_OK);
    dl_option_defaults(table, target);
    assert_int_equal(dl_option_check(table, target, NULL), DLTF_OK);
    assert_true(!table.possible || table.possible(target) != 0);
    assert_null(dl_option_find(table, "no such option"));
    free(target);
}

#endif
