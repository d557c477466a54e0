/* Encodes samples with a model that is part of the program; needs only the small library and libm. Reads
 * samples from standard input, each n floats in host byte order, and prints a line for each: its atoms and
 * their values. Encoding allocates no memory.
 *
 *     dltf export MODEL --c -o model.h
 *     cc -I. embedded_array.c -ldltf-encoder -lm -Wl,--gc-sections && ./a.out < samples.f32
 */
#include "model.h"

#include <dltf.h>

#include <stdio.h>

int main(void) {
    static float x[model_n], value[model_k];
    static int32_t index[model_k], count;
    dltf_model *made = NULL;
    dltf_encoder *encoder = NULL;
    dltf_status status = dltf_model_new(&model, &made);
    if (status == DLTF_OK)
        status = dltf_encoder_new(made, NULL, &encoder);
    while (status == DLTF_OK && fread(x, sizeof *x, model_n, stdin) == model_n) {
        status = dltf_encoder_run(encoder, dltf_matrix_f32(x, 1, model_n), &count, index, value);
        for (int32_t e = 0; e < count && status == DLTF_OK; e++)
            printf("%d:%.9g%s", (int)index[e], (double)value[e], e < count - 1 ? " " : "\n");
    }
    if (status != DLTF_OK)
        fprintf(stderr, "%s error: %s\n", dltf_status_name(status), dltf_message());
    dltf_encoder_free(encoder);
    dltf_model_free(made);
    return status == DLTF_OK ? 0 : 1;
}
