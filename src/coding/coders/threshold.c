/* The thresholded feature as a coder: z = max_k(E^T x - b). */
#include "coding/coder.h"

static void tile(const dl_recipe *recipe, void *state, int worker, const float *X, int64_t x_stride,
                 int64_t rows, dl_workspace *space, dl_slots out) {
    (void)state;
    (void)worker;
    dl_feature_tile(&recipe->feature, X, x_stride, rows, space, out);
}

const dl_coder dl_coder_threshold = {.name = "threshold",
                                     .takes_positive = true,
                                     .starts_from_feature = true,
                                     .feature_only = true,
                                     .tile = tile};
