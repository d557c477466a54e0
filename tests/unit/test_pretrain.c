/* Pre-training: scales reach their targets by plain loops; every start gives layers of the right origin, the
 * same for any number of threads. */
#include "program/program.h"
#include "test_network.h"
#include "test_option_tables.h"

enum { N = 240, n = 7, MOST_M = 20 };

static float X[N * n];

static dltf_matrix samples(void) {
    for (int64_t i = 0; i < N; i++)
        for (int e = 0; e < n; e++)
            X[i * n + e] = (float)(fabs(normal()) * (e + 1));
    return dltf_matrix_f32(X, N, n);
}

/* ---- Scales ---- */

/* Sums of layer `index` for all samples, by plain loops. */
static void reference_sums(const dl_network *network, int64_t index, double sums[N][MOST_M]) {
    for (int64_t i = 0; i < N; i++) {
        double in[MOST_WIDTH];
        for (int e = 0; e < n; e++)
            in[e] = (double)network->scale * (double)X[i * n + e];
        for (int64_t l = 0; l <= index; l++) {
            const dl_layer *layer = &network->layers[l];
            double out[MOST_WIDTH];
            for (int64_t j = 0; j < layer->outputs; j++) {
                out[j] = (double)layer->b[j];
                for (int64_t e = 0; e < layer->inputs; e++)
                    out[j] += (double)layer->V[j * layer->inputs + e] * in[e];
                if (l < index && out[j] < 0)
                    out[j] = 0;
            }
            memcpy(in, out, sizeof in);
        }
        memcpy(sums[i], in, sizeof sums[i]);
    }
}

static void find_moments(double sums[N][MOST_M], int64_t m, double *mean, double *deviation) {
    for (int64_t j = 0; j < m; j++) {
        mean[j] = deviation[j] = 0;
        for (int64_t i = 0; i < N; i++)
            mean[j] += sums[i][j] / N;
        for (int64_t i = 0; i < N; i++)
            deviation[j] += pow(sums[i][j] - mean[j], 2) / N;
        deviation[j] = sqrt(deviation[j]);
    }
}

static double norm_of(const dl_layer *layer, int64_t j) {
    double square = 0;
    for (int64_t e = 0; e < layer->inputs; e++)
        square += pow((double)layer->V[j * layer->inputs + e], 2);
    return sqrt(square);
}

static void check_scale(int64_t index, dl_scaling scaling) {
    dl_network *network = make_network((int64_t[]){n, 11, 6, 3}, 3, 2), *before = NULL;
    dl_layer *layer = &network->layers[index];
    static double sums[N][MOST_M], old[N][MOST_M];
    double mean[MOST_M], deviation[MOST_M], square = 0;
    assert_int_equal(dl_network_set_scale(network, 0.3), DLTF_OK);
    assert_int_equal(dl_network_part(network, 0, 3, &before), DLTF_OK);
    assert_int_equal(dl_network_rescale(network, index, samples(), scaling, 2), DLTF_OK);
    reference_sums(network, index, sums);
    reference_sums(before, index, old);
    find_moments(sums, layer->outputs, mean, deviation);
    for (int64_t j = 0; j < layer->outputs; j++) {
        square += (mean[j] * mean[j] + deviation[j] * deviation[j]) / (double)layer->outputs;
        if (scaling == DL_SCALING_STANDARD)
            assert_true(fabs(mean[j]) < 1e-5 && fabs(deviation[j] - 0.5) < 1e-5);
        if (scaling == DL_SCALING_NORM)
            assert_true(fabs(norm_of(layer, j) - sqrt(2)) < 1e-5 && layer->b[j] == 0);
    }
    if (scaling == DL_SCALING_RMS) {
        assert_true(fabs(sqrt(square) - 0.5) < 1e-5);
        double factor = sums[0][0] / old[0][0];
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < layer->outputs; j++)
                assert_true(fabs(sums[i][j] - factor * old[i][j]) < 1e-5);
    }
    /* Weights keep their direction, other layers their weights. */
    for (int64_t l = 0; l < 3; l++) {
        const dl_layer *a = &network->layers[l], *b = &before->layers[l];
        for (int64_t i = 0; i < a->outputs * a->inputs; i++) {
            int64_t j = i / a->inputs;
            double ratio = l == index ? norm_of(a, j) / norm_of(b, j) : 1;
            assert_true(fabs((double)a->V[i] - ratio * (double)b->V[i]) < 1e-5 * ratio);
        }
        if (l != index || scaling == DL_SCALING_NONE)
            assert_memory_equal(a->b, b->b, (size_t)a->outputs * sizeof(float));
    }
    dl_network_free(network);
    dl_network_free(before);
}

