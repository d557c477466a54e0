/* Networks in files: saving and loading is exact to the bit, anything else is rejected. */
#include "test_io.h"

#include "data/kind.h"
#include "io/formats/safetensors.h"
#include "network/network.h"
#include "network/network_bundle.h"
#include "program/program.h"

#include <math.h>

static const float weights[] = {1, 2, 3, 4, 5, 6}, bias[] = {0.5f, -0.5f};
static const int64_t classes[] = {-5, 0, INT64_C(1) << 60};

static dl_network *example(void) {
    dl_layer_view layers[] = {{3, 2, DL_ACTIVATION_RELU, weights, bias, 0},
                              {2, 3, DL_ACTIVATION_LINEAR, weights, weights, 2}};
    dl_network *network = NULL;
    assert_int_equal(dl_network_new(layers, 2, 0, &network), DLTF_OK);
    assert_int_equal(dl_network_set_scale(network, 1 / 255.0), DLTF_OK);
    assert_int_equal(dl_network_set_classes(network, classes), DLTF_OK);
    return network;
}

static dltf_status load(dl_file *file) {
    dl_bundle bundle;
    dl_network *network = NULL;
    dltf_status status = dl_safetensors_parse(file->bytes, file->size, &bundle);
    if (status == DLTF_OK)
        status = dl_network_from_bundle(&bundle, &network);
    assert_int_equal(status == DLTF_OK, network != NULL);
    dl_network_free(network);
    dl_bundle_free(&bundle);
    return status;
}

static void round_trip(void **state) {
    (void)state;
    dl_network *network = example(), *back = NULL;
    assert_int_equal(dl_network_save(network, in_directory("a.safetensors")), DLTF_OK);
    assert_int_equal(dl_network_load(in_directory("a.safetensors"), &back), DLTF_OK);
    assert_int_equal(back->count, 2);
    assert_int_equal(back->size, network->size);
    assert_memory_equal(back->values, network->values, (size_t)network->size * sizeof(float));
    assert_ptr_equal(back->layers[0].activation, &dl_activation_relu);
    assert_ptr_equal(back->layers[1].activation, &dl_activation_linear);
    assert_true(back->scale == network->scale);
    assert_memory_equal(back->classes, classes, sizeof classes);
    assert_true(back->layers[0].k == 0 && back->layers[1].k == 2);
    assert_int_equal(dl_network_save(back, in_directory("b.safetensors")), DLTF_OK);
    assert_same_files(in_directory("a.safetensors"), in_directory("b.safetensors"));
    dl_network_free(network);
    dl_network_free(back);
    assert_fails(dl_network_load(in_directory("none"), &back), DLTF_FILE, "none");
    assert_null(back);
}

static void survives_corruption(void **state) {
    (void)state;
    dl_network *network = example();
    const char *path = in_directory("memory.safetensors");
    assert_survives_lack_of_memory(dl_network_save(network, path), access(path, F_OK) != 0);
    dl_text file = read_back(path);
    assert_truncation_fails(load, file.data, file.length);
    flip_every_bit(load, file.data, file.length);
    assert_survives_lack_of_memory(load_copy(load, file.data, file.length), true);
    dl_text_free(&file);
    dl_network_free(network);
}

/* A bundle of one layer, to be spoilt. */
static dl_bundle one_layer(const char *activations, int64_t outputs) {
    dl_bundle b = {0};
    assert_int_equal(dl_kind_mark(&b, DL_KIND_NETWORK), DLTF_OK);
    if (activations)
        assert_int_equal(dl_notes_set(&b.notes, "activations", activations), DLTF_OK);
    assert_int_equal(dl_bundle_add_copy(&b, "0.weight", DL_TENSOR_F32, 2, 3, weights), DLTF_OK);
    assert_int_equal(dl_bundle_add_copy(&b, "0.bias", DL_TENSOR_F32, outputs, 0, weights), DLTF_OK);
    return b;
}

