/* The proximal mapping of the squared (k,2) norm by a scalar equation instead of a sort.
 *
 * The paper's Algorithm 1 (prox_sorted.c) sorts |c|. Here a few counting passes over c find the one number
 * that determines the solution. The passes are kernels (kernels/level/prox.c and prox_columns.c). */
#include "learning/paper/prox.h"

#include "base/memory.h"
#include "dltf/learn.h"
#include "kernels/kernels.h"
#include "kernels/prox_search.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* At or below this, shrinkage is less than half the distance between neighbouring floats: q rounds to c. */
static const double MIN_GAMMA = 0x1p-26;
/* At this gamma all entries of q underflow to 0; larger values are clipped to it to avoid overflow. */
static const double MAX_GAMMA = 1e100;
/* Below this both halves of 1/(1+gamma) are floats of full precision. */
static const double LARGE_GAMMA = 0x1p60;

/* Columns up to this length are solved side by side: in longer ones, latencies are small against the passes,
 * and a guess that saves passes gains more. 16 side by side take as long as about 6 one by one. */
enum { SHORT = 256, FEW = 6 };

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

/* The linear piece at v, and q for it if there is room for one. */
static dl_prox_piece piece_with_q(const scalar_problem *problem, double v, float *q) {
    float low = dl_prox_low(v), high = dl_prox_high(v, problem->gamma);
    if (!q)
        return count(problem, low, high);
    dl_prox_piece piece =
        dl_kernels_now()->prox_try(problem->c, problem->m, low, high, (float)v, 1 / (1 + problem->gamma), q);
    return piece.sum < INFINITY ? piece : count(problem, low, high);
}

static dl_prox_piece piece_at(const scalar_problem *problem, double v) {
    return piece_with_q(problem, v, NULL);
}

/* The root of g (see prox_search.h) if it were this linear piece everywhere; 0 if there is none. */
static double piece_root(const scalar_problem *problem, dl_prox_piece piece) {
    double slope = (double)(problem->k - piece.full) * problem->gamma + (double)piece.middle;
    return piece.middle > 0 && slope > 0 ? piece.sum / slope : 0;
}

static bool same(dl_prox_piece a, dl_prox_piece b) {
    return a.full == b.full && a.middle == b.middle;
}

/* Initial v per sum of magnitudes: the root for Gaussian entries, of which `middle` are not zero. With p = k
 * / middle, a ramp from v to (1+gamma) v passes the share p if its middle is the quantile of p (Abramowitz &
 * Stegun 26.2.22). For large gamma few entries are full, and the root of the piece in which all are middle is
 * closer. */
static double guess_factor(double k, double gamma, double middle) {
    double p = k / middle, t = sqrt(-2 * log(p / 2));
    double quantile = t - (2.30753 + 0.27061 * t) / (1 + 0.99229 * t + 0.04481 * t * t);
    double factor = fmax(quantile, 0.01) * 1.2533 / (middle * (1 + gamma / 2));
    return p < 0.4 ? fmax(factor, 1 / (k * gamma + middle)) : factor;
}

/* Begins the search in column l, of which `sum` and `middle` describe the non-zero entries, with v = guess.
 * More than k entries are non-zero, so there is a root. */
static void begin(dl_prox_search *s, int l, double guess, double middle, double sum) {
    double least = 0.5 * (double)FLT_TRUE_MIN / (1 + s->gamma), most = sum / s->k;
    s->v[l] = guess;
    s->low[l] = dl_prox_low(guess);
    s->high[l] = dl_prox_high(guess, s->gamma);
    s->below[l] = least; /* all entries are full */
    s->g_below[l] = (middle - s->k) * s->gamma * least;
    s->above[l] = most; /* at least k entries are >= v */
    s->g_above[l] = -s->k * s->gamma * most;
    s->active[l] = -1;
}