static void scales(void **state) {
    (void)state;
    for (int64_t index = 0; index < 3; index++)
        for (int scaling = 0; scaling <= DL_SCALING_AUTO; scaling++)
            check_scale(index, (dl_scaling)scaling);
}

/* Columns that are constant: units that see nothing else, or nothing at all. */
static void constant_sums(void **state) {
    (void)state;
    samples();
    for (int64_t i = 0; i < N; i++)
        X[i * n] = 3;
    float V[3 * n] = {0}, b[3] = {1, 1, 1};
    V[0] = 2;
    V[n + 1] = V[n + 2] = 1;
    dl_layer_view shape = {n, 3, DL_ACTIVATION_RELU, V, b, 0};
    dl_network *network = NULL;
    dltf_matrix data = dltf_matrix_f32(X, N, n);
    for (int scaling = 0; scaling < DL_SCALING_AUTO; scaling++) {
        assert_int_equal(dl_network_new(&shape, 1, 0, &network), DLTF_OK);
        assert_int_equal(dl_network_rescale(network, 0, data, (dl_scaling)scaling, 1), DLTF_OK);
        for (int64_t i = 0; i < network->size; i++)
            assert_true(isfinite(network->values[i]));
        if (scaling == DL_SCALING_STANDARD) {
            assert_true(network->layers[0].V[0] == 2 && fabs((double)network->layers[0].b[0] + 6) < 1e-5);
            assert_true(fabs((double)network->layers[0].b[2]) < 1e-6);
        }
        dl_network_free(network);
    }
}

static void from_model(void **state) {
    (void)state;
    float atoms[3 * n], mean[n];
    dltf_model *model = NULL;
    dl_network *network = NULL;
    fill_normal(atoms, 3 * n);
    fill_normal(mean, n);
    for (int centered = 0; centered < 2; centered++) {
        dltf_model_view parts = {.m = 3, .n = n, .k = 1, .dictionary = atoms, .mean = centered ? mean : NULL};
        assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
        assert_int_equal(dl_network_from_model(model, &network), DLTF_OK);
        assert_int_equal(dl_network_layers(network), 1);
        dl_layer_view layer = dl_network_layer(network, 0);
        assert_int_equal(layer.activation, DL_ACTIVATION_RELU);
        assert_memory_equal(layer.weights, dltf_model_get(model).dictionary, 3 * n * sizeof(float));
        for (int j = 0; j < 3; j++) {
            double wanted = 0;
            for (int e = 0; e < n && centered; e++)
                wanted -= (double)layer.weights[j * n + e] * (double)mean[e];
            assert_true(fabs((double)layer.bias[j] - wanted) < 1e-5);
        }
        dl_network_free(network);
        dltf_model_free(model);
    }
}

/* ---- Starts ---- */

static const int64_t sizes[] = {12, 8}, all_k[] = {3, 2};

static dl_pretrain_options quick(dl_start_kind method) {
    dl_pretrain_options o = dl_pretrain_options_default();
    o.method = method;
    if (method == DL_START_DLTF || method == DL_START_AE)
        o.epochs = 2;
    o.threads = 1;
    return o;
}

static dl_network *pretrain(dltf_matrix data, int64_t count, dl_pretrain_options o) {
    dl_network *network = NULL;
    assert_int_equal(dl_pretrain(data, sizes, all_k, count, &o, NULL, NULL, &network), DLTF_OK);
    assert_int_equal(dl_network_layers(network), count);
    return network;
}

static void assert_same_values(const dl_network *a, const dl_network *b, int64_t count) {
    assert_memory_equal(a->values, b->values, (size_t)count * sizeof(float));
}

