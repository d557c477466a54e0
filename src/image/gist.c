/* GIST descriptors. An image x = log(1 + gray) is reflected in both axes, which makes it periodic; all
 * filters are products in the frequency domain.
 *
 *     o = x - low(x),  p = o / (.2 + sqrt(low(o^2)))        local mean removed, local contrast equalised
 *     |gabor(p)|, 4 scales x 8 orientations                 averaged over 4 x 4 blocks of the image
 *
 * Transforms are complex, since Gabor filters pass one half of the frequencies. */
#include "image/gist.h"

#include "base/finite.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/meter.h"
#include "base/options.h"
#include "base/parallel.h"
#include "base/sized.h"
#include "data/matrix.h"
#include "image/gist_filters.h"
#include "image/gist_options.h"
#include "image/image.h"
#include "image/square.h"

#include <inttypes.h>
#include <kiss_fft.h>
#include <math.h>

enum { GROUP = 256 }; /* images between two reports of progress */

/* The memory of one thread; arrays of size x size are periodic images or their spectra. */
typedef struct space {
    float *x, *low;                              /* side x side: the image, a filtered one */
    kiss_fft_cpx *periodic, *between, *spectrum; /* size x size */
} space;

typedef struct gist {
    int64_t side;
    dl_gist_filters filters;
    void *forward, *inverse; /* kiss_fft_cfg, in our own memory */
    space *spaces;
    int threads;
    /* The current group. */
    dl_image_source make;
    const void *source;
    int64_t first;
    bool failed[GROUP];
    float *out;
} gist;

/* ---- One image ---- */

/* A two-dimensional transform takes two steps, each along one axis: lines to s->between, then columns of that
 * to lines of s->periodic. The result is transposed. */
static void transform_columns(void *plan, int64_t size, int64_t columns, space *s) {
    for (int64_t i = 0; i < columns; i++)
        kiss_fft_stride(plan, s->between + i, s->periodic + i * size, (int)size);
}

/* periodic = the spectrum, as [fx][fy], of a side x side image and its reflections. */
static void analyse(const gist *g, space *s, const float *image) {
    int64_t side = g->side, size = g->filters.size;
    for (int64_t y = 0; y < side; y++) {
        kiss_fft_cpx *line = s->periodic, *mirror = s->between + (size - 1 - y) * size;
        for (int64_t x = 0; x < side; x++)
            line[x] = line[size - 1 - x] = (kiss_fft_cpx){image[y * side + x], 0};
        kiss_fft(g->forward, line, s->between + y * size);
        memcpy(mirror, s->between + y * size, (size_t)size * sizeof *mirror);
    }
    transform_columns(g->forward, size, size, s);
}

/* periodic = the upper half, as [y][x], of the image with this spectrum after filtering. */
static void filter(const gist *g, space *s, const kiss_fft_cpx *spectrum, const dl_gist_filter *f) {
    int64_t size = g->filters.size;
    for (int64_t first = 0; first < size * size; first += size) {
        kiss_fft_cpx *line = s->periodic + first;
        if (!f->passes[first / size]) {
            memset(s->between + first, 0, (size_t)size * sizeof *line);
            continue;
        }
        for (int64_t i = 0; i < size; i++) {
            float gain = f->gains[first + i];
            line[i] = (kiss_fft_cpx){gain * spectrum[first + i].r, gain * spectrum[first + i].i};
        }
        kiss_fft(g->inverse, line, s->between + first);
    }
    transform_columns(g->inverse, size, g->side, s);
}

static void low_pass(const gist *g, space *s, const float *image, float *low) {
    int64_t side = g->side, size = g->filters.size;
    analyse(g, s, image);
    filter(g, s, s->periodic, &g->filters.low_pass);
    for (int64_t i = 0; i < side * side; i++)
        low[i] = s->periodic[i / side * size + i % side].r;
}

/* Removes the local mean of s->x and divides by the local contrast. */
static void equalise(const gist *g, space *s) {
    int64_t pixels = g->side * g->side;
    low_pass(g, s, s->x, s->low);
    for (int64_t i = 0; i < pixels; i++) {
        s->x[i] -= s->low[i];
        s->low[i] = s->x[i] * s->x[i];
    }
    low_pass(g, s, s->low, s->low);
    for (int64_t i = 0; i < pixels; i++)
        s->x[i] /= 0.2f + sqrtf(fabsf(s->low[i]));
}

