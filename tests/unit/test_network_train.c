/* Training: optimisers, schedules, decay, norm limits and averages against plain loops in double; the same
 * bytes for any number of threads; what is refused. */
#include "test_network.h"

#include "network/trainer.h"
#include "program/program.h"

/* ---- One linear unit, by hand ---- */

/* y = v x + b with one sample per step: loss 1/2 (v x + b - t)^2, so that every step is easy to repeat. */
enum { STEPS = 60, INPUTS = 3 };

static const float sample[INPUTS] = {0.5f, -1, 2}, target = 3;

typedef struct weights {
    double value[INPUTS + 1], moment[INPUTS + 1], square[INPUTS + 1], average[INPUTS + 1];
} weights;

static double rate_at(const dl_network_options *o, int64_t step) {
    if (o->schedule == DL_SCHEDULE_LINEAR)
        return o->rate * (double)(o->epochs - step) / (double)o->epochs;
    if (o->schedule == DL_SCHEDULE_STEP)
        for (int64_t i = (int64_t)o->step_epochs, factor = 10;; i += (int64_t)o->step_epochs, factor *= 10)
            if (step < i)
                return 10 * o->rate / (double)factor;
    return o->rate;
}

static void step_by_hand(const dl_network_options *o, int64_t step, weights *w) {
    double error = w->value[INPUTS] - (double)target, rate = rate_at(o, step), x[INPUTS + 1], length = 0;
    for (int i = 0; i < INPUTS; i++) {
        error += w->value[i] * (double)sample[i];
        length += w->value[i] * w->value[i];
    }
    /* The gradient of the sample is `error` times the weights. */
    double away = (error > 0 ? 1 : -1) * o->adversarial / sqrt(length);
    for (int i = 0; i <= INPUTS; i++)
        x[i] = i < INPUTS ? (double)sample[i] + away * w->value[i] : 1;
    error += away * length;
    for (int i = 0; i <= INPUTS; i++) {
        double g = error * x[i] + (i < INPUTS ? o->decay * w->value[i] : 0);
        if (o->optimiser == DL_OPTIMISER_ADAM) {
            w->moment[i] = o->momentum * w->moment[i] + (1 - o->momentum) * g;
            w->square[i] = 0.999 * w->square[i] + 0.001 * g * g;
            double moment = w->moment[i] / (1 - pow(o->momentum, (double)step + 1));
            double square = w->square[i] / (1 - pow(0.999, (double)step + 1));
            w->value[i] -= rate * moment / (sqrt(square) + 1e-8);
        } else {
            w->moment[i] = o->momentum * w->moment[i] + g;
            w->value[i] -=
                rate * (o->optimiser == DL_OPTIMISER_SGD ? w->moment[i] : g + o->momentum * w->moment[i]);
        }
    }
    double norm = sqrt(w->value[0] * w->value[0] + w->value[1] * w->value[1] + w->value[2] * w->value[2]);
    for (int i = 0; i < INPUTS && o->max_norm > 0 && norm > o->max_norm; i++)
        w->value[i] *= o->max_norm / norm;
    double keep = fmin(o->average, (double)(step + 1) / (double)(step + 11));
    for (int i = 0; i <= INPUTS; i++)
        w->average[i] = keep * w->average[i] + (1 - keep) * w->value[i];
}

