/* The proximal mapping of the squared (k,2) norm by a scalar equation instead of a sort.
 *
 * The paper's Algorithm 1 (prox_sorted.c) sorts |c|. Here a few counting passes over c find the one number
 * that determines the solution. The passes are kernels (kernels/level/prox.c). */
#include "learning/prox.h"

#include "kernels/kernels.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* At or below this, shrinkage is less than half the distance between neighbouring floats: q rounds to c. */
static const double MIN_GAMMA = 0x1p-26;
/* At this gamma all entries of q underflow to 0; larger values are clipped to it to avoid overflow. */
static const double MAX_GAMMA = 1e100;
/* Below this both halves of 1/(1+gamma) are floats of full precision. */
static const double LARGE_GAMMA = 0x1p60;

enum { MAX_PASSES = 200, FREE_PASSES = 12 };

typedef struct scalar_problem {
    const float *c;
    int64_t m, k;
    double gamma;
} scalar_problem;

/* The kernel adds a few entries in single precision, which can overflow; a block has one in each lane. */
static dl_prox_piece count(const scalar_problem *problem, float low, float high) {
    enum { BLOCK = 16 };
    dl_prox_piece piece = dl_kernels_now()->prox_count(problem->c, problem->m, low, high);
    if (piece.sum < INFINITY)
        return piece;
    piece.sum = 0;
    for (int64_t i = 0; i < problem->m; i += BLOCK) {
        int64_t left = problem->m - i;
        piece.sum += dl_kernels_now()->prox_count(problem->c + i, left < BLOCK ? left : BLOCK, low, high).sum;
    }
    return piece;
}

