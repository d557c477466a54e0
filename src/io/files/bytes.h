/* Helpers for parsers: integers of fixed byte order, and base/shown.h for messages. */
#ifndef DL_IO_FILES_BYTES_H
#define DL_IO_FILES_BYTES_H

#include "base/shown.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool dl_host_is_little(void) {
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

static inline uint16_t dl_little16(const uint8_t *at) {
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t dl_little32(const uint8_t *at) {
    return (uint32_t)dl_little16(at) | (uint32_t)dl_little16(at + 2) << 16;
}

static inline uint64_t dl_little64(const uint8_t *at) {
    return (uint64_t)dl_little32(at) | (uint64_t)dl_little32(at + 4) << 32;
}

static inline uint32_t dl_big32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Writes the low `count` bytes of `value`, least significant first. */
static inline void dl_put_little(uint8_t *at, uint64_t value, int count) {
    for (int i = 0; i < count; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

#endif
