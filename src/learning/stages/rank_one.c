/* The update of an atom, parallel over blocks of samples: one atom may be in many codes. */
#include "learning/stages/rank_one.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "data/matrix.h"
#include "kernels/kernels.h"

#include <string.h>

enum { BLOCK = 1024 };                /* samples per task; fixed, so that results do not depend on threads */
static const double TOLERANCE = 1e-8; /* stop when ||z||^2 grows by less, relative */

dltf_status dl_rank_one_alloc(dl_rank_one *space, int threads, int64_t n, int64_t samples) {
    dltf_status status = DLTF_OK;
    *space = (dl_rank_one){.threads = threads, .n = n};
    DL_TRY_NEW(space->row, samples);
    DL_TRY_NEW(space->z, samples);
    DL_TRY_NEW(space->narrow, n);
    DL_TRY_NEW(space->v, dl_tiles(samples, BLOCK) * n);
    DL_TRY_NEW(space->sums, dl_tiles(samples, BLOCK));
done:
    if (status != DLTF_OK)
        dl_rank_one_free(space);
    return status;
}

void dl_rank_one_free(dl_rank_one *space) {
    dl_free(space->row);
    dl_free(space->z);
    dl_free(space->narrow);
    dl_free(space->v);
    dl_free(space->sums);
    *space = (dl_rank_one){0};
}

/* Shared by the tasks over the samples of an atom. */
typedef struct job {
    dl_rank_one *space;
    float *R;
    dl_slots Z;
    dl_atom_entries entries;
    double *w;
} job;

typedef struct span {
    int64_t first, last;
    double *v; /* zero */
} span;

static span block_of(const job *j, int64_t block) {
    int64_t n = j->space->n, last = (block + 1) * BLOCK;
    double *v = j->space->v + block * n;
    memset(v, 0, (size_t)n * sizeof *v);
    return (span){block * BLOCK, last < j->entries.count ? last : j->entries.count, v};
}

/* R becomes E for the samples of the atom; v = E z. */
static void open_block(void *context, int64_t block, int worker) {
    (void)worker;
    const job *j = context;
    dl_rank_one *space = j->space;
    const dl_kernels *kernels = dl_kernels_now();
    span s = block_of(j, block);
    for (int64_t i = s.first; i < s.last; i++) {
        int64_t at = j->entries.entry[i], row = at / j->Z.k;
        float z = j->Z.value[at], *r = j->R + row * space->n;
        space->row[i] = (int32_t)row;
        space->z[i] = z;
        kernels->add_scaled32(r, z, space->narrow, space->n);
        kernels->add_scaled(s.v, z, r, space->n);
    }
}

/* z = E^T w, v = E z. */
static void power_block(void *context, int64_t block, int worker) {
    (void)worker;
    const job *j = context;
    dl_rank_one *space = j->space;
    span s = block_of(j, block);
    space->sums[block] = dl_kernels_now()->project_rows(j->R, space->n, space->row + s.first,
                                                        s.last - s.first, j->w, space->z + s.first, s.v);
}

/* E becomes R again, for the new atom and coefficients. */
static void close_block(void *context, int64_t block, int worker) {
    (void)worker;
    const job *j = context;
    dl_rank_one *space = j->space;
    const dl_kernels *kernels = dl_kernels_now();
    span s = block_of(j, block);
    for (int64_t i = s.first; i < s.last; i++) {
        j->Z.value[j->entries.entry[i]] = space->z[i];
        kernels->add_scaled32(j->R + space->row[i] * space->n, -space->z[i], space->narrow, space->n);
    }
}

/* w = v / ||v||, where v is the sum of its blocks, added in order; false if v = 0. */
static bool take_direction(const job *j) {
    int64_t n = j->space->n;
    double *v = j->space->v;
    for (int64_t block = 1; block < dl_tiles(j->entries.count, BLOCK); block++)
        for (int64_t d = 0; d < n; d++)
            v[d] += v[block * n + d];
    if (!dl_normalise(v, n))
        return false;
    memcpy(j->w, v, (size_t)n * sizeof *j->w);
    return true;
}

static void narrow(const job *j) {
    for (int64_t d = 0; d < j->space->n; d++)
        j->space->narrow[d] = (float)j->w[d];
}

void dl_rank_one_update(dl_rank_one *space, int steps, float *R, dl_slots Z, dl_atom_entries entries,
                        double *w) {
    int64_t blocks = dl_tiles(entries.count, BLOCK);
    job j = {space, R, Z, entries, w};
    double before = 0;
    if (entries.count == 0)
        return;
    narrow(&j);
    dl_parallel(space->threads, blocks, open_block, &j);
    for (int step = 0; step < steps && take_direction(&j); step++) {
        double square = 0;
        dl_parallel(space->threads, blocks, power_block, &j);
        for (int64_t block = 0; block < blocks; block++)
            square += space->sums[block];
        if (square - before <= TOLERANCE * square)
            break;
        before = square;
    }
    narrow(&j);
    dl_parallel(space->threads, blocks, close_block, &j);
}
