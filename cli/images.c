/* Loads images and checks output names before any work starts. */
#include "cli/images.h"

#include "cli/output.h"

int images_check_output(const char *output) {
    const char *formats = dl_format_list(DL_CONTENT_IMAGE, DL_WRITE, "or");
    if (!output)
        return usage_error("-o OUT is missing: give an output image (%s)", formats);
    if (!dl_format_extension(DL_CONTENT_IMAGE, DL_WRITE, output))
        return usage_error("%s: unsupported extension: images can be written as %s", output, formats);
    return EXIT_OK;
}

int images_load(const char *path, const char *output, dltf_image **image) {
    dltf_status status = dltf_image_load(path, image);
    if (status != DLTF_OK)
        return library_failure(status);
    if (output && dl_image_check_path(*image, output) != DLTF_OK)
        return usage_error("%s", dltf_message());
    return EXIT_OK;
}
