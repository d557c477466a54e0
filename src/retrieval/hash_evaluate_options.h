/* The options of dltf/hash.h. */
#ifndef DL_RETRIEVAL_HASH_EVALUATE_OPTIONS_H
#define DL_RETRIEVAL_HASH_EVALUATE_OPTIONS_H

#include "base/sized.h"

dl_option_table dl_hash_evaluate_option_table(void);

#endif