/* Means of |response + constant| over the blocks of the left half, or of the mirrored right half. */
static void average_blocks(const gist *g, const kiss_fft_cpx *response, float constant, bool mirrored,
                           float *out) {
    int64_t size = g->filters.size, block = g->side / DL_GIST_BLOCKS;
    for (int64_t b = 0; b < DL_GIST_BLOCKS * DL_GIST_BLOCKS; b++) {
        int64_t top = b / DL_GIST_BLOCKS * block, left = b % DL_GIST_BLOCKS * block;
        float sum = 0;
        left = mirrored ? size - block - left : left;
        for (int64_t y = top; y < top + block; y++)
            for (int64_t x = left; x < left + block; x++) {
                float re = response[y * size + x].r + constant, im = response[y * size + x].i;
                sum += sqrtf(re * re + im * im);
            }
        out[b] = sum / (float)(block * block);
    }
}

static void describe(const gist *g, space *s, const dltf_image *image, float *out) {
    enum { BLOCKS = DL_GIST_BLOCKS * DL_GIST_BLOCKS };
    int64_t area = g->filters.size * g->filters.size;
    dl_image_square(image, g->side, s->x);
    for (int64_t i = 0; i < g->side * g->side; i++)
        s->x[i] = log1pf(fmaxf(s->x[i], 0));
    equalise(g, s);
    analyse(g, s, s->x);
    memcpy(s->spectrum, s->periodic, (size_t)area * sizeof *s->spectrum);
    for (int scale = 0; scale < DL_GIST_SCALES; scale++) {
        const float *at_zero = g->filters.at_zero[scale];
        float *values = out + scale * DL_GIST_ORIENTATIONS * BLOCKS;
        for (int o = 0; o < DL_GIST_STORED; o++) {
            int twin = DL_GIST_ORIENTATIONS - o;
            filter(g, s, s->spectrum, &g->filters.gabor[scale][o]);
            average_blocks(g, s->periodic, at_zero[o] * s->spectrum[0].r, false, values + o * BLOCKS);
            if (twin > o && twin < DL_GIST_ORIENTATIONS)
                average_blocks(g, s->periodic, at_zero[twin] * s->spectrum[0].r, true,
                               values + twin * BLOCKS);
        }
    }
}

/* ---- Many images ---- */

static dltf_status new_plan(int64_t size, bool inverse, void **plan) {
    size_t bytes = 0;
    kiss_fft_alloc((int)size, inverse, NULL, &bytes);
    *plan = dl_alloc((int64_t)bytes, 1);
    if (!*plan)
        return DLTF_MEMORY;
    kiss_fft_alloc((int)size, inverse, *plan, &bytes);
    return DLTF_OK;
}

static dltf_status gist_open(gist *g, const dltf_gist_options *options) {
    dltf_status status = DLTF_OK;
    g->side = options->side;
    g->threads = dl_thread_count(options->threads);
    DL_TRY(dl_gist_filters_new(&g->filters, g->side));
    DL_TRY(new_plan(g->filters.size, false, &g->forward));
    DL_TRY(new_plan(g->filters.size, true, &g->inverse));
    DL_TRY_NEW(g->spaces, g->threads);
    for (int t = 0; t < g->threads; t++) {
        space *s = &g->spaces[t];
        DL_TRY_NEW(s->x, g->side * g->side);
        DL_TRY_NEW(s->low, g->side * g->side);
        DL_TRY_NEW(s->periodic, g->filters.size * g->filters.size);
        DL_TRY_NEW(s->between, g->filters.size * g->filters.size);
        DL_TRY_NEW(s->spectrum, g->filters.size * g->filters.size);
    }
done:
    return status;
}

static void gist_close(gist *g) {
    for (int t = 0; g->spaces && t < g->threads; t++) {
        space *s = &g->spaces[t];
        dl_free(s->x);
        dl_free(s->low);
        dl_free(s->periodic);
        dl_free(s->between);
        dl_free(s->spectrum);
    }
    dl_free(g->spaces);
    dl_free(g->forward);
    dl_free(g->inverse);
    dl_gist_filters_free(&g->filters);
}

