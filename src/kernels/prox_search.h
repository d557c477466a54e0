/* The search for the root of the prox's scalar equation, in up to DL_COLUMNS columns that do not depend on
 * each other: a column ends with the same bits alone and next to others.
 *
 * The root v of g(v) = sum_i clip(|c_i|/v - 1, 0, gamma) - k gamma, which falls in v and is linear in 1/v
 * between the breakpoints |c_i| and |c_i|/(1+gamma). A Newton step goes to the root of the current piece; the
 * search ends when the piece there is the same. g is neither convex nor concave, so the steps are safeguarded
 * by a bracket. */
#ifndef DL_KERNELS_PROX_SEARCH_H
#define DL_KERNELS_PROX_SEARCH_H

#include "kernels/kernels.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Masks are -1 or 0, of the width of the doubles that they select. */
struct dl_prox_search {
    double k, gamma;
    double v[DL_COLUMNS];                            /* where g is evaluated next; in the end the root */
    float low[DL_COLUMNS], high[DL_COLUMNS];         /* v and (1+gamma) v as thresholds of prox_count */
    double below[DL_COLUMNS], above[DL_COLUMNS];     /* the bracket: g(below) > 0 > g(above) */
    double g_below[DL_COLUMNS], g_above[DL_COLUMNS]; /* v g(v) at its ends */
    double full[DL_COLUMNS], middle[DL_COLUMNS];     /* the piece before */
    int64_t newton[DL_COLUMNS];                      /* mask: v is its root */
    int64_t active[DL_COLUMNS];                      /* mask: the search goes on */
};

/* a where the mask is -1, b where it is 0. Bits instead of branches, which GCC does not vectorise. */
static inline double dl_prox_pick(int64_t mask, double a, double b) {
    int64_t a_bits, b_bits;
    memcpy(&a_bits, &a, sizeof a);
    memcpy(&b_bits, &b, sizeof b);
    a_bits = (a_bits & mask) | (b_bits & ~mask);
    memcpy(&a, &a_bits, sizeof a);
    return a;
}

/* The float `steps` after a positive one. Unlike nextafterf, no function call and no branch. */
static inline float dl_prox_neighbour(float x, int32_t steps) {
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits += steps;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The thresholds for v, rounded to floats such that no comparison changes its result. */
static inline float dl_prox_low(double v) {
    float low = (float)v;
    return dl_prox_neighbour(low, -((double)low > v));
}

static inline float dl_prox_high(double v, double gamma) {
    double top = (1 + gamma) * v;
    float high = (float)top;
    return dl_prox_neighbour(high, (double)high < top);
}

/* Column l of the search, from its piece at v: ends it, or makes a Newton step, or leaves v where it is if
 * that step would leave the bracket. */
static inline __attribute__((always_inline)) void dl_prox_newton(dl_prox_search *s, int l, double full,
                                                                 double middle, double sum, int64_t allowed) {
    double v = s->v[l], slope = (s->k - full) * s->gamma + middle, g = sum - slope * v, root = sum / slope;
    int64_t has_root = -(int64_t)(middle > 0) & -(int64_t)(slope > 0), rises = -(int64_t)(g > 0);
    double next = dl_prox_pick(has_root, root, 0);
    int64_t same = -(int64_t)(full == s->full[l]) & -(int64_t)(middle == s->middle[l]) & s->newton[l];
    int64_t close = -(int64_t)(g == 0) | -(int64_t)(fabs(next - v) <= 4 * DBL_EPSILON * v);
    s->below[l] = dl_prox_pick(rises, v, s->below[l]);
    s->g_below[l] = dl_prox_pick(rises, g, s->g_below[l]);
    s->above[l] = dl_prox_pick(rises, s->above[l], v);
    s->g_above[l] = dl_prox_pick(rises, s->g_above[l], g);
    s->full[l] = full;
    s->middle[l] = middle;
    s->newton[l] = -(int64_t)(next > s->below[l]) & -(int64_t)(next < s->above[l]) & allowed;
    s->active[l] &= ~(same | close);
    s->v[l] = dl_prox_pick(s->active[l] & s->newton[l], next, v);
}

/* The midpoint of a and b (positive, a < b) in their binary representation: about the geometric mean, so that
 * 64 bisections exhaust any bracket, whatever the magnitudes. */
static inline double dl_prox_midpoint(double a, double b) {
    int64_t low, high;
    memcpy(&low, &a, sizeof low);
    memcpy(&high, &b, sizeof high);
    int64_t middle = low + (high - low) / 2;
    double v;
    memcpy(&v, &middle, sizeof v);
    return v;
}

/* Instead of a Newton step: a point inside the bracket, by interpolation. Bisects instead in every third pass
 * and, from the sixth pass on, while the bracket is wide: a bad slope or a wide range of magnitudes cannot
 * slow it down. Ends the search if no double is left inside. */
static inline void dl_prox_interpolate(dl_prox_search *s, int l, int pass) {
    double below = s->below[l], above = s->above[l];
    double g_below = s->g_below[l] / below, g_above = s->g_above[l] / above;
    double v = below + (above - below) * (g_below / (g_below - g_above));
    bool wide = pass > 5 && above > 16 * below;
    if (!(v > below && v < above) || wide || pass % 3 == 0)
        v = dl_prox_midpoint(below, above);
    if (v > below && v < above)
        s->v[l] = v;
    else
        s->active[l] = 0;
}

/* Columns 0 .. count-1 after a pass that found these pieces, the pass-th. Returns false when all searches
 * have ended. */
static inline __attribute__((always_inline)) bool dl_prox_advance(dl_prox_search *s, int count,
                                                                  const dl_prox_pieces *pieces, int pass) {
    enum { FREE_PASSES = 12, MAX_PASSES = 200 };
    const int64_t allowed = -(int64_t)(pass < FREE_PASSES || pass % 2 == 0);
    int64_t active = 0, left = 0;
    for (int l = 0; l < count; l++) {
        dl_prox_newton(s, l, pieces->full[l], pieces->middle[l], pieces->sum[l], allowed);
        active |= s->active[l];
        left |= s->active[l] & ~s->newton[l];
    }
    for (int l = 0; left && l < count; l++)
        if (s->active[l] && !s->newton[l])
            dl_prox_interpolate(s, l, pass);
    for (int l = 0; l < count; l++) {
        s->low[l] = dl_prox_low(s->v[l]);
        s->high[l] = dl_prox_high(s->v[l], s->gamma);
    }
    return active && pass < MAX_PASSES;
}

#endif
