/* What dltf_encode needs of an encoder beyond its public functions. */
#ifndef DL_CODING_ENCODER_H
#define DL_CODING_ENCODER_H

#include "coding/feature.h"

/* The data fit the model. */
dltf_status dl_encoder_check(const dltf_encoder *encoder, dltf_matrix X);

/* Codes of out.rows rows of X from `first` on. Messages count the rows of X from `number`: X may be a piece
 * of something longer. */
dltf_status dl_encoder_rows(dltf_encoder *encoder, dltf_matrix X, int64_t first, int64_t number,
                            dl_slots out);

#endif
