/* Encodes a stream of samples on a small machine; needs only the small library, jansson and libm. Reads a
 * model file, then samples from standard input, each n floats in host byte order, and prints a line for each:
 * its atoms and their values. Encoding allocates no memory.
 *
 *     cc embedded_encoder.c $(pkg-config --cflags --libs dltf-encoder) && ./a.out MODEL < samples.f32
 */
#include <dltf.h>

#include <stdio.h>
#include <stdlib.h>

static void check(dltf_status status) {
    if (status == DLTF_OK)
        return;
    fprintf(stderr, "%s error: %s\n", dltf_status_name(status), dltf_message());
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: embedded_encoder MODEL < SAMPLES\n");
        return 2;
    }
    dltf_model *model = NULL;
    dltf_encoder *encoder = NULL;
    check(dltf_model_load(argv[1], &model));
    check(dltf_encoder_new(model, NULL, &encoder));

    int64_t n = dltf_model_get(model).n, k = dltf_encoder_k(encoder);
    float *x = calloc((size_t)n, sizeof *x), *value = calloc((size_t)k, sizeof *value);
    int32_t *index = calloc((size_t)k, sizeof *index), count = 0;
    if (!x || !value || !index)
        return EXIT_FAILURE;

    while (fread(x, sizeof *x, (size_t)n, stdin) == (size_t)n) {
        check(dltf_encoder_run(encoder, dltf_matrix_f32(x, 1, n), &count, index, value));
        for (int32_t e = 0; e < count; e++)
            printf("%s%d:%g", e > 0 ? " " : "", (int)index[e], (double)value[e]);
        putchar('\n');
    }

    free(x);
    free(value);
    free(index);
    dltf_encoder_free(encoder);
    dltf_model_free(model);
    return EXIT_SUCCESS;
}
