/* The option tables of the commands. Links the whole command line except its main function. */
#define main dltf_main
#include "cli/main.c"
#include "program/program.h"
#undef main

#include "test_option_tables.h"

static void every_command(void **state) {
    (void)state;
    const command *self = NULL;
    for (int c = 0; (self = command_leaf(c)); c++) {
        print_message("%s\n", self->name);
        if (self->own.count > 0)
            assert_consistent_table(self->own);
        if (self->library)
            assert_consistent_table(self->library());
        assert_consistent_table(command_common_options(self));
    }
}

/* A command is found under its name, word by word. */
static void found_by_name(void **state) {
    (void)state;
    for (int c = 0; command_list[c]; c++) {
        const command *self = command_list[c];
        assert_ptr_equal(command_find(command_list, self->name), self);
        for (int s = 0; self->subcommands && self->subcommands[s]; s++) {
            const command *sub = self->subcommands[s];
            size_t length = strlen(self->name);
            assert_memory_equal(sub->name, self->name, length);
            assert_int_equal(sub->name[length], ' ');
            assert_string_equal(sub->name + length + 1, command_word(sub));
            assert_ptr_equal(command_find(self->subcommands, command_word(sub)), sub);
        }
    }
}

typedef struct seen {
    int count;
    const char *names[ARGUMENTS_MAX];
    char letters[ARGUMENTS_MAX];
} seen;

static void check_distinct(void *context, const char *title, dl_option_table table, const dl_option *option) {
    seen *all = context;
    assert_true(strlen(title) > 0);
    assert_ptr_equal(dl_option_find(table, option->name), option);
    assert_true(all->count < ARGUMENTS_MAX);
    for (int i = 0; i < all->count; i++) {
        assert_string_not_equal(all->names[i], option->name);
        assert_true(option->letter == 0 || all->letters[i] != option->letter);
    }
    all->names[all->count] = option->name;
    all->letters[all->count++] = option->letter;
}

/* Also across the tables of a command; an own option may shadow a library option. */
static void names_are_distinct(void **state) {
    (void)state;
    const command *self = NULL;
    for (int c = 0; (self = command_leaf(c)); c++) {
        seen all = {.count = 0};
        command_visit_options(self, check_distinct, &all);
        assert_true(all.count > 0);
    }
}

TESTS_MAIN(cmocka_unit_test(every_command), cmocka_unit_test(found_by_name),
           cmocka_unit_test(names_are_distinct))
