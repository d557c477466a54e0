/* Options of a certification, checked and completed from the model. */
#ifndef DL_THEORY_ASSUMPTION_H
#define DL_THEORY_ASSUMPTION_H

#include "theory/gains.h"

/* A copy of `given` (NULL: the defaults) with k filled in; refuses what the table or the model does not
 * allow.
 */
dltf_status dl_assumption(const dltf_model *model, const dltf_certify_options *given,
                          dltf_certify_options *made);

/* The model's feature is that of the paper: no encoder, no bias. */
bool dl_is_tied(const dltf_model *model);

/* How far a score of the encoder, in single precision, may be from <e_i, x> - b_i for a sample of this norm.
 */
double dl_score_rounding(const dl_gains *gains, double x_norm);

#endif
