/* A module of another program, loaded and unloaded by unload.c: encodes with two threads. */
#include <dltf.h>

enum { ROWS = 4096, COLUMNS = 16 };

/* Every sample has the atom 1. */
DLTF_API int plugin_run(void) {
    static float atoms[2 * COLUMNS], x[ROWS * COLUMNS];
    atoms[0] = atoms[COLUMNS + 1] = 1;
    for (int i = 0; i < ROWS; i++)
        x[i * COLUMNS + 1] = 2;
    dltf_model *model = NULL;
    dltf_codes *codes = NULL;
    dltf_encode_options encoding = dltf_encode_options_default();
    encoding.threads = 2;
    dltf_model_view parts = {.m = 2, .n = COLUMNS, .k = 1, .dictionary = atoms, .select = DLTF_SELECT_ABS};
    int failed = dltf_model_new(&parts, &model) ||
                 dltf_encode(model, dltf_matrix_f32(x, ROWS, COLUMNS), &encoding, NULL, NULL, &codes) ||
                 dltf_codes_csr(codes).indices[ROWS - 1] != 1;
    dltf_codes_free(codes);
    dltf_model_free(model);
    return failed;
}
