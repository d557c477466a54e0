/* Sparse hashing (Zhu et al. 2013): bit j is 1 if atom j is in the sparse code of a sample, here a
 * nonnegative one by iterative hard thresholding. */
#include "coding/encoder.h"
#include "hash/sparse.h"

/* Codes that have converged are closer to the samples, but farther from those of their neighbours. */
enum { PASSES = 20 };
/* Ten times the weight that dltf gives to the data: a little incoherence helps here, too. */
static const double THETA = 0.1;
enum { ITERATIONS = 5, MOST_SAMPLES = 10000 };

static int64_t default_k(int64_t bits) {
    return bits / 4;
}

static dltf_status train(dl_hash_training *t, dltf_hasher *h) {
    dltf_train_options options = dltf_train_options_default();
    options.encoder = DLTF_ENCODER_TIED;
    options.k = h->k;
    options.iterations = ITERATIONS;
    options.theta = options.theta_start = THETA;
    return dl_sparse_learn(t, &options, MOST_SAMPLES, h);
}

static dltf_status prepare(dltf_hasher *h) {
    dltf_model_view parts = {.m = h->bits,
                             .n = h->n,
                             .k = h->k,
                             .dictionary = dl_hasher_tensor(h, "dictionary"),
                             .select = DLTF_SELECT_POSITIVE};
    dltf_status status = dl_sparse_check(h);
    return status == DLTF_OK ? dltf_model_new(&parts, &h->model) : status;
}

static dltf_status open(const dltf_hasher *h, int threads, void **run) {
    dltf_encode_options options = dltf_encode_options_default();
    dltf_encoder *encoder = NULL;
    options.coder = DLTF_CODER_IHT;
    options.passes = PASSES;
    options.threads = threads;
    dltf_status status = dltf_encoder_new(h->model, &options, &encoder);
    *run = encoder;
    return status;
}

static void close(void *run) {
    dltf_encoder_free(run);
}

static void tile(const dltf_hasher *h, dl_hash_space *space, const float *X, int64_t x_stride, int64_t rows,
                 uint8_t *codes) {
    dl_encoder_tile(space->run, space->worker, X, x_stride, rows, dl_slots_from(&space->slots, 0, rows));
    dl_sparse_bits(h, space, rows, codes);
}

const dl_hash_method dl_hash_sparseh = {.name = "sparseh",
                                        .default_k = default_k,
                                        .tensors = dl_sparse_tensors,
                                        .train = train,
                                        .prepare = prepare,
                                        .open = open,
                                        .close = close,
                                        .tile = tile};