static void check_steps(dl_network_options o) {
    const float start[INPUTS] = {0.1f, -0.2f, 0.3f}, bias = 0.05f;
    dl_layer_view layer = {INPUTS, 1, DL_ACTIVATION_LINEAR, start, &bias, 0};
    dl_network *network = NULL;
    weights w = {.value = {0.1f, -0.2f, 0.3f, 0.05f}, .average = {0.1f, -0.2f, 0.3f, 0.05f}};
    o.loss = DL_LOSS_SQUARE;
    o.epochs = STEPS;
    o.batch = 1;
    o.threads = 1;
    assert_int_equal(dl_network_new(&layer, 1, 0, &network), DLTF_OK);
    assert_int_equal(dl_network_train(network, dltf_matrix_f32(sample, 1, INPUTS),
                                      (dl_targets){.values = dltf_matrix_f32(&target, 1, 1)}, &o, NULL, NULL,
                                      NULL),
                     DLTF_OK);
    for (int64_t step = 0; step < STEPS; step++)
        step_by_hand(&o, step, &w);
    for (int i = 0; i <= INPUTS; i++) {
        double wanted = o.average > 0 ? w.average[i] : w.value[i];
        if (!(fabs((double)network->values[i] - wanted) <= 2e-5 * (1 + fabs(wanted))))
            fail_msg("weight %d is %g, should be %g", i, (double)network->values[i], wanted);
    }
    dl_network_free(network);
}

static void steps_by_hand(void **state) {
    (void)state;
    for (int optimiser = 0; optimiser < 3; optimiser++)
        for (int schedule = 0; schedule < 3; schedule++)
            for (int extra = 0; extra < 5; extra++) {
                dl_network_options o = dl_network_options_default();
                o.optimiser = (dl_optimiser_kind)optimiser;
                o.schedule = (dl_schedule)schedule;
                o.rate = 0.02;
                o.momentum = 0.8;
                o.step_epochs = 25;
                o.decay = extra == 1 ? 0.1 : 0;
                o.max_norm = extra == 2 ? 0.6 : 0;
                o.average = extra == 3 ? 0.9 : 0;
                o.adversarial = extra == 4 ? 0.3 : 0;
                check_steps(o);
            }
}

/* ---- A small problem ---- */

enum { N = 150, n = 10, CLASSES = 3 };

static float X[N * n], T[N * CLASSES];
static int32_t labels[N];

/* Classes that a linear map cannot separate: the label depends on products of entries. */
static void make_problem(void) {
    for (int64_t i = 0; i < N; i++) {
        fill_normal(X + i * n, n);
        labels[i] = X[i * n] * X[i * n + 1] > 0 ? 0 : X[i * n + 2] > 0 ? 1 : 2;
        for (int c = 0; c < CLASSES; c++)
            T[i * CLASSES + c] = labels[i] == c;
    }
}

static dl_targets all_targets(void) {
    return (dl_targets){labels, dltf_matrix_f32(T, N, CLASSES)};
}

static dl_network_options all_features(void) {
    dl_network_options o = dl_network_options_default();
    o.batch = 64;
    o.epochs = 5;
    o.dropout = 0.3;
    o.input_dropout = 0.1;
    o.max_norm = 2;
    o.decay = 1e-3;
    o.average = 0.9;
    o.adversarial = 0.2;
    o.rate = 0.05;
    return o;
}

static void same_bytes_for_any_threads(void **state) {
    (void)state;
    make_problem();
    for (int optimiser = 0; optimiser < 3; optimiser++) {
        dl_network *start =
            make_sparse_network((int64_t[]){n, 270, 150, CLASSES}, 3, optimiser == 2 ? 40 : 0, 4);
        dl_network *first = NULL;
        size_t bytes = (size_t)start->size * sizeof(float);
        double losses[3][5];
        for (int threads = 1; threads <= 3; threads++) {
            dl_network_options o = all_features();
            dl_network *network = NULL;
            o.threads = threads;
            o.optimiser = (dl_optimiser_kind)optimiser;
            o.loss = optimiser == 1 ? DL_LOSS_SQUARE : DL_LOSS_SOFTMAX;
            assert_int_equal(dl_network_part(start, 0, 3, &network), DLTF_OK);
            assert_int_equal(dl_network_train(network, dltf_matrix_f32(X, N, n), all_targets(), &o, NULL,
                                              NULL, losses[threads - 1]),
                             DLTF_OK);
            first = first ? first : network;
            assert_memory_equal(network->values, first->values, bytes);
            assert_memory_equal(losses[threads - 1], losses[0], sizeof losses[0]);
            if (network != first)
                dl_network_free(network);
        }
        assert_memory_not_equal(first->values, start->values, bytes);
        dl_network_free(first);
        dl_network_free(start);
    }
}

