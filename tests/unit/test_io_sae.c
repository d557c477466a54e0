/* Sparse autoencoders of other programs: every setting and tensor that is wrong is named, with what was
 * expected. tests/interop/sae_interop.py compares the codes. */
#include "test_io.h"

#include "io/formats/sae.h"
#include "io/formats/safetensors.h"

#include <math.h>

/* ---- Settings ---- */

typedef dltf_status (*parser)(const uint8_t *bytes, int64_t size, dl_sae_settings *settings);

static void refuses(parser parse, const char *text, const char *message) {
    dl_sae_settings settings;
    assert_fails(parse((const uint8_t *)text, (int64_t)strlen(text), &settings), DLTF_FORMAT, message);
}

static dl_sae_settings accepts(parser parse, const char *text) {
    dl_sae_settings settings;
    if (parse((const uint8_t *)text, (int64_t)strlen(text), &settings) != DLTF_OK)
        fail_msg("%s", dltf_message());
    return settings;
}

static void settings_of_saelens(void **state) {
    (void)state;
    dl_sae_settings s = accepts(dl_saelens_parse, "{\"architecture\": \"topk\", \"d_in\": 3, \"d_sae\": 8, "
                                                  "\"k\": 2, \"apply_b_dec_to_input\": false, "
                                                  "\"normalize_activations\": \"layer_norm\", "
                                                  "\"rescale_acts_by_decoder_norm\": true}");
    assert_true(s.n == 3 && s.m == 8 && s.k == 2 && s.uncentred && s.rescaled && !s.thresholds);
    assert_int_equal(s.norm, DL_SAE_NORM_LAYER);
    s = accepts(dl_saelens_parse, "{\"activation_fn_str\": \"topk\", \"activation_fn_kwargs\": {\"k\": 5}, "
                                  "\"d_in\": 3, \"d_sae\": 8, \"normalize_activations\": true}");
    assert_true(s.k == 5 && !s.uncentred && s.norm == DL_SAE_NORM_AVERAGE);
    s = accepts(dl_saelens_parse, "{\"architecture\": \"jumprelu\", \"d_in\": 3, \"d_sae\": 8, "
                                  "\"normalize_activations\": null}");
    assert_true(s.k == 0 && s.thresholds && s.norm == DL_SAE_NORM_NONE);
    s = accepts(dl_saelens_parse, "{\"d_in\": 3, \"d_sae\": 8}");
    assert_true(s.k == 0 && !s.thresholds);
}

static void bad_settings_of_saelens(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"d_in = 3", "is not JSON: line 1"},
        {"[1, 2]", "is not a JSON object"},
        {"{}", "'d_in' is missing: expected a whole number from 1 to 2147483647"},
        {"{\"d_in\": \"3\", \"d_sae\": 8}", "'d_in' is \"3\": expected a whole number"},
        {"{\"d_in\": -3, \"d_sae\": 8}", "'d_in' is -3: expected a whole number"},
        {"{\"d_in\": 3, \"d_sae\": 2147483648}", "'d_sae' is 2147483648: expected a whole number"},
        {"{\"d_in\": 3, \"d_sae\": 8.5}", "'d_sae' is 8.5: expected a whole number"},
        {"{\"d_in\": 3, \"d_sae\": 8, \"architecture\": \"gated\"}",
         "'architecture' is \"gated\": expected standard, topk or jumprelu"},
        {"{\"d_in\": 3, \"d_sae\": 8, \"architecture\": 7}", "'architecture' is 7: expected text"},
        {"{\"d_in\": 3, \"d_sae\": 8, \"architecture\": \"topk\"}", "'k' is missing"},
        {"{\"d_in\": 3, \"d_sae\": 8, \"architecture\": \"topk\", \"k\": 9}",
         "'k' is 9: expected at most d_sae"},
        {"{\"d_in\": 3, \"d_sae\": 8, \"architecture\": \"topk\", \"k\": 0}", "'k' is 0: expected a whole"},
        {"{\"d_in\": 3, \"d_sae\": 8, \"activation_fn_str\": \"tanh-relu\"}",
         "'activation_fn_str' is \"tanh-relu\": expected relu or topk"},
        {"{\"d_in\": 3, \"d_sae\": 8, \"normalize_activations\": \"batch\"}",
         "'normalize_activations' is \"batch\": expected none, expected_average_only_in"},
        {"{\"d_in\": 3, \"d_sae\": 8, \"apply_b_dec_to_input\": 1}",
         "'apply_b_dec_to_input' is 1: expected true or false"},
        {"{\"d_in\": 3, \"d_sae\": 8, \"finetuning_scaling_factor\": true}",
         "'finetuning_scaling_factor' is true: expected false"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refuses(dl_saelens_parse, cases[i][0], cases[i][1]);
    double factor = 0;
    const char *text = "{\"scaling_factor\": -1}";
    assert_fails(dl_saelens_parse_factor((const uint8_t *)text, (int64_t)strlen(text), &factor), DLTF_FORMAT,
                 "'scaling_factor' is -1: expected a number above 0");
}

