/* The header of a safetensors file, before its meaning: shared by bundles and by tensors that are data. */
#ifndef DL_IO_FORMATS_SAFETENSORS_HEADER_H
#define DL_IO_FORMATS_SAFETENSORS_HEADER_H

#include "base/status.h"

#include <jansson.h>
#include <stdint.h>

/* Bytes with the length of the header, and limits far above those of any model, which bound the work that a
 * hostile header can cause. A header takes up to 25 times as much memory while it is parsed. */
enum { DL_SAFETENSORS_PREFIX = 8, DL_SAFETENSORS_MAX_HEADER = 4 << 20, DL_SAFETENSORS_MAX_ITEMS = 10000 };

/* Whether the bytes begin with a length and the begin of a header. */
bool dl_safetensors_recognise(const uint8_t *bytes, int64_t size);

/* Where the data begin, in a file of `size` bytes (INT64_MAX for a stream) of which `available` are there. */
dltf_status dl_safetensors_begin(const uint8_t *bytes, int64_t available, int64_t size, int64_t *data);

/* The header as an object of at most DL_SAFETENSORS_MAX_ITEMS, to be released with json_decref. All of it
 * must be in memory: the first `data` bytes. */
dltf_status dl_safetensors_header(const uint8_t *bytes, int64_t data, json_t **header);

/* An array of `count` integers >= 0. */
bool dl_safetensors_integers(const json_t *value, size_t count, int64_t *out);

#endif
