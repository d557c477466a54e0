/* dltf_image_load and dltf_image_save: PNG, PGM, PPM, and .npy for floats. Content decides what is read, the
 * extension what is written. */
#include "base/memory.h"
#include "data/array.h"
#include "data/matrix.h"
#include "image/image.h"
#include "io/npy.h"
#include "io/pixels.h"
#include "io/png.h"
#include "io/pnm.h"

/* An array of height x width, or height x width x 3. */
static dltf_status load_npy(dl_file *file, dltf_image **image) {
    dl_elements elements;
    dltf_array *array = NULL;
    dltf_image *made = NULL;
    double *row = NULL;
    dltf_status status = dl_npy_parse(file->bytes, file->size, file->size, &elements);
    if (status != DLTF_OK)
        return status;
    int64_t channels = elements.rank == 2 ? 1 : elements.rank == 3 ? elements.shape[2] : 0;
    if (channels != 1 && channels != 3)
        return dl_fail(DLTF_FORMAT,
                       "is not an image: an array of height x width or height x width x 3 is read");
    int64_t height = elements.shape[0], width = elements.shape[1];
    DL_TRY(dl_elements_array(&elements, file, &array));
    DL_TRY(dl_matrix_check_finite(array->matrix, "image"));
    DL_TRY(dltf_image_new(width, height, channels, 32, &made));
    DL_TRY_NEW(row, width * channels);
    for (int64_t y = 0; y < height; y++) {
        dl_matrix_row(array->matrix, y, row);
        for (int64_t x = 0; x < width; x++)
            for (int64_t c = 0; c < channels; c++)
                dl_image_plane(made, c)[y * width + x] = (float)row[x * channels + c];
    }
    DL_TRY(dl_image_check_finite(made)); /* a double beyond the range of floats */
    *image = made;
    made = NULL;
done:
    dl_free(row);
    dltf_image_free(made);
    dltf_array_free(array);
    return status;
}

static dltf_status load_content(dl_file *file, dltf_image **image) {
    if (dl_png_recognise(file->bytes, file->size))
        return dl_png_load(file, image);
    if (dl_pnm_recognise(file->bytes, file->size))
        return dl_pnm_load(file, image);
    if (dl_npy_recognise(file->bytes, file->size))
        return load_npy(file, image);
    return dl_fail(DLTF_FORMAT, "is not an image that can be read; PNG, PGM, PPM and .npy are");
}

dltf_status dltf_image_load(const char *path, dltf_image **image) {
    dl_file file;
    *image = NULL;
    dltf_status status = dl_file_open(path, &file);
    if (status == DLTF_OK) {
        status = load_content(&file, image);
        dl_file_close(&file);
    }
    return dl_file_result(status, path);
}

static void png_row(void *context, int64_t y, uint8_t *bytes) {
    dl_pixels_row(context, y, bytes);
}

static dltf_status save_npy(const dltf_image *image, const char *path) {
    dl_writer out = {0};
    dl_text header = {0};
    float *row = NULL;
    dltf_status status = DLTF_OK;
    int64_t shape[] = {image->height, image->width, image->channels};
    DL_TRY_NEW(row, image->width * image->channels);
    DL_TRY(dl_writer_open(&out, path));
    DL_TRY(dl_npy_header(&header, "f4", image->channels == 1 ? 2 : 3, shape));
    DL_TRY(dl_writer_write(&out, header.data, header.length));
    for (int64_t y = 0; y < image->height; y++) {
        for (int64_t x = 0; x < image->width; x++)
            for (int64_t c = 0; c < image->channels; c++)
                row[x * image->channels + c] = dl_image_plane(image, c)[y * image->width + x];
        DL_TRY(dl_writer_write(&out, row, image->width * image->channels * (int64_t)sizeof *row));
    }
    status = dl_writer_commit(&out);
done:
    dl_writer_abort(&out);
    dl_text_free(&header);
    dl_free(row);
    return dl_file_result(status, path);
}

dltf_status dltf_image_save(const dltf_image *image, const char *path) {
    dltf_status status = dl_image_check_finite(image);
    if (status != DLTF_OK)
        return status;
    if (!path)
        return dl_fail(DLTF_ARGUMENT, "no file name given");
    if (dl_path_ends(path, ".npy"))
        return save_npy(image, path);
    if ((dl_path_ends(path, ".pgm") && image->channels == 3) ||
        (dl_path_ends(path, ".ppm") && image->channels == 1))
        return dl_fail(DLTF_ARGUMENT, "%s: .pgm is for gray images, .ppm for colour", path);
    if (dl_path_ends(path, ".pgm") || dl_path_ends(path, ".ppm") || dl_path_ends(path, ".pnm"))
        return dl_pnm_save(image, path);
    if (!dl_path_ends(path, ".png"))
        return dl_fail(DLTF_ARGUMENT, "%s: an image is written as .png, .pgm, .ppm or .npy", path);
    if (image->width > DL_PNG_MOST_SIDE || image->height > DL_PNG_MOST_SIDE)
        return dl_fail(DLTF_ARGUMENT, "%s: %lld x %lld pixels are too many for a PNG", path,
                       (long long)image->width, (long long)image->height);
    dl_png_source source = {image->width,          image->height, (int)image->channels,
                            dl_pixels_bits(image), png_row,       (void *)(uintptr_t)image};
    return dl_png_save(&source, path);
}
