/* Networks: outputs and every gradient against plain loops and finite differences in double, with and without
 * dropout; construction and its errors. */
#include "test_network.h"

#include "network/loss.h"
#include "network/trainer.h"
#include "program/program.h"

enum { ROWS = 6 };

static float samples[ROWS * MOST_WIDTH], targets[ROWS * MOST_WIDTH];
static int32_t labels[ROWS];

/* The mean loss of the batch in double; `x`: samples, values: weights. */
typedef struct problem {
    const dl_network *network;
    bool softmax;
    double **mask; /* of ROWS samples: (count + 1) rows each; NULL: none */
} problem;

static double loss_of(const problem *p, const double *values, const double *x) {
    int64_t n = dl_network_inputs(p->network), m = dl_network_outputs(p->network);
    double sum = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        double y[MOST_WIDTH], t[MOST_WIDTH];
        reference_forward(p->network, values, x + i * n,
                          p->mask ? p->mask + i * (p->network->count + 1) : NULL, y);
        widen(targets + i * m, m, t);
        sum += p->softmax ? reference_softmax(y, m, labels[i]) : reference_square(y, t, m);
    }
    return sum / ROWS;
}

/* An optimiser that only stores the gradient. */
static void store(const dl_step *step, int64_t n, float *weights, const float *gradient,
                  float *const moments[DL_MOST_MOMENTS]) {
    (void)step;
    (void)weights;
    memcpy(moments[0], gradient, (size_t)n * sizeof *gradient);
}

static const dl_optimiser store_gradient = {"store", 1, store};

/* What dropout multiplies outputs by, found by dropping ones. */
static double **find_masks(dl_trainer *t) {
    int64_t count = t->network->count;
    double **mask = calloc((size_t)(ROWS * (count + 1)), sizeof *mask);
    for (int64_t l = 0; l <= count; l++) {
        int64_t width = t->dropout[l].width;
        float *ones = malloc((size_t)(ROWS * width) * sizeof *ones);
        for (int64_t i = 0; i < ROWS * width; i++)
            ones[i] = 1;
        for (int64_t tile = 0; tile * DL_UNITS < width; tile++)
            dl_dropout_apply(&t->dropout[l], dl_trainer_row(t), ROWS, dl_units(width, tile), ones);
        for (int64_t i = 0; i < ROWS; i++) {
            double *row = mask[i * (count + 1) + l] = malloc((size_t)width * sizeof *row);
            widen(ones + i * width, width, row);
        }
        free(ones);
    }
    return mask;
}

static void free_masks(double **mask, int64_t count) {
    for (int64_t i = 0; i < ROWS * (count + 1); i++)
        free(mask[i]);
    free(mask);
}

/* Runs the trainer on the batch: stores the gradient in its moments, and that of the input in D[0]. */
static void run(dl_trainer *t, bool softmax) {
    int64_t n = dl_network_inputs(t->network), m = dl_network_outputs(t->network), count = t->network->count;
    const dl_loss *loss = dl_loss_find(softmax ? DL_LOSS_SOFTMAX : DL_LOSS_SQUARE);
    t->rows = ROWS;
    memcpy(t->Y[0], samples, (size_t)(ROWS * n) * sizeof(float));
    for (int64_t tile = 0; tile * DL_UNITS < n; tile++)
        dl_dropout_apply(&t->dropout[0], dl_trainer_row(t), ROWS, dl_units(n, tile), t->Y[0]);
    dl_trainer_forward(t);
    for (int64_t i = 0; i < ROWS; i++) {
        const void *target = softmax ? (const void *)(labels + i) : targets + i * m;
        loss->row(t->Y[count] + i * m, target, m, 1.0f / ROWS, t->D[count] + i * m);
    }
    dl_trainer_backward(t, true);
    dl_trainer_update(t, 0);
}

/* Central differences at `tries` random entries of `at`. Steps across a kink of ReLU, or to another selection
 * of max_k, are detected by their second difference. */
static void check_differences(const problem *p, double *values, double *x, double *at, int64_t size,
                              const float *gradient, int tries) {
    int checked = 0;
    for (int attempt = 0; attempt < tries; attempt++) {
        int64_t i = size <= tries ? attempt % size : below(size);
        const double step = 1e-5;
        double before = at[i], middle = loss_of(p, values, x), ends[2];
        for (int side = 0; side < 2; side++) {
            at[i] = before + (side ? step : -step);
            ends[side] = loss_of(p, values, x);
        }
        at[i] = before;
        double slope = (ends[1] - ends[0]) / (2 * step), bend = ends[1] + ends[0] - 2 * middle;
        if (fabs(bend) > 1e-3 * step)
            continue;
        checked++;
        if (!(fabs(slope - (double)gradient[i]) <= 2e-5 + 2e-4 * fabs(slope)))
            fail_msg("gradient %lld of %lld is %g, by differences %g", (long long)i, (long long)size,
                     (double)gradient[i], slope);
    }
    assert_true(checked > tries / 2);
}

