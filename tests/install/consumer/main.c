/* A third-party program: encodes one sample with two atoms and prints the library's version. */
#include <dltf.h>

#include <stdio.h>

int main(void) {
    const float atoms[] = {1, 0, 0, 1}, x[] = {0, 2};
    dltf_model *model = NULL;
    dltf_codes *codes = NULL;
    dltf_encode_options encoding = dltf_encode_options_default();
    dltf_model_view parts = {.m = 2, .n = 2, .k = 1, .dictionary = atoms, .select = DLTF_SELECT_ABS};
    if (dltf_model_new(&parts, &model) ||
        dltf_encode(model, dltf_matrix_f32(x, 1, 2), &encoding, NULL, NULL, &codes))
        return fprintf(stderr, "%s\n", dltf_message()), 1;
    int right = dltf_codes_csr(codes).indices[0] == 1;
    dltf_codes_free(codes);
    dltf_model_free(model);
    return right ? puts(dltf_version()) < 0 : 1;
}
