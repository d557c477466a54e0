/* Spherical hashing: training of the balls, and bits by one product. x is inside ball j if
 * 2 <c_j, x> - ||c_j||^2 + r_j^2 >= ||x||^2. */
#include "hash/balls.h"

#include "base/integer.h"
#include "base/memory.h"
#include "hash/hasher.h"

/* As in the paper: the overlaps are good enough if their errors are at most this. */
static const double MEAN_ERROR = 0.1, DEVIATION = 0.15;
/* More samples make no better balls: half and a quarter of them need not be exact. */
enum { MOST_SAMPLES = 20000, ITERATIONS = 100 };

static dltf_status train(dl_hash_training *t, dltf_hasher *h) {
    dltf_status status = DLTF_OK;
    dl_balls balls = {0};
    double mean = 0, deviation = 0;
    float *centers = dl_hasher_tensor(h, "centers"), *radii = dl_hasher_tensor(h, "radii");
    DL_TRY(
        dl_balls_alloc(&balls, t->X, dl_min(t->N, MOST_SAMPLES), t->n, h->bits, t->options.seed, t->threads));
    dl_field field = {"centers", DL_TENSOR_F64, h->bits, h->n, balls.centers};
    DL_TRY(dl_hash_enter(t, &field, 1));
    for (;;) {
        if (!dl_balls_measure(&balls))
            DL_TRY(dl_hash_cancelled());
        dl_balls_error(&balls, &mean, &deviation);
        if ((mean <= MEAN_ERROR && deviation <= DEVIATION) || t->step >= t->options.iterations)
            break;
        dl_balls_move(&balls);
        DL_TRY(dl_hash_step(t));
    }
    for (int64_t e = 0; e < h->bits * h->n; e++)
        centers[e] = (float)balls.centers[e];
    for (int64_t j = 0; j < h->bits; j++)
        radii[j] = (float)balls.radii[j];
done:
    dl_balls_free(&balls);
    return status;
}

static dltf_status prepare(dltf_hasher *h) {
    dltf_status status = DLTF_OK;
    const float *centers = dl_hasher_tensor(h, "centers"), *radii = dl_hasher_tensor(h, "radii");
    float *twice = NULL, *bias = NULL;
    DL_TRY_NEW(twice, h->bits * h->n);
    DL_TRY_NEW(bias, h->bits);
    DL_TRY(dl_packed_alloc(&h->scores, h->bits, h->n));
    for (int64_t j = 0; j < h->bits; j++) {
        double square = dl_kernels_now()->square(centers + j * h->n, h->n);
        bias[j] = (float)(square - (double)radii[j] * (double)radii[j]);
    }
    for (int64_t e = 0; e < h->bits * h->n; e++)
        twice[e] = 2 * centers[e];
    dl_packed_fill(&h->scores, twice, bias);
done:
    dl_free(twice);
    dl_free(bias);
    return status;
}

static void tile(const dltf_hasher *h, dl_hash_space *space, const float *X, int64_t x_stride, int64_t rows,
                 uint8_t *codes) {
    dl_hash_scores(h, space, X, x_stride, rows);
    for (int64_t i = 0; i < rows; i++) {
        const float *scores = space->scores + i * h->bits;
        float square = (float)dl_kernels_now()->square(X + i * x_stride, h->n);
        for (int64_t j = 0; j < h->bits; j++)
            if (scores[j] >= square)
                dl_hash_set_bit(codes + i * h->bits / 8, j);
    }
}

static const dl_hash_tensor tensors[] = {{"centers", DL_TENSOR_F32, DL_HASH_BITS, DL_HASH_COLUMNS},
                                         {"radii", DL_TENSOR_F32, DL_HASH_BITS, DL_HASH_NONE},
                                         {.name = NULL}};

const dl_hash_method dl_hash_sph = {.name = "sph",
                                    .default_iterations = ITERATIONS,
                                    .tensors = tensors,
                                    .train = train,
                                    .prepare = prepare,
                                    .tile = tile};
