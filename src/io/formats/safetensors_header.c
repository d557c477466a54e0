/* Headers of safetensors: a length of 8 bytes, then JSON. */
#include "io/formats/safetensors_header.h"

#include "io/files/bytes.h"

#include <inttypes.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "safetensors is little-endian: swap bytes on this machine");

enum { PREFIX = DL_SAFETENSORS_PREFIX, MAX_HEADER = DL_SAFETENSORS_MAX_HEADER };

static bool is_one_of(uint8_t byte, const char *list) {
    return memchr(list, byte, strlen(list)) != NULL;
}

bool dl_safetensors_recognise(const uint8_t *bytes, int64_t size) {
    if (size < PREFIX + 2)
        return false;
    uint64_t length = dl_little64(bytes);
    /* Other formats may have the same first bytes by chance. */
    if (length < 2 || length > MAX_HEADER || bytes[PREFIX] != '{' ||
        !is_one_of(bytes[PREFIX + 1], "\"} \t\r\n"))
        return false;
    int64_t last = PREFIX + (int64_t)length - 1;
    return last >= size || is_one_of(bytes[last], "} \t\r\n");
}

dltf_status dl_safetensors_begin(const uint8_t *bytes, int64_t available, int64_t size, int64_t *data) {
    if (available < PREFIX + 2)
        return dl_fail(DLTF_FORMAT, "truncated: %" PRId64 " bytes are too few for a safetensors file",
                       available);
    uint64_t length = dl_little64(bytes);
    if (length <= (uint64_t)size && length > MAX_HEADER && bytes[PREFIX] == '{')
        return dl_fail(DLTF_FORMAT, "header of %s bytes is too long: at most %s are supported",
                       DL_COMMAS((int64_t)length), DL_COMMAS(MAX_HEADER));
    if (length > MAX_HEADER || bytes[PREFIX] != '{')
        return dl_fail(DLTF_FORMAT,
                       "is not a safetensors file: it does not begin with a header length and {");
    if (length > (uint64_t)(size - PREFIX))
        return dl_fail(DLTF_FORMAT, "truncated: header length is %s bytes, file has %s",
                       DL_COMMAS((int64_t)length), DL_COMMAS(size));
    *data = PREFIX + (int64_t)length;
    return DLTF_OK;
}

dltf_status dl_safetensors_header(const uint8_t *bytes, int64_t data, json_t **header) {
    json_error_t error;
    *header =
        json_loadb((const char *)bytes + PREFIX, (size_t)(data - PREFIX), JSON_REJECT_DUPLICATES, &error);
    /* jansson sets a code only in some places where it is out of memory, and no text in others. */
    if (!*header && (!*error.text || json_error_code(&error) == json_error_out_of_memory))
        return dl_fail(DLTF_MEMORY, "not enough memory for the header");
    if (!*header)
        return dl_fail(DLTF_FORMAT, "corrupt header: byte %d: %s", error.position,
                       DL_PRINTABLE(error.text, (int64_t)strlen(error.text)));
    if (json_is_object(*header) && json_object_size(*header) <= DL_SAFETENSORS_MAX_ITEMS)
        return DLTF_OK;
    json_decref(*header);
    *header = NULL;
    return dl_fail(DLTF_FORMAT, "corrupt header: expected an object of at most %d tensors",
                   DL_SAFETENSORS_MAX_ITEMS);
}

bool dl_safetensors_integers(const json_t *value, size_t count, int64_t *out) {
    if (!json_is_array(value) || json_array_size(value) != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(value, i);
        if (!json_is_integer(item) || json_integer_value(item) < 0)
            return false;
        out[i] = json_integer_value(item);
    }
    return true;
}
