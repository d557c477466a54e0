/* Sums as a binary tree. The sum of a part waits until that of its neighbour is complete, like a carry in a
 * binary counter: at most one sum waits at each level. */
#include "learning/ranks/sum.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "comm/comm.h"

#include <string.h>

/* Parts are so large that adding them up takes no time, and few enough for memory. */
enum { MOST_PARTS = 16, LEAST_TILES = 16, SAMPLES_PER_ATOM = 4 };

/* ---- Parts ---- */

/* The parts that one rank with all samples has: a power of two. */
static int64_t parts_of_one(const dltf_learner *l) {
    int64_t least = dl_max(LEAST_TILES, dl_tiles(SAMPLES_PER_ATOM * l->m, DL_TILE)), parts = 1;
    while (parts < MOST_PARTS && dl_tiles(l->N, DL_TILE) >= 2 * parts * least)
        parts *= 2;
    return parts;
}

int64_t dl_rank_sum_parts(const dltf_learner *l) {
    return dl_max(1, parts_of_one(l) / dl_comm_size());
}

/* At the same places for any number of ranks that divides that of the parts. */
static int64_t first_of(const dltf_learner *l, int64_t part) {
    int64_t tiles = dl_tiles(l->N, DL_TILE), all = dl_rank_sum_parts(l) * dl_comm_size();
    return dl_min(l->N, DL_TILE * (int64_t)((__int128)tiles * part / all));
}

int64_t dl_rank_sum_first(const dltf_learner *l, int64_t part) {
    return first_of(l, dl_rank_sum_parts(l) * dl_comm_rank() + part);
}

int64_t dl_rank_sum_first_of_last(const dltf_learner *l) {
    return first_of(l, dl_rank_sum_parts(l) * dl_comm_size() - 1);
}

/* ---- Sums ---- */

static int levels(const dltf_learner *l) {
    int count = 0;
    while (1 << count < dl_rank_sum_parts(l))
        count++;
    return count;
}

dltf_status dl_rank_sum_alloc(dl_rank_sum *fold, const dltf_learner *l, double *values, int64_t size) {
    dltf_status status = DLTF_OK;
    *fold = (dl_rank_sum){.values = values, .size = size, .levels = levels(l)};
    DL_TRY_NEW(fold->waiting, fold->levels * size);
done:
    return status;
}

void dl_rank_sum_free(dl_rank_sum *fold) {
    dl_free(fold->waiting);
}

double dl_rank_sum_bytes(const dltf_learner *l, int64_t size) {
    return 8 * (double)size * levels(l);
}

static void clear_part(dl_rank_sum *fold) {
    memset(fold->values, 0, (size_t)fold->size * sizeof *fold->values);
}

void dl_rank_sum_clear(dl_rank_sum *fold) {
    clear_part(fold);
    fold->finished = 0;
}

static void add_waiting(dl_rank_sum *fold, int level) {
    const double *neighbour = fold->waiting + level * fold->size;
    for (int64_t i = 0; i < fold->size; i++)
        fold->values[i] += neighbour[i];
}

void dl_rank_sum_next(dl_rank_sum *fold) {
    int level = 0;
    for (; fold->finished >> level & 1; level++)
        add_waiting(fold, level);
    fold->finished++;
    if (level == fold->levels) /* the last part */
        return;
    memcpy(fold->waiting + level * fold->size, fold->values, (size_t)fold->size * sizeof *fold->values);
    clear_part(fold);
}

/* Sums still wait if the parts are no power of two. */
void dl_rank_sum_finish(dl_rank_sum *fold) {
    for (int level = 0; level < fold->levels; level++)
        if (fold->finished >> level & 1)
            add_waiting(fold, level);
    dl_comm_sum(fold->values, fold->size);
}
