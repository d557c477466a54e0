/* Failure: a status and the sentence that goes with it, kept per thread. Included by every file that can
 * fail. */
#ifndef DL_BASE_STATUS_H
#define DL_BASE_STATUS_H

#include "dltf.h"

/* Stores the sentence and returns the status, so that `return dl_fail(...)` is the usual form. */
dltf_status dl_fail(dltf_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts "prefix: " in front of the stored sentence: a caller that knows the file adds its name. */
dltf_status dl_fail_prefix(dltf_status status, const char *prefix);

/* In a function with `dltf_status status` and a clean-up label `done`. */
#define DL_TRY(call)                                                                                         \
    do {                                                                                                     \
        status = (call);                                                                                     \
        if (status != DLTF_OK)                                                                               \
            goto done;                                                                                       \
    } while (0)

#endif
