/* Ranks: processes that share one computation, on one machine or on several. Chosen at link time: one.c for a
 * single process, mpi.c for those that mpirun starts.
 *
 * Every rank runs the same program and calls these functions in the same order, from one thread. A rank that
 * fails need not keep the order: it calls dl_comm_agree with its failure, at the latest before it ends. The
 * others learn of it in whatever call they make next, and from then on all calls fail at once, so that no
 * rank waits for another that has given up. Calls inside a computation return nothing; whoever called it
 * asks dl_comm_status. */
#ifndef DL_COMM_COMM_H
#define DL_COMM_COMM_H

#include "base/status.h"

int dl_comm_rank(void); /* 0 .. size - 1 */
int dl_comm_size(void);

/* Adds the values of all ranks, as a binary tree of neighbours: the same bytes everywhere, in every run. */
void dl_comm_sum(double *values, int64_t count);

/* Replaces each value by the smallest of all ranks. */
void dl_comm_least(double *values, int64_t count);

/* Copies the bytes of rank 0 to all ranks. */
void dl_comm_broadcast(void *memory, int64_t bytes);

/* Collects counts[r] records of `size` bytes from every rank r, in the order of ranks: on all ranks, or on
 * rank 0 only, where `all` of the others is not used. dl_comm_gather_all with NULL: those of this rank are in
 * their place already. */
void dl_comm_gather_all(const void *mine, const int64_t *counts, int64_t size, void *all);
void dl_comm_gather(const void *mine, const int64_t *counts, int64_t size, void *all);

/* Sends to every rank r the next out[r] records of `size` bytes, and receives in[r] from it; both arrays have
 * the records of rank 0 first. */
void dl_comm_exchange(const void *mine, const int64_t *out, int64_t size, void *all, const int64_t *in);

/* Whether the flag of any rank is set; false after a failure. */
bool dl_comm_any(bool flag);

/* Whether this rank has the same bytes as rank 0, by size and checksum; true after a failure. */
bool dl_comm_same(const void *bytes, int64_t size);

/* The status of all ranks: that of the lowest rank that failed, with its message; DLTF_OK if none did. */
dltf_status dl_comm_agree(dltf_status status);

/* The same for a failure that all ranks survive, such as that of a checkpoint: later calls do not fail. */
dltf_status dl_comm_attempt(dltf_status status);

/* The failure that ranks have agreed on, as the last error of the calling thread; DLTF_OK if there is none.
 */
dltf_status dl_comm_status(void);

/* Where the share of a rank begins when `count` things are divided; that of rank + 1 is the end. */
static inline int64_t dl_comm_first(int64_t count, int rank) {
    return (int64_t)((__int128)count * rank / dl_comm_size());
}

/* The rank whose share contains thing i. */
static inline int dl_comm_owner(int64_t count, int64_t i) {
    return (int)((((__int128)i + 1) * dl_comm_size() - 1) / count);
}

#endif
