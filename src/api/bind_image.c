/* dltf/bind.h: images. */
#include "api/bind.h"
#include "api/values.h"
#include "data/array.h"

#include <string.h>

static dltf_status make_info(dltf_denoise_info found, dltf_values **info) {
    dltf_values *made = NULL;
    dltf_status status = dltf_values_new(&made);
    if (status != DLTF_OK)
        return status;
    DL_PUT_NUMBER(made, found, sigma);
    DL_PUT_NUMBER(made, found, estimated);
    DL_PUT_NUMBER(made, found, patches);
    DL_PUT_NUMBER(made, found, m);
    DL_PUT_NUMBER(made, found, entries_per_patch);
    DL_PUT_NUMBER(made, found, learning_seconds);
    DL_PUT_NUMBER(made, found, coding_seconds);
    DL_PUT_NUMBER(made, found, second_seconds);
    DL_PUT_NUMBER(made, found, seconds);
    return dl_values_finish(made, info);
}

dltf_status dltf_bind_denoise(const dltf_image *noisy, const dltf_model *model, const dltf_options *options,
                              dltf_report_fn report, void *context, dltf_image **clean, dltf_values **info) {
    DL_CLEAR(clean);
    DL_CLEAR(info);
    DL_REQUIRE(noisy, clean);
    dl_call call;
    dltf_denoise_info found;
    dltf_status status = dl_call_begin(&call, "denoise", options, report, context);
    if (status == DLTF_OK)
        status = dltf_denoise(noisy, model, call.options, call.progress, &call, clean, &found);
    if (status == DLTF_OK && info)
        status = make_info(found, info);
    if (status != DLTF_OK) {
        dltf_image_free(*clean);
        *clean = NULL;
    }
    return status;
}

dltf_status dltf_bind_gist(const dltf_array *images, int64_t width, int64_t height,
                           const dltf_options *options, dltf_report_fn report, void *context, float *out) {
    DL_REQUIRE(images, out);
    dl_call call;
    dltf_status status = dl_call_begin(&call, "gist", options, report, context);
    return status == DLTF_OK
               ? dltf_gist(images->matrix, width, height, call.options, call.progress, &call, out)
               : status;
}

dltf_status dltf_bind_image_set_gist(const dltf_image_set *set, const dltf_options *options,
                                     dltf_report_fn report, void *context, float *out) {
    DL_REQUIRE(set, out);
    dl_call call;
    dltf_status status = dl_call_begin(&call, "gist", options, report, context);
    return status == DLTF_OK ? dltf_image_set_gist(set, call.options, call.progress, &call, out) : status;
}

dltf_status dltf_bind_picture_save(const dltf_array *tiles, int64_t width, int64_t height, int64_t columns,
                                   const char *gray, const char *path) {
    static const char *const scales[] = {
        [DLTF_GRAY_OWN] = "own", [DLTF_GRAY_SYMMETRIC] = "symmetric", [DLTF_GRAY_UNIT] = "unit"};
    DL_REQUIRE(tiles, gray, path);
    for (int i = DLTF_GRAY_OWN; i <= DLTF_GRAY_UNIT; i++)
        if (strcmp(gray, scales[i]) == 0)
            return dltf_picture_save(tiles->matrix, width, height, columns, (dltf_gray)i, path);
    return dl_fail(DLTF_ARGUMENT, "unknown gray scale '%s': expected own, symmetric or unit", gray);
}
