/* The picture of `dltf top`: a column for each atom, with the atom above its top samples. */
#include "cli/output.h"
#include "cli/picture.h"
#include "cli/top.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Each tile is scaled to a largest magnitude of 1, so that atoms and samples can share a picture. */
static void scale_tile(float *tile, int64_t n) {
    float largest = 0;
    for (int64_t j = 0; j < n; j++)
        largest = fmaxf(largest, fabsf(tile[j]));
    for (int64_t j = 0; j < n && largest > 0; j++)
        tile[j] /= largest;
}

/* Tiles in rows: all atoms, then the first sample of each, and so on. Missing samples stay empty. */
static void fill_tiles(const top_job *job, dltf_matrix X, int64_t rows, float *tiles) {
    dltf_model_view model = dltf_model_get(job->model);
    int64_t across = job->listed_count, n = model.n;
    for (int64_t a = 0; a < across; a++) {
        dltf_top_atom found;
        memcpy(tiles + a * n, model.dictionary + job->listed[a] * n, (size_t)n * sizeof *tiles);
        scale_tile(tiles + a * n, n);
        if (dltf_top_get(job->found, job->listed[a], &found) != DLTF_OK)
            continue;
        for (int64_t r = 1; r < rows && r <= found.top_count && found.top[r - 1].row < X.rows; r++) {
            float *tile = tiles + (r * across + a) * n;
            dltf_matrix_row(X, found.top[r - 1].row, tile);
            scale_tile(tile, n);
        }
    }
}

static int draw(const top_job *job, dltf_matrix X, picture_shape shape) {
    int64_t n = X.cols, across = job->listed_count, rows = 1 + job->flags.keep.top;
    float *tiles = calloc((size_t)(rows * across), (size_t)n * sizeof *tiles);
    if (!tiles)
        return failure("not enough memory for a picture of %s", counted(rows * across, "tile"));
    fill_tiles(job, X, rows, tiles);
    dltf_status status = dltf_picture_save(dltf_matrix_f32(tiles, rows * across, n), shape.width,
                                           shape.height, across, DLTF_GRAY_SYMMETRIC, job->flags.picture);
    free(tiles);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

int top_draw(const top_job *job) {
    dltf_array *data = NULL;
    picture_shape shape;
    int64_t n = dltf_model_get(job->model).n;
    int code = picture_find_shape(job->flags.shape, n, &shape);
    if (code != EXIT_OK)
        return code;
    dltf_status status = dltf_array_open(job->args.operands[1], job->flags.raw ? n : 0, &data);
    code = status == DLTF_OK ? draw(job, dltf_array_matrix(data), shape) : library_failure(status);
    dltf_array_free(data);
    return code;
}
