/* Iterative hard thresholding for the Z-subproblem. */
#include "learning/paper/step_z.h"

#include "base/memory.h"
#include "coding/least_squares.h"
#include "kernels/kernels.h"
#include "kernels/select.h"
#include "kernels/supports.h"

#include <string.h>

enum { IHT_STEPS = 5 };

/* Squared distance of an atom from the span of those before it in a support, below which least squares need
 * more than single precision. */
static const float ILL_CONDITIONED = 0.03f;

dltf_status dl_z_space_alloc(dl_z_space *space, int64_t m, int64_t k) {
    dltf_status status = DLTF_OK;
    *space = (dl_z_space){0};
    DL_TRY_NEW(space->keys, m);
    DL_TRY_NEW(space->B, DL_TILE * m);
    DL_TRY_NEW(space->P, DL_TILE * m);
    DL_TRY_NEW(space->R, DL_TILE * m);
    DL_TRY_NEW(space->U, DL_TILE * m);
    DL_TRY_NEW(space->before, DL_TILE);
    DL_TRY_NEW(space->picked, m);
    DL_TRY_NEW(space->b, DL_TILE * k);
    DL_TRY_NEW(space->z, DL_TILE * k);
    DL_TRY_NEW(space->pivot, DL_TILE);
    if (dl_supports_fit(m, k))
        DL_TRY_NEW(space->supports, dl_solve_supports_work(k));
    DL_TRY_NEW(space->normal, k * k + k);
    DL_TRY(dl_slots_alloc(&space->start, DL_TILE, k));
done:
    return status; /* the caller frees partial allocations */
}

void dl_z_space_free(dl_z_space *space) {
    dl_free(space->keys);
    dl_free(space->B);
    dl_free(space->P);
    dl_free(space->R);
    dl_free(space->U);
    dl_free(space->before);
    dl_free(space->picked);
    dl_free(space->b);
    dl_free(space->z);
    dl_free(space->pivot);
    dl_free(space->supports);
    dl_free(space->normal);
    dl_slots_free(&space->start);
}

double dl_z_space_least_squares(int64_t m, int64_t k) {
    double lanes = dl_supports_fit(m, k) ? 4 * (double)dl_solve_supports_work(k) : 0;
    return lanes + 8 * (double)k * (double)(k + 1);
}

double dl_z_step_length(double sigma, double theta, double beta) {
    double s = beta > 0 ? 1.0 : 1.8;
    double L = theta * sigma + beta * sigma * sigma;
    return L > 0 ? s / L : 0;
}

void dl_z_gap(const dl_z_problem *problem, const float *B, dl_slots Z, int64_t rows, float scale, float *P) {
    int64_t m = problem->m;
    const dl_kernels *kernels = dl_kernels_now();
    for (int64_t i = 0; i < rows; i++)
        kernels->gap_row(problem->G, m, Z.index + i * Z.k, Z.value + i * Z.k, Z.count[i], B + i * m, scale,
                         P + i * m);
}

double dl_z_objective(const dl_z_problem *problem, const float *p, const float *b, const float *m_row,
                      const int32_t *index, const float *value, int64_t count) {
    /* ||x - Wz||^2 - ||x||^2 = z^T(Gz - 2b) = z^T(p - b) */
    double data = 0;
    for (int64_t e = 0; e < count; e++)
        data += (double)value[e] * ((double)p[index[e]] - (double)b[index[e]]);
    double noise = m_row ? dl_kernels_now()->square_of_sum(p, 1, m_row, problem->m) : 0;
    return problem->theta / 2 * data + problem->beta / 2 * noise;
}

static double row_objective(const dl_z_problem *problem, const dl_z_space *space, const float *M, dl_slots Z,
                            int64_t i) {
    int64_t m = problem->m;
    return dl_z_objective(problem, space->P + i * m, space->B + i * m, M ? M + i * m : NULL,
                          Z.index + i * Z.k, Z.value + i * Z.k, Z.count[i]);
}

/* U = Z - step (theta P + beta G(P + M)) with P = GZ - B, which space->P may hold already (`known`). */
static void gradient_step(const dl_z_problem *problem, const float *M, bool known, int64_t rows,
                          dl_z_space *space, dl_slots Z) {
    int64_t m = problem->m;
    float data = (float)(problem->step * problem->theta), noise = (float)(problem->step * problem->beta);
    const dl_kernels *kernels = dl_kernels_now();
    if (M && !known)
        dl_z_gap(problem, space->B, Z, rows, 1, space->P);
    if (M) {
        kernels->scaled_sum32(space->R, noise, space->P, M, rows * m);
        dl_score_tile(problem->G_packed, space->R, m, rows, space->U);
        kernels->combine32(space->U, -1, -data, space->P, rows * m);
    } else if (known) {
        for (int64_t i = 0; i < rows * m; i++)
            space->U[i] = -data * space->P[i];
    } else {
        dl_z_gap(problem, space->B, Z, rows, -data, space->U);
    }
    for (int64_t i = 0; i < rows; i++)
        for (int64_t e = i * Z.k; e < i * Z.k + Z.count[i]; e++)
            space->U[i * m + Z.index[e]] += Z.value[e];
}

