/* Proves that no support T != S explains x: for any v, ||x - W z_T|| >= <v, x - W z_T> / ||v|| for every code
 * z_T on T. If the right-hand side exceeds the noise for all T, S is the true support. The best v is the
 * point of least norm of the hull of {x - W z_T : T != S}. The Frank-Wolfe method with pairwise steps
 * (Mitchell, Demyanov & Malozemov 1974) converges to it and stops as soon as the question is decided. Any v
 * gives a valid proof, so rounding matters in the last comparison only; docs/guarantees.md derives the
 * margin. */
#include "theory/exclude.h"

#include "base/memory.h"
#include "data/matrix.h"
#include "kernels/gram.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_STEPS = 800 };

dltf_status dl_exclude_space_alloc(dl_exclude_space *space, int64_t m, int64_t n, int64_t k) {
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(space->v, n);
    DL_TRY_NEW(space->vertices, (MAX_STEPS + 1) * n);
    DL_TRY_NEW(space->weight, MAX_STEPS + 1);
    DL_TRY_NEW(space->scores, m);
    DL_TRY_NEW(space->ranks, m);
    DL_TRY_NEW(space->in_S, m);
    DL_TRY_NEW(space->T, k);
done:
    return status;
}

void dl_exclude_space_free(dl_exclude_space *space) {
    dl_free(space->v);
    dl_free(space->vertices);
    dl_free(space->weight);
    dl_free(space->scores);
    dl_free(space->ranks);
    dl_free(space->in_S);
    dl_free(space->T);
}

/* Writes the atoms of the k largest ranks to T. Exact: no atom left out may have a larger rank than one
 * taken. */
static void largest(const double *ranks, int64_t m, int64_t k, int32_t *T) {
    for (int64_t j = 0, count = 0; j < m; j++) {
        if (count == k && !(ranks[j] > ranks[T[k - 1]]))
            continue;
        int64_t place = count < k ? count++ : k - 1;
        for (; place > 0 && ranks[j] > ranks[T[place - 1]]; place--)
            T[place] = T[place - 1];
        T[place] = (int32_t)j;
    }
}

/* Finds the support T != S with the largest sum of ranks: the k largest or, if S has these, S with the best
 * exchange of one atom. Returns the sum. */
static double best_other(const dl_exclusion *p, const double *v, const int32_t *S, dl_exclude_space *space) {
    int64_t m = p->gains->m, k = p->k, weakest = 0, strongest = -1;
    double *ranks = space->ranks;
    dl_gram_row(v, p->gains->W, m, p->gains->n, space->scores);
    for (int64_t j = 0; j < m; j++)
        ranks[j] = p->signs ? fabs(space->scores[j]) : space->scores[j];
    for (int64_t s = 1; s < k; s++)
        if (ranks[S[s]] < ranks[S[weakest]])
            weakest = s;
    for (int64_t j = 0; j < m; j++)
        if (!space->in_S[j] && (strongest < 0 || ranks[j] > ranks[strongest]))
            strongest = j;
    if (ranks[S[weakest]] >= ranks[strongest]) {
        memcpy(space->T, S, (size_t)k * sizeof *S);
        space->T[weakest] = (int32_t)strongest;
    } else
        largest(ranks, m, k, space->T);
    double sum = 0;
    for (int64_t s = 0; s < k; s++)
        sum += ranks[space->T[s]];
    return sum;
}

/* vertex = x - W z_T, where z_T has the signs of the scores. */
static void make_vertex(const dl_exclusion *p, const double *x, const int32_t *T, const double *scores,
                        double *vertex) {
    int64_t n = p->gains->n;
    memcpy(vertex, x, (size_t)n * sizeof *x);
    for (int64_t s = 0; s < p->k; s++) {
        const double *w = p->gains->W + T[s] * n;
        double z = p->signs && scores[T[s]] < 0 ? -p->amplitude : p->amplitude;
        for (int64_t j = 0; j < n; j++)
            vertex[j] -= z * w[j];
    }
}

/* Moves weight from the active vertex farthest along v to the newest one, by the step that minimises the norm
 * of v, at most its weight. False if no step decreases the norm. */
static bool pairwise_step(dl_exclude_space *space, int64_t n) {
    double *v = space->v, *newest = space->vertices + space->active * n;
    int64_t away = 0;
    double farthest = -HUGE_VAL, slope = 0, square = 0;
    for (int64_t a = 0; a < space->active; a++) {
        double along = dl_dot(space->vertices + a * n, v, n);
        if (along > farthest) {
            farthest = along;
            away = a;
        }
    }
    double *old = space->vertices + away * n;
    for (int64_t j = 0; j < n; j++) {
        slope += v[j] * (old[j] - newest[j]);
        square += (old[j] - newest[j]) * (old[j] - newest[j]);
    }
    if (!(slope > 0 && square > 0))
        return false;
    double step = fmin(slope / square, space->weight[away]);
    for (int64_t j = 0; j < n; j++)
        v[j] -= step * (old[j] - newest[j]);
    space->weight[space->active++] = step;
    space->weight[away] -= step;
    if (space->weight[away] <= 0) { /* replace it by the newest */
        memcpy(old, newest, (size_t)n * sizeof *old);
        space->weight[away] = space->weight[--space->active];
    }
    return true;
}

/* Bound on the rounding error of <v, x> - amplitude h - noise ||v||. */
static double margin(const dl_exclusion *p, double v_norm, double x_norm) {
    double n = (double)p->gains->n, k = (double)p->k;
    return (n + k + 8) * DBL_EPSILON * v_norm * (x_norm + p->amplitude * k * p->gains->longest_w + p->noise);
}

bool dl_exclude(const dl_exclusion *p, const double *x, const int32_t *S, dl_exclude_space *space) {
    int64_t n = p->gains->n;
    if (p->k == p->gains->m)
        return true; /* there is no other support */
    memset(space->in_S, 0, (size_t)p->gains->m * sizeof *space->in_S);
    for (int64_t s = 0; s < p->k; s++)
        space->in_S[S[s]] = true;
    best_other(p, x, S, space);
    make_vertex(p, x, space->T, space->scores, space->vertices);
    memcpy(space->v, space->vertices, (size_t)n * sizeof *x);
    space->weight[0] = 1;
    space->active = 1;
    double x_norm = dl_norm(x, n);
    for (int step = 0; step < MAX_STEPS; step++) {
        double norm = dl_norm(space->v, n);
        if (!(norm > p->noise))
            return false; /* a point of the hull is within the noise: no v can separate */
        double h = best_other(p, space->v, S, space);
        double above = dl_dot(space->v, x, n) - p->amplitude * h - p->noise * norm;
        if (above > margin(p, norm, x_norm))
            return isfinite(above);
        make_vertex(p, x, space->T, space->scores, space->vertices + space->active * n);
        if (!pairwise_step(space, n))
            return false;
    }
    return false;
}

bool dl_fits(const dl_exclusion *p, const double *x, const int32_t *S, const float *values,
             dl_exclude_space *space) {
    for (int64_t s = 0; s < p->k; s++)
        space->scores[S[s]] = (double)values[s];
    make_vertex(p, x, S, space->scores, space->v);
    return dl_norm(space->v, p->gains->n) <= p->noise;
}
