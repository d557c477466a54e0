/* The theorems' conditions. Comparisons require a relative margin far above the rounding of the few
 * operations here and far below any difference of interest. */
#include "theory/conditions.h"

#include <math.h>

static const double ROUNDING = 1e-12;

bool dl_separates(const dl_terms *t, double inside, double outside) {
    double noise = 2 * t->mu_e, room = ROUNDING * (fabs(t->kept) + inside + outside + noise);
    if (!(t->kept - inside - t->mu_e > room))
        return false;
    if (isinf(t->left) && t->left < 0)
        return true;
    return t->kept - t->left - inside - outside - noise > room + ROUNDING * fabs(t->left);
}

/* k mu |z_1| + mu_e < |z_k| / 2. The paper allows equality, which would permit a tie for mu = 0. */
bool dl_theorem_1(const dl_terms *t, double mu) {
    double sum = (double)t->k * mu * t->z_1;
    return dl_separates(t, sum, sum);
}

bool dl_theorem_coherence(const dl_terms *t, double mu) {
    double k = (double)t->k;
    return dl_separates(t, (k - 1) * mu * t->z_1, k * mu * t->z_1);
}

bool dl_theorem_babel(const dl_terms *t, const dl_gains *gains) {
    return dl_separates(t, dl_gains_babel(gains, t->k - 1) * t->z_1, dl_gains_babel(gains, t->k) * t->z_1);
}

/* The paper's constant for delta < 1. */
static double root(double delta) {
    return sqrt(2 * delta - delta * delta);
}

bool dl_theorem_2(const dl_terms *t, double delta_2k) {
    if (!(delta_2k < 1))
        return false;
    double need = 2 * root(delta_2k) * t->z_norm + 2 * t->noise_2k;
    return t->z_k - need > ROUNDING * (fabs(t->z_k) + need);
}

bool dl_theorem_2_pair(const dl_terms *t, double delta_k1) {
    double need = sqrt(2) * (delta_k1 * t->z_norm + t->noise_2);
    return t->z_k - need > ROUNDING * (fabs(t->z_k) + need);
}

bool dl_equation_4(const dl_terms *t, double delta_2k) {
    double k = (double)t->k, room = delta_2k < 1 ? 1 - 2 * sqrt(k) * root(delta_2k) : 0;
    return room > 0 && t->z_norm * room >= 2 * sqrt(k) * t->noise_2k;
}
