/* The content of a dltf_suggestion, for dltf_bind_get. */
#ifndef DL_API_BIND_SUGGEST_H
#define DL_API_BIND_SUGGEST_H

#include "api/values.h"

void dl_bind_get_suggestion(const void *object, dltf_values *values);

#endif
