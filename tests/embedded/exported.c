/* Writes dense codes of the samples on standard input, both as raw float32, with an exported model: model.h,
 * or with -DSEPARATE one that another source file defines. */
#ifdef SEPARATE
#include <dltf.h>
extern const dltf_model_view model;
#else
#include "model.h"
#include "model.h" /* its guard */
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    dltf_model *made = NULL;
    dltf_encoder *encoder = NULL;
    if (dltf_model_new(&model, &made) || dltf_encoder_new(made, NULL, &encoder))
        return fprintf(stderr, "%s\n", dltf_message()), 1;
    size_t n = (size_t)model.n, m = (size_t)model.m, k = (size_t)model.k;
    float *x = calloc(n, sizeof *x), *z = calloc(m, sizeof *z), *value = calloc(k, sizeof *value);
    int32_t *index = calloc(k, sizeof *index), count = 0;
    while (x && z && value && index && fread(x, sizeof *x, n, stdin) == n) {
        if (dltf_encoder_run(encoder, dltf_matrix_f32(x, 1, model.n), &count, index, value))
            return fprintf(stderr, "%s\n", dltf_message()), 1;
        memset(z, 0, m * sizeof *z);
        for (int32_t e = 0; e < count; e++)
            z[index[e]] = value[e];
        if (fwrite(z, sizeof *z, m, stdout) != m)
            return 1;
    }
    free(x);
    free(z);
    free(value);
    free(index);
    dltf_encoder_free(encoder);
    dltf_model_free(made);
    return 0;
}
