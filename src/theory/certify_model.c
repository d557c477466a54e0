/* dltf_model_certify: what the theorems guarantee for a model, for every sample. */
#include "base/options.h"
#include "base/sized.h"
#include "data/model.h"
#include "dltf/measure.h"
#include "theory/assumption.h"
#include "theory/certify_options.h"
#include "theory/conditions.h"
#include "theory/isometry.h"

#include <float.h>
#include <math.h>

dltf_status dl_assumption(const dltf_model *model, const dltf_certify_options *given,
                          dltf_certify_options *made) {
    dltf_status status = DL_READ_OPTIONS(certify, given, made);
    if (status == DLTF_OK)
        status = dl_option_check(dl_certify_option_table(), made, NULL);
    if (status != DLTF_OK)
        return status;
    if (model->threshold)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_MODEL,
                             "selects by thresholds: guarantees are about the k largest scores");
    if (made->k > model->parts.m)
        return dl_fail_option(DLTF_ARGUMENT, "k", "%lld is more than the model's %lld atoms",
                              (long long)made->k, (long long)model->parts.m);
    if (made->k == 0)
        made->k = model->parts.k;
    return DLTF_OK;
}

bool dl_is_tied(const dltf_model *model) {
    return !model->encoder && !model->bias;
}

/* A sum of n + 1 terms in any order has an error of at most (n + 1) u times the sum of magnitudes, with
 * u = FLT_EPSILON / 2. Twice that covers second-order terms and the error of the norms; FLT_MIN covers
 * underflow of products. */
double dl_score_rounding(const dl_gains *gains, double x_norm) {
    double terms = (double)(gains->n + 2);
    return terms * ((double)FLT_EPSILON * (gains->longest_e * x_norm + gains->most_bias) + (double)FLT_MIN);
}

typedef enum theorem { THEOREM1, COHERENCE, BABEL } theorem;

/* The smallest rank of entry i without interference and noise. For positive selection its sign counts: the
 * worst case is a negative entry, if signs are allowed. */
static double kept_of(const dl_gains *g, int64_t i, const dltf_certify_options *a) {
    double b = g->bias ? (double)g->bias[i] : 0, own = a->amplitude * g->d[i];
    if (!g->positive)
        return fabs(own) - fabs(b);
    return (a->signs ? -fabs(own) : own) - b;
}

/* Terms of the worst flat code: any atom may be in its support, and any outside. */
static dl_terms flat_terms(const dl_gains *g, int64_t k, const dltf_certify_options *a, double mu_e) {
    dl_terms t = {.k = k, .kept = HUGE_VAL, .left = -HUGE_VAL, .z_1 = a->amplitude};
    for (int64_t i = 0; i < g->m; i++) {
        double b = g->bias ? (double)g->bias[i] : 0;
        t.kept = fmin(t.kept, kept_of(g, i, a));
        t.left = fmax(t.left, dl_gains_rank(g, -b));
    }
    if (k == g->m)
        t.left = -HUGE_VAL;
    double x_norm = (double)k * a->amplitude * g->longest_w + a->noise;
    t.mu_e = mu_e + g->slack * a->amplitude + dl_score_rounding(g, x_norm);
    return t;
}

/* All conditions become stricter as k grows, so the search stops at the first failure. */
static int64_t largest_k(const dl_gains *g, theorem which, const dltf_certify_options *a, double mu_e) {
    for (int64_t k = 1; k <= g->m; k++) {
        dl_terms t = flat_terms(g, k, a, mu_e);
        bool holds = which == THEOREM1    ? dl_theorem_1(&t, dl_gains_babel(g, 1))
                     : which == COHERENCE ? dl_theorem_coherence(&t, dl_gains_babel(g, 1))
                                          : dl_theorem_babel(&t, g);
        if (!holds)
            return k - 1;
    }
    return g->m;
}

