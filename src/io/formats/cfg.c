/* Reading cfg.json: values by key, each checked for its type and range. */
#include "io/formats/cfg.h"

#include "base/memory.h"
#include "base/shown.h"

#include <stdio.h>
#include <string.h>

/* Far above that of any autoencoder; bounds the memory that a hostile file can take. */
enum { MOST_BYTES = 4 << 20 };

dltf_status dl_cfg_parse(const uint8_t *bytes, int64_t size, json_t **cfg) {
    json_error_t error;
    *cfg = NULL;
    if (size > MOST_BYTES)
        return dl_fail(DLTF_FORMAT, "has %s bytes: expected settings of at most %s", DL_COMMAS(size),
                       DL_COMMAS(MOST_BYTES));
    json_t *made = json_loadb((const char *)bytes, (size_t)size, JSON_REJECT_DUPLICATES, &error);
    /* jansson sets a code only in some places where it is out of memory, and no text in others. */
    if (!made && (!*error.text || json_error_code(&error) == json_error_out_of_memory))
        return dl_fail(DLTF_MEMORY, "not enough memory for the settings");
    if (!made)
        return dl_fail(DLTF_FORMAT, "is not JSON: line %d: %s", error.line,
                       DL_PRINTABLE(error.text, (int64_t)strlen(error.text)));
    if (!json_is_object(made)) {
        json_decref(made);
        return dl_fail(DLTF_FORMAT, "is not a JSON object: expected { and keys");
    }
    *cfg = made;
    return DLTF_OK;
}

dltf_status dl_cfg_format(json_t *cfg, dl_text *text) {
    const size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(17);
    size_t size = cfg ? json_dumpb(cfg, NULL, 0, flags) : 0;
    char *bytes = size > 0 ? dl_alloc((int64_t)size, 1) : NULL;
    bool whole = bytes && json_dumpb(cfg, bytes, size, flags) == size;
    if (whole)
        dl_text_append_bytes(text, bytes, (int64_t)size);
    dl_text_append(text, "\n");
    dl_free(bytes);
    json_decref(cfg);
    return whole ? dl_text_status(text) : dl_fail(DLTF_MEMORY, "not enough memory for the settings");
}

dltf_status dl_cfg_unexpected(const json_t *cfg, const char *key, const char *expected) {
    const json_t *value = json_object_get(cfg, key);
    char shown[DL_SHOWN];
    if (!value)
        return dl_fail(DLTF_FORMAT, "'%s' is missing: expected %s", key, expected);
    size_t size = json_dumpb(value, shown, sizeof shown, JSON_ENCODE_ANY | JSON_COMPACT);
    int64_t length = size < sizeof shown ? (int64_t)size : (int64_t)sizeof shown;
    return dl_fail(DLTF_FORMAT, "'%s' is %s: expected %s", key, DL_PRINTABLE(shown, length), expected);
}

static const json_t *find(const json_t *cfg, const char *key) {
    const json_t *value = json_object_get(cfg, key);
    return json_is_null(value) ? NULL : value;
}

dltf_status dl_cfg_flag(const json_t *cfg, const char *key, bool *flag) {
    const json_t *value = find(cfg, key);
    if (value && !json_is_boolean(value))
        return dl_cfg_unexpected(cfg, key, "true or false");
    if (value)
        *flag = json_is_true(value);
    return DLTF_OK;
}

dltf_status dl_cfg_text(const json_t *cfg, const char *key, const char **text) {
    const json_t *value = find(cfg, key);
    if (value && !json_is_string(value))
        return dl_cfg_unexpected(cfg, key, "text");
    if (value)
        *text = json_string_value(value);
    return DLTF_OK;
}

dltf_status dl_cfg_count(const json_t *cfg, const char *key, int64_t least, int64_t *count) {
    const json_t *value = find(cfg, key);
    char expected[64];
    snprintf(expected, sizeof expected, "a whole number from %lld to 2147483647", (long long)least);
    if (value && (!json_is_integer(value) || json_integer_value(value) < least ||
                  json_integer_value(value) > INT32_MAX))
        return dl_cfg_unexpected(cfg, key, expected);
    if (value)
        *count = json_integer_value(value);
    return DLTF_OK;
}

dltf_status dl_cfg_need_count(const json_t *cfg, const char *key, int64_t *count) {
    if (!find(cfg, key))
        return dl_cfg_unexpected(cfg, key, "a whole number from 1 to 2147483647");
    return dl_cfg_count(cfg, key, 1, count);
}