static void copy_codes(dl_slots from, dl_slots to, int64_t first, int64_t rows) {
    size_t k = (size_t)from.k, at = (size_t)first * k, count = (size_t)rows * k;
    memcpy(to.count + first, from.count + first, (size_t)rows * sizeof *to.count);
    memcpy(to.index + at, from.index + at, count * sizeof *to.index);
    memcpy(to.value + at, from.value + at, count * sizeof *to.value);
}

/* Least-squares values on the support of one sample, in double. An atom that depends on others gets 0. */
static void solve_row(const dl_z_problem *problem, dl_z_space *space, dl_slots Z, int64_t i) {
    int64_t s = Z.count[i], m = problem->m, at = i * Z.k;
    const int32_t *S = Z.index + at;
    double *G = space->normal, *b = G + s * s;
    for (int64_t p = 0; p < s; p++) {
        for (int64_t q = 0; q <= p; q++)
            G[p * s + q] = (double)problem->G[S[p] * m + S[q]];
        b[p] = (double)space->b[at + p];
    }
    dl_solve_support(G, b, s, 1e-5); /* G is rounded to f32 */
    for (int64_t p = 0; p < s; p++)
        space->z[at + p] = (float)b[p];
}

/* Least-squares values on the supports, z_S = G_SS^{-1} b_S, in space->z. */
static void solve(const dl_z_problem *problem, int64_t rows, dl_z_space *space, dl_slots Z) {
    int64_t m = problem->m, k = problem->k;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t e = i * k; e < i * k + Z.count[i]; e++)
            space->b[e] = space->B[i * m + Z.index[e]];
    if (space->supports)
        dl_kernels_now()->solve_supports(problem->G, m, k, rows, Z.count, Z.index, space->b, space->supports,
                                         space->z, space->pivot);
    for (int64_t i = 0; i < rows; i++)
        if (!(space->supports && space->pivot[i] > ILL_CONDITIONED))
            solve_row(problem, space, Z, i);
}

/* Takes over the least-squares values of sample i, and returns the objective, which is -theta/2 b^T z there.
 * With coherent atoms (real images), IHT with a step bounded by sigma is far from them, and W learned from
 * such codes oscillates instead of converging. */
static double refit_row(const dl_z_problem *problem, dl_z_space *space, dl_slots Z, int64_t i) {
    int64_t at = i * Z.k, m = problem->m;
    const float *b = space->b + at, *z = space->z + at;
    int32_t kept = 0, *index = Z.index + at;
    double product = 0;
    for (int64_t p = 0; p < Z.count[i] && problem->positive; p++)
        if (z[p] < 0) { /* codes must stay nonnegative: keep the values of the last step */
            dl_z_gap(problem, space->B + i * m, dl_slots_from(&Z, i, 1), 1, 1, space->P + i * m);
            return row_objective(problem, space, NULL, Z, i);
        }
    for (int64_t p = 0; p < Z.count[i]; p++) {
        product += (double)z[p] * (double)b[p];
        if (z[p] != 0) { /* drop linearly dependent atoms instead of keeping zeros */
            index[kept] = index[p];
            Z.value[at + kept++] = z[p];
        }
    }
    Z.count[i] = kept;
    return -problem->theta / 2 * product;
}

/* Z = max_k(scores), row by row. */
static void threshold(const dl_z_problem *problem, const float *scores, int64_t rows, dl_z_space *space,
                      dl_slots Z) {
    dl_kernels_now()->select(scores, problem->m, rows, problem->m, problem->k, problem->positive, space->keys,
                             Z.count, Z.index, Z.value);
}

/* The objective of the result. */
static double finish_row(const dl_z_problem *problem, const float *M, dl_z_space *space, dl_slots Z,
                         int64_t i) {
    return M ? row_objective(problem, space, M, Z, i) : refit_row(problem, space, Z, i);
}

void dl_z_step(const dl_z_problem *problem, const float *M, int64_t rows, dl_z_space *space, dl_slots Z) {
    int64_t m = problem->m;
    threshold(problem, space->B, rows, space, Z);
    copy_codes(Z, space->start, 0, rows);
    dl_z_gap(problem, space->B, Z, rows, 1, space->P);
    for (int64_t i = 0; i < rows; i++)
        space->before[i] = row_objective(problem, space, M, Z, i);
    for (int step = 0; step < IHT_STEPS; step++) {
        gradient_step(problem, M, step == 0, rows, space, Z);
        threshold(problem, space->U, rows, space, Z);
    }
    if (M)
        dl_z_gap(problem, space->B, Z, rows, 1, space->P);
    else
        solve(problem, rows, space, Z);
    for (int64_t i = 0; i < rows; i++) {
        if (finish_row(problem, M, space, Z, i) <= space->before[i])
            continue;
        copy_codes(space->start, Z, i, 1);
        if (M)
            dl_z_gap(problem, space->B + i * m, dl_slots_from(&Z, i, 1), 1, 1, space->P + i * m);
    }
}
