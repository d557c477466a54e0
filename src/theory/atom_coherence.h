/* The coherence of single atoms. */
#ifndef DL_THEORY_ATOM_COHERENCE_H
#define DL_THEORY_ATOM_COHERENCE_H

#include "base/status.h"
#include "dltf/data.h"

/* For each of the m unit-norm rows of a dictionary, the largest |<w_i, w_j>| over j != i, in single
 * precision; 0 for a single atom. O(m^2 n) time, O(m n) memory. */
dltf_status dl_atom_coherence(const float *dictionary, int64_t m, int64_t n, int threads, float *largest);

#endif
