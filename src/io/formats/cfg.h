/* Values of a cfg.json. */
#ifndef DL_IO_FORMATS_CFG_H
#define DL_IO_FORMATS_CFG_H

#include "base/status.h"
#include "base/text.h"

#include <jansson.h>

/* The object that the text describes; to be freed with json_decref. */
dltf_status dl_cfg_parse(const uint8_t *bytes, int64_t size, json_t **cfg);
/* Appends a finished object, indented, and frees it; NULL counts as out of memory. */
dltf_status dl_cfg_format(json_t *cfg, dl_text *text);

/* The value of a key; without it, or if it is null, the result stays as it is. */
dltf_status dl_cfg_flag(const json_t *cfg, const char *key, bool *flag);
dltf_status dl_cfg_text(const json_t *cfg, const char *key, const char **text);
dltf_status dl_cfg_count(const json_t *cfg, const char *key, int64_t least, int64_t *count);
/* The same for a count that must be there. */
dltf_status dl_cfg_need_count(const json_t *cfg, const char *key, int64_t *count);

/* "'KEY' is VALUE: expected ..." */
dltf_status dl_cfg_unexpected(const json_t *cfg, const char *key, const char *expected);

#endif
