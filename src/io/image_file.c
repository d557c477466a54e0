/* dltf_image_load and dltf_image_save. Reading detects the format by content, writing by extension. */
#include "io/image_file.h"
#include "image/image.h"
#include "io/formats.h"

static dltf_status load_content(dl_file *file, dltf_image **image) {
    const dl_format *format = dl_format_of_content(DL_CONTENT_IMAGE, file->bytes, file->size);
    return format ? format->load_image(file, image)
                  : dl_fail(DLTF_FORMAT, "unrecognised image format: expected %s",
                            dl_format_names(DL_CONTENT_IMAGE, NULL, "or"));
}

dltf_status dltf_image_load(const char *path, dltf_image **image) {
    DL_CLEAR(image);
    DL_REQUIRE(path, image);
    dl_file file;
    dltf_status status = dl_file_open(path, &file);
    if (status == DLTF_OK) {
        status = load_content(&file, image);
        dl_file_close(&file);
    }
    return dl_file_result(status, path);
}

bool dl_image_dropped_alpha(const dltf_image *image) {
    return image->alpha;
}

bool dl_image_is_jpeg(const dltf_image *image) {
    return image->jpeg;
}

/* The format named by the extension, if it can hold the image. */
static dltf_status find_format(const dltf_image *image, const char *path, const dl_format **format) {
    bool gray = image->channels == 1;
    dl_format_filter fits = gray ? dl_format_writes_gray : dl_format_writes_colour;
    *format = dl_format_of_path(DL_CONTENT_IMAGE, fits, path);
    return *format ? DLTF_OK
                   : dl_fail(DLTF_ARGUMENT, "%s: a %s image can only be written as %s", path,
                             gray ? "gray" : "colour", dl_format_names(DL_CONTENT_IMAGE, fits, "or"));
}

dltf_status dl_image_check_path(const dltf_image *image, const char *path) {
    DL_REQUIRE(image, path);
    const dl_format *format = NULL;
    return find_format(image, path, &format);
}

dltf_status dltf_image_save(const dltf_image *image, const char *path) {
    DL_REQUIRE(image, path);
    const dl_format *format = NULL;
    dl_writer out = {0};
    dltf_status status = dl_image_check_finite(image);
    if (status == DLTF_OK)
        status = find_format(image, path, &format);
    if (status != DLTF_OK)
        return status;
    DL_TRY(dl_writer_open(&out, path));
    DL_TRY(format->write_image(image, &out));
    status = dl_writer_commit(&out);
done:
    dl_writer_abort(&out);
    return dl_file_result(status, path);
}