/* `scaling`: the one that `asked` stands for. */
static void check_start(dl_start_kind method, dl_scaling asked, dl_scaling scaling) {
    dltf_matrix data = samples();
    dl_pretrain_options o = quick(method);
    o.scaling = asked;
    dl_network *network = pretrain(data, 2, o), *other = NULL;
    static double sums[N][MOST_M];
    double mean[MOST_M], deviation[MOST_M], largest = 0;
    for (int64_t i = 0; i < N * n; i++)
        largest = fmax(largest, (double)X[i]);
    assert_true(fabs(dl_network_scale(network) * largest - 1) < 1e-6);
    for (int64_t l = 0; l < 2; l++) {
        dl_layer_view layer = dl_network_layer(network, l);
        double square = 0;
        assert_true(layer.outputs == sizes[l] && layer.k == 0 && layer.activation == DL_ACTIVATION_RELU);
        reference_sums(network, l, sums);
        find_moments(sums, sizes[l], mean, deviation);
        for (int64_t j = 0; j < sizes[l]; j++) {
            square += (mean[j] * mean[j] + deviation[j] * deviation[j]) / (double)sizes[l];
            if (scaling == DL_SCALING_STANDARD)
                assert_true(fabs(mean[j]) < 1e-4 && fabs(deviation[j] - 0.5) < 1e-4);
        }
        if (scaling == DL_SCALING_RMS)
            assert_true(fabs(sqrt(square) - 0.5) < 1e-4);
    }
    /* The first layer does not depend on what follows. */
    other = pretrain(data, 1, o);
    assert_same_values(network, other, other->size);
    dl_network_free(other);
    for (int threads = 2; threads <= 3; threads++) {
        o.threads = threads;
        other = pretrain(data, 2, o);
        assert_same_values(network, other, network->size);
        dl_network_free(other);
    }
    o.seed = 1;
    other = pretrain(data, 2, o);
    assert_memory_not_equal(network->values, other->values, (size_t)(n * sizes[0]) * sizeof(float));
    dl_network_free(other);
    o.keep = true;
    other = pretrain(data, 2, o);
    assert_true(dl_network_layer(other, 0).k == 3 && dl_network_layer(other, 1).k == 2);
    dl_network_free(other);
    dl_network_free(network);
}

static void starts(void **state) {
    (void)state;
    check_start(DL_START_DLTF, DL_SCALING_AUTO, DL_SCALING_RMS);
    check_start(DL_START_DLTF, DL_SCALING_STANDARD, DL_SCALING_STANDARD);
    check_start(DL_START_AE, DL_SCALING_AUTO, DL_SCALING_RMS);
    check_start(DL_START_SAMPLES, DL_SCALING_AUTO, DL_SCALING_RMS);
    check_start(DL_START_GAUSSIAN, DL_SCALING_AUTO, DL_SCALING_RMS);
    check_start(DL_START_RANDOM, DL_SCALING_AUTO, DL_SCALING_NONE);
}

/* Each unit is a different sample minus the mean. */
static void samples_as_weights(void **state) {
    (void)state;
    dltf_matrix data = samples();
    dl_pretrain_options o = quick(DL_START_SAMPLES);
    double mean[n] = {0};
    bool taken[N] = {false};
    o.scaling = DL_SCALING_NONE;
    dl_network *network = pretrain(data, 1, o);
    for (int64_t i = 0; i < N * n; i++)
        mean[i % n] += (double)X[i] / N;
    for (int64_t j = 0; j < sizes[0]; j++) {
        assert_true(fabs(norm_of(&network->layers[0], j) - 1) < 1e-5);
        int64_t found = -1;
        for (int64_t i = 0; i < N; i++) {
            double product = 0, square = 0;
            for (int e = 0; e < n; e++) {
                double entry = (double)X[i * n + e] - mean[e];
                product += entry * (double)network->layers[0].V[j * n + e];
                square += entry * entry;
            }
            if (product > (1 - 1e-6) * sqrt(square))
                found = i;
        }
        assert_true(found >= 0 && !taken[found]);
        taken[found] = true;
    }
    dl_network_free(network);
}

/* Fewer samples, spread over all: every second. */
static void fewer_samples(void **state) {
    (void)state;
    dltf_matrix data = samples(), half = data;
    half.rows /= 2;
    half.row_stride *= 2;
    dl_pretrain_options o = quick(DL_START_DLTF);
    dl_network *a = pretrain(half, 2, o), *b = NULL;
    o.samples = N / 2;
    b = pretrain(data, 2, o);
    assert_same_values(a, b, a->size);
    dl_network_free(a);
    dl_network_free(b);
}

