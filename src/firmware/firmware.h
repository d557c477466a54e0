/* Models for microcontrollers: constants of micro/dltf_micro.h made of a model, what they cost in accuracy,
 * and their C source. */
#ifndef DL_FIRMWARE_FIRMWARE_H
#define DL_FIRMWARE_FIRMWARE_H

#include "base/status.h"
#include "dltf/encode.h"
#include "micro/dltf_micro.h"

#include <stdio.h>

/* Weights: the values of --bits, in order. */
typedef enum dl_firmware_bits {
    DL_FIRMWARE_8,
    DL_FIRMWARE_16,
    DL_FIRMWARE_32,
    DL_FIRMWARE_BITS
} dl_firmware_bits;
#define DL_FIRMWARE_BITS_CHOICES "8|16|32"

/* Samples: the values of --input, in order. DEFAULT: of as many bits as the weights. */
typedef enum dl_firmware_input {
    DL_FIRMWARE_INPUT_DEFAULT,
    DL_FIRMWARE_INPUT_I8,
    DL_FIRMWARE_INPUT_I16,
    DL_FIRMWARE_INPUT_F32
} dl_firmware_input;
#define DL_FIRMWARE_INPUT_CHOICES "default|int8|int16|float32"

typedef struct dl_firmware_options {
    dl_firmware_bits bits;
    dl_firmware_input input;
    double input_scale; /* value of a step of an integer sample; 0: from data, 1 without data */
    bool refit;         /* add the dictionary, for refit and decoding; a tied encoder is the dictionary */
} dl_firmware_options;

/* One of two models, the other is zero. */
typedef struct dl_firmware {
    dl_firmware_options options;
    dltf_micro_model fixed;    /* 8 and 16 bits */
    dltf_micro_model_f32 real; /* 32 bits */
    bool converts;             /* samples are floats, the model in fixed point takes what dltf_micro_quantise
                                * makes of them */
    int64_t words;             /* of a packed matrix */
    void *owned[6];            /* arrays of the models; those of float32 belong to the original model */
    int owned_count;
} dl_firmware;

/* Makes the constants of a model. X, for the scale of integer samples, may be NULL. Fails if the model does
 * not fit or uses preprocessing that fixed point lacks. The model must outlive the result. */
dltf_status dl_firmware_new(const dltf_model *model, const dltf_matrix *X, const dl_firmware_options *options,
                            dl_firmware **made);
void dl_firmware_free(dl_firmware *firmware);

/* Bytes of constants, and of work space, index and value arrays. */
int64_t dl_firmware_flash(const dl_firmware *firmware);
int64_t dl_firmware_ram(const dl_firmware *firmware);

/* The codes of dltf_micro.c against those of the library, on the same samples. */
typedef struct dl_firmware_cost {
    int64_t samples;
    double wrong_atoms;        /* per code: |S xor S'| / 2 */
    double error, error_float; /* relative error: the firmware's codes, the library's */
    double refit, refit_float; /* the same with least-squares values */
} dl_firmware_cost;

dltf_status dl_firmware_measure(const dl_firmware *firmware, const dltf_model *model, dltf_matrix X,
                                dl_firmware_cost *cost);

/* A header with static constants, or a source file. */
void dl_firmware_write(const dl_firmware *firmware, FILE *out, const char *name, bool header);

/* ---- Parts ---- */

/* m, padded to whole groups of rows. */
static inline int64_t dl_firmware_rows(int64_t m) {
    return (m + DLTF_MICRO_ROWS - 1) / DLTF_MICRO_ROWS * DLTF_MICRO_ROWS;
}

/* m rows of n weights in 8 or 16 bits, as dltf_micro_rows describes; `words` has dl_firmware_words elements.
 * Fails for weights that are not finite. */
int64_t dl_firmware_words(int64_t m, int64_t n, int bits);
dltf_status dl_firmware_pack(const float *weights, int64_t m, int64_t n, int bits, uint64_t *words,
                             int16_t *factor, float *scale);

/* q(row, column) of packed weights. */
int32_t dl_firmware_weight(const uint64_t *words, int64_t n, int bits, int64_t row, int64_t column);

#endif