static void check_gradients(const int64_t *sizes, int64_t layers, int64_t k, bool softmax, double dropout,
                            int tries) {
    dl_network *network = make_sparse_network(sizes, layers, k, 1);
    dl_network_options options = dl_network_options_default();
    dl_trainer t;
    int64_t n = sizes[0], m = sizes[layers];
    double *values = malloc((size_t)network->size * sizeof *values), x[ROWS * MOST_WIDTH];
    options.optimiser = DL_OPTIMISER_SGD;
    options.batch = ROWS;
    options.dropout = options.input_dropout = dropout;
    options.threads = 2;
    fill_normal(samples, ROWS * n);
    fill_normal(targets, ROWS * m);
    for (int i = 0; i < ROWS; i++)
        labels[i] = (int32_t)below(m);
    assert_int_equal(dl_trainer_alloc(&t, network, &options), DLTF_OK);
    t.optimiser = &store_gradient;
    problem p = {network, softmax, dropout > 0 ? find_masks(&t) : NULL};
    run(&t, softmax);
    widen(network->values, network->size, values);
    widen(samples, ROWS * n, x);
    check_differences(&p, values, x, values, network->size, t.moments[0], tries);
    for (int64_t l = 0; l < layers; l++) { /* there are few biases among all weights */
        int64_t at = network->layers[l].b - network->values;
        check_differences(&p, values, x, values + at, network->layers[l].outputs, t.moments[0] + at, 20);
    }
    check_differences(&p, values, x, x, ROWS * n, t.D[0], 40);
    if (p.mask)
        free_masks(p.mask, layers);
    dl_trainer_free(&t);
    dl_network_free(network);
    free(values);
}

static void gradients(void **state) {
    (void)state;
    for (int softmax = 0; softmax < 2; softmax++)
        for (int dropped = 0; dropped < 2; dropped++) {
            check_gradients((int64_t[]){5, 4}, 1, 0, softmax, 0.3 * dropped, 60);
            check_gradients((int64_t[]){5, 9, 4}, 2, 0, softmax, 0.3 * dropped, 150);
            check_gradients((int64_t[]){1, 1, 2, 2}, 3, 0, softmax, 0.1 * dropped, 30);
            check_gradients((int64_t[]){130, 257, 128, 3}, 3, 0, softmax, 0.2 * dropped, 60);
            check_gradients((int64_t[]){5, 9, 4}, 2, 3, softmax, 0.3 * dropped, 150);
            check_gradients((int64_t[]){6, 9, 8, 4}, 3, 4, softmax, 0.1 * dropped, 150);
            check_gradients((int64_t[]){13, 257, 130, 3}, 3, 40, softmax, 0.2 * dropped, 60);
        }
}

/* Outputs of more samples than a task has, of every type of matrix, on any number of threads. */
static void check_application(int64_t k) {
    enum { MANY = 300, n = 7, m = 5 };
    static float x[MANY * n], y[3][MANY * m];
    static uint8_t bytes[MANY * n];
    dl_network *network = make_sparse_network((int64_t[]){n, 140, 20, m}, 3, k, 3);
    double *values = malloc((size_t)network->size * sizeof *values);
    widen(network->values, network->size, values);
    for (int64_t i = 0; i < MANY * n; i++)
        x[i] = (float)(bytes[i] = (uint8_t)below(4));
    for (int threads = 1; threads <= 3; threads++)
        assert_int_equal(dl_network_apply(network, dltf_matrix_f32(x, MANY, n), threads, y[threads - 1]),
                         DLTF_OK);
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    assert_memory_equal(y[0], y[2], sizeof y[0]);
    assert_int_equal(dl_network_apply(network, dltf_matrix_u8(bytes, MANY, n), 1, y[1]), DLTF_OK);
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    for (int64_t i = 0; i < MANY; i++) {
        double in[n], out[m];
        widen(x + i * n, n, in);
        reference_forward(network, values, in, NULL, out);
        for (int64_t j = 0; j < m; j++)
            assert_true(fabs(out[j] - (double)y[0][i * m + j]) <= 1e-4);
    }
    free(values);
    dl_network_free(network);
}

static void application(void **state) {
    (void)state;
    check_application(0);
    check_application(10);
}

static void random_weights(void **state) {
    (void)state;
    dl_layer_view layers[2] = {{.inputs = 200, .outputs = 300, .activation = DL_ACTIVATION_RELU},
                               {.inputs = 300, .outputs = 100, .activation = DL_ACTIVATION_LINEAR}};
    dl_network *network = NULL, *other = NULL;
    assert_int_equal(dl_network_new(layers, 2, 5, &network), DLTF_OK);
    for (int l = 0; l < 2; l++) {
        dl_layer_view view = dl_network_layer(network, l);
        int64_t size = view.inputs * view.outputs;
        double sum = 0, square = 0, variance = (l == 0 ? 2.0 : 1.0) / (double)view.inputs;
        for (int64_t i = 0; i < size; i++) {
            sum += (double)view.weights[i];
            square += (double)view.weights[i] * (double)view.weights[i];
        }
        assert_true(fabs(sum / (double)size) < 5 * sqrt(variance / (double)size));
        assert_true(fabs(square / (double)size / variance - 1) < 5 * sqrt(2 / (double)size));
        for (int64_t j = 0; j < view.outputs; j++)
            assert_true(view.bias[j] == 0);
    }
    assert_int_equal(dl_network_new(layers, 2, 6, &other), DLTF_OK);
    assert_memory_not_equal(network->values, other->values, 64);
    dl_network_free(network);
    dl_network_free(other);
}

