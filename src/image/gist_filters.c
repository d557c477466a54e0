/* The frequency responses of GIST's filters. */
#include "image/gist_filters.h"

#include "base/memory.h"

#include <math.h>

static const double PI = 3.141592653589793;

/* Cycles per pixel at position `index` of a transform of `size` values. */
static double frequency(int64_t index, int64_t size) {
    return (double)(index < size / 2 ? index : index - size) / (double)size;
}

/* exp(-(|f|/s)^2), one half at 4 cycles per image. The original pads images by 5 pixels on every side, and
 * the cycles are those of the padded image. */
static double low_pass(double fx, double fy, int64_t side) {
    double half = 4 / (double)(side + 10), s = half / sqrt(log(2));
    return exp(-(fx * fx + fy * fy) / (s * s));
}

static double gabor(int scale, int orientation, double fx, double fy) {
    double radius = hypot(fx, fy) * pow(1.85, scale) / 0.3 - 1;
    double angle = atan2(fy, fx) + PI * orientation / DL_GIST_ORIENTATIONS;
    if (angle > PI)
        angle -= 2 * PI;
    return exp(-3.5 * radius * radius - 2 * PI * angle * angle);
}

/* Stores gains, those below the precision of a float as 0. */
static void set_gain(dl_gist_filter *filter, int64_t size, int64_t index, double gain) {
    const double negligible = 1e-8;
    if (gain < negligible)
        return;
    filter->gains[index] = (float)(gain / (double)(size * size));
    filter->passes[index / size] = true;
}

static dltf_status new_low_pass(dl_gist_filter *filter, int64_t side) {
    dltf_status status = DLTF_OK;
    int64_t size = 2 * side;
    DL_TRY_NEW(filter->gains, size * size);
    DL_TRY_NEW(filter->passes, size);
    for (int64_t i = 0; i < size * size; i++)
        set_gain(filter, size, i, low_pass(frequency(i / size, size), frequency(i % size, size), side));
done:
    return status;
}

static dltf_status new_gabor(dl_gist_filter *filter, int64_t size, int scale, int orientation) {
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(filter->gains, size * size);
    DL_TRY_NEW(filter->passes, size);
    for (int64_t i = 1; i < size * size; i++)
        set_gain(filter, size, i,
                 gabor(scale, orientation, frequency(i / size, size), frequency(i % size, size)));
done:
    return status;
}

dltf_status dl_gist_filters_new(dl_gist_filters *filters, int64_t side) {
    dltf_status status = DLTF_OK;
    int64_t size = 2 * side;
    *filters = (dl_gist_filters){.size = size};
    DL_TRY(new_low_pass(&filters->low_pass, side));
    for (int s = 0; s < DL_GIST_SCALES; s++) {
        for (int o = 0; o < DL_GIST_STORED; o++)
            DL_TRY(new_gabor(&filters->gabor[s][o], size, s, o));
        for (int o = 0; o < DL_GIST_ORIENTATIONS; o++)
            filters->at_zero[s][o] = (float)(gabor(s, o, 0, 0) / (double)(size * size));
    }
done:
    return status;
}

static void free_filter(dl_gist_filter *filter) {
    dl_free(filter->gains);
    dl_free(filter->passes);
}

void dl_gist_filters_free(dl_gist_filters *filters) {
    free_filter(&filters->low_pass);
    for (int s = 0; s < DL_GIST_SCALES; s++)
        for (int o = 0; o < DL_GIST_STORED; o++)
            free_filter(&filters->gabor[s][o]);
}
