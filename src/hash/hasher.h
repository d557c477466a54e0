/* Hashers: creation from zeroed or stored tensors, and what methods share when they compute bits. */
#ifndef DL_HASH_HASHER_H
#define DL_HASH_HASHER_H

#include "data/index.h"
#include "hash/method.h"

/* A hasher whose tensors are zero, to be filled and then prepared. */
dltf_status dl_hasher_alloc(const dl_hash_method *method, int64_t bits, int64_t n, int64_t k,
                            dltf_hasher **hasher);
/* The same number, as the hasher's sizes define it; 0 for DL_HASH_NONE. */
int64_t dl_hasher_size(const dltf_hasher *h, dl_hash_size size);

/* A tensor of the method, by its name. */
void *dl_hasher_tensor(const dltf_hasher *h, const char *name);

/* Checks that all tensors are finite, and prepares coding. To be called once. */
dltf_status dl_hasher_prepare(dltf_hasher *h);

/* Scores of a tile with h->scores, to space->scores (rows of h->scores.m). */
void dl_hash_scores(const dltf_hasher *h, dl_hash_space *space, const float *X, int64_t x_stride,
                    int64_t rows);

/* Coding with all memory that it needs, for samples that come in pieces of at most `rows`. */
typedef struct dl_hash_run dl_hash_run;

dltf_status dl_hash_run_open(const dltf_hasher *h, int64_t threads, int64_t rows, dl_hash_run **run);
/* Codes of all rows of X: rows x bits/8 bytes. Messages count its rows from `number`; the meter counts them.
 */
dltf_status dl_hash_run_rows(dl_hash_run *run, dltf_matrix X, int64_t number, dl_meter *meter,
                             uint8_t *codes);
void dl_hash_run_close(dl_hash_run *run);
/* Checks that data of so many columns fit the hasher. */
dltf_status dl_hasher_check_columns(const dltf_hasher *h, int64_t columns);

static inline void dl_hash_set_bit(uint8_t *code, int64_t bit) {
    code[bit / 8] = (uint8_t)(code[bit / 8] | 1u << bit % 8);
}

/* For the training of a method that was cancelled. */
dltf_status dl_hash_cancelled(void);

/* To be called before the first iteration: what a checkpoint stores of the method. Sets t->step and, if a
 * checkpoint is resumed, the arrays. */
dltf_status dl_hash_enter(dl_hash_training *t, const dl_field *fields, int count);
/* To be called after an iteration: counts it and reports progress. DLTF_CANCELLED if the caller cancels. */
dltf_status dl_hash_step(dl_hash_training *t);

/* The options of a checkpoint, and training that continues it. */
dltf_status dl_hash_read_options(const dl_bundle *bundle, int64_t threads, dltf_hash_options *options);
dltf_status dl_hasher_resume(const dl_bundle *bundle, dltf_matrix X, int64_t threads,
                             dltf_progress_fn progress, void *context, dltf_hasher **hasher);

/* A hasher as a bundle of tensors and back (docs/formats.md). */
dltf_status dl_hasher_to_bundle(const dltf_hasher *h, dl_bundle *bundle);
dltf_status dl_hasher_from_bundle(const dl_bundle *bundle, dltf_hasher **hasher);

#endif