static void settings_of_sparsify(void **state) {
    (void)state;
    dl_sae_settings s = accepts(dl_sparsify_parse, "{\"d_in\": 3, \"k\": 2, \"transcode\": true}");
    assert_true(s.n == 3 && s.m == 96 && s.k == 2 && s.uncentred);
    s = accepts(dl_sparsify_parse, "{\"d_in\": 3, \"k\": 2, \"num_latents\": 7, \"signed\": false}");
    assert_true(s.m == 7 && !s.uncentred);
    static const char *const cases[][2] = {
        {"{\"k\": 2}", "'d_in' is missing"},
        {"{\"d_in\": 3, \"k\": 2, \"activation\": \"groupmax\"}",
         "'activation' is \"groupmax\": expected topk"},
        {"{\"d_in\": 3, \"k\": 2, \"skip_connection\": true}", "'skip_connection' is true: expected false"},
        {"{\"d_in\": 3, \"k\": 2, \"signed\": true}", "'signed' is true: expected false"},
        {"{\"d_in\": 3, \"k\": 200}", "'k' is 200: expected at most the number of latents"},
        {"{\"d_in\": 2000000000, \"k\": 2}", "'expansion_factor' is missing: expected at most"},
        {"{\"d_in\": 3, \"k\": 2, \"num_latents\": -1}", "'num_latents' is -1: expected a whole number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refuses(dl_sparsify_parse, cases[i][0], cases[i][1]);
}

/* ---- Tensors ---- */

enum { N = 3, M = 4 };

static dl_bundle weights(void) {
    static const float W_enc[N * M] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, b_enc[M] = {1, 2, 3, 4};
    static const float W_dec[M * N] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 4, 0, 0}, b_dec[N] = {0.5f, 0, 0};
    dl_bundle bundle = {0};
    assert_int_equal(dl_bundle_add_view(&bundle, "W_enc", DL_TENSOR_F32, N, M, W_enc), DLTF_OK);
    assert_int_equal(dl_bundle_add_view(&bundle, "b_enc", DL_TENSOR_F32, M, 0, b_enc), DLTF_OK);
    assert_int_equal(dl_bundle_add_view(&bundle, "W_dec", DL_TENSOR_F32, M, N, W_dec), DLTF_OK);
    assert_int_equal(dl_bundle_add_view(&bundle, "b_dec", DL_TENSOR_F32, N, 0, b_dec), DLTF_OK);
    return bundle;
}

static dltf_status read_bundle(const dl_bundle *bundle, bool thresholds) {
    dl_sae sae = {.settings = {.n = N, .m = M, .k = thresholds ? 0 : 2, .thresholds = thresholds}};
    dltf_status status = dl_sae_read((dl_sae_source){.bundle = bundle}, false, &sae);
    dltf_model *model = NULL;
    if (status == DLTF_OK)
        status = dl_sae_to_model(&sae, "saelens", &model);
    dltf_model_free(model);
    dl_sae_free(&sae);
    return status;
}

static void bad_tensors(void **state) {
    (void)state;
    static const float other[] = {1, NAN, 3, 4}, zeros[M * N] = {0};
    static const int32_t integers[M] = {1, 2, 3, 4};
    dl_bundle bundle = weights();
    assert_int_equal(read_bundle(&bundle, false), DLTF_OK);
    assert_survives_lack_of_memory(read_bundle(&bundle, false), true);
    assert_fails(read_bundle(&bundle, true), DLTF_FORMAT,
                 "tensor 'threshold' is missing: expected shape [4]");
    bundle.tensors[1].data = (void *)(uintptr_t)other;
    assert_fails(read_bundle(&bundle, false), DLTF_FORMAT,
                 "tensor 'b_enc': entry 0 of row 1 is NaN: expected a finite float32");
    bundle.tensors[1].data = (void *)(uintptr_t)integers;
    bundle.tensors[1].type = DL_TENSOR_I32;
    assert_fails(read_bundle(&bundle, false), DLTF_FORMAT,
                 "tensor 'b_enc' does not contain real numbers: expected F32, F64, F16 or BF16");
    dl_bundle_free(&bundle);
    bundle = weights();
    bundle.tensors[2].rows = N;
    bundle.tensors[2].cols = M;
    assert_fails(read_bundle(&bundle, false), DLTF_FORMAT,
                 "tensor 'W_dec' has shape [3, 4]: expected [4, 3]");
    dl_bundle_free(&bundle);
    bundle = weights();
    bundle.tensors[2].data = (void *)(uintptr_t)zeros;
    assert_fails(read_bundle(&bundle, false), DLTF_FORMAT, "tensor 'W_dec': row 0 has norm 0");
    dl_bundle_free(&bundle);
    bundle = weights();
    assert_int_equal(dl_bundle_add_view(&bundle, "W_skip", DL_TENSOR_F32, N, N, zeros), DLTF_OK);
    assert_fails(read_bundle(&bundle, false), DLTF_FORMAT, "tensor 'W_skip' belongs to no architecture");
    dl_bundle_free(&bundle);
}

/* ---- Folders ---- */

static void write_text(const char *name, const char *text) {
    write_file(in_directory(name), text, (int64_t)strlen(text));
}

/* The folder of the test is that of the autoencoder. */
static void folders(void **state) {
    (void)state;
    dltf_model *model = NULL;
    const char *folder = test_directory;
    assert_fails(dltf_model_import(folder, 0, &model), DLTF_FORMAT, "contains no sparse autoencoder");
    dl_bundle bundle = weights();
    assert_int_equal(dl_safetensors_save(&bundle, in_directory("sae_weights.safetensors")), DLTF_OK);
    assert_fails(dltf_model_import(folder, 0, &model), DLTF_FILE, "cfg.json: ");
    write_text("cfg.json", "{\"d_in\": 3, \"d_sae\": 4, \"architecture\": \"topk\", \"k\": 2, "
                           "\"normalize_activations\": \"expected_average_only_in\"}");
    assert_fails(dltf_model_import(folder, 0, &model), DLTF_ARGUMENT, "factor: is needed");
    assert_fails(dltf_model_import(folder, -1, &model), DLTF_ARGUMENT, "factor: -1: expected");
    assert_int_equal(dltf_model_import(folder, 2, &model), DLTF_OK);
    dltf_model_view view = dltf_model_get(model);
    assert_true(view.factor == 2 && view.offset && !view.mean && view.scale[3] == 4 && view.bias[2] == -3);
    assert_true(view.dictionary[9] == 1 && view.encoder[3] == 2 && view.select == DLTF_SELECT_POSITIVE);
    dltf_model_free(model);
    write_text("activation_scaler.json", "{\"scaling_factor\": 0.5}");
    assert_int_equal(dltf_model_import(folder, 0, &model), DLTF_OK);
    assert_true(dltf_model_get(model).factor == 0.5);
    dltf_model_free(model);
    write_text("cfg.json", "{\"d_in\": 3, \"d_sae\": 4, \"architecture\": \"topk\", \"k\": 2}");
    assert_fails(dltf_model_import(folder, 2, &model), DLTF_ARGUMENT, "factor: does not apply");
    assert_int_equal(dl_safetensors_save(&bundle, in_directory("sae.safetensors")), DLTF_OK);
    assert_fails(dltf_model_import(folder, 0, &model), DLTF_FORMAT,
                 "contains both sae_weights.safetensors and sae.safetensors");
    assert_fails(dltf_model_import(in_directory("cfg.json"), 0, &model), DLTF_FILE, "is not a folder");
    assert_null(model);
    dl_bundle_free(&bundle);
}

static void exports(void **state) {
    (void)state;
    static const float atoms[] = {0.6f, 0.8f, 0, 0, 0, -1}, mean[] = {1, 2, 3};
    dltf_model_view parts = {.m = 2, .n = 3, .k = 1, .dictionary = atoms};
    dltf_model *model = NULL;
    const char *out = in_directory("out");
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    assert_fails(dltf_model_export(model, "pt", out), DLTF_ARGUMENT, "format: \"pt\" is unknown");
    assert_fails(dltf_model_export(model, "saelens", out), DLTF_ARGUMENT, "selects scores by magnitude");
    dltf_model_free(model);
    parts.select = DLTF_SELECT_POSITIVE;
    parts.unit_norm = true;
    parts.mean = mean;
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    assert_fails(dltf_model_export(model, "saelens", out), DLTF_ARGUMENT, "before it normalises samples");
    dltf_model_free(model);
    parts.mean = NULL;
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    assert_fails(dltf_model_export(model, "sparsify", out), DLTF_ARGUMENT,
                 "normalises samples, which sparsify");
    assert_fails(dltf_model_export(model, "gemma-scope", out), DLTF_ARGUMENT, "keeps the k largest scores");
    assert_int_not_equal(access(out, F_OK), 0);
    dltf_model_free(model);
}

IO_TESTS_MAIN(cmocka_unit_test(settings_of_saelens), cmocka_unit_test(bad_settings_of_saelens),
              cmocka_unit_test(settings_of_sparsify), cmocka_unit_test(bad_tensors),
              cmocka_unit_test(folders), cmocka_unit_test(exports))