static void learns(void **state) {
    (void)state;
    make_problem();
    dl_network *network = make_network((int64_t[]){n, 64, CLASSES}, 2, 4);
    dl_network_options o = dl_network_options_default();
    double losses[200];
    float y[N * CLASSES];
    int64_t right = 0;
    o.batch = 32;
    o.epochs = 200;
    o.threads = 1;
    assert_int_equal(
        dl_network_train(network, dltf_matrix_f32(X, N, n), all_targets(), &o, NULL, NULL, losses), DLTF_OK);
    assert_true(losses[199] < 0.02 * losses[0]);
    assert_int_equal(dl_network_apply(network, dltf_matrix_f32(X, N, n), 1, y), DLTF_OK);
    for (int64_t i = 0; i < N; i++) {
        const float *row = y + i * CLASSES;
        int best = row[1] > row[0] ? 1 : 0;
        right += (row[2] > row[best] ? 2 : best) == labels[i];
    }
    assert_int_equal(right, N);
    dl_network_free(network);
}

/* With rate 0 an epoch only measures: each sample counts once, with its own target, in any order. */
static void every_sample_once(void **state) {
    (void)state;
    make_problem();
    dl_network *network = make_network((int64_t[]){n, 20, CLASSES}, 2, 4);
    double *values = malloc((size_t)network->size * sizeof *values), mean[2] = {0}, loss[2];
    widen(network->values, network->size, values);
    for (int64_t i = 0; i < N; i++) {
        double x[n], y[CLASSES], t[CLASSES];
        widen(X + i * n, n, x);
        widen(T + i * CLASSES, CLASSES, t);
        reference_forward(network, values, x, NULL, y);
        mean[DL_LOSS_SOFTMAX] += reference_softmax(y, CLASSES, labels[i]) / N;
        mean[DL_LOSS_SQUARE] += reference_square(y, t, CLASSES) / N;
    }
    for (int kind = 0; kind < 2; kind++) {
        dl_network_options o = dl_network_options_default();
        o.loss = (dl_loss_kind)kind;
        o.rate = 0;
        o.epochs = 2;
        o.batch = 64; /* does not divide N */
        assert_int_equal(
            dl_network_train(network, dltf_matrix_f32(X, N, n), all_targets(), &o, NULL, NULL, loss),
            DLTF_OK);
        assert_true(fabs(loss[0] - mean[kind]) < 1e-5 * mean[kind] &&
                    fabs(loss[1] - loss[0]) < 1e-6 * loss[0]);
    }
    free(values);
    dl_network_free(network);
}

static void norms_are_limited(void **state) {
    (void)state;
    make_problem();
    dl_network *network = make_network((int64_t[]){n, 140, CLASSES}, 2, 4);
    dl_network_options o = dl_network_options_default();
    int64_t at_limit = 0;
    o.max_norm = 0.7;
    o.epochs = 3;
    assert_int_equal(dl_network_train(network, dltf_matrix_f32(X, N, n), all_targets(), &o, NULL, NULL, NULL),
                     DLTF_OK);
    for (int64_t l = 0; l < 2; l++)
        for (int64_t j = 0; j < network->layers[l].outputs; j++) {
            const dl_layer *layer = &network->layers[l];
            double sum = 0;
            for (int64_t i = 0; i < layer->inputs; i++)
                sum += pow((double)layer->V[j * layer->inputs + i], 2);
            assert_true(sqrt(sum) < 0.7 + 1e-5);
            at_limit += sqrt(sum) > 0.7 - 1e-5;
        }
    assert_true(at_limit > 0); /* others may have shrunk since */
    dl_network_free(network);
}

/* ---- What is refused ---- */

static dltf_status train(dl_network *network, const dl_network_options *o, dltf_matrix data) {
    return dl_network_train(network, data, all_targets(), o, NULL, NULL, NULL);
}

