/* The options of dltf/encode.h. */
#ifndef DL_CODING_ENCODE_OPTIONS_H
#define DL_CODING_ENCODE_OPTIONS_H

#include "base/sized.h"

dl_option_table dl_encode_option_table(void);

#endif