/* ---- What is refused ---- */

static int cancel(void *context, const dltf_progress *progress) {
    assert_string_equal(progress->task, "pre-training");
    assert_true(progress->done <= progress->total);
    return ++*(int *)context >= 3;
}

static void refused(void **state) {
    (void)state;
    dltf_matrix data = samples();
    dl_pretrain_options o = quick(DL_START_DLTF);
    dl_network *network = NULL;
    int calls = 0;
    assert_fails(dl_pretrain(data, sizes, NULL, 2, &o, NULL, NULL, &network), DLTF_ARGUMENT, "k: is missing");
    assert_fails(dl_pretrain(data, sizes, (int64_t[]){3, 9}, 2, &o, NULL, NULL, &network), DLTF_ARGUMENT,
                 "k: 9 is outside 1 .. 8, the units of layer 1");
    assert_fails(dl_pretrain(data, sizes, all_k, 0, &o, NULL, NULL, &network), DLTF_ARGUMENT, "0 layers");
    assert_fails(dl_pretrain(data, all_k, (int64_t[]){3, 3}, 2, &o, NULL, NULL, &network), DLTF_ARGUMENT,
                 "k: 3 is outside 1 .. 2");
    assert_fails(dl_pretrain(data, (int64_t[]){0}, all_k, 1, &o, NULL, NULL, &network), DLTF_ARGUMENT,
                 "layer 0: 0 units: out of range");
    assert_fails(dl_pretrain(data, sizes, all_k, 2, &o, cancel, &calls, &network), DLTF_CANCELLED, "cancel");
    o = quick(DL_START_RANDOM);
    o.epochs = 3;
    assert_fails(dl_pretrain(data, sizes, all_k, 2, &o, NULL, NULL, &network), DLTF_ARGUMENT, "epochs");
    o = quick(DL_START_SAMPLES);
    assert_fails(dl_pretrain(data, (int64_t[]){N + 1}, NULL, 1, &o, NULL, NULL, &network), DLTF_DATA,
                 "240 samples are too few for 241 units");
    X[n + 2] = NAN;
    assert_fails(dl_pretrain(data, sizes, all_k, 2, &o, NULL, NULL, &network), DLTF_DATA,
                 "row 1, column 2 is NaN");
    assert_null(network);
    network = make_network((int64_t[]){n, 4}, 1, 0);
    assert_fails(dl_network_rescale(network, 1, data, DL_SCALING_NORM, 1), DLTF_ARGUMENT,
                 "layer 1 of a network");
    assert_fails(dl_network_rescale(network, 0, data, DL_SCALING_RMS, 1), DLTF_DATA, "is NaN");
    dl_network_free(network);
}

/* The list of encoders is that of the learner. */
static void option_table(void **state) {
    (void)state;
    assert_consistent_table(dl_pretrain_option_table());
    assert_string_equal(dl_option_find(dl_pretrain_option_table(), "encoder")->choices,
                        dl_option_find(dl_train_option_table(), "encoder")->choices);
}

static dltf_status use(dl_start_kind method) {
    dl_pretrain_options o = quick(method);
    dl_network *network = NULL;
    dltf_status status = dl_pretrain(dltf_matrix_f32(X, 30, n), sizes, all_k, 2, &o, NULL, NULL, &network);
    assert_int_equal(status == DLTF_OK, network != NULL);
    dl_network_free(network);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    samples();
    assert_survives_lack_of_memory(use(DL_START_SAMPLES), 30);
    assert_survives_lack_of_memory(use(DL_START_AE), 60);
    assert_survives_lack_of_memory(use(DL_START_DLTF), 60);
}

TESTS_MAIN(cmocka_unit_test(scales), cmocka_unit_test(constant_sums), cmocka_unit_test(from_model),
           cmocka_unit_test(starts), cmocka_unit_test(samples_as_weights), cmocka_unit_test(fewer_samples),
           cmocka_unit_test(refused), cmocka_unit_test(option_table), cmocka_unit_test(out_of_memory))
