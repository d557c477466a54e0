/* Learns bases from the result of the first stage, in which most noise is removed and edges and textures can
 * be distinguished. The initial bases are the principal components of patches grouped by direction. */
#include "denoise/bases.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "linalg/blas.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PATCHES = 20000, ALTERNATIONS = 12, LANES = 8 };

/* Coefficients below CLIP sigma count as noise when bases are chosen and learned. The Wiener gains use SHARE
 * of the noise variance, since the pilot has lost part of the image. See docs/design.md. */
static const float CLIP = 1.3f, SHARE = 0.8f;

typedef struct learner {
    dl_bases *bases;
    float *X; /* count x n */
    int64_t count;
    float cut;
    int32_t *group;       /* index of the basis of each patch */
    float **coefficients; /* one per thread, DL_TILE x n */
    float **rows;         /* the same size, for gathered patches */
    float **product;      /* n x n */
    double **M, **scratch;
} learner;

/* ---- choice of a basis ---- */

/* sum_j min(c_j^2, variance), in a fixed number of lanes so that compilers can vectorise it. */
static float cost(const float *c, int64_t n, float variance) {
    float lane[LANES] = {0}, sum = 0;
    int64_t j = 0;
    for (; j + LANES <= n; j += LANES)
        for (int i = 0; i < LANES; i++) {
            float square = c[j + i] * c[j + i];
            lane[i] += square < variance ? square : variance;
        }
    for (; j < n; j++)
        sum += fminf(c[j] * c[j], variance);
    for (int i = 0; i < LANES; i++)
        sum += lane[i];
    return sum;
}

/* Writes the cheapest basis of each of `rows` patches to `group` and, unless `best` is NULL, its coefficients
 * to `best`. */
static void choose_bases(const dl_bases *bases, const float *X, int64_t rows, float cut, float *coefficients,
                         int32_t *group, float *best) {
    int64_t n = bases->n;
    float lowest[DL_TILE];
    for (int b = 0; b < DL_BASES; b++) {
        const dl_packed *E = &bases->forward[b];
        dl_kernels_now()->scores(E, 0, E->panels, X, n, rows, coefficients, n);
        for (int64_t i = 0; i < rows; i++) {
            float now = cost(coefficients + i * n, n, cut * cut);
            if (b > 0 && now >= lowest[i])
                continue;
            lowest[i] = now;
            group[i] = b;
            if (best)
                memcpy(best + i * n, coefficients + i * n, (size_t)n * sizeof *best);
        }
    }
}

/* ---- learning ---- */

/* The group of a patch: the sector of its dominant gradient, or the last group if there is none. */
static int32_t direction(const float *x, int64_t side) {
    double xx = 0, yy = 0, xy = 0;
    for (int64_t v = 0; v + 1 < side; v++)
        for (int64_t u = 0; u + 1 < side; u++) {
            const float *at = x + v * side + u;
            double gx = (double)(at[1] - at[0]), gy = (double)(at[side] - at[0]);
            xx += gx * gx;
            yy += gy * gy;
            xy += gx * gy;
        }
    if (hypot(xx - yy, 2 * xy) <= 0.3 * (xx + yy))
        return DL_BASES - 1;
    double turn = atan2(2 * xy, xx - yy) / 6.283185307179586 + 0.5; /* 0 .. 1 */
    return (int32_t)dl_integer(turn * (DL_BASES - 1), 0, DL_BASES - 1) % (DL_BASES - 1);
}

/* M += sum of h x^T over the patches x of group b, where h are their large coefficients or, with `first`, the
 * patches themselves: then M is their covariance. */
static void gather_group(learner *l, int b, bool first, int worker) {
    const dl_packed *E = &l->bases->forward[b];
    int64_t n = l->bases->n, filled = 0;
    float *rows = l->rows[worker], *h = first ? rows : l->coefficients[worker];
    for (int64_t i = 0; i < l->count; i++) {
        if (l->group[i] == b)
            memcpy(rows + filled++ * n, l->X + i * n, (size_t)n * sizeof *rows);
        if (filled == 0 || (filled < DL_TILE && i + 1 < l->count))
            continue;
        if (!first)
            dl_kernels_now()->scores(E, 0, E->panels, rows, n, filled, h, n);
        for (int64_t e = 0; !first && e < filled * n; e++)
            h[e] = fabsf(h[e]) > l->cut ? h[e] : 0;
        dl_accumulate_tn(h, n, rows, filled, n, n, l->product[worker], l->M[worker]);
        filled = 0;
    }
}

static void set_basis(learner *l, int b, const double *M) {
    dl_bases *bases = l->bases;
    int64_t n = bases->n;
    float *B = bases->B + b * n * n;
    for (int64_t i = 0; i < n * n; i++)
        B[i] = (float)M[i];
    dl_packed_fill(&bases->forward[b], B, NULL);
}

