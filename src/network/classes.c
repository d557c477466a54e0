/* Labels as numbers of classes. */
#include "network/classes.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

int64_t dl_classes_find(const int64_t *labels, int64_t count, int64_t *classes) {
    int64_t found = 0;
    if (!labels || !classes || count < 1)
        return 0;
    memcpy(classes, labels, (size_t)count * sizeof *classes);
    qsort(classes, (size_t)count, sizeof *classes, compare);
    for (int64_t i = 0; i < count; i++)
        if (found == 0 || classes[i] != classes[found - 1])
            classes[found++] = classes[i];
    return found;
}

dltf_status dl_classes_number(const int64_t *labels, int64_t count, const int64_t *classes,
                              int64_t class_count, int32_t *numbers) {
    DL_REQUIRE(labels, classes, numbers);
    if (count < 0 || class_count < 1)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_LABELS, "%lld labels of %lld classes: out of range",
                             (long long)count, (long long)class_count);
    for (int64_t i = 0; i < count; i++) {
        const int64_t *at = bsearch(&labels[i], classes, (size_t)class_count, sizeof *classes, compare);
        if (!at)
            return dl_fail_about(DLTF_DATA, DLTF_SUBJECT_LABELS,
                                 "label %lld of sample %lld (counting from 0) is not one of the %lld classes",
                                 (long long)labels[i], (long long)i, (long long)class_count);
        numbers[i] = (int32_t)(at - classes);
    }
    return DLTF_OK;
}
