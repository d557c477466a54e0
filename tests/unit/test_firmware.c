/* Models that dltf_micro cannot represent are refused with the reason; lack of memory. */
#include "firmware/firmware.h"

#include "test_util.h"

enum { MOST_M = 300, MOST_N = 6 };

static float W[MOST_M * MOST_N], E[MOST_M * MOST_N], bias[MOST_M], mean[MOST_N];

static dltf_model_view draw(int64_t m, int64_t n, int64_t k, bool untied) {
    fill_normal(W, m * n);
    fill_normal(E, m * n);
    fill_normal(bias, m);
    fill_normal(mean, n);
    return (dltf_model_view){.m = m, .n = n, .k = k, .dictionary = W, .encoder = untied ? E : NULL};
}

static void refuses(dltf_model_view view, dl_firmware_options options, const char *part) {
    dltf_model *model = NULL;
    dl_firmware *firmware = NULL;
    assert_int_equal(dltf_model_new(&view, &model), DLTF_OK);
    assert_int_equal(dl_firmware_new(model, NULL, &options, &firmware), DLTF_ARGUMENT);
    assert_message_has(part);
    assert_null(firmware);
    dltf_model_free(model);
}

static void unsuitable_models_are_refused(void **state) {
    (void)state;
    dltf_model_view view = draw(300, 3, 256, false);
    refuses(view, (dl_firmware_options){.bits = DL_FIRMWARE_8},
            "256 entries of a code: dltf_micro supports at most 255");
    view.k = 40;
    refuses(view, (dl_firmware_options){.bits = DL_FIRMWARE_32, .refit = true}, "at most 32");
    view.k = 4, view.unit_norm = true;
    refuses(view, (dl_firmware_options){.bits = DL_FIRMWARE_16}, "use --bits 32");
    view.unit_norm = false;
    refuses(view, (dl_firmware_options){.bits = DL_FIRMWARE_8, .input = DL_FIRMWARE_INPUT_F32}, "--data");
    view.bias = bias;
    refuses(view, (dl_firmware_options){.bits = DL_FIRMWARE_8, .input_scale = 1e-25}, "larger scale");
    float *wide = DL_NEW(float, 40000);
    assert_non_null(wide);
    wide[0] = 1;
    dltf_model_view large = {.m = 1, .n = 40000, .k = 1, .dictionary = wide};
    refuses(large, (dl_firmware_options){.bits = DL_FIRMWARE_8}, "40000 entries of a sample");
    for (int64_t i = 0; i < 40000; i++)
        wide[i] = 1;
    large.m = 40000, large.n = 1;
    refuses(large, (dl_firmware_options){.bits = DL_FIRMWARE_32}, "40000 atoms");
    dl_free(wide);
}

static dltf_status make_and_free(const dltf_model *model) {
    dl_firmware *firmware = NULL;
    dltf_status status =
        dl_firmware_new(model, NULL, &(dl_firmware_options){.bits = DL_FIRMWARE_8, .refit = true}, &firmware);
    dl_firmware_free(firmware);
    return status;
}

static void lack_of_memory(void **state) {
    (void)state;
    dltf_model *model = NULL;
    dltf_model_view view = draw(5, 6, 2, true);
    view.bias = bias, view.mean = mean;
    assert_int_equal(dltf_model_new(&view, &model), DLTF_OK);
    assert_survives_lack_of_memory(make_and_free(model), 6);
    dltf_model_free(model);
}

TESTS_MAIN(cmocka_unit_test(unsuitable_models_are_refused), cmocka_unit_test(lack_of_memory))
