/* Patches and passes over them. Adjacent bands of patches share pixels; bands two apart do not. So the even
 * bands of a group run in parallel, then the odd ones, all adding to the same sums. */
#include "image/patches.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"

#include <string.h>

enum { GROUP = 64 }; /* bands between progress reports; fixed, since it determines the order of additions */

dl_grid dl_grid_of(dl_plane plane, int64_t side, int64_t stride) {
    int64_t last_x = plane.width - side, last_y = plane.height - side;
    return (dl_grid){.width = plane.width,
                     .side = side,
                     .stride = stride,
                     .last_x = last_x,
                     .last_y = last_y,
                     .columns = dl_tiles(last_x, stride) + 1,
                     .rows = dl_tiles(last_y, stride) + 1};
}

int64_t dl_grid_offset(const dl_grid *grid, int64_t row, int64_t column) {
    return dl_min(row * grid->stride, grid->last_y) * grid->width +
           dl_min(column * grid->stride, grid->last_x);
}

float dl_patch_cut(dl_plane plane, int64_t side, int64_t offset, float *x) {
    double sum = 0;
    for (int64_t y = 0; y < side; y++) {
        const float *line = plane.pixels + offset + y * plane.width;
        memcpy(x + y * side, line, (size_t)side * sizeof *x);
        for (int64_t i = 0; i < side; i++)
            sum += (double)line[i];
    }
    float mean = (float)(sum / (double)(side * side));
    for (int64_t i = 0; i < side * side; i++)
        x[i] -= mean;
    return mean;
}

dltf_status dl_patch_sample(dl_plane plane, const dl_grid *grid, int64_t max_count, int64_t seed, float **X,
                            int64_t *count) {
    dl_random random = {(uint64_t)seed, DL_STREAM_PATCHES};
    int64_t all = grid->rows * grid->columns, n = grid->side * grid->side;
    *count = dl_min(all, max_count);
    *X = DL_NEW(float, *count *n);
    if (!*X)
        return DLTF_MEMORY;
    for (int64_t i = 0; i < *count; i++) {
        /* Stratified: one random patch from each run of about all / count, so they spread over the image. */
        int64_t first = (int64_t)((__int128)i * all / *count),
                next = (int64_t)((__int128)(i + 1) * all / *count);
        int64_t place = first + dl_random_below(random, (uint64_t)i, next - first);
        int64_t offset = dl_grid_offset(grid, place / grid->columns, place % grid->columns);
        dl_patch_cut(plane, grid->side, offset, *X + i * n);
    }
    return DLTF_OK;
}

/* Work space of one thread, for one tile. */
typedef struct space {
    int64_t *offset;
    float *X, *mean, *Y, *weight;
} space;

typedef struct pass {
    dl_plane plane;
    const dl_grid *grid;
    dl_patch_estimate estimate;
    void *context;
    space *spaces;
    float *sum, *weights; /* height x width */
    int64_t band_rows;    /* rows of patches in a band */
    int64_t first;        /* first band to run; then every second one */
} pass;

static void add_patch(const pass *p, int64_t offset, const float *y, float weight) {
    int64_t side = p->grid->side;
    for (int64_t line = 0; line < side; line++, offset += p->grid->width, y += side)
        for (int64_t i = 0; i < side; i++) {
            p->sum[offset + i] += weight * y[i];
            p->weights[offset + i] += weight;
        }
}

static void run_band(void *context, int64_t task, int worker) {
    const pass *p = context;
    const dl_grid *grid = p->grid;
    space *s = &p->spaces[worker];
    int64_t n = grid->side * grid->side, first = (p->first + 2 * task) * p->band_rows;
    int64_t last = dl_min(first + p->band_rows, grid->rows), count = (last - first) * grid->columns;
    for (int64_t begin = 0; begin < count; begin += DL_TILE) {
        int64_t rows = dl_min(count - begin, DL_TILE);
        for (int64_t i = 0; i < rows; i++) {
            int64_t place = begin + i;
            s->offset[i] = dl_grid_offset(grid, first + place / grid->columns, place % grid->columns);
            s->mean[i] = dl_patch_cut(p->plane, grid->side, s->offset[i], s->X + i * n);
        }
        dl_patch_tile tile = {rows, s->offset, s->X, s->mean, s->Y, s->weight};
        p->estimate(p->context, &tile, worker);
        for (int64_t i = 0; i < rows; i++)
            add_patch(p, s->offset[i], s->Y + i * n, s->weight[i]);
    }
}

static dltf_status pass_alloc(pass *p, int threads, int64_t n, int64_t pixels) {
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(p->weights, pixels);
    DL_TRY_NEW(p->spaces, threads);
    for (int t = 0; t < threads; t++) {
        DL_TRY_NEW(p->spaces[t].offset, DL_TILE);
        DL_TRY_NEW(p->spaces[t].X, DL_TILE * n);
        DL_TRY_NEW(p->spaces[t].mean, DL_TILE);
        DL_TRY_NEW(p->spaces[t].Y, DL_TILE * n);
        DL_TRY_NEW(p->spaces[t].weight, DL_TILE);
    }
done:
    return status;
}

static void pass_free(pass *p, int threads) {
    for (int t = 0; p->spaces && t < threads; t++) {
        dl_free(p->spaces[t].offset);
        dl_free(p->spaces[t].X);
        dl_free(p->spaces[t].mean);
        dl_free(p->spaces[t].Y);
        dl_free(p->spaces[t].weight);
    }
    dl_free(p->spaces);
    dl_free(p->weights);
}

dltf_status dl_patch_pass(dl_plane plane, const dl_grid *grid, int threads, dl_patch_estimate estimate,
                          void *context, dl_meter *meter, int64_t units, float *out) {
    int64_t pixels = plane.width * plane.height;
    pass p = {.plane = plane, .grid = grid, .estimate = estimate, .context = context, .sum = out};
    p.band_rows = dl_tiles(grid->side, grid->stride); /* bands two apart share no pixel */
    int64_t bands = dl_tiles(grid->rows, p.band_rows), reported = 0;
    dltf_status status = pass_alloc(&p, threads, grid->side * grid->side, pixels);
    if (status == DLTF_OK)
        memset(out, 0, (size_t)pixels * sizeof *out);
    for (int64_t group = 0; status == DLTF_OK && group < bands; group += GROUP) {
        int64_t count = dl_min(bands - group, GROUP);
        for (int odd = 0; odd < 2; odd++) {
            p.first = group + odd;
            dl_parallel_polled(threads, (count + 1 - odd) / 2, run_band, &p);
        }
        int64_t now = units * (group + count) / bands;
        if (!dl_meter_add(meter, now - reported))
            status = dl_fail(DLTF_CANCELLED, "denoising was cancelled");
        reported = now;
    }
    for (int64_t i = 0; status == DLTF_OK && i < pixels; i++)
        out[i] /= p.weights[i];
    pass_free(&p, threads);
    return status;
}
