/* The options of synthetic problems. */
#ifndef DL_DATA_SYNTHETIC_OPTIONS_H
#define DL_DATA_SYNTHETIC_OPTIONS_H

#include "base/sized.h"

dl_option_table dl_synthetic_option_table(void);

#endif
