/* Sums over samples from which the measures of dltf_evaluation follow. */
#ifndef DL_ATOMS_EVALUATION_H
#define DL_ATOMS_EVALUATION_H

#include "coding/residual.h"
#include "dltf/atoms.h"

/* Refitting takes longer than coding, so it is done in one tile of `stride` only. When that many tiles were
 * refitted, every second one is dropped and the stride doubles: the tiles are evenly spaced whether or not
 * the number of samples is known. */
enum { DL_REFIT_TILES = 32 };

typedef struct dl_refits {
    int64_t stride, count; /* tiles 0, stride, 2 stride ... were refitted, `count` of them */
    double raw[DL_REFIT_TILES], fitted[DL_REFIT_TILES]; /* their errors */
    int64_t rows[DL_REFIT_TILES];
} dl_refits;

typedef struct dl_evaluation {
    dl_residual residual; /* to be summed while samples are coded; calls back for the other sums */
    const dltf_model *model;
    int64_t k, tiles; /* tiles of all pieces so far */
    double *sums;     /* of each tile of a piece */
    double *scratch;  /* per thread, of a refit */
    float *values;    /* per thread, of a refitted code */
    double *totals;
    float
        *errors; /* of each sample of a piece, relative to its energy; NULL: not needed. Set by the caller */
    dl_refits refits;
} dl_evaluation;

/* For pieces of at most `max_rows` samples with codes of at most k entries. */
dltf_status dl_evaluation_open(dl_evaluation *evaluation, const dltf_model *model, int threads, int64_t k,
                               int64_t max_rows);
/* Adds a piece of `rows` samples that were coded with evaluation->residual. All but the last must be whole
 * tiles. */
dltf_status dl_evaluation_join(dl_evaluation *evaluation, int64_t rows);
/* frac_alive is left to the caller. */
dltf_evaluation dl_evaluation_result(const dl_evaluation *evaluation);
void dl_evaluation_close(dl_evaluation *evaluation);

#endif