static dltf_certified_k certified(const dl_gains *own, const dl_gains *tied, const dltf_certify_options *a,
                                  double mu_e_own, double mu_e_tied) {
    return (dltf_certified_k){largest_k(tied, THEOREM1, a, mu_e_tied), largest_k(own, COHERENCE, a, mu_e_own),
                              largest_k(own, BABEL, a, mu_e_own)};
}

/* |<e_i, e>| <= ||e_i|| ||e||, or the given bound, which applies to the model's own encoder rows only. */
static double noise_bound(const dl_gains *g, const dltf_certify_options *a, bool own) {
    if (a->mu_e == 0)
        return g->longest_e * a->noise;
    double by_norm = a->noise > 0 ? g->longest_e * a->noise : HUGE_VAL;
    return own ? fmin(a->mu_e, by_norm) : by_norm;
}

/* Largest k for which eq. (4) can hold: 4 k (2 delta - delta^2) < 1, with the bound on delta of order 2k. */
static int64_t equation4_k(const dl_gains *tied) {
    for (int64_t k = 1; 2 * k <= tied->m; k++) {
        double delta = dl_gains_babel(tied, 2 * k - 1);
        if (!(delta < 1 && 4 * (double)k * (2 * delta - delta * delta) < 1))
            return k - 1;
    }
    return tied->m / 2;
}

static void summarise(const dl_gains *own, const dl_gains *tied, const dltf_certify_options *a,
                      dltf_model_certificate *c) {
    dltf_certify_options quiet = *a;
    quiet.noise = 0;
    *c = (dltf_model_certificate){.k = a->k, .mu = dl_gains_babel(tied, 1)};
    c->mu_encoder = dl_gains_babel(own, 1);
    c->least_gain = HUGE_VAL;
    c->most_gain = -HUGE_VAL;
    for (int64_t i = 0; i < own->m; i++) {
        c->least_gain = fmin(c->least_gain, own->d[i]);
        c->most_gain = fmax(c->most_gain, own->d[i]);
    }
    c->most_bias = own->most_bias;
    c->mu_e = noise_bound(own, a, true);
    c->without_noise = certified(own, tied, &quiet, 0, 0);
    c->with_noise = certified(own, tied, a, c->mu_e, noise_bound(tied, a, own == tied));
    c->equation4 = equation4_k(tied);
}

dltf_status dltf_model_certify_sized(const dltf_model *model, const dltf_certify_options *options,
                                     dltf_model_certificate *certificate, size_t size) {
    DL_REQUIRE(model, certificate);
    dltf_status status = DLTF_OK;
    dltf_certify_options a;
    dltf_model_certificate made;
    dl_gains own = {.m = 0}, tied = {.m = 0};
    DL_TRY(dl_assumption(model, options, &a));
    DL_TRY(dl_gains_make(model, true, &tied));
    if (!dl_is_tied(model))
        DL_TRY(dl_gains_make(model, false, &own));
    summarise(dl_is_tied(model) ? &tied : &own, &tied, &a, &made);
    DL_TRY(dl_isometry(&tied, 2 * a.k < tied.m ? 2 * a.k : tied.m, &made.twice));
    DL_TRY(dl_isometry(&tied, a.k + 1 < tied.m ? a.k + 1 : tied.m, &made.next));
    DL_WRITE_STRUCT(dltf_model_certificate, certificate, size, &made);
done:
    dl_gains_free(&own);
    dl_gains_free(&tied);
    return status;
}

dltf_status dltf_model_babel(const dltf_model *model, int64_t order, double *babel) {
    DL_REQUIRE(model, babel);
    dl_gains gains;
    if (order < 1 || order >= model->parts.m)
        return dl_fail(DLTF_ARGUMENT,
                       "babel: order %lld is out of range: a model of %lld atoms has orders 1 to %lld",
                       (long long)order, (long long)model->parts.m, (long long)model->parts.m - 1);
    dltf_status status = dl_gains_make(model, false, &gains);
    if (status != DLTF_OK)
        return status;
    for (int64_t s = 1; s <= order; s++)
        babel[s - 1] = gains.babel[s];
    dl_gains_free(&gains);
    return DLTF_OK;
}