static dltf_status describe_image(gist *g, int64_t index, int worker) {
    dltf_image *image = NULL;
    dltf_status status = g->make(g->source, index, &image);
    if (status == DLTF_OK)
        describe(g, &g->spaces[worker], image, g->out + index * DLTF_GIST_SIZE);
    dltf_image_free(image);
    return status;
}

static void run_task(void *context, int64_t task, int worker) {
    gist *g = context;
    g->failed[task] = describe_image(g, g->first + task, worker) != DLTF_OK;
}

/* Errors are stored per thread: an image that failed on another thread is made again on this one. */
static dltf_status run_group(gist *g, int64_t count) {
    dltf_status status = DLTF_OK;
    if (!dl_parallel_polled(g->threads, count, run_task, g))
        return DLTF_OK; /* the report that follows is cancelled, too */
    for (int64_t i = 0; i < count && status == DLTF_OK; i++)
        if (g->failed[i])
            status = describe_image(g, g->first + i, 0);
    if (status == DLTF_OK && !dl_all_finite(g->out + g->first * DLTF_GIST_SIZE, count * DLTF_GIST_SIZE))
        status = dl_fail_about(DLTF_NUMERIC, DLTF_SUBJECT_DATA,
                               "descriptors overflow single precision: rescale the pixels to 0 .. 255");
    return status;
}

static dltf_status check_options(const dltf_gist_options *options) {
    dltf_status status = dl_option_check(dl_gist_option_table(), options, NULL);
    if (status == DLTF_OK && (options->side & (options->side - 1)) != 0)
        return dl_fail_option(DLTF_ARGUMENT, "side", "%" PRId64 " is not a power of two", options->side);
    return status;
}

dltf_status dl_gist_run(dl_image_source make, const void *source, int64_t count,
                        const dltf_gist_options *options, dltf_progress_fn progress, void *context,
                        float *out) {
    gist g = {.make = make, .source = source, .out = out};
    dl_meter meter = {.task = "gist", .progress = progress, .context = context, .total = count};
    dltf_gist_options own;
    dltf_status status = DL_READ_OPTIONS(gist, options, &own);
    if (status == DLTF_OK)
        status = check_options(&own);
    dl_meter_watch(&meter);
    if (status == DLTF_OK)
        status = gist_open(&g, &own);
    for (; status == DLTF_OK && g.first < count; g.first += GROUP) {
        int64_t now = dl_min(count - g.first, GROUP);
        status = run_group(&g, now);
        if (status == DLTF_OK && !dl_meter_add(&meter, now))
            status = dl_fail(DLTF_CANCELLED, "the computation of descriptors was cancelled");
    }
    dl_meter_unwatch(&meter);
    gist_close(&g);
    return status;
}

/* ---- Images in memory ---- */

typedef struct rows {
    dltf_matrix images;
    int64_t width, height, channels;
} rows;

static dltf_status make_from_row(const void *source, int64_t index, dltf_image **image) {
    const rows *r = source;
    dltf_status status = dltf_image_new(r->width, r->height, r->channels, 32, image);
    if (status == DLTF_OK)
        dltf_matrix_row(r->images, index, (*image)->planes);
    return status;
}

dltf_status dltf_gist(dltf_matrix images, int64_t width, int64_t height, const dltf_gist_options *options,
                      dltf_progress_fn progress, void *context, float *out) {
    DL_REQUIRE(out);
    rows r = {images, width, height, 0};
    int64_t pixels = 0;
    dltf_status status = dl_matrix_check_memory(images, DLTF_SUBJECT_DATA);
    if (status == DLTF_OK && width > 0 && height > 0 && dl_multiply(width, height, &pixels))
        r.channels = images.cols == pixels ? 1 : images.cols % 3 == 0 && images.cols / 3 == pixels ? 3 : 0;
    if (status == DLTF_OK && r.channels == 0)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_DATA,
                             "rows of %" PRId64 " values are not images of %" PRId64 " x %" PRId64
                             " pixels in gray or colour",
                             images.cols, width, height);
    if (status == DLTF_OK)
        status = dl_matrix_check_single(images, DLTF_SUBJECT_DATA);
    return status == DLTF_OK ? dl_gist_run(make_from_row, &r, images.rows, options, progress, context, out)
                             : status;
}