static void first_basis(void *context, int64_t b, int worker) {
    learner *l = context;
    int64_t n = l->bases->n;
    double *M = l->M[worker], *values = l->scratch[worker] + dl_eigenvectors_scratch(n);
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    gather_group(l, (int)b, true, worker);
    if (dl_eigenvectors(M, n, values, l->scratch[worker]))
        set_basis(l, (int)b, M);
}

/* Procrustes: the orthonormal B with the largest <B, M>. An unused basis is kept. */
static void next_basis(void *context, int64_t b, int worker) {
    learner *l = context;
    int64_t n = l->bases->n;
    double *M = l->M[worker], sum = 0;
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    gather_group(l, (int)b, false, worker);
    for (int64_t i = 0; i < n * n; i++)
        sum += fabs(M[i]);
    /* Regularisation: directions without large coefficients keep their vectors. */
    for (int64_t i = 0; i < n * n; i++)
        M[i] += 1e-9 * sum * (double)l->bases->B[b * n * n + i];
    if (sum > 0 && dl_polar(M, n, l->scratch[worker]))
        set_basis(l, (int)b, M);
}

static void choose_tile(void *context, int64_t tile, int worker) {
    learner *l = context;
    int64_t first = tile * DL_TILE, left = l->count - first, rows = left < DL_TILE ? left : DL_TILE;
    choose_bases(l->bases, l->X + first * l->bases->n, rows, l->cut, l->coefficients[worker],
                 l->group + first, NULL);
}

static dltf_status learner_alloc(learner *l, int threads) {
    int64_t n = l->bases->n;
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(l->group, l->count);
    DL_TRY_NEW(l->coefficients, threads);
    DL_TRY_NEW(l->rows, threads);
    DL_TRY_NEW(l->product, threads);
    DL_TRY_NEW(l->M, threads);
    DL_TRY_NEW(l->scratch, threads);
    for (int t = 0; t < threads; t++) {
        DL_TRY_NEW(l->coefficients[t], DL_TILE * n);
        DL_TRY_NEW(l->rows[t], DL_TILE * n);
        DL_TRY_NEW(l->product[t], n * n);
        DL_TRY_NEW(l->M[t], n * n);
        int64_t polar = dl_polar_scratch(n), eigenvectors = dl_eigenvectors_scratch(n) + n;
        DL_TRY_NEW(l->scratch[t], polar > eigenvectors ? polar : eigenvectors);
    }
done:
    return status;
}

static void learner_free(learner *l, int threads) {
    for (int t = 0; t < threads; t++) {
        dl_free(l->coefficients ? l->coefficients[t] : NULL);
        dl_free(l->rows ? l->rows[t] : NULL);
        dl_free(l->product ? l->product[t] : NULL);
        dl_free(l->M ? l->M[t] : NULL);
        dl_free(l->scratch ? l->scratch[t] : NULL);
    }
    dl_free(l->coefficients);
    dl_free(l->rows);
    dl_free(l->product);
    dl_free(l->M);
    dl_free(l->scratch);
    dl_free(l->group);
    dl_free(l->X);
}

static dltf_status bases_alloc(dl_bases *bases, int64_t side) {
    dltf_status status = DLTF_OK;
    int64_t n = side * side;
    *bases = (dl_bases){.side = side, .n = n};
    DL_TRY_NEW(bases->B, DL_BASES * n * n);
    for (int b = 0; b < DL_BASES; b++) {
        DL_TRY(dl_packed_alloc(&bases->forward[b], n, n));
        DL_TRY(dl_packed_alloc(&bases->backward[b], n, n));
    }
done:
    return status;
}

/* Packs B^T of every basis. `scratch` holds n x n floats. */
static void pack_backward(dl_bases *bases, float *scratch) {
    int64_t n = bases->n;
    for (int b = 0; b < DL_BASES; b++) {
        for (int64_t i = 0; i < n * n; i++)
            scratch[i] = bases->B[b * n * n + i % n * n + i / n];
        dl_packed_fill(&bases->backward[b], scratch, NULL);
    }
}

