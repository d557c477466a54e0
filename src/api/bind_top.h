/* The content of a dltf_top, for dltf_bind_get. */
#ifndef DL_API_BIND_TOP_H
#define DL_API_BIND_TOP_H

#include "api/values.h"

void dl_bind_get_top(const void *object, dltf_values *values);

#endif
