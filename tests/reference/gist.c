/* GIST by plain Fourier sums in double precision. */
#include "reference/reference.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.141592653589793;

static void *allocate(int64_t count, size_t size) {
    void *memory = calloc((size_t)count, size);
    if (!memory)
        abort();
    return memory;
}

/* out = the transform of `in` (N x N) along both axes, sign -1 or, with the factor 1/N^2, sign 1. */
static void fourier(const double complex *in, int64_t N, int sign, double complex *out) {
    double complex *half = allocate(N * N, sizeof *half), *root = allocate(N, sizeof *root);
    for (int64_t i = 0; i < N; i++)
        root[i] = cexp(sign * 2 * PI * I * (double)i / (double)N);
    for (int64_t y = 0; y < N; y++)
        for (int64_t f = 0; f < N; f++)
            for (int64_t x = 0; x < N; x++)
                half[y * N + f] += in[y * N + x] * root[f * x % N];
    memset(out, 0, (size_t)(N * N) * sizeof *out);
    for (int64_t f = 0; f < N; f++)
        for (int64_t y = 0; y < N; y++)
            for (int64_t x = 0; x < N; x++)
                out[f * N + x] += half[y * N + x] * root[f * y % N];
    for (int64_t i = 0; i < N * N && sign > 0; i++)
        out[i] /= (double)(N * N);
    free(half);
    free(root);
}

static double frequency(int64_t i, int64_t N) {
    return (double)(i < N / 2 ? i : i - N) / (double)N;
}

static void low_pass(const double *in, int64_t N, double *out) {
    double s = 4 / ((double)N / 2 + 10) / sqrt(log(2));
    double complex *a = allocate(N * N, sizeof *a), *b = allocate(N * N, sizeof *b);
    for (int64_t i = 0; i < N * N; i++)
        a[i] = in[i];
    fourier(a, N, -1, b);
    for (int64_t i = 0; i < N * N; i++)
        b[i] *= exp(-pow(hypot(frequency(i / N, N), frequency(i % N, N)) / s, 2));
    fourier(b, N, 1, a);
    for (int64_t i = 0; i < N * N; i++)
        out[i] = creal(a[i]);
    free(a);
    free(b);
}

/* Pixel (x, y) of the middle square reduced to side x side. A source pixel is cut into side x side equal
 * parts: every target pixel then covers edge x edge of them. */
static double reduced(const float *planes, int64_t channels, int64_t width, int64_t height, int64_t side,
                      int64_t x, int64_t y) {
    static const double weight[] = {0.299, 0.587, 0.114};
    int64_t edge = width < height ? width : height;
    double sum = 0;
    for (int64_t v = y * edge; v < (y + 1) * edge; v++)
        for (int64_t u = x * edge; u < (x + 1) * edge; u++) {
            int64_t row = (height - edge) / 2 + v / side, column = (width - edge) / 2 + u / side;
            for (int64_t c = 0; c < channels; c++)
                sum += (channels == 1 ? 1 : weight[c]) * (double)planes[(c * height + row) * width + column];
        }
    return sum / (double)(edge * edge);
}

static void average(const double complex *response, int64_t N, double *out) {
    int64_t block = N / 8;
    for (int64_t b = 0; b < 16; b++) {
        double sum = 0;
        for (int64_t y = 0; y < block; y++)
            for (int64_t x = 0; x < block; x++)
                sum += cabs(response[(b / 4 * block + y) * N + b % 4 * block + x]);
        out[b] = sum / (double)(block * block);
    }
}

static double gabor(int scale, int orientation, double fx, double fy) {
    double angle = atan2(fy, fx) + PI * orientation / 8;
    angle = angle > PI ? angle - 2 * PI : angle;
    return exp(-3.5 * pow(hypot(fx, fy) * pow(1.85, scale) / 0.3 - 1, 2) - 2 * PI * angle * angle);
}

void ref_gist(const float *planes, int64_t channels, int64_t width, int64_t height, int64_t side,
              double *out) {
    int64_t N = 2 * side;
    double *x = allocate(N * N, sizeof *x), *low = allocate(N * N, sizeof *low);
    double complex *P = allocate(N * N, sizeof *P), *H = allocate(N * N, sizeof *H);
    for (int64_t i = 0; i < side * side; i++)
        x[i / side * N + i % side] =
            log(1 + reduced(planes, channels, width, height, side, i % side, i / side));
    for (int64_t i = 0; i < N * N; i++) { /* reflected in both axes */
        int64_t row = i / N, column = i % N;
        x[i] = x[(row < side ? row : N - 1 - row) * N + (column < side ? column : N - 1 - column)];
    }
    low_pass(x, N, low);
    for (int64_t i = 0; i < N * N; i++) {
        x[i] -= low[i];
        low[i] = x[i] * x[i];
    }
    low_pass(low, N, low);
    for (int64_t i = 0; i < N * N; i++)
        H[i] = x[i] / (0.2 + sqrt(fabs(low[i])));
    fourier(H, N, -1, P);
    for (int s = 0; s < 4; s++)
        for (int o = 0; o < 8; o++) {
            for (int64_t i = 0; i < N * N; i++)
                H[i] = P[i] * gabor(s, o, frequency(i % N, N), frequency(i / N, N));
            fourier(H, N, 1, H);
            average(H, N, out + (8 * s + o) * 16);
        }
    free(x);
    free(low);
    free(P);
    free(H);
}
