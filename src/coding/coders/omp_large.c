/* No matrix larger than the dictionary: least squares on the support anew in every step, which costs little
 * beside the product with all atoms. */
#include "coding/coders/omp_large.h"

#include "base/memory.h"
#include "coding/coders/omp.h"
#include "coding/decode.h"

#include <math.h>
#include <string.h>

dltf_status dl_omp_large_space_alloc(dl_omp_large_space *space, int64_t rows, int64_t n, int64_t k) {
    dltf_status status = DLTF_OK;
    *space = (dl_omp_large_space){0};
    DL_TRY_NEW(space->R, rows * n);
    DL_TRY_NEW(space->residual, n);
    DL_TRY_NEW(space->refit, dl_refit_scratch(k, n));
    DL_TRY_NEW(space->energy, rows);
    DL_TRY_NEW(space->active, rows);
    DL_TRY(dl_slots_alloc(&space->best, rows, 1));
done:
    return status; /* the owner frees what is there */
}

void dl_omp_large_space_free(dl_omp_large_space *space) {
    dl_free(space->R);
    dl_free(space->residual);
    dl_free(space->refit);
    dl_free(space->energy);
    dl_free(space->active);
    dl_slots_free(&space->best);
}

static bool enough(const dl_omp_large *omp, double left, double energy) {
    return omp->error > 0 && left <= omp->error - DL_OMP_ERROR_ROUNDING * energy;
}

static bool holds(dl_slots code, int32_t atom) {
    for (int32_t e = 0; e < code.count[0]; e++)
        if (code.index[e] == atom)
            return true;
    return false;
}

/* Takes back the entries that least squares left at zero; false if there was one. */
static bool independent(dl_slots code) {
    int32_t kept = 0, had = code.count[0];
    for (int32_t e = 0; e < had; e++)
        if (code.value[e] != 0) {
            code.index[kept] = code.index[e];
            code.value[kept++] = code.value[e];
        }
    code.count[0] = kept;
    return kept == had;
}

/* One step for a sample: its best atom joins the code. The new residual is in space->residual; false if the
 * code is finished. */
static bool step(const dl_omp_large *omp, const float *x, double energy, dl_slots best,
                 dl_omp_large_space *space, dl_slots code) {
    int64_t n = omp->W->n;
    double least = isfinite(energy) ? DL_OMP_ROUNDING * sqrt(energy) : 0; /* infinity must show itself */
    if (best.count[0] == 0 || fabs((double)best.value[0]) <= least || holds(code, best.index[0]))
        return false;
    int32_t last = code.count[0]++;
    code.index[last] = best.index[0];
    code.value[last] = best.value[0];
    dl_code_sort(code.index, code.value, code.count[0]);
    dl_refit_tile(omp->dictionary, n, x, n, 1, code, space->refit);
    if (!isfinite(best.value[0]) || !independent(code) || code.count[0] == omp->k)
        return false;
    double left = 0;
    for (int64_t d = 0; d < n; d++)
        space->residual[d] = (double)x[d];
    dl_decode(space->residual, DL_SUBTRACT, omp->dictionary, n, dl_slots_code(&code, 0));
    for (int64_t d = 0; d < n; d++)
        left += space->residual[d] * space->residual[d];
    return !enough(omp, left, energy);
}

void dl_omp_large_tile(const dl_omp_large *omp, const float *X, int64_t x_stride, int64_t rows,
                       dl_omp_large_space *space, dl_workspace *scores, dl_slots out) {
    const dl_feature feature = {.E = omp->W, .k = 1};
    int64_t n = omp->W->n, active = 0;
    for (int64_t i = 0; i < rows; i++) {
        const float *x = X + i * x_stride;
        out.count[i] = 0;
        space->energy[i] = dl_kernels_now()->square(x, n);
        if (enough(omp, space->energy[i], space->energy[i]))
            continue;
        memcpy(space->R + active * n, x, (size_t)n * sizeof *x);
        space->active[active++] = (int32_t)i;
    }
    while (active > 0) {
        int64_t left = 0;
        dl_feature_tile(&feature, space->R, n, active, scores, dl_slots_from(&space->best, 0, active));
        for (int64_t a = 0; a < active; a++) {
            int32_t i = space->active[a];
            if (!step(omp, X + i * x_stride, space->energy[i], dl_slots_from(&space->best, a, 1), space,
                      dl_slots_from(&out, i, 1)))
                continue;
            for (int64_t d = 0; d < n; d++)
                space->R[left * n + d] = (float)space->residual[d];
            space->active[left++] = i;
        }
        active = left;
    }
}
