/* The options of dltf/search.h. */
#ifndef DL_SEARCH_SEARCH_OPTIONS_H
#define DL_SEARCH_SEARCH_OPTIONS_H

#include "base/sized.h"

dl_option_table dl_search_option_table(void);

#endif
