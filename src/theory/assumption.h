/* Options of a certification, checked and completed from the model. */
#ifndef DL_THEORY_ASSUMPTION_H
#define DL_THEORY_ASSUMPTION_H

#include "dltf/certify.h"
#include "theory/gains.h"

/* Copies `given` (NULL: the defaults) and fills in k. Fails if an option is out of range for the table or the
 * model. */
dltf_status dl_assumption(const dltf_model *model, const dltf_certify_options *given,
                          dltf_certify_options *made);

/* Whether the model's feature is the paper's: no encoder, no bias. */
bool dl_is_tied(const dltf_model *model);

/* Bound on the rounding error of a score <e_i, x> - b_i in single precision, for a sample of this norm. */
double dl_score_rounding(const dl_gains *gains, double x_norm);

#endif
