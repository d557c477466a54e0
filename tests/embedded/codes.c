/* Writes codes of many models and kinds of samples to standard output. Linked with the small library and with
 * the full one; same-codes compares their output. Uses only functions of the small library. Usage: codes
 * MODEL_FILE */
#include "../unit/test_size.h"

#include <dltf.h>

#include <stdio.h>

enum { ROWS = 100 }; /* more than a tile */

static void require(int condition, const char *what) {
    if (condition)
        return;
    fprintf(stderr, "codes: %s: %s\n", what, dltf_message());
    exit(EXIT_FAILURE);
}

static void *allocate(int64_t count, size_t size) {
    void *memory = calloc((size_t)count, size);
    require(memory != NULL, "calloc");
    return memory;
}

/* Numbers from -1 to 1 on a coarse grid, so that ties and zeros occur. */
static float number(void) {
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (float)(int32_t)(state >> 24) / 128 - 1;
}

static float *numbers(int64_t count) {
    float *x = allocate(count, sizeof *x);
    for (int64_t i = 0; i < count; i++)
        x[i] = number();
    return x;
}

static void put(const void *bytes, int64_t count, size_t size) {
    require(fwrite(bytes, size, (size_t)count, stdout) == (size_t)count, "fwrite");
}

static void put_codes(const dltf_model *model, dltf_matrix X, const dltf_encode_options *encoding) {
    dltf_codes *codes = NULL;
    double error = 0;
    require(dltf_encode(model, X, encoding, NULL, NULL, &codes) == DLTF_OK, "dltf_encode");
    dltf_csr csr = dltf_codes_csr(codes);
    put(csr.indptr, csr.rows + 1, sizeof *csr.indptr);
    put(csr.indices, csr.indptr[csr.rows], sizeof *csr.indices);
    put(csr.values, csr.indptr[csr.rows], sizeof *csr.values);
    require(dltf_reconstruction_error(model, X, codes, &error) == DLTF_OK, "dltf_reconstruction_error");
    put(&error, 1, sizeof error);
    dltf_codes_free(codes);
}

/* One sample at a time, without the unused entries after the end of a code. */
static void put_single_codes(const dltf_model *model, dltf_matrix X, const dltf_encode_options *encoding) {
    dltf_encoder *encoder = NULL;
    require(dltf_encoder_new(model, encoding, &encoder) == DLTF_OK, "dltf_encoder_new");
    int64_t k = dltf_encoder_k(encoder);
    int32_t count = 0, *index = allocate(k, sizeof *index);
    float *value = allocate(k, sizeof *value), *x = allocate(X.cols, sizeof *x);
    for (int64_t i = 0; i < X.rows; i++) {
        dltf_matrix_row(X, i, x);
        require(dltf_encoder_run(encoder, dltf_matrix_f32(x, 1, X.cols), &count, index, value) == DLTF_OK,
                "dltf_encoder_run");
        put(index, count, sizeof *index);
        put(value, count, sizeof *value);
    }
    free(index);
    free(value);
    free(x);
    dltf_encoder_free(encoder);
}

static void put_all_codes(const dltf_model *model) {
    int64_t n = dltf_model_get(model).n;
    float *x = numbers(ROWS * n);
    double *wide = allocate(ROWS * n, sizeof *wide);
    uint8_t *bytes = allocate(ROWS * n, sizeof *bytes);
    for (int64_t i = 0; i < ROWS * n; i++) {
        wide[i] = (double)x[i];
        bytes[i] = (uint8_t)(127 * x[i] + 128);
    }
    for (int refit = 0; refit < 2; refit++)
        for (dltf_select select = DLTF_SELECT_ABS; select <= DLTF_SELECT_POSITIVE; select++) {
            dltf_encode_options encoding = dltf_encode_options_default();
            encoding.refit = refit;
            encoding.select = select;
            encoding.threads = 2; /* ignored by the small library, which has one */
            put_codes(model, dltf_matrix_f32(x, ROWS, n), &encoding);
            put_codes(model, dltf_matrix_f64(wide, ROWS, n), &encoding);
            put_codes(model, dltf_matrix_u8(bytes, ROWS, n), &encoding);
            put_single_codes(model, dltf_matrix_u8(bytes, ROWS / 10, n), &encoding);
            if (refit) /* of least-squares values: nothing new */
                continue;
            encoding.coder = DLTF_CODER_SHORTLIST;
            put_codes(model, dltf_matrix_f32(x, ROWS, n), &encoding);
            put_single_codes(model, dltf_matrix_f32(x, ROWS / 10, n), &encoding);
        }
    put_single_codes(model, dltf_matrix_f32(x, ROWS, n), NULL);
    free(x);
    free(wide);
    free(bytes);
}

static void from_arrays(int64_t n, int64_t m, int64_t k, bool full) {
    dltf_model *model = NULL;
    float *W = numbers(m * n), *E = numbers(m * n), *b = numbers(m), *mean = numbers(n), *offset = numbers(n);
    dltf_model_view parts = {.m = m, .n = n, .k = k, .dictionary = W};
    if (full) {
        parts.encoder = E;
        parts.bias = b;
        parts.mean = mean;
        parts.offset = offset;
        parts.unit_norm = true;
        parts.select = DLTF_SELECT_POSITIVE;
    }
    require(dltf_model_new(&parts, &model) == DLTF_OK, "dltf_model_new");
    put_all_codes(model);
    dltf_model_free(model);
    free(W);
    free(E);
    free(b);
    free(mean);
    free(offset);
}

/* Loads a model file by name, then from its bytes at an odd address. */
static void from_file(const char *path) {
    enum { MAX_SIZE = 1 << 20 };
    dltf_model *model = NULL;
    require(dltf_model_load(path, &model) == DLTF_OK, "dltf_model_load");
    put_all_codes(model);
    dltf_model_free(model);
    uint8_t *bytes = allocate(MAX_SIZE, 1);
    FILE *file = fopen(path, "rb");
    require(file != NULL, path);
    int64_t size = (int64_t)fread(bytes + 1, 1, MAX_SIZE - 1, file);
    require(fclose(file) == 0, path);
    require(dltf_model_read(bytes + 1, size, &model) == DLTF_OK, "dltf_model_read");
    free(bytes);
    put_all_codes(model);
    dltf_model_free(model);
}

int main(int argc, char **argv) {
    require(argc == 2, "usage: codes MODEL_FILE");
    bool small = test_small();
    for (int full = 0; full < 2; full++) {
        from_arrays(1, 1, 1, full);
        from_arrays(7, 40, 5, full);
        from_arrays(64, 128, 8, full);
        from_arrays(33, 300, 40, full);
        from_arrays(4, small ? 1100 : 3000, 20, full); /* atoms in several blocks */
    }
    from_file(argv[1]);
    require(fflush(stdout) == 0, "stdout");
    return 0;
}
