/* The neighbour-trained hasher: bit j = [<e_j, x> > b_j] as in the other linear hashers, with E and b trained
 * such that near samples have similar codes: minibatches, the loss of neighbour_loss.h, Adam. It starts from
 * random combinations of the first principal components. */
#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "dltf/cluster.h"
#include "hash/linear.h"
#include "hash/neighbour_loss.h"
#include "kernels/kernels.h"

#include <math.h>

/* Chosen on CIFAR-10, with queries that are not among those of the experiment: docs/design.md. */
enum { STEPS = 600, BATCH = 1000, NEIGHBOURS = 17 }; /* 17 of 1,000 are the 1,000 nearest of 59,000 */
static const double RATE = 0.15;                     /* for entries of E; divided by sqrt(n) */
static const double DECAY = 0.5;                     /* share of the steps in which the rate falls to 0 */
static const double SHARPNESS = 2;                   /* gamma, times sqrt(m) */
static const double FIRST_T = 1, LAST_T = 0.3;

enum { PANEL = 16 }; /* bits of a task */

typedef struct training {
    const dl_hash_training *t;
    dl_neighbour_loss loss;
    int64_t bits, batch, step;
    double scale; /* of samples: to a mean square of 1 per entry */
    float *E, *b; /* for scaled samples; b is added */
    float *moment, *square, *moment_b, *square_b;
    dl_adam_factors factors;
} training;

static dltf_status training_alloc(training *s, const dl_hash_training *t, int64_t bits) {
    dltf_status status = DLTF_OK;
    double sum = 0;
    s->t = t;
    s->bits = bits;
    s->batch = dl_min(t->N, BATCH);
    DL_TRY(dl_neighbour_loss_alloc(&s->loss, s->batch, t->n, bits, dl_max(s->batch * NEIGHBOURS / BATCH, 1),
                                   t->threads));
    DL_TRY_NEW(s->E, bits * t->n);
    DL_TRY_NEW(s->b, bits);
    DL_TRY_NEW(s->moment, bits * t->n);
    DL_TRY_NEW(s->square, bits * t->n);
    DL_TRY_NEW(s->moment_b, bits);
    DL_TRY_NEW(s->square_b, bits);
    for (int64_t i = 0; i < t->N; i++)
        sum += dl_kernels_now()->square(t->X + i * t->n, t->n) / (double)t->N;
    s->scale = sqrt((double)t->n / sum);
    s->loss.E = s->E;
    s->loss.b = s->b;
    s->loss.gamma = SHARPNESS / sqrt((double)bits);
done:
    return status;
}

static void training_free(training *s) {
    dl_neighbour_loss_free(&s->loss);
    dl_free(s->E);
    dl_free(s->b);
    dl_free(s->moment);
    dl_free(s->square);
    dl_free(s->moment_b);
    dl_free(s->square_b);
}

/* Scores of variance 1 from the first principal components, as many as there are bits. */
static dltf_status start(training *s) {
    const dl_hash_training *t = s->t;
    dl_random random = {(uint64_t)t->options.seed, DL_STREAM_HASH};
    int64_t n = t->n, d = dl_min(dl_min(s->bits, n), t->N);
    dltf_pca *pca = NULL;
    dltf_status status = dltf_pca_train(dltf_matrix_f32(t->X, t->N, n), d, t->threads, &pca);
    if (status != DLTF_OK)
        return status;
    dltf_pca_view v = dltf_pca_get(pca);
    for (int64_t j = 0; j < s->bits; j++) {
        float *e = s->E + j * n;
        double variance = 0;
        for (int64_t l = 0; l < d; l++) {
            double r = dl_random_normal(random, (uint64_t)(j * d + l));
            variance += r * r * v.variances[l];
            dl_kernels_now()->add_scaled32(e, (float)r, v.components + l * n, n);
        }
        for (int64_t i = 0; i < n; i++)
            e[i] /= (float)(sqrt(variance) * s->scale);
    }
    dltf_pca_free(pca);
    return DLTF_OK;
}

