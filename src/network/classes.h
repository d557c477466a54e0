/* Labels as numbers of classes. */
#ifndef DL_NETWORK_CLASSES_H
#define DL_NETWORK_CLASSES_H

#include "base/status.h"

/* Classes are numbered by their labels in ascending order. dl_classes_find writes the distinct labels to
 * `classes`, which has room for `count`, and returns how many there are. dl_classes_number finds the number
 * of each label, or fails at the first that is not among the classes. */
int64_t dl_classes_find(const int64_t *labels, int64_t count, int64_t *classes);
dltf_status dl_classes_number(const int64_t *labels, int64_t count, const int64_t *classes,
                              int64_t class_count, int32_t *numbers);

#endif
