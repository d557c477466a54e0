/* Rows held out from training. */
#include "learning/holdout.h"

#include "base/integer.h"

#include <math.h>

dl_holdout dl_holdout_rows(int64_t N, double share, int64_t most, uint64_t seed) {
    int64_t group = dl_max(dl_integer(ceil(1 / share), 2, INT64_MAX), (N + most - 1) / most);
    return (dl_holdout){.group = group, .held_out = N / group, .random = {seed, DL_STREAM_HELD_OUT}};
}

/* Which row of its group is held out. */
static int64_t place(const dl_holdout *holdout, int64_t group) {
    return dl_random_below(holdout->random, (uint64_t)group, holdout->group);
}

int64_t dl_holdout_training(const dl_holdout *holdout, int64_t i) {
    if (holdout->held_out == 0)
        return i;
    int64_t each = holdout->group - 1, group = i / each;
    if (group >= holdout->held_out)
        return i + holdout->held_out;
    return i + group + (i % each >= place(holdout, group));
}

int64_t dl_holdout_row(const dl_holdout *holdout, int64_t i) {
    return i * holdout->group + place(holdout, i);
}