/* Row i of the batch. An epoch visits no sample twice. */
static void read_row(void *context, int64_t i, int worker) {
    (void)worker;
    training *s = context;
    int64_t n = s->t->n, batches = s->t->N / s->batch;
    dl_random random = {(uint64_t)s->t->options.seed, DL_STREAM_HASH_BATCH};
    int64_t row =
        dl_random_place(random, (uint64_t)(s->step / batches), s->t->N, s->step % batches * s->batch + i);
    for (int64_t j = 0; j < n; j++)
        s->loss.X[i * n + j] = s->t->X[row * n + j] * (float)s->scale;
}

static void update(void *context, int64_t panel, int worker) {
    (void)worker;
    training *s = context;
    int64_t n = s->t->n, first = panel * PANEL, count = dl_min(PANEL, s->bits - first);
    dl_kernels_now()->adam(s->E + first * n, s->moment + first * n, s->square + first * n,
                           s->loss.gradient + first * n, count * n, s->factors);
    dl_kernels_now()->adam(s->b + first, s->moment_b + first, s->square_b + first, s->loss.gradient_b + first,
                           count, s->factors);
}

/* `progress`: the share of the steps already made. False: cancelled. */
static bool step(training *s, double progress) {
    const double keep = 0.9, keep_square = 0.999, epsilon = 1e-8;
    double number = (double)(s->step + 1), share = sqrt(1 - pow(keep_square, number));
    double rate = RATE / sqrt((double)s->t->n) * fmin(1, (1 - progress) / DECAY);
    s->factors = (dl_adam_factors){(float)(rate * share / (1 - pow(keep, number))), (float)keep,
                                   (float)keep_square, (float)(epsilon * share), 0};
    s->loss.T = FIRST_T * pow(LAST_T / FIRST_T, progress);
    dl_parallel(s->t->threads, s->batch, read_row, s);
    dl_neighbour_loss_compute(&s->loss);
    if (!dl_poll())
        return false;
    dl_parallel(s->t->threads, dl_tiles(s->bits, PANEL), update, s);
    return true;
}

static dltf_status train(dl_hash_training *t, dltf_hasher *h) {
    dltf_status status = DLTF_OK;
    training s = {0};
    int64_t steps = t->options.iterations;
    float *encoder = dl_hasher_tensor(h, "encoder"), *bias = dl_hasher_tensor(h, "bias");
    DL_TRY(training_alloc(&s, t, h->bits));
    DL_TRY(start(&s));
    const dl_field fields[] = {
        {"E", DL_TENSOR_F32, h->bits, h->n, s.E},
        {"b", DL_TENSOR_F32, h->bits, 0, s.b},
        {"moment", DL_TENSOR_F32, h->bits, h->n, s.moment},
        {"square", DL_TENSOR_F32, h->bits, h->n, s.square},
        {"moment_b", DL_TENSOR_F32, h->bits, 0, s.moment_b},
        {"square_b", DL_TENSOR_F32, h->bits, 0, s.square_b},
    };
    DL_TRY(dl_hash_enter(t, fields, sizeof fields / sizeof *fields));
    while (t->step < steps) {
        s.step = t->step;
        if (!step(&s, (double)s.step / (double)steps))
            DL_TRY(dl_hash_cancelled());
        DL_TRY(dl_hash_step(t));
    }
    for (int64_t e = 0; e < h->bits * h->n; e++)
        encoder[e] = (float)((double)s.E[e] * s.scale);
    for (int64_t j = 0; j < h->bits; j++)
        bias[j] = -s.b[j];
done:
    training_free(&s);
    return status;
}

static const dl_hash_tensor tensors[] = {
    DL_HASH_ENCODER, {"bias", DL_TENSOR_F32, DL_HASH_BITS, DL_HASH_NONE}, {.name = NULL}};

const dl_hash_method dl_hash_neighbour = {.name = "neighbour",
                                          .default_iterations = STEPS,
                                          .tensors = tensors,
                                          .train = train,
                                          .prepare = dl_linear_prepare,
                                          .tile = dl_linear_tile};
