/* dltf_micro: thresholded features z = max_k(E x - b) on a microcontroller.
 *
 * In C99 without a C library: no heap, no global variables, no thread-local storage. Compile dltf_micro.c for
 * fixed point; float32 models, refit and dltf_micro_quantise need dltf_micro_f32.c, too. Models are constants
 * in flash, written by `dltf export MODEL --micro`:
 *
 *     dltf export X.model.safetensors --micro --bits 8 --data X.npy -o model.h
 *
 *     static uint64_t work[model_work];
 *     static uint16_t index[model_k];
 *     static int32_t value[model_k];
 *     dltf_micro_code code = dltf_micro_encode(&model, x, work, index, value);
 *
 * index[0 .. code.count-1] are the selected rows, ascending; the score of entry p is
 *
 *     value[p] * model.value_scale * 2^code.exponent.
 *
 * With weights of 8 or 16 bits, encoding and decoding use integers only: for a CPU without floating point
 * nothing of a floating-point library is linked, unless the program itself converts values to float or calls
 * a function below "Floating point". Compile with -ffunction-sections and link with -Wl,--gc-sections.
 *
 * Right shifts of negative numbers must be arithmetic, and conversions to int16_t and int8_t modulo 2^16 and
 * 2^8, as with every compiler for these CPUs. */
#ifndef DLTF_MICRO_H
#define DLTF_MICRO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DLTF_MICRO_ROWS = 4 }; /* rows that are multiplied at once */

enum {                             /* flags of a model */
       DLTF_MICRO_POSITIVE = 1,    /* select the k largest positive scores; otherwise magnitudes */
       DLTF_MICRO_REMOVE_MEAN = 2, /* first subtract from each sample the mean of its entries */
       DLTF_MICRO_UNIT_NORM = 4    /* then scale it to norm 1; only with float32 weights */
};

/* Limits of a model, and the words of work space of an encoder: constant expressions. */
#define DLTF_MICRO_MAX_SIZE 32767 /* of m and n */
#define DLTF_MICRO_MAX_K 255
#define DLTF_MICRO_WORK(n, k) (((n) + 7) / 8 * 2 + (k))
#define DLTF_MICRO_WORK_F32(k) (k)

/* Does not compile if a size is out of range. */
#define DLTF_MICRO_CHECK(name, m, n, k)                                                                      \
    typedef char name##_sizes_in_range[(m) >= 1 && (m) <= DLTF_MICRO_MAX_SIZE && (n) >= 1 &&                 \
                                               (n) <= DLTF_MICRO_MAX_SIZE && (k) >= 1 && (k) <= (m) &&       \
                                               (k) <= DLTF_MICRO_MAX_K                                       \
                                           ? 1                                                               \
                                           : -1]

/* ---- Fixed point ---- */

/* m rows of n weights, integers q of 8 or 16 bits: weight (r, d) is scale * factor[r] * q(r, d). Rows are
 * padded with zeros to whole words, m to whole groups of four rows; a group stores the first words of its
 * four rows, then the second words, and so on. A word holds four numbers of 16 bits, the first in the lowest
 * bits: four weights of 16 bits, or eight of 8 bits, w0 to w7, as 256 w1 + w0, 256 w3 + w2 and so on. */
typedef struct dltf_micro_rows {
    const uint64_t *words;
    const int16_t *factor; /* m, and zeros to a multiple of four; 0 to 32767 */
    float scale;
} dltf_micro_rows;

typedef struct dltf_micro_model {
    uint16_t m, n;
    uint8_t k;
    uint8_t bits;       /* of a weight: 8 or 16 */
    uint8_t input_bits; /* of an entry of a sample, 8: int8_t; 16: int16_t */
    uint8_t flags;
    uint8_t shift;      /* products are divided by 2^shift, so that they fit 31 bits */
    uint8_t bias_shift; /* the bias is given in units of value_scale * 2^bias_shift */
    dltf_micro_rows encoder;
    const int32_t *bias;        /* m, below 2^29; subtracted from the scores; NULL: none */
    float value_scale;          /* see above */
    float input_scale;          /* a sample is input_scale times its integers */
    dltf_micro_rows dictionary; /* for decode and refit; words is NULL if it was not exported */
    const float *center;        /* n, for refit: subtracted from samples; NULL: none */
    uint16_t decode_factor;     /* decoded entries: sums of products times decode_factor / 2^decode_shift */
    int8_t decode_shift;
} dltf_micro_model;

