/* Counts the allocations of a program that uses the small library: none while encoding. The linker
 * substitutes the functions below for those of the C library (--wrap). Also checks what this library
 * refuses. */
#include <dltf.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int allocations;

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    allocations++;
    return __real_aligned_alloc(alignment, size);
}

void *__wrap_malloc(size_t size) {
    allocations++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    allocations++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size) {
    allocations++;
    return __real_realloc(memory, size);
}

enum { N = 5, M = 2000, K = 3, ROWS = 150 };

/* Allocations while an encoder encodes in every way, and in `making` while it is created; -1 on failure. */
static int count_allocations(const dltf_model *model, dltf_coder coder, bool refit, int *making) {
    static float x[ROWS * N], value[ROWS * K];
    static double wide[ROWS * N];
    static int32_t count[ROWS], index[ROWS * K];
    dltf_encoder *encoder = NULL;
    dltf_encode_options encoding = dltf_encode_options_default();
    encoding.coder = coder;
    encoding.refit = refit;
    for (int i = 0; i < ROWS * N; i++)
        wide[i] = (double)(x[i] = (float)((i * 7 + 3) % 11) - 5);

    int before = allocations;
    dltf_status status = dltf_encoder_new(model, &encoding, &encoder);
    *making = allocations - before;
    before = allocations;
    for (int i = 0; i < ROWS && status == DLTF_OK; i++)
        status = dltf_encoder_run(encoder, dltf_matrix_f32(x + i * N, 1, N), count, index, value);
    if (status == DLTF_OK)
        status = dltf_encoder_run(encoder, dltf_matrix_f32(x, ROWS, N), count, index, value);
    if (status == DLTF_OK)
        status = dltf_encoder_run(encoder, dltf_matrix_f64(wide, ROWS, N), count, index, value);
    int running = allocations - before;
    dltf_encoder_free(encoder);
    return status == DLTF_OK ? running : -1;
}

/* Whether an encoding fails with this message. */
static bool refuses(const dltf_model *model, dltf_encode_options encoding, const char *message) {
    dltf_encoder *encoder = NULL;
    bool refused = dltf_encoder_new(model, &encoding, &encoder) == DLTF_ARGUMENT && !encoder &&
                   strcmp(dltf_message(), message) == 0;
    if (!refused)
        fprintf(stderr, "should fail with \"%s\": %s\n", message, encoder ? "it did not" : dltf_message());
    dltf_encoder_free(encoder);
    return refused;
}

int main(void) {
    static float W[M * N];
    dltf_model *model = NULL;
    dltf_model_view parts = {.m = M, .n = N, .k = K, .dictionary = W};
    for (int i = 0; i < M * N; i++)
        W[i] = (float)((i * 5 + 1) % 13) - 6;
    if (dltf_model_new(&parts, &model) != DLTF_OK)
        return fprintf(stderr, "%s\n", dltf_message()), 1;
    bool right = true;
    const dltf_coder coders[] = {DLTF_CODER_THRESHOLD, DLTF_CODER_SHORTLIST};
    for (int trial = 0; trial < 4; trial++) {
        bool refit = trial % 2;
        int making = 0, running = count_allocations(model, coders[trial / 2], refit, &making);
        printf("%d allocations for the encoder%s, %d for its codes\n", making, refit ? " with refit" : "",
               running);
        right = right && making > 0 && running == 0; /* making > 0: the counter works */
    }
    right =
        right && refuses(model,
                         (dltf_encode_options){
                             .size = sizeof(dltf_encode_options), .coder = DLTF_CODER_SHORTLIST, .lists = 2},
                         "lists: unsupported: this library makes one list only");
    right =
        right &&
        refuses(model, (dltf_encode_options){.size = sizeof(dltf_encode_options), .coder = DLTF_CODER_OMP},
                "coder: unsupported: this library has only threshold and shortlist");
    dltf_model_free(model);
    return right ? 0 : 1;
}
