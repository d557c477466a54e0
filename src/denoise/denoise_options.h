/* The options of dltf/image.h. */
#ifndef DL_DENOISE_DENOISE_OPTIONS_H
#define DL_DENOISE_DENOISE_OPTIONS_H

#include "base/sized.h"

dl_option_table dl_denoise_option_table(void);

#endif
