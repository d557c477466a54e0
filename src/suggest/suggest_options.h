/* The options of dltf_suggest. */
#ifndef DL_SUGGEST_SUGGEST_OPTIONS_H
#define DL_SUGGEST_SUGGEST_OPTIONS_H

#include "base/sized.h"
#include "dltf/suggest.h"

dl_option_table dl_suggest_option_table(void);

#endif
