/* Errors and their messages. Include cmocka.h before. */
#ifndef TEST_FAILURE_H
#define TEST_FAILURE_H

#include "base/status.h"

#include <string.h>

static inline void assert_message_has(const char *part) {
    if (!strstr(dltf_message(), part))
        fail_msg("the message \"%s\" lacks \"%s\"", dltf_message(), part);
}

#define assert_fails(call, wanted_status, part)                                                              \
    do {                                                                                                     \
        dl_fail(DLTF_OK, "(no message)");                                                                    \
        assert_int_equal((call), (wanted_status));                                                           \
        assert_message_has(part);                                                                            \
    } while (0)

#endif
