/* Errors: status, subject and message, stored per thread. */
#ifndef DL_BASE_STATUS_H
#define DL_BASE_STATUS_H

#include "dltf/core.h"

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

/* First in a public function: clear what it returns through a pointer, then reject arguments that are NULL.
 * The message names them as this function does, so their names must be those of the header. */
#define DL_CLEAR(out)                                                                                        \
    do {                                                                                                     \
        if (out)                                                                                             \
            *(out) = NULL;                                                                                   \
    } while (0)

#define DL_REQUIRE(...)                                                                                      \
    do {                                                                                                     \
        const void *const arguments_[] = {__VA_ARGS__};                                                      \
        for (size_t i_ = 0; i_ < sizeof arguments_ / sizeof *arguments_; i_++)                               \
            if (!arguments_[i_])                                                                             \
                return dl_fail_null(#__VA_ARGS__, i_);                                                       \
    } while (0)

/* The argument number `index` of the list "a, b, c" is NULL. */
dltf_status dl_fail_null(const char *names, size_t index);

/* In a function with `dltf_status status` and a clean-up label `done`. */
#define DL_TRY(call)                                                                                         \
    do {                                                                                                     \
        status = (call);                                                                                     \
        if (status != DLTF_OK)                                                                               \
            goto done;                                                                                       \
    } while (0)

#endif
