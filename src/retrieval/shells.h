/* Precision and recall of a ranking that is known only in shells: samples at equal distances, in random
 * order. Everything here is an expected value over that order, computed exactly (McSherry and Najork 2008).
 */
#ifndef DL_RETRIEVAL_SHELLS_H
#define DL_RETRIEVAL_SHELLS_H

#include <stdint.h>

/* Samples of a shell, and how many of them are relevant. */
typedef struct dl_shell {
    int32_t samples, relevant;
} dl_shell;

/* Average precision of the first `depth` samples: the sum of the precision at every relevant one of them,
 * divided by min(relevant, depth), where `relevant` counts all. harmonic[i] = 1 + 1/2 + ... + 1/i, up to the
 * number of samples. NaN if nothing is relevant. O(shells). */
double dl_shells_average_precision(const dl_shell *shells, int64_t count, int64_t depth,
                                   const double *harmonic);

/* Relevant samples among the first `depth`. */
double dl_shells_found(const dl_shell *shells, int64_t count, int64_t depth);

#endif
