/* Checks and defaults of the training options beyond their table. */
#ifndef DL_LEARNING_TRAIN_OPTIONS_H
#define DL_LEARNING_TRAIN_OPTIONS_H

#include "base/status.h"

/* Checks bounds and incompatible options. */
dltf_status dl_train_options_check(const dltf_train_options *options);

/* Fills in options the caller left open, for N samples of n columns. Writes the encoder and the reason for it
 * to `choice` if the caller left that open. */
void dl_train_options_complete(dltf_train_options *options, int64_t N, int64_t n, char *choice, size_t size);

#endif
