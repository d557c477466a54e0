/* Batch-OMP for large k: eight steps at a time, with the bits of one at a time.
 *
 * A step reads all rows of D so far (see omp.c), k^2 m / 2 entries in all, from the L2 cache. So up to eight
 * atoms are chosen ahead among a list of 32 or more with the largest scores, which takes a small D with their
 * columns; then one pass over D makes the rows of all eight, and shows whether at some step an atom outside
 * the list would have been chosen. The steps before that one hold, the others are discarded. Nine of ten hold
 * on random data. Atoms that stay on the list keep their columns: only those of new ones are read from D. The
 * last of k steps needs no row, so the last pass makes fewer. */
#ifndef DL_CODING_CODERS_OMP_AHEAD_H
#define DL_CODING_CODERS_OMP_AHEAD_H

#include "coding/coders/omp_steps.h"

/* Whether it pays for random data. */
bool dl_omp_ahead_pays(int64_t m, int64_t k);
/* Whether it did not pay for a recent sample; to be called once for each sample. The bits are the same either
 * way, so they do not depend on which samples a thread has coded before. */
bool dl_omp_ahead_rests(dl_omp_ahead_space *space);

dltf_status dl_omp_ahead_alloc(dl_omp_ahead_space *space, int64_t m, int64_t k);
void dl_omp_ahead_free(dl_omp_ahead_space *space);

/* The support of a sample with scores alpha, its norms and coefficients; returns its size. The rows of L are
 * those of s->ahead.L. */
int64_t dl_omp_ahead(const dl_omp *omp, const float *alpha, dl_omp_progress p, dl_omp_space *s);

#endif
