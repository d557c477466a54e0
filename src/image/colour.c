/* The opponent colour transform. */
#include "image/colour.h"

/* 1/sqrt 3, 1/sqrt 2, 1/sqrt 6 */
static const float A = 0.57735027f, B = 0.70710678f, C = 0.40824829f;

void dl_rgb_to_opponent(float *planes, int64_t pixels) {
    float *r = planes, *g = r + pixels, *b = g + pixels;
    for (int64_t i = 0; i < pixels; i++) {
        float light = A * (r[i] + g[i] + b[i]), first = B * (r[i] - b[i]),
              second = C * (r[i] - 2 * g[i] + b[i]);
        r[i] = light;
        g[i] = first;
        b[i] = second;
    }
}

void dl_opponent_to_rgb(float *planes, int64_t pixels) {
    float *light = planes, *first = light + pixels, *second = first + pixels;
    for (int64_t i = 0; i < pixels; i++) {
        float l = A * light[i], f = B * first[i], s = C * second[i];
        light[i] = l + f + s;
        first[i] = l - 2 * s;
        second[i] = l - f + s;
    }
}
