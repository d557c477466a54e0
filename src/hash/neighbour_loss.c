/* Loss and gradients of the neighbour-trained hasher: five products per batch, in tiles of rows. */
#include "hash/neighbour_loss.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "kernels/kernels.h"
#include "linalg/blas.h"
#include "retrieval/smallest.h"

#include <math.h>
#include <string.h>

enum { TILE = 64, PANEL = 32 }; /* samples, and bits, of a task */

dltf_status dl_neighbour_loss_alloc(dl_neighbour_loss *l, int64_t B, int64_t n, int64_t m, int64_t neighbours,
                                    int threads) {
    dltf_status status = DLTF_OK;
    *l = (dl_neighbour_loss){.B = B, .n = n, .m = m, .neighbours = neighbours, .threads = threads};
    l->room_size = TILE * dl_max(B, m) + B;
    DL_TRY_NEW(l->X, B * n);
    DL_TRY_NEW(l->gradient, m * n);
    DL_TRY_NEW(l->gradient_b, m);
    DL_TRY_NEW(l->H, B * m);
    DL_TRY_NEW(l->Y, B * m);
    DL_TRY_NEW(l->G, B * B);
    DL_TRY_NEW(l->square, B);
    DL_TRY_NEW(l->room, threads * l->room_size);
    DL_TRY_NEW(l->losses, dl_tiles(B, TILE));
done:
    return status;
}

void dl_neighbour_loss_free(dl_neighbour_loss *l) {
    float *floats[] = {l->X, l->gradient, l->gradient_b, l->H, l->Y, l->G, l->square, l->room};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        dl_free(floats[i]);
    dl_free(l->losses);
}

/* H of a tile. */
static void relax(void *context, int64_t tile, int worker) {
    (void)worker;
    dl_neighbour_loss *l = context;
    int64_t first = tile * TILE, rows = dl_min(TILE, l->B - first);
    float *H = l->H + first * l->m, scale = (float)(1 / l->T);
    dl_gemm32(DL_PLAIN, DL_TRANSPOSED, rows, l->m, l->n, l->X + first * l->n, l->n, l->E, l->n, H, l->m);
    for (int64_t i = 0; i < rows; i++) {
        l->square[first + i] = (float)dl_kernels_now()->square(l->X + (first + i) * l->n, l->n);
        for (int64_t j = 0; j < l->m; j++)
            H[i * l->m + j] = tanhf((H[i * l->m + j] + l->b[j]) * scale);
    }
}

/* The distance from which on samples are not neighbours of sample i: the p-th smallest of `distances`, of
 * which the own is infinite. */
static float nearest(const dl_neighbour_loss *l, const float *distances, float *room) {
    memcpy(room, distances, (size_t)l->B * sizeof *room);
    return dl_smallest(room, l->B, l->neighbours);
}

/* Replaces the similarities in G of sample i by the gradient of its cross-entropy, and returns the latter.
 * B times the gradient is p_ij - [j in N_i] / |N_i|. */
static double cross_entropy(const dl_neighbour_loss *l, int64_t i, const float *distances, float cut,
                            float *G) {
    float gamma = (float)l->gamma, largest = -INFINITY;
    double sum = 0, similarity = 0;
    int64_t neighbours = 0;
    for (int64_t j = 0; j < l->B; j++) {
        G[j] *= gamma;
        largest = j != i ? fmaxf(largest, G[j]) : largest;
    }
    for (int64_t j = 0; j < l->B; j++)
        if (distances[j] <= cut) {
            similarity += (double)(G[j] - largest);
            neighbours++;
        }
    for (int64_t j = 0; j < l->B; j++) {
        G[j] = j != i ? expf(G[j] - largest) : 0;
        sum += (double)G[j];
    }
    float share = (float)(1 / sum / (double)l->B), target = (float)(1 / (double)neighbours / (double)l->B);
    for (int64_t j = 0; j < l->B; j++)
        G[j] = G[j] * share - (distances[j] <= cut ? target : 0);
    return log(sum) - similarity / (double)neighbours;
}

/* Rows of G, and their part of the loss. */
static void compare(void *context, int64_t tile, int worker) {
    dl_neighbour_loss *l = context;
    int64_t B = l->B, first = tile * TILE, rows = dl_min(TILE, B - first);
    float *D = l->room + worker * l->room_size, *room = D + TILE * B;
    dl_gemm32(DL_PLAIN, DL_TRANSPOSED, rows, B, l->n, l->X + first * l->n, l->n, l->X, l->n, D, B);
    dl_gemm32(DL_PLAIN, DL_TRANSPOSED, rows, B, l->m, l->H + first * l->m, l->m, l->H, l->m, l->G + first * B,
              B);
    l->losses[tile] = 0;
    for (int64_t i = 0; i < rows; i++) {
        float *distances = D + i * B;
        for (int64_t j = 0; j < B; j++)
            distances[j] = l->square[j] - 2 * distances[j]; /* ||x_i||^2 is the same for all */
        distances[first + i] = INFINITY;
        float cut = nearest(l, distances, room);
        l->losses[tile] += cross_entropy(l, first + i, distances, cut, l->G + (first + i) * B) / (double)B;
    }
}

/* Rows of the gradient with respect to E x + b: gamma (G + G^T) H, through the tanh. */
static void back(void *context, int64_t tile, int worker) {
    dl_neighbour_loss *l = context;
    int64_t B = l->B, m = l->m, first = tile * TILE, rows = dl_min(TILE, B - first);
    float *Y = l->Y + first * m, *other = l->room + worker * l->room_size;
    const float *H = l->H + first * m;
    float scale = (float)(l->gamma / l->T);
    dl_gemm32(DL_PLAIN, DL_PLAIN, rows, m, B, l->G + first * B, B, l->H, m, Y, m);
    dl_gemm32(DL_TRANSPOSED, DL_PLAIN, rows, m, B, l->G + first, B, l->H, m, other, m);
    for (int64_t e = 0; e < rows * m; e++)
        Y[e] = scale * (Y[e] + other[e]) * (1 - H[e] * H[e]);
}

/* Gradients of some rows of E and entries of b. */
static void collect(void *context, int64_t panel, int worker) {
    (void)worker;
    dl_neighbour_loss *l = context;
    int64_t first = panel * PANEL, count = dl_min(PANEL, l->m - first);
    dl_gemm32(DL_TRANSPOSED, DL_PLAIN, count, l->n, l->B, l->Y + first, l->m, l->X, l->n,
              l->gradient + first * l->n, l->n);
    for (int64_t j = first; j < first + count; j++) {
        double sum = 0;
        for (int64_t i = 0; i < l->B; i++)
            sum += (double)l->Y[i * l->m + j];
        l->gradient_b[j] = (float)sum;
    }
}

void dl_neighbour_loss_compute(dl_neighbour_loss *l) {
    int64_t tiles = dl_tiles(l->B, TILE);
    dl_parallel_polled(l->threads, tiles, relax, l); /* after a cancellation the gradient is not used */
    dl_parallel_polled(l->threads, tiles, compare, l);
    dl_parallel_polled(l->threads, tiles, back, l);
    dl_parallel_polled(l->threads, dl_tiles(l->m, PANEL), collect, l);
    l->loss = 0;
    for (int64_t tile = 0; tile < tiles; tile++)
        l->loss += l->losses[tile];
}
