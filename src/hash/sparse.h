/* Hashers whose bits are the support of a sparse code: a dictionary with one atom per bit. */
#ifndef DL_HASH_SPARSE_H
#define DL_HASH_SPARSE_H

#include "dltf/learn.h"
#include "hash/hasher.h"

extern const dl_hash_tensor dl_sparse_tensors[];

/* Learns the dictionary from at most so many samples, with positive selection; m, seed and threads are those
 * of the training. With more samples dictionaries fit the data better, but their codes find fewer neighbours
 * (docs/design.md). */
dltf_status dl_sparse_learn(dl_hash_training *t, dltf_train_options *options, int64_t samples,
                            dltf_hasher *h);

/* Rejects a dictionary whose rows are not of norm 1. */
dltf_status dl_sparse_check(const dltf_hasher *h);

/* Bits of the codes in space->slots. */
void dl_sparse_bits(const dltf_hasher *h, dl_hash_space *space, int64_t rows, uint8_t *codes);

#endif
