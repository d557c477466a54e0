/* Estimated costs of a search. The unit is the comparison of one word by the linear search, well below a
 * nanosecond; what counts otherwise are accesses to memory at random places. */
#ifndef DL_SEARCH_COST_H
#define DL_SEARCH_COST_H

#include "data/index.h"

/* A bucket that is looked up; a row that is found in one and compared; a row of one table that is built. */
enum { DL_COST_BUCKET = 200, DL_COST_ROW = 200, DL_COST_BUILD = 250 };

/* What threads compute between two reports of progress: some tenths of a second of one thread. */
static const int64_t DL_COST_ROUND = 1ll << 32;

/* Of one query. */
double dl_cost_flat(const dltf_index *index);

/* Of one query with tables of these bits, for uniformly distributed codes. The k nearest (k > 0) of codes
 * with structure are nearer, and cost less. */
double dl_cost_multi_index(const dltf_index *index, int64_t k, int64_t radius);

/* Of building all tables. */
double dl_cost_build(const dltf_index *index);

/* The number of keys of n bits that differ from a given one in exactly s. */
double dl_cost_keys(int64_t n, int64_t s);

#endif
