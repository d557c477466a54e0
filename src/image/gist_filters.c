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

static void fill_gabor(int scale, int orientation, int64_t size, float *gains) {
    double unit = 1 / (double)(size * size);
    for (int64_t i = 0; i < size * size; i++)
        gains[i] =
            (float)(unit * gabor(scale, orientation, frequency(i / size, size), frequency(i % size, size)));
    gains[0] = 0;
}

dltf_status dl_gist_filters_new(dl_gist_filters *filters, int64_t side) {
    dltf_status status = DLTF_OK;
    int64_t size = 2 * side, area = size * size;
    double unit = 1 / (double)area;
    *filters = (dl_gist_filters){.size = size};
    DL_TRY_NEW(filters->low_pass, area);
    DL_TRY_NEW(filters->gabor, DL_GIST_SCALES * DL_GIST_STORED * area);
    for (int64_t i = 0; i < area; i++)
        filters->low_pass[i] =
            (float)(unit * low_pass(frequency(i / size, size), frequency(i % size, size), side));
    for (int s = 0; s < DL_GIST_SCALES; s++) {
        for (int o = 0; o < DL_GIST_STORED; o++)
            fill_gabor(s, o, size, filters->gabor + (s * DL_GIST_STORED + o) * area);
        for (int o = 0; o < DL_GIST_ORIENTATIONS; o++)
            filters->at_zero[s][o] = (float)(unit * gabor(s, o, 0, 0));
    }
done:
    return status;
}

void dl_gist_filters_free(dl_gist_filters *filters) {
    dl_free(filters->low_pass);
    dl_free(filters->gabor);
}
