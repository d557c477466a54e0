/* Stacked autoencoders: shapes, and what layer-wise training achieves. */
#include "program/program.h"
#include "test_network.h"

enum { N = 200, n = 8 };

static float X[N * n], outputs[N * n];

/* Samples near a plane. */
static dltf_matrix samples(void) {
    float basis[2 * n];
    fill_normal(basis, 2 * n);
    for (int64_t i = 0; i < N; i++) {
        float a = (float)normal(), b = (float)normal();
        for (int e = 0; e < n; e++)
            X[i * n + e] = a * basis[e] + b * basis[n + e] + 0.01f * (float)normal();
    }
    return dltf_matrix_f32(X, N, n);
}

static dl_network_options quick(int64_t epochs) {
    dl_network_options o = dl_network_options_default();
    o.optimiser = DL_OPTIMISER_ADAM;
    o.rate = 0.01;
    o.batch = 40;
    o.epochs = epochs;
    return o;
}

/* ||x - output||^2 / ||x||^2 over all samples. */
static double error_of(const dl_network *network) {
    double left = 0, energy = 0;
    assert_int_equal(dl_network_apply(network, dltf_matrix_f32(X, N, n), 1, outputs), DLTF_OK);
    for (int64_t i = 0; i < N * n; i++) {
        left += pow((double)X[i] - (double)outputs[i], 2);
        energy += pow((double)X[i], 2);
    }
    return left / energy;
}

static void shapes(void **state) {
    (void)state;
    const int64_t sizes[] = {n, 7, 5, 3};
    dltf_matrix data = samples();
    for (int relu = 0; relu < 2; relu++) {
        dl_network_options o = quick(0);
        dl_network *network = NULL;
        assert_int_equal(dl_autoencoder_new(data, sizes, 4, relu, &o, NULL, NULL, &network), DLTF_OK);
        assert_int_equal(dl_network_layers(network), 6);
        for (int l = 0; l < 6; l++) {
            dl_layer_view layer = dl_network_layer(network, l);
            bool linear = l == 5 || (l == 2 && !relu);
            assert_int_equal(layer.activation, linear ? DL_ACTIVATION_LINEAR : DL_ACTIVATION_RELU);
            assert_int_equal(layer.inputs, l < 3 ? sizes[l] : sizes[6 - l]);
            assert_int_equal(layer.outputs, l < 3 ? sizes[l + 1] : sizes[5 - l]);
        }
        dl_network_free(network);
    }
}

static int count_calls(void *context, const dltf_progress *progress) {
    int64_t *last = context;
    assert_string_equal(progress->task, "pre-training");
    assert_true(progress->done >= *last && progress->done <= progress->total);
    *last = progress->done;
    return 0;
}

/* The layers in the order in which they were trained already reconstruct, and training of the whole improves
 * on that. */
static void learns(void **state) {
    (void)state;
    const int64_t sizes[] = {n, 16, 2};
    dl_network_options o = quick(60);
    dl_network *network = NULL, *random = NULL;
    dltf_matrix data = samples();
    int64_t done = 0;
    assert_int_equal(dl_autoencoder_new(data, sizes, 3, false, &o, count_calls, &done, &network), DLTF_OK);
    assert_int_equal(done, 2 * 60 * N);
    o.epochs = 0;
    assert_int_equal(dl_autoencoder_new(data, sizes, 3, false, &o, NULL, NULL, &random), DLTF_OK);
    double before = error_of(random), pretrained = error_of(network);
    assert_true(pretrained < before / 5);
    o = quick(60);
    o.loss = DL_LOSS_SQUARE;
    assert_int_equal(dl_network_train(network, data, (dl_targets){NULL, data}, &o, NULL, NULL, NULL),
                     DLTF_OK);
    assert_true(error_of(network) < 0.02);
    dl_network_free(network);
    dl_network_free(random);
}

static void same_bytes_for_any_threads(void **state) {
    (void)state;
    const int64_t sizes[] = {n, 140, 3};
    dl_network *networks[3];
    dltf_matrix data = samples();
    for (int i = 0; i < 3; i++) {
        dl_network_options o = quick(3);
        o.threads = i + 1;
        o.dropout = o.input_dropout = 0.2;
        assert_int_equal(dl_autoencoder_new(data, sizes, 3, true, &o, NULL, NULL, &networks[i]), DLTF_OK);
        assert_memory_equal(networks[i]->values, networks[0]->values,
                            (size_t)networks[0]->size * sizeof(float));
    }
    for (int i = 0; i < 3; i++)
        dl_network_free(networks[i]);
}

static int cancel(void *context, const dltf_progress *progress) {
    (void)context;
    return progress->done > 3 * N;
}

static void refused(void **state) {
    (void)state;
    const int64_t sizes[] = {n, 3, 0};
    dl_network_options o = quick(2);
    dl_network *network = NULL;
    dltf_matrix data = samples();
    assert_fails(dl_autoencoder_new(data, sizes, 1, true, &o, NULL, NULL, &network), DLTF_ARGUMENT,
                 "1 sizes: an autoencoder has 2 to 50");
    assert_fails(dl_autoencoder_new(data, sizes, 3, true, &o, NULL, NULL, &network), DLTF_ARGUMENT,
                 "3 inputs and 0 outputs");
    assert_fails(dl_autoencoder_new(data, sizes + 1, 1 + 1, true, &o, NULL, NULL, &network), DLTF_ARGUMENT,
                 "0");
    assert_fails(dl_autoencoder_new(data, (int64_t[]){5, 3}, 2, true, &o, NULL, NULL, &network), DLTF_DATA,
                 "8 columns, but the network has 5 inputs");
    assert_fails(dl_autoencoder_new(data, (int64_t[]){n, 4, 3}, 3, true, &o, cancel, NULL, &network),
                 DLTF_CANCELLED, "cancelled");
    o.batch = 0;
    assert_fails(dl_autoencoder_new(data, sizes, 2, true, &o, NULL, NULL, &network), DLTF_ARGUMENT, "batch");
    assert_null(network);
}

static dltf_status build(void) {
    dl_network_options o = quick(1);
    dl_network *network = NULL;
    o.threads = 1;
    dltf_status status =
        dl_autoencoder_new(dltf_matrix_f32(X, N, n), (int64_t[]){n, 4, 3}, 3, true, &o, NULL, NULL, &network);
    dl_network_free(network);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    samples();
    assert_survives_lack_of_memory(build(), 30);
}

TESTS_MAIN(cmocka_unit_test(shapes), cmocka_unit_test(learns), cmocka_unit_test(same_bytes_for_any_threads),
           cmocka_unit_test(refused), cmocka_unit_test(out_of_memory))
