/* The options of dltf/image.h. */
#ifndef DL_IMAGE_GIST_OPTIONS_H
#define DL_IMAGE_GIST_OPTIONS_H

#include "base/sized.h"

dl_option_table dl_gist_option_table(void);

#endif
