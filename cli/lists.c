/* Lists of numbers. */
#include "cli/lists.h"

#include "cli/output.h"

#include <errno.h>
#include <stdlib.h>

int lists_read(const char *option, const char *text, int64_t least, list_of_integers *list) {
    const char *rest = text;
    list->count = 0;
    while (rest) {
        char *end = NULL;
        errno = 0;
        long long value = strtoll(rest, &end, 10);
        if (end == rest || (*end != ',' && *end != '\0') || errno != 0)
            return usage_error("--%s: '%s' is not a list of whole numbers such as 1000,500", option, text);
        if (value < least || value > INT32_MAX)
            return usage_error("--%s: %lld is outside %lld .. %d", option, value, (long long)least,
                               INT32_MAX);
        if (list->count == LISTS_MOST)
            return usage_error("--%s: more than %d numbers", option, LISTS_MOST);
        list->values[list->count++] = value;
        rest = *end == ',' ? end + 1 : NULL;
    }
    return EXIT_OK;
}

int lists_fit(const char *option, int count, list_of_integers *list) {
    if (list->count == 1)
        while (list->count < count && list->count < LISTS_MOST)
            list->values[list->count++] = list->values[0];
    if (list->count != count)
        return usage_error("--%s: %s for %s: give one each, or one for all", option,
                           counted(list->count, "number"), counted(count, "layer"));
    return EXIT_OK;
}
