/* Untied encoders: max_k(E^T x - b) instead of max_k(W^T x), at the same cost. */
#ifndef DL_LEARNING_STAGES_ENCODER_FIT_H
#define DL_LEARNING_STAGES_ENCODER_FIT_H

#include "learning/stages/multipass.h"

/* Computes l->E and l->bias for the kind options.encoder, from the dictionary and the statistics of its
 * multi-pass codes. Overwrites the moments in `codes`. */
dltf_status dl_fit_encoder(dltf_learner *l, dl_multipass *codes);

/* Writes the unit-norm tight frame near W (m x n, unit-norm rows; for m <= n an orthonormal set) to E, by
 * alternating between the polar factor (W W^T)^{-1/2} W and normalisation of rows. */
dltf_status dl_tight_frame(int threads, const double *W, int64_t m, int64_t n, double *E);

#endif
