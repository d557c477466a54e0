/* Learns a dictionary from synthetic samples, encodes new samples, and counts wrong atoms: with the learned
 * dictionary and with the true one.
 *
 *     cc train_encode.c $(pkg-config --cflags --libs dltf) && ./a.out
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

/* The mean number of wrong atoms in the codes of the test samples, after matching atoms with the true ones.
 */
static double wrong_atoms(const dltf_model *model, const dltf_synthetic *problem) {
    dltf_matrix truth = dltf_synthetic_dictionary(problem);
    dltf_model_view view = dltf_model_get(model);
    dltf_encode_options encoding = dltf_encode_options_default();
    dltf_codes *codes = NULL;
    dltf_support_score score;
    int32_t *match = calloc((size_t)view.m, sizeof *match);
    if (!match)
        exit(EXIT_FAILURE);

    check(dltf_match(dltf_matrix_f32(view.dictionary, view.m, view.n), truth, match, NULL));
    check(dltf_encode(model, dltf_synthetic_samples(problem, true), &encoding, NULL, NULL, &codes));
    check(dltf_supports_score(codes, dltf_synthetic_codes(problem, true), match, &score));

    dltf_codes_free(codes);
    free(match);
    return score.ave_dif;
}

int main(void) {
    /* 1,000 samples of 32 entries, each the sum of 4 out of 48 atoms plus a little noise. */
    dltf_synthetic_options synthetic = dltf_synthetic_options_default();
    synthetic.n = 32;
    synthetic.m = 48;
    synthetic.k = 4;
    synthetic.samples = 1000;
    dltf_synthetic *problem = NULL;
    check(dltf_synthetic_new(&synthetic, NULL, NULL, &problem));
    dltf_matrix truth = dltf_synthetic_dictionary(problem);

    dltf_train_options options = dltf_train_options_default();
    options.m = synthetic.m;
    options.k = synthetic.k;
    dltf_model *learned = NULL;
    check(dltf_train(dltf_synthetic_samples(problem, false), &options, NULL, NULL, &learned));

    dltf_model_view parts = {.m = synthetic.m,
                             .n = synthetic.n,
                             .k = synthetic.k,
                             .dictionary = truth.data,
                             .select = DLTF_SELECT_ABS};
    dltf_model *original = NULL;
    check(dltf_model_new(&parts, &original));

    double with_learned = wrong_atoms(learned, problem), with_original = wrong_atoms(original, problem);
    printf("wrong atoms per sample, out of %d:\n", (int)synthetic.k);
    printf("  %.2f with the learned dictionary\n", with_learned);
    printf("  %.2f with the true dictionary\n", with_original);

    dltf_model_free(original);
    dltf_model_free(learned);
    dltf_synthetic_free(problem);
    return with_learned < with_original ? EXIT_SUCCESS : EXIT_FAILURE;
}
