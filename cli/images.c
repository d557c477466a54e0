/* Loading images and checking where they are to go, before any work is done. */
#include "cli/images.h"

#include "cli/files.h"
#include "cli/output.h"

int images_check_output(const char *output) {
    static const char *const endings[] = {".png", ".pgm", ".ppm", ".pnm", ".npy"};
    if (!output)
        return usage_error("-o OUT is missing: the image to write, as .png, .pgm, .ppm or .npy");
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (files_has_ending(output, endings[i]))
            return EXIT_OK;
    return usage_error("%s: an image is written as .png, .pgm, .ppm or .npy; give a name that ends so",
                       output);
}

int images_load(const char *path, const char *output, dltf_image **image) {
    dltf_status status = dltf_image_load(path, image);
    if (status != DLTF_OK)
        return library_failure(status);
    bool gray = dltf_image_get(*image).channels == 1;
    if (output && files_has_ending(output, gray ? ".ppm" : ".pgm"))
        return usage_error("%s: %s is a %s image; write it as %s", output, path, gray ? "gray" : "colour",
                           gray ? ".pgm" : ".ppm");
    return EXIT_OK;
}
