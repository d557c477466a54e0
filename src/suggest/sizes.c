/* The values of m and k that trials use. */
#include "suggest/sizes.h"

#include "base/status.h"

#include <errno.h>
#include <stdlib.h>

/* Numbers separated by commas; NULL is an empty list. */
static dltf_status read_list(const char *option, const char *text, dl_sizes *list) {
    const char *rest = text;
    *list = (dl_sizes){.given = text != NULL};
    while (rest) {
        char *end = NULL;
        errno = 0;
        long long value = strtoll(rest, &end, 10);
        if (end == rest || (*end != ',' && *end != '\0') || errno != 0)
            return dl_fail_option(DLTF_ARGUMENT, option,
                                  "'%s' is not a list of whole numbers such as 1000,500", text);
        if (value < 1 || value > INT32_MAX)
            return dl_fail_option(DLTF_ARGUMENT, option, "%lld is outside 1 .. %d", value, INT32_MAX);
        if (list->count == DL_MOST_SIZES)
            return dl_fail_option(DLTF_ARGUMENT, option, "more than %d sizes to try", DL_MOST_SIZES);
        list->values[list->count++] = value;
        rest = *end == ',' ? end + 1 : NULL;
    }
    return DLTF_OK;
}

static void add(dl_sizes *list, int64_t value, int64_t least, int64_t most) {
    value = value < least ? least : value > most ? most : value;
    for (int i = 0; i < list->count; i++)
        if (list->values[i] == value)
            return;
    list->values[list->count++] = value;
}

static int compare(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void sort(dl_sizes *list) {
    qsort(list->values, (size_t)list->count, sizeof *list->values, compare);
}

dltf_status dl_sizes_choose(const dltf_suggest_options *options, int64_t rows, int64_t cols, dl_sizes *m,
                            dl_sizes *k) {
    int64_t most_m = rows / 10 > 2 ? rows / 10 : 2, most_k = cols / 4 < 64 ? cols / 4 : 64;
    dltf_status status = read_list("m", options->m, m);
    if (status == DLTF_OK)
        status = read_list("k", options->k, k);
    if (status != DLTF_OK)
        return status;
    for (int64_t factor = 1; factor <= 4 && !m->given; factor *= 2)
        add(m, factor * cols, 2, most_m);
    sort(m);
    for (int64_t part = 4; part >= 1 && !k->given; part /= 2)
        add(k, (most_k + part - 1) / part, 1, m->values[0]);
    sort(k);
    if (k->values[0] > m->values[0])
        return dl_fail_option(DLTF_ARGUMENT, "k", "%lld is more than m = %lld atoms", (long long)k->values[0],
                              (long long)m->values[0]);
    return DLTF_OK;
}
