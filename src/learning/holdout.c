/* Rows held out from training. */
#include "learning/holdout.h"

#include "base/integer.h"

#include <math.h>

dl_split dl_split_rows(int64_t N, double share, int64_t most, uint64_t seed) {
    int64_t group = dl_max(dl_integer(ceil(1 / share), 2, INT64_MAX), (N + most - 1) / most);
    return (dl_split){.group = group, .held_out = N / group, .random = {seed, DL_STREAM_HELD_OUT}};
}

/* Which row of its group is held out. */
static int64_t place(const dl_split *split, int64_t group) {
    return dl_random_below(split->random, (uint64_t)group, split->group);
}

int64_t dl_split_training(const dl_split *split, int64_t i) {
    if (split->held_out == 0)
        return i;
    int64_t each = split->group - 1, group = i / each;
    if (group >= split->held_out)
        return i + split->held_out;
    return i + group + (i % each >= place(split, group));
}

int64_t dl_split_held_out(const dl_split *split, int64_t i) {
    return i * split->group + place(split, i);
}
