/* What methods with sparse codes share. */
#include "hash/sparse.h"

#include "base/integer.h"

#include <math.h>
#include <string.h>

const dl_hash_tensor dl_sparse_tensors[] = {{"dictionary", DL_TENSOR_F32, DL_HASH_BITS, DL_HASH_COLUMNS},
                                            {.name = NULL}};

dltf_status dl_sparse_learn(dl_hash_training *t, dltf_train_options *options, int64_t samples,
                            dltf_hasher *h) {
    dltf_model *model = NULL;
    options->m = h->bits;
    options->select = DLTF_SELECT_POSITIVE;
    options->seed = t->options.seed;
    options->threads = t->threads;
    dltf_status status = dltf_train(dltf_matrix_f32(t->X, dl_min(t->N, samples), t->n), options,
                                    t->meter.progress, t->meter.context, &model);
    if (status != DLTF_OK)
        return status;
    memcpy(dl_hasher_tensor(h, "dictionary"), dltf_model_get(model).dictionary,
           (size_t)(h->bits * h->n) * sizeof(float));
    dltf_model_free(model);
    return DLTF_OK;
}

dltf_status dl_sparse_check(const dltf_hasher *h) {
    const float *dictionary = dl_hasher_tensor(h, "dictionary");
    for (int64_t j = 0; j < h->bits; j++) {
        double norm = sqrt(dl_kernels_now()->square(dictionary + j * h->n, h->n));
        if (!(fabs(norm - 1) <= 1e-4))
            return dl_fail(DLTF_FORMAT, "row %lld of the dictionary has norm %g: expected 1", (long long)j,
                           norm);
    }
    return DLTF_OK;
}

void dl_sparse_bits(const dltf_hasher *h, dl_hash_space *space, int64_t rows, uint8_t *codes) {
    const dl_slots *slots = &space->slots;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t e = 0; e < slots->count[i]; e++) {
            if (!isfinite(slots->value[i * slots->k + e]))
                space->not_finite = true;
            dl_hash_set_bit(codes + i * h->bits / 8, slots->index[i * slots->k + e]);
        }
}
