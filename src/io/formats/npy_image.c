/* Images as .npy: the only image format that stores values without rounding. */
#include "io/formats/npy_image.h"

#include "base/memory.h"
#include "data/array.h"
#include "data/matrix.h"
#include "image/image.h"
#include "io/formats/npy.h"

dltf_status dl_npy_load_image(dl_file *file, dltf_image **image) {
    dl_elements elements;
    dltf_array *array = NULL;
    dltf_image *made = NULL;
    double *row = NULL;
    dltf_status status = dl_npy_parse(file->bytes, file->size, file->size, &elements);
    if (status != DLTF_OK)
        return status;
    int64_t channels = elements.rank == 2 ? 1 : elements.rank == 3 ? elements.shape[2] : 0;
    if (channels != 1 && channels != 3)
        return dl_fail(DLTF_FORMAT, "is not an image: expected shape height x width or height x width x 3");
    int64_t height = elements.shape[0], width = elements.shape[1];
    elements.columns_axis = DL_AXIS_REST; /* a row of pixels is a row of the matrix */
    DL_TRY(dl_elements_array(&elements, file, &array));
    DL_TRY(dl_matrix_check_finite(array->matrix, DLTF_SUBJECT_IMAGE));
    DL_TRY(dltf_image_new(width, height, channels, 32, &made));
    DL_TRY_NEW(row, width * channels);
    for (int64_t y = 0; y < height; y++) {
        dl_matrix_row(array->matrix, y, row);
        for (int64_t x = 0; x < width; x++)
            for (int64_t c = 0; c < channels; c++)
                dl_image_plane(made, c)[y * width + x] = (float)row[x * channels + c];
    }
    DL_TRY(dl_image_check_finite(made)); /* doubles out of float range */
    *image = made;
    made = NULL;
done:
    dl_free(row);
    dltf_image_free(made);
    dltf_array_free(array);
    return status;
}

dltf_status dl_npy_write_image(const dltf_image *image, dl_writer *out) {
    dl_text header = {0};
    float *row = NULL;
    dltf_status status = DLTF_OK;
    int64_t shape[] = {image->height, image->width, image->channels};
    DL_TRY_NEW(row, image->width * image->channels);
    DL_TRY(dl_npy_header(&header, "f4", image->channels == 1 ? 2 : 3, shape));
    DL_TRY(dl_writer_write(out, header.data, header.length));
    for (int64_t y = 0; y < image->height; y++) {
        for (int64_t x = 0; x < image->width; x++)
            for (int64_t c = 0; c < image->channels; c++)
                row[x * image->channels + c] = dl_image_plane(image, c)[y * image->width + x];
        DL_TRY(dl_writer_write(out, row, image->width * image->channels * (int64_t)sizeof *row));
    }
done:
    dl_text_free(&header);
    dl_free(row);
    return status;
}
