/* The conditions of the theorems in docs/guarantees.md, on numbers: whoever has these numbers of a model or
 * of a sample asks here. True is a proof, with room for the rounding of the numbers themselves. */
#ifndef DL_THEORY_CONDITIONS_H
#define DL_THEORY_CONDITIONS_H

#include "theory/gains.h"

/* What a theorem must know of a sample x = Wz + e whose code z has exactly k entries, on the support S. */
typedef struct dl_terms {
    int64_t k;
    double kept;              /* least rank of d_i z_i - b_i, i in S */
    double left;              /* largest rank of -b_i, i not in S; -infinity where nothing is left */
    double z_k;               /* least rank of z_i, i in S: |z_k| of the paper */
    double z_1, z_norm;       /* largest |z_i|; ||z|| */
    double mu_e;              /* at least max_i |<e_i, e>|, rounding of the scores included */
    double noise_2, noise_2k; /* at least ||max_2(W^T e)||, ||max_2k(W^T e)||, the same included */
} dl_terms;

/* Every kept score is above `kept` - inside - mu_e, every other below `left` + outside + mu_e: the former is
 * larger, and positive. Theorem 1, its corollaries and the untied theorem are this with different `inside`
 * and `outside`. */
bool dl_separates(const dl_terms *t, double inside, double outside);

bool dl_theorem_1(const dl_terms *t, double mu); /* Corollary 1.2; Theorem 1 with mu_e = 0 */
bool dl_theorem_coherence(const dl_terms *t, double mu);
bool dl_theorem_babel(const dl_terms *t, const dl_gains *gains);
bool dl_theorem_2(const dl_terms *t, double delta_2k); /* the paper's, with the order that its proof needs */
bool dl_theorem_2_pair(const dl_terms *t, double delta_k1); /* sharper: order k + 1 */
bool dl_equation_4(const dl_terms *t, double delta_2k);

#endif