/* The float `steps` after a positive one. Unlike nextafterf, no function call and no branch. */
static float neighbour(float x, int32_t steps) {
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits += steps;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The linear piece at v, and q for it if there is room for one. Thresholds are rounded to floats such that no
 * comparison changes its result. */
static dl_prox_piece piece_with_q(const scalar_problem *problem, double v, float *q) {
    double top = (1 + problem->gamma) * v;
    float low = v < (double)FLT_MAX ? (float)v : FLT_MAX;
    float high = top <= (double)FLT_MAX ? (float)top : INFINITY;
    low = neighbour(low, -((double)low > v));
    high = neighbour(high, (double)high < top);
    if (!q)
        return count(problem, low, high);
    dl_prox_piece piece =
        dl_kernels_now()->prox_try(problem->c, problem->m, low, high, (float)v, 1 / (1 + problem->gamma), q);
    return piece.sum < INFINITY ? piece : count(problem, low, high);
}

static dl_prox_piece piece_at(const scalar_problem *problem, double v) {
    return piece_with_q(problem, v, NULL);
}

/* The root of g (see solve) if it were this linear piece everywhere; 0 if there is none. */
static double piece_root(const scalar_problem *problem, dl_prox_piece piece) {
    double slope = (double)(problem->k - piece.full) * problem->gamma + (double)piece.middle;
    return piece.middle > 0 && slope > 0 ? piece.sum / slope : 0;
}

static bool same(dl_prox_piece a, dl_prox_piece b) {
    return a.full == b.full && a.middle == b.middle;
}

/* The midpoint of a and b (positive, a < b) in their binary representation: about the geometric mean, so that
 * 64 bisections exhaust any bracket, whatever the magnitudes. */
static double binary_midpoint(double a, double b) {
    int64_t low, high;
    memcpy(&low, &a, sizeof low);
    memcpy(&high, &b, sizeof high);
    int64_t middle = low + (high - low) / 2;
    double v;
    memcpy(&v, &middle, sizeof v);
    return v;
}

/* Initial v: the root for Gaussian entries with the same mean magnitude. With p = k / nnz, a ramp from v to
 * (1+gamma) v passes the share p if its middle is the quantile of p (Abramowitz & Stegun 26.2.22). For large
 * gamma few entries are full, and the root of the piece in which all are middle is closer. */
static double first_guess(const scalar_problem *problem, dl_prox_piece all) {
    double p = (double)problem->k / (double)all.middle;
    double t = sqrt(-2 * log(p / 2));
    double quantile = t - (2.30753 + 0.27061 * t) / (1 + 0.99229 * t + 0.04481 * t * t);
    double deviation = 1.2533 * all.sum / (double)all.middle;
    double v = fmax(quantile, 0.01) * deviation / (1 + problem->gamma / 2);
    return p < 0.4 ? fmax(v, piece_root(problem, all)) : v;
}

/* A bracket of the root: g(low) > 0 > g(high). */
typedef struct bracket {
    double low, high, g_low, g_high;
} bracket;

static void narrow(bracket *around, double v, double g) {
    if (g > 0) {
        around->low = v;
        around->g_low = g;
    } else {
        around->high = v;
        around->g_high = g;
    }
}

/* A point inside the bracket, by interpolation. Bisects instead in every third pass and, from the sixth pass
 * on, while the bracket is wide: a bad slope or a wide range of magnitudes cannot slow it down. */
static double inside(const bracket *around, int pass) {
    double share = around->g_low / (around->g_low - around->g_high);
    double v = around->low + (around->high - around->low) * share;
    bool wide = pass > 5 && around->high > 16 * around->low;
    bool usable = v > around->low && v < around->high && !wide && pass % 3 != 0;
    return usable ? v : binary_midpoint(around->low, around->high);
}

/* The root v of g(v) = sum_i clip(|c_i|/v - 1, 0, gamma) - k gamma, which falls in v and is linear in 1/v
 * between the breakpoints |c_i| and |c_i|/(1+gamma). More than k entries are non-zero (`all` describes them),
 * so there is one. A Newton step goes to the root of the current piece; the iteration ends when the piece
 * there is the same. g is neither convex nor concave, so the steps are safeguarded by a bracket. Counts the
 * passes over c. */
static double solve(const scalar_problem *problem, dl_prox_piece all, int *passes) {
    double k = (double)problem->k, gamma = problem->gamma;
    bracket around = {.low = 0.5 * (double)FLT_TRUE_MIN / (1 + gamma), /* all entries are full */
                      .high = all.sum / k,                             /* at least k entries are >= v */
                      .g_low = ((double)all.middle - k) * gamma,
                      .g_high = -k * gamma};
    double v = first_guess(problem, all), next = 0;
    dl_prox_piece origin = all;
    bool newton = false;
    for (; *passes < MAX_PASSES; v = next) {
        dl_prox_piece piece = piece_at(problem, v);
        ++*passes;
        if (newton && same(piece, origin))
            break;
        double g = ((double)piece.full - k) * gamma + (piece.sum / v - (double)piece.middle);
        next = piece_root(problem, piece);
        if (g == 0 || fabs(next - v) <= 4 * DBL_EPSILON * v)
            break;
        narrow(&around, v, g);
        newton = next > around.low && next < around.high && (*passes < FREE_PASSES || *passes % 2 == 0);
        if (!newton)
            next = inside(&around, *passes);
        if (next <= around.low || next >= around.high)
            break; /* no double is left inside the bracket */
        origin = piece;
    }
    return v;
}

/* The same root from a guess by a few Newton steps without safeguards, which need no pass over all entries
 * first; 0 if they do not reach it. A piece with its own root has more than k entries above v: the k-th share
 * of the sum is taken by entries of which some have less than a full share. From the second step on, which is
 * mostly the last, the pass that confirms a root also writes q, if it is not NULL. */
static double solve_near(const scalar_problem *problem, double guess, float *q, bool *written, int *passes) {
    enum { STEPS = 5 };
    if (!(guess > 0))
        return 0;
    dl_prox_piece piece = piece_at(problem, guess);
    ++*passes;
    for (int step = 0; step < STEPS; step++) {
        dl_prox_piece origin = piece;
        double v = piece_root(problem, piece);
        if (!(v > 0))
            break;
        *written = q && step > 0;
        piece = piece_with_q(problem, v, *written ? q : NULL);
        ++*passes;
        if (same(piece, origin))
            return v;
    }
    *written = false;
    return 0;
}

/* The kernel for factors that single precision cannot represent. */
static void apply_tiny(const float *c, int64_t m, float v, double shrink, float *q) {
    for (int64_t i = 0; i < m; i++)
        q[i] = copysignf(fminf(fabsf(c[i]), fmaxf(v, (float)(fabs((double)c[i]) * shrink))), c[i]);
}

/* Minimises gamma ||q||^2_{k,2} + ||q - c||^2 over q (paper eq. (Qproximal), where k is k').
 *
 * ||q||^2_{k,2} is the maximum of sum u_i q_i^2 over 0 <= u_i <= 1, sum u_i = k, so that at the optimum
 *
 *     q_i (1 + gamma u_i) = c_i,  u_i = 1 above the k-th magnitude v of q, u_i = 0 below it, sum u_i = k.
 *
 * Large entries shrink by 1/(1+gamma), small ones stay, and those from |c_i| = v to (1+gamma) v sit at v:
 *
 *     q = sign(c) min(|c|, max(v, |c|/(1+gamma))),  sum_i clip((|c_i|/v - 1)/gamma, 0, 1) = k.
 *
 * c and q have m entries. O(m) for each of 3 to 5 passes over c; the last one writes q, which may be c. If at
 * most k entries are non-zero, all of them are full, and v = 0. */
int dl_prox_next(const float *c, int64_t m, int64_t k, double gamma, float *q, double *v) {
    if (!(gamma > MIN_GAMMA)) {
        if (q != c)
            memcpy(q, c, (size_t)m * sizeof *q);
        return 1;
    }
    gamma = fmin(gamma, MAX_GAMMA);
    scalar_problem problem = {c, m, k, gamma};
    int passes = 0;
    bool separate = q != c && gamma < LARGE_GAMMA, written = false;
    *v = solve_near(&problem, *v, separate ? q : NULL, &written, &passes);
    if (*v == 0) {
        dl_prox_piece all = count(&problem, 0, INFINITY);
        ++passes;
        *v = all.middle > k ? solve(&problem, all, &passes) : 0;
    }
    if (written)
        return passes;
    (gamma < LARGE_GAMMA ? dl_kernels_now()->prox_apply : apply_tiny)(c, m, (float)*v, 1 / (1 + gamma), q);
    return passes + 1;
}

void dl_prox(const float *c, int64_t m, int64_t k, double gamma, float *q) {
    double v = 0;
    dl_prox_next(c, m, k, gamma, q, &v);
}

dltf_status dl_prox_check(const float *c, int64_t m, int64_t k, double gamma, const float *q) {
    if (!c || !q)
        return dl_fail(DLTF_ARGUMENT, "prox: %s is NULL", c ? "q" : "c");
    if (m < 1)
        return dl_fail(DLTF_ARGUMENT, "prox: m is %lld: must be at least 1", (long long)m);
    if (k < 1 || k > m)
        return dl_fail(DLTF_ARGUMENT, "prox: k is %lld: must be between 1 and m = %lld", (long long)k,
                       (long long)m);
    if (!(gamma >= 0) || isinf(gamma))
        return dl_fail(DLTF_ARGUMENT, "prox: gamma is %g: must be finite and at least 0", gamma);
    for (int64_t i = 0; i < m; i++)
        if (!isfinite(c[i]))
            return dl_fail(DLTF_ARGUMENT, "prox: c[%lld] is %s", (long long)i,
                           isnan(c[i]) ? "NaN" : "infinite");
    return DLTF_OK;
}

dltf_status dltf_prox(const float *c, int64_t m, int64_t k, double gamma, float *q) {
    dltf_status status = dl_prox_check(c, m, k, gamma, q);
    if (status == DLTF_OK)
        dl_prox(c, m, k, gamma, q);
    return status;
}
