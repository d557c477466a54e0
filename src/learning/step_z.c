/* Iterative hard thresholding for the Z-subproblem. */
#include "learning/step_z.h"

#include "base/memory.h"
#include "coding/least_squares.h"
#include "kernels/kernels.h"
#include "kernels/select.h"
#include "linalg/blas.h"

#include <string.h>

enum { IHT_STEPS = 5 };

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
    dl_free(space->normal);
    dl_slots_free(&space->start);
}

double dl_z_step_length(double sigma, double theta, double beta) {
    double s = beta > 0 ? 1.0 : 1.8;
    double L = theta * sigma + beta * sigma * sigma;
    return L > 0 ? s / L : 0;
}

void dl_z_gap(const dl_z_problem *problem, const float *B, dl_slots Z, int64_t rows, float *P) {
    int64_t m = problem->m;
    for (int64_t i = 0; i < rows; i++)
        dl_kernels_now()->gap_row(problem->G, m, Z.index + i * Z.k, Z.value + i * Z.k, Z.count[i], B + i * m,
                                  P + i * m);
}

double dl_z_objective(const dl_z_problem *problem, const float *p, const float *b, const float *m_row,
                      const int32_t *index, const float *value, int64_t count) {
    /* ||x - Wz||^2 - ||x||^2 = z^T(Gz - 2b) = z^T(p - b) */
    double data = 0, noise = 0;
    for (int64_t e = 0; e < count; e++)
        data += (double)value[e] * ((double)p[index[e]] - (double)b[index[e]]);
    if (m_row)
        for (int64_t j = 0; j < problem->m; j++)
            noise += ((double)p[j] + (double)m_row[j]) * ((double)p[j] + (double)m_row[j]);
    return problem->theta / 2 * data + problem->beta / 2 * noise;
}

static double row_objective(const dl_z_problem *problem, const dl_z_space *space, const float *M, dl_slots Z,
                            int64_t i) {
    int64_t m = problem->m;
    return dl_z_objective(problem, space->P + i * m, space->B + i * m, M ? M + i * m : NULL,
                          Z.index + i * Z.k, Z.value + i * Z.k, Z.count[i]);
}

/* U = Z - step (theta P + beta G(P + M)). */
static void gradient_step(const dl_z_problem *problem, const float *M, int64_t rows, dl_z_space *space,
                          dl_slots Z) {
    int64_t m = problem->m;
    float data = (float)(problem->step * problem->theta), noise = (float)(problem->step * problem->beta);
    for (int64_t i = 0; i < rows * m; i++)
        space->U[i] = -data * space->P[i];
    if (M) {
        for (int64_t i = 0; i < rows * m; i++)
            space->R[i] = noise * (space->P[i] + M[i]);
        /* P is recomputed by the next dl_z_gap: reuse its memory for the product. */
        dl_product_symmetric(space->R, problem->G, rows, m, space->P);
        for (int64_t i = 0; i < rows * m; i++)
            space->U[i] -= space->P[i];
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

/* Least-squares values on the support: z_S = G_SS^{-1} b_S. With coherent atoms (real images), IHT with a
 * step bounded by sigma is far from them, and W learned from such codes oscillates instead of converging. */
static void refit_row(const dl_z_problem *problem, dl_z_space *space, dl_slots Z, int64_t i) {
    int64_t s = Z.count[i], m = problem->m;
    const int32_t *S = Z.index + i * Z.k;
    float *z = Z.value + i * Z.k;
    double *G = space->normal, *b = G + s * s;
    for (int64_t p = 0; p < s; p++) {
        for (int64_t q = 0; q <= p; q++)
            G[p * s + q] = (double)problem->G[S[p] * m + S[q]];
        b[p] = (double)space->B[i * m + S[p]];
    }
    dl_solve_support(G, b, s, 1e-5); /* G is rounded to f32 */
    for (int64_t p = 0; p < s && problem->positive; p++)
        if (b[p] < 0)
            return; /* codes must stay nonnegative: keep the values of the last step */
    int32_t kept = 0;
    for (int64_t p = 0; p < s; p++)
        if (b[p] != 0) { /* drop linearly dependent atoms instead of keeping zeros */
            Z.index[i * Z.k + kept] = S[p];
            z[kept++] = (float)b[p];
        }
    Z.count[i] = kept;
}

/* Z = max_k(scores), row by row. */
static void threshold(const dl_z_problem *problem, const float *scores, int64_t rows, dl_z_space *space,
                      dl_slots Z) {
    dl_kernels_now()->select(scores, problem->m, rows, problem->m, problem->k, problem->positive, space->keys,
                             Z.count, Z.index, Z.value);
}

void dl_z_step(const dl_z_problem *problem, const float *M, int64_t rows, dl_z_space *space, dl_slots Z) {
    threshold(problem, space->B, rows, space, Z);
    copy_codes(Z, space->start, 0, rows);
    dl_z_gap(problem, space->B, Z, rows, space->P);
    for (int64_t i = 0; i < rows; i++)
        space->before[i] = row_objective(problem, space, M, Z, i);
    for (int step = 0; step < IHT_STEPS; step++) {
        gradient_step(problem, M, rows, space, Z);
        threshold(problem, space->U, rows, space, Z);
        dl_z_gap(problem, space->B, Z, rows, space->P);
    }
    if (!M) {
        for (int64_t i = 0; i < rows; i++)
            refit_row(problem, space, Z, i);
        dl_z_gap(problem, space->B, Z, rows, space->P);
    }
    bool restored = false;
    for (int64_t i = 0; i < rows; i++)
        if (!(row_objective(problem, space, M, Z, i) <= space->before[i])) {
            copy_codes(space->start, Z, i, 1);
            restored = true;
        }
    if (restored)
        dl_z_gap(problem, space->B, Z, rows, space->P);
}