dltf_status dl_bases_learn(dl_bases *bases, dl_plane plane, int64_t side, double sigma, int64_t seed,
                           int threads, dl_meter *meter, int64_t units) {
    learner l = {.bases = bases, .cut = CLIP * (float)sigma};
    dl_grid grid = dl_grid_of(plane, side, 1);
    dltf_status status = bases_alloc(bases, side);
    if (status == DLTF_OK)
        status = dl_patch_sample(plane, &grid, PATCHES, seed, &l.X, &l.count);
    if (status == DLTF_OK)
        status = learner_alloc(&l, threads);
    if (status == DLTF_OK) {
        for (int64_t i = 0; i < l.count; i++)
            l.group[i] = direction(l.X + i * bases->n, side);
        dl_parallel(threads, DL_BASES, first_basis, &l);
    }
    for (int i = 0; i < ALTERNATIONS && status == DLTF_OK; i++) {
        if (dl_parallel_polled(threads, dl_tiles(l.count, DL_TILE), choose_tile, &l))
            dl_parallel_polled(threads, DL_BASES, next_basis, &l);
        if (!dl_meter_add(meter, units / ALTERNATIONS))
            status = dl_fail(DLTF_CANCELLED, "denoising was cancelled");
    }
    if (status == DLTF_OK)
        pack_backward(bases, l.product[0]);
    learner_free(&l, threads);
    return status;
}

void dl_bases_free(dl_bases *bases) {
    dl_free(bases->B);
    for (int b = 0; b < DL_BASES; b++) {
        dl_packed_free(&bases->forward[b]);
        dl_packed_free(&bases->backward[b]);
    }
    *bases = (dl_bases){0};
}

/* ---- filtering ---- */

typedef struct filter_space {
    float *P, *mean, *coefficients, *best, *filtered; /* of the pilot; `filtered`: of the noisy patch */
    int32_t *group;
} filter_space;

typedef struct filter {
    const dl_bases *bases;
    dl_plane pilot;
    float sigma;
    filter_space *spaces;
} filter;

/* Filters a patch x (noisy, without mean) to y in basis b, with gains from the pilot's coefficients. Returns
 * the sum of squared gains. */
static float filter_patch(const filter *f, int b, const float *pilot, const float *x, float *scratch,
                          float *y) {
    const dl_kernels *kernels = dl_kernels_now();
    int64_t n = f->bases->n;
    const dl_packed *forward = &f->bases->forward[b], *backward = &f->bases->backward[b];
    float gains = 0, variance = SHARE * f->sigma * f->sigma;
    kernels->scores(forward, 0, forward->panels, x, n, 1, scratch, n);
    for (int64_t j = 0; j < n; j++) {
        float square = pilot[j] * pilot[j], gain = square / (square + variance);
        scratch[j] *= gain;
        gains += gain * gain;
    }
    kernels->scores(backward, 0, backward->panels, scratch, n, 1, y, n);
    return gains;
}

static void filter_tile(void *context, const dl_patch_tile *tile, int worker) {
    const filter *f = context;
    filter_space *s = &f->spaces[worker];
    int64_t n = f->bases->n;
    for (int64_t i = 0; i < tile->rows; i++)
        s->mean[i] = dl_patch_cut(f->pilot, f->bases->side, tile->offset[i], s->P + i * n);
    choose_bases(f->bases, s->P, tile->rows, CLIP * f->sigma, s->coefficients, s->group, s->best);
    for (int64_t i = 0; i < tile->rows; i++) {
        float *y = tile->Y + i * n;
        float gains = filter_patch(f, s->group[i], s->best + i * n, tile->X + i * n, s->filtered, y);
        for (int64_t d = 0; d < n; d++)
            y[d] += s->mean[i];
        tile->weight[i] = 1 / (0.5f + gains);
    }
}

static dltf_status filter_alloc(filter *f, int threads, int64_t n) {
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(f->spaces, threads);
    for (int t = 0; t < threads; t++) {
        filter_space *s = &f->spaces[t];
        DL_TRY_NEW(s->P, DL_TILE * n);
        DL_TRY_NEW(s->mean, DL_TILE);
        DL_TRY_NEW(s->coefficients, DL_TILE * n);
        DL_TRY_NEW(s->best, DL_TILE * n);
        DL_TRY_NEW(s->filtered, n);
        DL_TRY_NEW(s->group, DL_TILE);
    }
done:
    return status;
}

dltf_status dl_bases_filter(const dl_bases *bases, dl_plane noisy, const float *pilot, int64_t stride,
                            double sigma, int threads, dl_meter *meter, int64_t units, float *out) {
    filter f = {bases, {pilot, noisy.width, noisy.height}, (float)sigma, NULL};
    dl_grid grid = dl_grid_of(noisy, bases->side, stride);
    dltf_status status = filter_alloc(&f, threads, bases->n);
    if (status == DLTF_OK)
        status = dl_patch_pass(noisy, &grid, threads, filter_tile, &f, meter, units, out);
    for (int t = 0; f.spaces && t < threads; t++) {
        dl_free(f.spaces[t].P);
        dl_free(f.spaces[t].mean);
        dl_free(f.spaces[t].coefficients);
        dl_free(f.spaces[t].best);
        dl_free(f.spaces[t].filtered);
        dl_free(f.spaces[t].group);
    }
    dl_free(f.spaces);
    return status;
}
