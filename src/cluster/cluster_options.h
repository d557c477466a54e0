/* The options of dltf/cluster.h. */
#ifndef DL_CLUSTER_CLUSTER_OPTIONS_H
#define DL_CLUSTER_CLUSTER_OPTIONS_H

#include "base/sized.h"

dl_option_table dl_cluster_option_table(void);

#endif