static void refused(void **state) {
    (void)state;
    make_problem();
    dl_network *network = make_network((int64_t[]){n, 20, CLASSES}, 2, 4);
    dl_network_options o = dl_network_options_default();
    dltf_matrix data = dltf_matrix_f32(X, N, n);
    dl_targets none = {0};
    float before = X[37];
    labels[7] = 3;
    assert_fails(train(network, &o, data), DLTF_DATA,
                 "label 3 of sample 7 is out of range: the network has 3 outputs");
    labels[7] = 2;
    X[37] = NAN;
    assert_fails(train(network, &o, data), DLTF_DATA, "row 3, column 7 is NaN");
    X[37] = before;
    assert_fails(train(network, &o, dltf_matrix_f32(X, N, n - 1)), DLTF_DATA, "9 columns");
    assert_fails(dl_network_train(network, data, none, &o, NULL, NULL, NULL), DLTF_ARGUMENT,
                 "loss softmax needs labels");
    o.loss = DL_LOSS_SQUARE;
    assert_fails(dl_network_train(network, data, none, &o, NULL, NULL, NULL), DLTF_ARGUMENT,
                 "loss square needs target values");
    none.values = data;
    assert_fails(dl_network_train(network, data, none, &o, NULL, NULL, NULL), DLTF_DATA,
                 "targets are 150 x 10, but 150 samples and 3 outputs need 150 x 3");
    o.loss = (dl_loss_kind)9;
    assert_fails(train(network, &o, data), DLTF_ARGUMENT, "loss");
    o = dl_network_options_default();
    o.dropout = 1;
    assert_fails(train(network, &o, data), DLTF_ARGUMENT, "dropout");
    o = dl_network_options_default();
    o.rate = 1e6;
    o.optimiser = DL_OPTIMISER_SGD;
    o.loss = DL_LOSS_SQUARE;
    assert_fails(train(network, &o, data), DLTF_NUMERIC, "training diverged: non-finite loss in epoch");
    dl_network_free(network);
}

static int cancel_later(void *context, const dltf_progress *progress) {
    assert_string_equal(progress->task, "training");
    assert_int_equal(progress->total, 20 * N);
    *(int64_t *)context = progress->done;
    return progress->done >= 2 * N;
}

static void cancelled(void **state) {
    (void)state;
    make_problem();
    dl_network *network = make_network((int64_t[]){n, 20, CLASSES}, 2, 4);
    dl_network_options o = dl_network_options_default();
    int64_t done = 0;
    assert_fails(
        dl_network_train(network, dltf_matrix_f32(X, N, n), all_targets(), &o, cancel_later, &done, NULL),
        DLTF_CANCELLED, "cancelled");
    assert_int_equal(done, 2 * N);
    dl_network_free(network);
}

static dltf_status train_little(dl_loss_kind loss) {
    dl_network_options o = all_features();
    dl_network *network = NULL;
    dl_layer_view layers[2] = {{.inputs = n, .outputs = 4}, {.inputs = 4, .outputs = CLASSES}};
    o.epochs = 1;
    o.loss = loss;
    o.threads = 1;
    o.optimiser = DL_OPTIMISER_ADAM;
    dltf_status status = dl_network_new(layers, 2, 0, &network);
    if (status == DLTF_OK)
        status = train(network, &o, dltf_matrix_f32(X, N, n));
    dl_network_free(network);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    make_problem();
    assert_survives_lack_of_memory(train_little(DL_LOSS_SOFTMAX), 20);
    assert_survives_lack_of_memory(train_little(DL_LOSS_SQUARE), 20);
}

TESTS_MAIN(cmocka_unit_test(steps_by_hand), cmocka_unit_test(same_bytes_for_any_threads),
           cmocka_unit_test(learns), cmocka_unit_test(every_sample_once), cmocka_unit_test(norms_are_limited),
           cmocka_unit_test(refused), cmocka_unit_test(cancelled), cmocka_unit_test(out_of_memory))
