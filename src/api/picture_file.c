/* dltf_picture_save: connects pictures, which do no I/O, to the PNG writer, which knows no tiles. */
#include "image/picture.h"
#include "io/files/file.h"
#include "io/formats/pixels.h"
#include "io/formats/png.h"

static void draw_line(void *context, int64_t y, uint8_t *line) {
    dl_picture_line(context, y, line);
}

dltf_status dltf_picture_save(dltf_matrix tiles, int64_t width, int64_t height, int64_t columns,
                              dltf_gray gray, const char *path) {
    DL_REQUIRE(path);
    dltf_status status = dl_picture_check(tiles, width, height, columns);
    if (status != DLTF_OK)
        return status;
    dl_picture picture;
    dl_writer out = {0};
    DL_TRY(dl_picture_open(&picture, tiles, width, height, columns, gray, DL_PIXELS_MAX_SIDE));
    DL_TRY(dl_writer_open(&out, path));
    DL_TRY(dl_png_write(
        &(dl_png_source){picture.pixels_across, picture.pixels_down, 1, 8, draw_line, &picture}, &out));
    status = dl_writer_commit(&out);
done:
    dl_writer_abort(&out);
    dl_picture_close(&picture);
    return dl_file_result(status, path);
}
