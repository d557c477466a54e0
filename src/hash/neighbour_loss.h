/* The loss of the neighbour-trained hasher, on a batch of B samples. With relaxed bits
 *
 *     h_i = tanh((E x_i + b) / T) in (-1, 1)^m
 *
 * and probabilities p_ij ~ exp(gamma <h_i, h_j>), j != i, it is the cross-entropy
 *
 *     L = -1/B sum_i 1/|N_i| sum_{j in N_i} log p_ij,
 *
 * where N_i are the nearest samples of x_i in the batch: samples are to have the codes most similar to their
 * own where their nearest neighbours are (neighbourhood components analysis with Euclidean neighbours in the
 * place of classes). */
#ifndef DL_HASH_NEIGHBOUR_LOSS_H
#define DL_HASH_NEIGHBOUR_LOSS_H

#include "base/status.h"

typedef struct dl_neighbour_loss {
    int64_t B, n, m, neighbours;
    int threads;
    double gamma;
    /* In. */
    float *X;           /* B x n */
    const float *E, *b; /* m x n, m */
    double T;
    /* Out. */
    float *gradient, *gradient_b; /* of E and b */
    double loss;
    /* Work space. */
    float *H, *Y;  /* B x m: relaxed bits; gradients with respect to E x + b */
    float *G;      /* B x B: gradient with respect to gamma <h_i, h_j> */
    float *square; /* B: ||x||^2 */
    float *room;   /* per thread */
    int64_t room_size;
    double *losses; /* per tile */
} dl_neighbour_loss;

dltf_status dl_neighbour_loss_alloc(dl_neighbour_loss *l, int64_t B, int64_t n, int64_t m, int64_t neighbours,
                                    int threads);
void dl_neighbour_loss_free(dl_neighbour_loss *l);

/* Loss and gradients. O(B^2 (n + m) + B m n); the same bytes for any number of threads. */
void dl_neighbour_loss_compute(dl_neighbour_loss *l);

#endif
