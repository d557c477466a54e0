/* Internal functions of encoders: for pieces of data, and for tiles on threads of the caller. */
#ifndef DL_CODING_ENCODER_H
#define DL_CODING_ENCODER_H

#include "coding/residual.h"
#include "dltf/encode.h"

/* dltf_encoder_new for an encoder of at most `rows` samples at a time: it takes no more memory than these
 * need, and a filter for large dictionaries is made only if enough samples were coded to pay for it. */
dltf_status dl_encoder_open(const dltf_model *model, const dltf_encode_options *options, int64_t rows,
                            dltf_encoder **encoder);

/* Whether codes have up to m entries: those of the model's thresholds. */
bool dl_encoder_unlimited(const dltf_encoder *encoder);
/* Rows to code at a time, so that all threads have work and codes of up to m entries take bounded memory. */
int64_t dl_encoder_batch(const dltf_encoder *encoder);

/* Checks that the data fit the model. */
dltf_status dl_encoder_check(const dltf_encoder *encoder, dltf_matrix X);

/* Codes of out.rows rows of X from `first` on. Messages count the rows of X from `number`: X may be part of a
 * stream. */
dltf_status dl_encoder_rows(dltf_encoder *encoder, dltf_matrix X, int64_t first, int64_t number,
                            dl_slots out);

/* The same for all rows of a piece of a stream, and the sums of its tiles in `residual`, unless it is NULL.
 * Loads and preprocesses every sample once. */
dltf_status dl_encoder_piece(dltf_encoder *encoder, dltf_matrix X, int64_t number, dl_slots out,
                             dl_residual *residual);

/* Codes of up to DL_TILE samples, preprocessed and `x_stride` apart, in the work space of one of the
 * encoder's threads. Allocates nothing, and does not check that codes are finite. */
void dl_encoder_tile(const dltf_encoder *encoder, int worker, const float *X, int64_t x_stride, int64_t rows,
                     dl_slots out);

#endif
