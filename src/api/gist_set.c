/* GIST of image files. */
#include "image/gist.h"

static dltf_status make_from_set(const void *source, int64_t index, dltf_image **image) {
    return dltf_image_set_load(source, index, image);
}

dltf_status dltf_image_set_gist(const dltf_image_set *set, const dltf_gist_options *options,
                                dltf_progress_fn progress, void *context, float *out) {
    DL_REQUIRE(set, out);
    return dl_gist_run(make_from_set, set, dltf_image_set_count(set), options, progress, context, out);
}
