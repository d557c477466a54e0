/* The kernel level that the user forces. */
#ifndef DL_KERNELS_CHECK_H
#define DL_KERNELS_CHECK_H

#include "base/status.h"

/* Fails if the environment variable DLTF_KERNELS, which forces a kernel level, names one that does not exist
 * or that this CPU cannot run. Other functions then use the best level. */
dltf_status dl_kernels_check(void);

#endif
