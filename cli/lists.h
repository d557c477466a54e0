/* Values of options that are lists of numbers: "1000,500". */
#ifndef CLI_LISTS_H
#define CLI_LISTS_H

#include <stdint.h>

enum { LISTS_MOST = 32 };

typedef struct list_of_integers {
    int count;
    int64_t values[LISTS_MOST];
} list_of_integers;

/* Reads the value of an option: numbers from `least` on. NULL is an empty list. Returns an exit code. */
int lists_read(const char *option, const char *text, int64_t least, list_of_integers *list);

/* A list of one number is repeated until it has `count`; any other length is an error. Returns an exit code.
 */
int lists_fit(const char *option, int count, list_of_integers *list);

#endif
