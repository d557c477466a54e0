/* Oracles for hashing, as plain double-precision loops. */
#ifndef TESTS_REFERENCE_HASH_H
#define TESTS_REFERENCE_HASH_H

#include <stdbool.h>
#include <stdint.h>

/* Average precision of one ranking: relevant[i] belongs to place i of `count`; only the first `depth` places
 * count, and the divisor is min(all relevant, depth). */
double ref_average_precision(const bool *relevant, int64_t count, int64_t depth);

/* The same, averaged over all orders of the samples that have equal distances, by recursion over all of them:
 * for a handful of samples. */
double ref_expected_precision(const double *distances, const bool *relevant, int64_t count, int64_t depth);

/* Bits in which two codes differ, and which both have, one by one; NumPy's bitorder "little". */
int64_t ref_differing_bits(const uint8_t *a, const uint8_t *b, int64_t bits);
int64_t ref_common_bits(const uint8_t *a, const uint8_t *b, int64_t bits);

/* The loss of hash/neighbour_loss.h, with its sums as they are written there. X: B x n, E: m x n. */
double ref_neighbour_loss(const double *X, int64_t B, int64_t n, const double *E, const double *b, int64_t m,
                          int64_t neighbours, double gamma, double T);

#endif
