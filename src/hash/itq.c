/* Iterative quantisation: training of the rotation. The hasher is linear: rows of R^T times the components.
 */
#include "hash/itq.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "dltf/cluster.h"
#include "hash/linear.h"
#include "linalg/blas.h"

/* Samples of a task, and columns of V^T B of a task. Fixed, so that sums do not depend on threads. */
enum { BLOCK = 1024, PANEL = 32, ITERATIONS = 50 };

dltf_status dl_itq_alloc(dl_itq *itq, const float *V, int64_t N, int64_t m, int64_t seed, int threads) {
    dltf_status status = DLTF_OK;
    dl_random random = {(uint64_t)seed, DL_STREAM_HASH};
    *itq = (dl_itq){.V = V, .N = N, .m = m, .threads = threads};
    DL_TRY_NEW(itq->R, m * m);
    DL_TRY_NEW(itq->R32, m * m);
    DL_TRY_NEW(itq->B, N * m);
    DL_TRY_NEW(itq->panels, threads * PANEL * m);
    DL_TRY_NEW(itq->C, m * m);
    DL_TRY_NEW(itq->scratch, dl_polar_scratch(m));
    for (int64_t e = 0; e < m * m; e++)
        itq->R[e] = dl_random_normal(random, (uint64_t)e);
    if (!dl_polar(itq->R, m, itq->scratch))
        status = dl_fail(DLTF_NUMERIC, "itq: the singular value decomposition did not converge");
done:
    return status;
}

void dl_itq_free(dl_itq *itq) {
    dl_free(itq->R);
    dl_free(itq->R32);
    dl_free(itq->B);
    dl_free(itq->panels);
    dl_free(itq->C);
    dl_free(itq->scratch);
}

/* B = sign(VR) for a block of samples. */
static void quantise(void *context, int64_t block, int worker) {
    (void)worker;
    const dl_itq *itq = context;
    int64_t m = itq->m, first = block * BLOCK, rows = dl_min(BLOCK, itq->N - first);
    float *B = itq->B + first * m;
    dl_gemm32(DL_PLAIN, DL_PLAIN, rows, m, m, itq->V + first * m, m, itq->R32, m, B, m);
    for (int64_t e = 0; e < rows * m; e++)
        B[e] = B[e] > 0 ? 1 : -1;
}

/* Some rows of C = V^T B. */
static void correlate(void *context, int64_t panel, int worker) {
    const dl_itq *itq = context;
    int64_t m = itq->m, first = panel * PANEL, count = dl_min(PANEL, m - first);
    double *C = itq->C + first * m;
    for (int64_t e = 0; e < count * m; e++)
        C[e] = 0;
    for (int64_t i = 0; i < itq->N; i += BLOCK)
        dl_accumulate_tn(itq->V + i * m + first, m, itq->B + i * m, dl_min(BLOCK, itq->N - i), count, m,
                         itq->panels + worker * PANEL * m, C);
}

dltf_status dl_itq_step(dl_itq *itq) {
    int64_t m = itq->m;
    for (int64_t e = 0; e < m * m; e++)
        itq->R32[e] = (float)itq->R[e];
    if (!dl_parallel_polled(itq->threads, dl_tiles(itq->N, BLOCK), quantise, itq) ||
        !dl_parallel_polled(itq->threads, dl_tiles(m, PANEL), correlate, itq))
        return dl_hash_cancelled();
    for (int64_t e = 0; e < m * m; e++)
        itq->R[e] = itq->C[e];
    if (!dl_polar(itq->R, m, itq->scratch))
        return dl_fail(DLTF_NUMERIC, "itq: the singular value decomposition did not converge");
    return DLTF_OK;
}

/* encoder = R^T components (m x n). */
static void make_encoder(const dl_itq *itq, dltf_pca_view pca, float *encoder) {
    for (int64_t e = 0; e < itq->m * itq->m; e++)
        itq->R32[e] = (float)itq->R[e];
    dl_gemm32(DL_TRANSPOSED, DL_PLAIN, itq->m, pca.n, itq->m, itq->R32, itq->m, pca.components, pca.n,
              encoder, pca.n);
}

static dltf_status check(const dl_hash_training *t) {
    int64_t most = dl_min(t->N, t->n), bits = t->options.bits;
    if (bits <= most)
        return DLTF_OK;
    return dl_fail_option(DLTF_ARGUMENT, "bits",
                          "%lld is more than itq can make of %lld samples with %lld columns: at most %lld",
                          (long long)bits, (long long)t->N, (long long)t->n, (long long)most);
}

static dltf_status train(dl_hash_training *t, dltf_hasher *h) {
    dltf_status status = DLTF_OK;
    dltf_pca *pca = NULL;
    float *V = NULL;
    dl_itq itq = {0};
    dltf_matrix X = dltf_matrix_f32(t->X, t->N, t->n);
    DL_TRY_NEW(V, t->N * h->bits);
    DL_TRY(dltf_pca_train(X, h->bits, t->threads, &pca));
    DL_TRY(dltf_pca_apply(pca, X, t->threads, V));
    DL_TRY(dl_itq_alloc(&itq, V, t->N, h->bits, t->options.seed, t->threads));
    dl_field R = {"R", DL_TENSOR_F64, h->bits, h->bits, itq.R};
    DL_TRY(dl_hash_enter(t, &R, 1));
    while (t->step < t->options.iterations) {
        DL_TRY(dl_itq_step(&itq));
        DL_TRY(dl_hash_step(t));
    }
    make_encoder(&itq, dltf_pca_get(pca), dl_hasher_tensor(h, "encoder"));
done:
    dl_itq_free(&itq);
    dltf_pca_free(pca);
    dl_free(V);
    return status;
}

static const dl_hash_tensor tensors[] = {DL_HASH_ENCODER, {.name = NULL}};

const dl_hash_method dl_hash_itq = {.name = "itq",
                                    .default_iterations = ITERATIONS,
                                    .tensors = tensors,
                                    .check = check,
                                    .train = train,
                                    .prepare = dl_linear_prepare,
                                    .tile = dl_linear_tile};
