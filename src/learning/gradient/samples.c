/* How many samples gradient training sees, before there is a learner. */
#include "learning/gradient/plan.h"

int64_t dl_train_samples(const dltf_train_options *options, int64_t rows, int64_t cols) {
    if (!options || rows < 1 || cols < 1 || options->k < 1)
        return 0;
    dltf_learner l = {.options = *options, .N = rows, .n = cols, .m = options->m, .k = options->k};
    return dl_plan_steps(&l) * dl_plan_batch(&l);
}
