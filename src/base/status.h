/* Errors: status, subject and message, stored per thread. */
#ifndef DL_BASE_STATUS_H
#define DL_BASE_STATUS_H

#include "dltf.h"

/* Each stores the error and returns its status, so that `return dl_fail(...)` is the usual form. The text
 * must read well after "data: " as well as after "path/x.npy: ". */

/* Without a subject. */
dltf_status dl_fail(dltf_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* About an argument of the call; not for options and files, which have names of their own. */
dltf_status dl_fail_about(dltf_status status, dltf_subject subject, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

dltf_status dl_fail_option(dltf_status status, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Turns the stored error into one about a file or a part of it. The file replaces the subject that it
 * contains, but is put before options and other files: "codes: row 3 ..." becomes "z.npz: row 3 ...",
 * "theta: 5 ..." becomes "file: theta: 5 ...". */
dltf_status dl_fail_prefix(dltf_status status, const char *file);

/* In a function with `dltf_status status` and a clean-up label `done`. */
#define DL_TRY(call)                                                                                         \
    do {                                                                                                     \
        status = (call);                                                                                     \
        if (status != DLTF_OK)                                                                               \
            goto done;                                                                                       \
    } while (0)

#endif
