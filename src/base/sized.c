/* Structs whose size a program and the library may disagree on. */
#include "base/sized.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* No struct of ours will be larger: a size above is that of a struct which was not initialised. */
enum { MOST_SIZE = 4096, MOST_OPTIONS = 512 };

static bool is_possible(size_t size) {
    return size > sizeof size && size <= MOST_SIZE;
}

/* Whether the bytes that only the program knows are 0: it does not use what they mean. */
static bool rest_is_zero(const void *given, size_t size, size_t own_size) {
    const unsigned char *bytes = given;
    for (size_t i = own_size; i < size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

static dltf_status fail_newer(const char *type) {
    return dl_fail(DLTF_ARGUMENT,
                   "a field of %s is not known to version " DLTF_VERSION
                   " of the library: install the version that the program was compiled for",
                   type);
}

dltf_status dl_struct_read(void *own, size_t own_size, const void *given, size_t size, const char *type) {
    if (!is_possible(size))
        return dl_fail(DLTF_ARGUMENT, "%zu bytes are not a possible size of %s", size, type);
    if (!rest_is_zero(given, size, own_size))
        return fail_newer(type);
    memset(own, 0, own_size);
    memcpy(own, given, size < own_size ? size : own_size);
    return DLTF_OK;
}

void dl_struct_write(void *out, size_t size, const void *own, size_t own_size) {
    if (!out || size > MOST_SIZE)
        return;
    size_t both = size < own_size ? size : own_size;
    memcpy(out, own, both);
    memset((char *)out + both, 0, size - both);
}

dltf_status dl_options_read(dl_option_table table, const char *task, const void *given, void *own) {
    char type[64];
    size_t size = 0;
    memset(own, 0, table.size);
    dl_option_defaults(table, own);
    if (!given)
        return DLTF_OK;
    memcpy(&size, given, sizeof size);
    if (!is_possible(size))
        return dl_fail(DLTF_ARGUMENT,
                       "dltf_%s_options.size is %zu: initialise options with dltf_%s_options_default()", task,
                       size, task);
    snprintf(type, sizeof type, "dltf_%s_options", task);
    if (!rest_is_zero(given, size, table.size))
        return fail_newer(type);
    memcpy(own, given, size < table.size ? size : table.size);
    memcpy(own, &table.size, sizeof table.size);
    return DLTF_OK;
}

void dl_options_write(dl_option_table table, void *out, size_t size, const void *own) {
    if (!out || !is_possible(size))
        return;
    dl_struct_write(out, size, own, table.size);
    memcpy(out, &size, sizeof size);
}

void dl_options_init(dl_option_table table, void *options, size_t size) {
    unsigned char own[MOST_OPTIONS] = {0};
    assert(table.size <= sizeof own);
    dl_option_defaults(table, own);
    dl_options_write(table, options, size, own);
}