typedef struct dltf_micro_code {
    uint8_t count;   /* entries, at most k; fewer if fewer scores qualify: a score of 0 is never selected */
    int8_t exponent; /* see above */
} dltf_micro_code;

/* z = max_k(E x - b), with ties going to the lowest row. `x` points to n entries of input_bits, `work` to
 * DLTF_MICRO_WORK(n, k) words, `index` and `value` to k entries. An int8_t entry of -128 counts as -127.
 *
 * With 8-bit weights the sample is rounded to 8 bits, with 16-bit weights to 16 bits; if it has more, it is
 * first divided by a power of two that depends on its largest entry. Nothing can overflow (dltf_micro.c). */
dltf_micro_code dltf_micro_encode(const dltf_micro_model *model, const void *x, uint64_t *work,
                                  uint16_t *index, int32_t *value);

/* out = W z in steps of input_scale, rounded and saturated: the reconstruction of the sample that was coded,
 * after its preprocessing (without the mean that was removed from it). */
void dltf_micro_decode(const dltf_micro_model *model, dltf_micro_code code, const uint16_t *index,
                       const int32_t *value, int16_t *out);

/* ---- Floating point ---- */

typedef enum dltf_micro_type { DLTF_MICRO_I8, DLTF_MICRO_I16, DLTF_MICRO_F32 } dltf_micro_type;

/* A model with float32 weights. Samples of integers are multiplied by input_scale. Preprocessing: subtract
 * `mean`, remove the mean of the entries, scale to norm 1, subtract `offset`, each if the model says so. */
typedef struct dltf_micro_model_f32 {
    uint16_t m, n;
    uint8_t k;
    uint8_t input; /* dltf_micro_type */
    uint8_t flags;
    const float *encoder;    /* m x n */
    const float *bias;       /* m; NULL: none */
    const float *mean;       /* n; NULL: none */
    const float *offset;     /* n; NULL: none */
    const float *dictionary; /* m x n, for decode and refit; may be the encoder; NULL: not exported */
    float input_scale;
} dltf_micro_model_f32;

/* The same with float32 weights; `work` holds k words, `sample`, which becomes the preprocessed sample, n.
 * Returns the number of entries. Entries of x must be finite and so small that scores do not overflow. */
uint8_t dltf_micro_encode_f32(const dltf_micro_model_f32 *model, const void *x, uint64_t *work, float *sample,
                              uint16_t *index, float *value);

/* out = W z. */
void dltf_micro_decode_f32(const dltf_micro_model_f32 *model, uint8_t count, const uint16_t *index,
                           const float *value, float *out);

/* Refit: value = argmin ||x - sum_p value[p] w_index[p]||, for at most DLTF_MICRO_MAX_REFIT entries. Needs
 * the dictionary; an atom that depends on the earlier ones gets the value 0. O(count^2 n). */
#define DLTF_MICRO_MAX_REFIT 32
#define DLTF_MICRO_WORK_REFIT(k) ((k) * ((k) + 1) / 2)

/* `sample` must be as dltf_micro_encode_f32 left it. */
void dltf_micro_refit_f32(const dltf_micro_model_f32 *model, const float *sample, uint8_t count,
                          const uint16_t *index, float *value, float *refit_work);

/* For a code of dltf_micro_encode. Sums are integers; 32-bit floating point is used from the normal equations
 * on. Values are then real numbers: no scale and no exponent. */
void dltf_micro_refit(const dltf_micro_model *model, const void *x, uint8_t count, const uint16_t *index,
                      float *value, float *refit_work);

/* Samples of floats for a model in fixed point: out = x / input_scale, rounded and saturated; 0 for NaN.
 * Export the model with --input int16. */
void dltf_micro_quantise(const float *x, uint16_t n, float input_scale, int16_t *out);

#ifdef __cplusplus
}
#endif

#endif
