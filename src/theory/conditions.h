/* The conditions of the theorems in docs/guarantees.md, evaluated on the terms of a model or of a sample.
 * True is a proof: the terms and the comparisons include margins for rounding. */
#ifndef DL_THEORY_CONDITIONS_H
#define DL_THEORY_CONDITIONS_H

#include "theory/gains.h"

/* The terms of a sample x = Wz + e whose code z has exactly k entries, on the support S. */
typedef struct dl_terms {
    int64_t k;
    double kept;              /* smallest rank of d_i z_i - b_i, i in S */
    double left;              /* largest rank of -b_i, i not in S; -infinity if S is all atoms */
    double z_k;               /* smallest rank of z_i, i in S: |z_k| of the paper */
    double z_1, z_norm;       /* largest |z_i|; ||z|| */
    double mu_e;              /* upper bound of max_i |<e_i, e>| including rounding of scores */
    double noise_2, noise_2k; /* the same of ||max_2(W^T e)||, ||max_2k(W^T e)|| */
} dl_terms;

/* Every score in S is above `kept` - inside - mu_e, every other score is below `left` + outside + mu_e. True
 * if the former bound is larger than the latter, and positive. Theorem 1, its corollaries and the untied
 * theorem differ only in `inside` and `outside`. */
bool dl_separates(const dl_terms *t, double inside, double outside);

bool dl_theorem_1(const dl_terms *t, double mu); /* Corollary 1.2; Theorem 1 with mu_e = 0 */
bool dl_theorem_coherence(const dl_terms *t, double mu);
bool dl_theorem_babel(const dl_terms *t, const dl_gains *gains);
bool dl_theorem_2(const dl_terms *t, double delta_2k);      /* the paper's, with the order its proof needs */
bool dl_theorem_2_pair(const dl_terms *t, double delta_k1); /* sharper: order k + 1 */
bool dl_equation_4(const dl_terms *t, double delta_2k);

#endif