/* The root for one column. `all` describes its non-zero entries; more than k of them. */
static double solve(const scalar_problem *problem, dl_prox_piece all, int *passes) {
    dl_prox_search s = {.k = (double)problem->k, .gamma = problem->gamma};
    dl_prox_pieces pieces;
    int pass = 0;
    begin(&s, 0, guess_factor(s.k, s.gamma, (double)all.middle) * all.sum, (double)all.middle, all.sum);
    do {
        dl_prox_piece piece = count(problem, s.low[0], s.high[0]);
        pieces.full[0] = (double)piece.full;
        pieces.middle[0] = (double)piece.middle;
        pieces.sum[0] = piece.sum;
    } while (dl_prox_advance(&s, 1, &pieces, ++pass));
    *passes += pass;
    return s.v[0];
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

/* v of `count` short columns, side by side; NaN where a sum of magnitudes overflows. Returns the number of
 * passes. */
static int solve_short(const float *C, int64_t m, int64_t k, double gamma, int64_t count, double *v) {
    const dl_kernels *kernels = dl_kernels_now();
    _Alignas(64) float T[DL_COLUMNS * SHORT];
    dl_prox_search s = {.k = (double)k, .gamma = gamma};
    dl_prox_pieces all, pieces;
    double usual = guess_factor(s.k, gamma, (double)m);
    for (int l = 0; l < DL_COLUMNS; l++)
        s.high[l] = INFINITY;
    kernels->prox_transpose(C, m, count, T);
    kernels->prox_count_columns(T, m, s.low, s.high, &all);
    for (int l = 0; l < count; l++) {
        double middle = all.middle[l], sum = all.sum[l];
        if (middle > s.k && sum < INFINITY)
            begin(&s, l, (middle == (double)m ? usual : guess_factor(s.k, gamma, middle)) * sum, middle, sum);
    }
    int pass = 0;
    do
        kernels->prox_count_columns(T, m, s.low, s.high, &pieces);
    while (kernels->prox_advance_columns(&s, &pieces, ++pass));
    for (int l = 0; l < count; l++)
        v[l] = all.sum[l] < INFINITY ? s.v[l] : (double)NAN;
    return pass + 1;
}

static int64_t prox_short(const float *C, int64_t m, int64_t k, double gamma, int64_t count, float *Q,
                          double *v) {
    int64_t passes = count * (solve_short(C, m, k, gamma, count, v) + 1);
    for (int64_t i = 0; i < count; i++) {
        if (isnan(v[i])) {
            v[i] = 0;
            dl_prox_next(C + i * m, m, k, gamma, Q + i * m, &v[i]);
        } else {
            dl_kernels_now()->prox_apply(C + i * m, m, (float)v[i], 1 / (1 + gamma), Q + i * m);
        }
    }
    return passes;
}

int64_t dl_prox_columns(const float *C, int64_t m, int64_t k, double gamma, int64_t count, float *Q,
                        double *v) {
    bool is_short = m <= SHORT, ordinary = gamma > MIN_GAMMA && gamma < LARGE_GAMMA;
    double before = v[0];
    int64_t passes = 0;
    for (int64_t i = 0, step; i < count; i += step) {
        step = count - i < DL_COLUMNS ? count - i : DL_COLUMNS;
        if (is_short && ordinary && step >= FEW) {
            passes += prox_short(C + i * m, m, k, gamma, step, Q + i * m, v + i);
        } else {
            step = 1;
            v[i] = is_short ? 0 : before;
            passes += dl_prox_next(C + i * m, m, k, gamma, Q + i * m, &v[i]);
            before = v[i];
        }
    }
    return passes;
}

void dl_prox(const float *c, int64_t m, int64_t k, double gamma, float *q) {
    double v = 0;
    dl_prox_next(c, m, k, gamma, q, &v);
}

dltf_status dl_prox_check(const float *c, int64_t m, int64_t k, double gamma) {
    if (m < 1 || m > DL_MOST_ELEMENTS)
        return dl_fail(DLTF_ARGUMENT, "prox: m is %lld: must be at least 1%s", (long long)m,
                       m > 0 ? " and the size of an array" : "");
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
    DL_REQUIRE(c, q);
    dltf_status status = dl_prox_check(c, m, k, gamma);
    if (status == DLTF_OK)
        dl_prox(c, m, k, gamma, q);
    return status;
}
