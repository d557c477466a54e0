/* Gray, cropped, averaged over areas. */
#include "image/square.h"

#include "base/integer.h"
#include "image/image.h"

#include <math.h>

/* Source pixels first .. last - 1 overlap the interval [begin, end). */
typedef struct span {
    double begin, end;
    int64_t first, last;
} span;

/* The part of `length` source pixels that target pixel `index` of `count` covers. */
static span span_of(int64_t index, int64_t count, int64_t length) {
    span s = {.begin = (double)(index * length) / (double)count,
              .end = (double)((index + 1) * length) / (double)count};
    s.first = (int64_t)floor(s.begin);
    s.last = dl_min((int64_t)ceil(s.end), length);
    return s;
}

static double overlap(const span *s, int64_t pixel) {
    return fmin(s->end, (double)pixel + 1) - fmax(s->begin, (double)pixel);
}

static double gray_at(const dltf_image *image, int64_t pixel) {
    const float *red = image->planes;
    if (image->channels == 1)
        return (double)red[pixel];
    const float *green = dl_image_plane(image, 1), *blue = dl_image_plane(image, 2);
    return 0.299 * (double)red[pixel] + 0.587 * (double)green[pixel] + 0.114 * (double)blue[pixel];
}

void dl_image_square(const dltf_image *image, int64_t side, float *out) {
    int64_t edge = dl_min(image->width, image->height);
    int64_t corner = (image->height - edge) / 2 * image->width + (image->width - edge) / 2;
    double area = (double)edge / (double)side * (double)edge / (double)side;
    for (int64_t y = 0; y < side; y++) {
        span down = span_of(y, side, edge);
        for (int64_t x = 0; x < side; x++) {
            span across = span_of(x, side, edge);
            double sum = 0;
            for (int64_t j = down.first; j < down.last; j++)
                for (int64_t i = across.first; i < across.last; i++)
                    sum += overlap(&down, j) * overlap(&across, i) *
                           gray_at(image, corner + j * image->width + i);
            *out++ = (float)(sum / area);
        }
    }
}