static void assert_refused(dl_bundle b, const char *part) {
    dl_network *network = NULL;
    assert_fails(dl_network_from_bundle(&b, &network), DLTF_FORMAT, part);
    assert_null(network);
    dl_bundle_free(&b);
}

static void refused(void **state) {
    (void)state;
    dl_bundle b = one_layer("relu", 2);
    dl_network *network = NULL;
    assert_int_equal(dl_network_from_bundle(&b, &network), DLTF_OK);
    dl_network_free(network);
    dl_bundle_free(&b);

    assert_refused(one_layer(NULL, 2), "metadata 'activations' is missing");
    assert_refused(one_layer("", 2), "metadata 'activations' names no layers");
    assert_refused(one_layer("tanh", 2), "metadata 'activations': unknown activation 'tanh'");
    assert_refused(one_layer("relu  relu", 2), "unknown activation ''");
    assert_refused(one_layer("relu:", 2), "unknown activation 'relu:'");
    assert_refused(one_layer("relu:0", 2), "unknown activation 'relu:0'");
    assert_refused(one_layer("relu:-1", 2), "unknown activation 'relu:-1'");
    assert_refused(one_layer("relu:1234567890", 2), "unknown activation 'relu:1234567890'");
    assert_refused(one_layer("relu:3", 2), "layer 0 keeps k = 3 of 2 outputs");
    assert_refused(one_layer("relu relu", 2), "tensor '1.weight' is missing");
    assert_refused(one_layer("relu", 3), "0.bias");
    b = one_layer("relu", 2);
    ((float *)b.tensors[0].data)[4] = NAN;
    assert_refused(b, "layer 0: entry 4 of the weights is not finite");
    b = one_layer("relu", 2);
    assert_int_equal(dl_bundle_add_copy(&b, "extra", DL_TENSOR_F32, 1, 0, weights), DLTF_OK);
    assert_refused(b, "has 3 tensors, but 2 belong to the network");
    b = one_layer("relu", 2);
    assert_int_equal(dl_bundle_add_copy(&b, "scale", DL_TENSOR_F32, 1, 0, (float[]){NAN}), DLTF_OK);
    assert_refused(b, "a factor of nan on the inputs");
    b = one_layer("relu", 2);
    assert_int_equal(dl_bundle_add_copy(&b, "classes", DL_TENSOR_I64, 2, 0, classes + 1), DLTF_OK);
    ((int64_t *)b.tensors[2].data)[1] = -1;
    assert_refused(b, "class -1 follows class 0: classes must ascend");
    b = one_layer("relu", 2);
    assert_int_equal(dl_bundle_add_copy(&b, "classes", DL_TENSOR_I64, 3, 0, classes), DLTF_OK);
    assert_refused(b, "tensor 'classes' has the wrong type or shape");
    b = one_layer("relu linear", 2);
    assert_int_equal(dl_bundle_add_copy(&b, "1.weight", DL_TENSOR_F32, 2, 3, weights), DLTF_OK);
    assert_int_equal(dl_bundle_add_copy(&b, "1.bias", DL_TENSOR_F32, 2, 0, weights), DLTF_OK);
    assert_refused(b, "layer 1 has 3 inputs, but the layer before has 2 outputs");
    b = one_layer("relu", 2);
    assert_int_equal(dl_kind_mark(&b, DL_KIND_MODEL), DLTF_OK);
    assert_refused(b, "is a finished model, not a network");
}

/* What could not be read again is not written. */
static void non_finite_weights(void **state) {
    (void)state;
    dl_network *network = example();
    const char *path = in_directory("diverged.safetensors");
    network->values[3] = INFINITY;
    assert_fails(dl_network_save(network, path), DLTF_NUMERIC, "non-finite weights");
    assert_int_equal(access(path, F_OK), -1);
    dl_network_free(network);
}

IO_TESTS_MAIN(cmocka_unit_test(round_trip), cmocka_unit_test(survives_corruption), cmocka_unit_test(refused),
              cmocka_unit_test(non_finite_weights))
