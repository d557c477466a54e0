/* One program for all unit tests, because linking the library once per test would take most of the time of a
 * build. Every tests/unit/test_*.c has a main function, which CMake renames; `unit_tests NAME` calls it. */
#include <stdio.h>
#include <string.h>

#define UNIT(name) int name##_main(void);
#include "unit_list.h"
#undef UNIT

static const struct {
    const char *name;
    int (*run)(void);
} units[] = {
#define UNIT(name) {#name, name##_main},
#include "unit_list.h"
#undef UNIT
};

int main(int argc, char **argv) {
    for (size_t i = 0; argc == 2 && i < sizeof units / sizeof *units; i++)
        if (strcmp(argv[1], units[i].name) == 0)
            return units[i].run();
    fprintf(stderr, "usage: unit_tests NAME, where NAME is a file tests/unit/NAME.c\n");
    return 2;
}
