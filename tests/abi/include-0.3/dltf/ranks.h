/* Ranks: processes that share one computation. The program dltf-mpi runs as many as mpirun starts
 * (docs/scaling.md); the library itself is always one process, rank 0 of 1.
 *
 * Training, encoding, k-means and Hamming search divide their work among the ranks. Every rank then makes the
 * same calls, in the same order and with the same arguments. */
#ifndef DLTF_RANKS_H
#define DLTF_RANKS_H

#include "dltf/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* First and last call of a program with ranks; may take arguments meant for MPI off the list. */
DLTF_API dltf_status dltf_ranks_begin(int *argc, char ***argv);
DLTF_API void dltf_ranks_end(void);

DLTF_API int dltf_rank(void);  /* from 0 on; rank 0 reports and writes files, except shards of checkpoints */
DLTF_API int dltf_ranks(void); /* how many */

/* Whether the flag of any rank is set. */
DLTF_API bool dltf_ranks_any(bool flag);

/* Whether all ranks have the same bytes, by a checksum. Fails if a rank has failed. */
DLTF_API dltf_status dltf_ranks_same(const void *bytes, int64_t size, bool *same);

/* Copies the bytes of rank 0 to all ranks. Fails if a rank has failed. */
DLTF_API dltf_status dltf_ranks_broadcast(void *bytes, int64_t size);

/* The status of all ranks: that of the lowest rank that failed, which sets the message of the others; DLTF_OK
 * if none did. `message` replaces that of this rank; NULL: its last error. A rank that fails must come here,
 * because the others wait for it. */
DLTF_API dltf_status dltf_ranks_agree(dltf_status status, const char *message);

/* What this rank has sent to others so far. Data for several ranks count as often. */
typedef struct dltf_traffic {
    int64_t exchanges; /* calls in which all ranks took part */
    int64_t bytes;
} dltf_traffic;

DLTF_API void dltf_ranks_traffic_sized(dltf_traffic *found, size_t size);
static inline dltf_traffic dltf_ranks_traffic(void) {
    dltf_traffic found;
    dltf_ranks_traffic_sized(&found, sizeof found);
    return found;
}

#ifdef __cplusplus
}
#endif

#endif
