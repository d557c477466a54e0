/* A hashing method: which tensors a hasher consists of, how they are trained, and how they turn samples into
 * bits. A file NAME.c that defines dl_hash_NAME, and a row of DLTF_HASH_METHODS. */
#ifndef DL_HASH_METHOD_H
#define DL_HASH_METHOD_H

#include "base/handle.h"
#include "base/meter.h"
#include "coding/feature.h"
#include "data/state.h"
#include "dltf/hash.h"

/* Sizes of tensors, in terms of those of the hasher. */
typedef enum dl_hash_size {
    DL_HASH_NONE, /* as columns: a vector */
    DL_HASH_BITS,
    DL_HASH_COLUMNS,    /* of the samples */
    DL_HASH_COMPONENTS, /* the smaller of both */
} dl_hash_size;

typedef struct dl_hash_tensor {
    const char *name; /* NULL ends a list */
    dl_tensor_type type;
    dl_hash_size rows, cols;
} dl_hash_tensor;

typedef struct dl_hash_method dl_hash_method;

struct dltf_hasher {
    dl_handle handle;
    const dl_hash_method *method;
    int64_t bits, n;
    int64_t k;         /* of methods with sparse codes, otherwise 0 */
    dl_bundle content; /* the tensors of the method, and notes */
    const float *mean; /* n, subtracted from samples; in content */

    /* Prepared for coding. */
    dl_packed scores;
    dltf_model *model;
};

/* What a hasher is trained with. */
typedef struct dl_hash_training {
    const float *X; /* N x n, the mean subtracted, in random order */
    int64_t N, n;
    dltf_hash_options options; /* bits, k and iterations filled in */
    int threads;
    dl_meter meter; /* the method sets its total */

    /* Checkpoints, of methods that call dl_hash_enter. */
    const dl_bundle *resumed; /* the one to continue; NULL: none */
    uint64_t checksum;        /* of the samples */
    int64_t step;             /* iterations done */
    dl_field fields[6];
    int field_count;
    struct dltf_state state;
} dl_hash_training;

/* The work space of one thread for the codes of DL_TILE samples. */
typedef struct dl_hash_space {
    double *row;
    float *X;      /* DL_TILE x n */
    float *scores; /* DL_TILE x bits */
    uint32_t *keys;
    dl_slots slots; /* of k entries */
    int worker;
    void *run;       /* of the method, shared by all threads */
    bool not_finite; /* a score was */
} dl_hash_space;

struct dl_hash_method {
    const char *name;
    int64_t (*default_k)(int64_t bits); /* of sparse codes; NULL: codes are not sparse */
    int64_t default_iterations;
    const dl_hash_tensor *tensors; /* besides `mean` */
    /* Checks the training beyond what is common to all methods; NULL: nothing. */
    dltf_status (*check)(const dl_hash_training *t);
    /* Fills the tensors, which are zero. */
    dltf_status (*train)(dl_hash_training *t, dltf_hasher *h);
    /* Checks tensors that are known to be finite, and prepares the hasher for coding. */
    dltf_status (*prepare)(dltf_hasher *h);
    /* Makes what one call of dltf_hasher_apply needs; NULL: nothing. */
    dltf_status (*open)(const dltf_hasher *h, int threads, void **run);
    void (*close)(void *run);
    /* Bits of up to DL_TILE preprocessed samples, `x_stride` apart; `codes` is zero. */
    void (*tile)(const dltf_hasher *h, dl_hash_space *space, const float *X, int64_t x_stride, int64_t rows,
                 uint8_t *codes);
};

/* NULL if there is none. */
const dl_hash_method *dl_hash_method_find(dltf_hash_method method);
const dl_hash_method *dl_hash_method_named(const char *name);

#define DL_DECLARE_HASH(NAME, name, help) extern const dl_hash_method dl_hash_##name;
DLTF_HASH_METHODS(DL_DECLARE_HASH)
#undef DL_DECLARE_HASH

#endif