static void parts(void **state) {
    (void)state;
    dl_network *network = make_network((int64_t[]){4, 6, 5, 3}, 3, 2), *part = NULL;
    assert_int_equal(dl_network_part(network, 1, 2, &part), DLTF_OK);
    assert_int_equal(dl_network_layers(part), 2);
    for (int l = 0; l < 2; l++) {
        dl_layer_view mine = dl_network_layer(part, l), whole = dl_network_layer(network, l + 1);
        assert_int_equal(mine.activation, whole.activation);
        assert_memory_equal(mine.weights, whole.weights,
                            (size_t)(mine.inputs * mine.outputs) * sizeof(float));
        assert_memory_equal(mine.bias, whole.bias, (size_t)mine.outputs * sizeof(float));
    }
    dl_network_free(part);
    assert_fails(dl_network_part(network, 2, 2, &part), DLTF_ARGUMENT,
                 "2 layers from layer 2 on: the network has 3 layers");
    assert_null(part);
    assert_fails(dl_network_part(network, -1, 2, &part), DLTF_ARGUMENT, "from layer -1 on");
    assert_fails(dl_network_part(network, 0, 0, &part), DLTF_ARGUMENT, "0 layers");
    dl_network_free(network);
}

static void refused(void **state) {
    (void)state;
    dl_network *network = NULL;
    float numbers[6] = {1, 2, 3, 4, 5, NAN}, y[2];
    dl_layer_view layers[2] = {{.inputs = 3, .outputs = 2}, {.inputs = 3, .outputs = 2}};
    assert_fails(dl_network_new(layers, 2, 0, &network), DLTF_ARGUMENT,
                 "layer 1 has 3 inputs, but the layer before has 2 outputs");
    assert_fails(dl_network_new(layers, 0, 0, &network), DLTF_ARGUMENT, "0 layers: a network has 1 to 100");
    layers[0].weights = numbers;
    assert_fails(dl_network_new(layers, 1, 0, &network), DLTF_DATA,
                 "layer 0: entry 5 of the weights is not finite");
    layers[0].weights = NULL;
    layers[0].bias = numbers + 4;
    assert_fails(dl_network_new(layers, 1, 0, &network), DLTF_DATA,
                 "layer 0: entry 1 of the bias is not finite");
    layers[0].activation = (dl_activation_kind)7;
    assert_fails(dl_network_new(layers, 1, 0, &network), DLTF_ARGUMENT, "layer 0: unknown activation 7");
    layers[0] = (dl_layer_view){.inputs = 3, .outputs = 2, .k = 3};
    assert_fails(dl_network_new(layers, 1, 0, &network), DLTF_ARGUMENT,
                 "layer 0 keeps k = 3 of 2 outputs: out of range");
    layers[0] = (dl_layer_view){.inputs = 0, .outputs = 2};
    assert_fails(dl_network_new(layers, 1, 0, &network), DLTF_ARGUMENT, "layer 0: 0 inputs and 2 outputs");
    layers[0] = (dl_layer_view){.inputs = INT32_MAX, .outputs = INT32_MAX};
    assert_fails(dl_network_new(layers, 1, 0, &network), DLTF_ARGUMENT, "are too many");
    assert_null(network);
    network = make_network((int64_t[]){3, 2}, 1, 0);
    assert_fails(dl_network_apply(network, dltf_matrix_f32(numbers, 3, 2), 1, y), DLTF_DATA,
                 "2 columns, but the network has 3 inputs");
    assert_fails(dl_network_apply(network, dltf_matrix_f32(numbers, 2, 3), 1, y), DLTF_DATA,
                 "row 1, column 2 is NaN");
    dl_network_free(network);
}

static dltf_status build_and_apply(void) {
    dl_layer_view layers[2] = {{.inputs = 3, .outputs = 4}, {.inputs = 4, .outputs = 2}};
    dl_network *network = NULL, *part = NULL;
    float x[6] = {1, 2, 3, 4, 5, 6}, y[8];
    dltf_status status = dl_network_new(layers, 2, 0, &network);
    if (status == DLTF_OK)
        status = dl_network_part(network, 0, 1, &part);
    if (status == DLTF_OK)
        status = dl_network_apply(part, dltf_matrix_f32(x, 2, 3), 1, y);
    dl_network_free(network);
    dl_network_free(part);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    assert_survives_lack_of_memory(build_and_apply(), 7);
}

TESTS_MAIN(cmocka_unit_test(gradients), cmocka_unit_test(application), cmocka_unit_test(random_weights),
           cmocka_unit_test(parts), cmocka_unit_test(refused), cmocka_unit_test(out_of_memory))
