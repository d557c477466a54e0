/* Training as a handle: interrupted anywhere and resumed to the same bytes; records of epochs; samples held
 * out. */
#include "test_network.h"

#include "network/training.h"
#include "program/program.h"

enum { N = 150, n = 10, CLASSES = 3, EPOCHS = 4, BATCH = 32 };

static float X[N * n], T[N * CLASSES];
static int32_t labels[N];

/* Classes that a linear map cannot separate. */
static void make_problem(void) {
    for (int64_t i = 0; i < N; i++) {
        fill_normal(X + i * n, n);
        labels[i] = X[i * n] * X[i * n + 1] > 0 ? 0 : X[i * n + 2] > 0 ? 1 : 2;
        for (int c = 0; c < CLASSES; c++)
            T[i * CLASSES + c] = labels[i] == c;
    }
}

static dltf_matrix samples(void) {
    return dltf_matrix_f32(X, N, n);
}

static dl_targets targets(void) {
    return (dl_targets){labels, dltf_matrix_f32(T, N, CLASSES)};
}

static dl_network_options all_features(dl_optimiser_kind optimiser) {
    dl_network_options o = dl_network_options_default();
    o.optimiser = optimiser;
    o.rate = optimiser == DL_OPTIMISER_ADAM ? 0.005 : 0.05;
    o.batch = BATCH;
    o.epochs = EPOCHS;
    o.dropout = 0.3;
    o.input_dropout = 0.1;
    o.decay = 1e-3;
    o.average = 0.9;
    o.adversarial = 0.2;
    o.held_out = 0.2;
    return o;
}

static dl_network *make_start(void) {
    const int64_t names[CLASSES] = {-1, 5, 6};
    dl_network *network = make_sparse_network((int64_t[]){n, 140, 20, CLASSES}, 3, 12, 4);
    assert_int_equal(dl_network_set_scale(network, 0.5), DLTF_OK);
    assert_int_equal(dl_network_set_classes(network, names), DLTF_OK);
    return network;
}

/* ---- Interruptions ---- */

typedef struct stop {
    int64_t at; /* samples */
} stop;

static int stop_at(void *context, const dltf_progress *progress) {
    const stop *s = context;
    assert_string_equal(progress->task, "training");
    return progress->done >= s->at;
}

static void run_until(dl_training *t, int64_t at, dltf_outcome wanted) {
    dltf_outcome outcome;
    stop s = {at};
    assert_int_equal(dl_training_run(t, stop_at, &s, &outcome), DLTF_OK);
    assert_int_equal(outcome, wanted);
}

/* The state goes through a bundle into a new handle. */
static void pass_on(dl_training **t, int64_t threads) {
    dl_bundle bundle = {0};
    dl_training *next = NULL;
    assert_int_equal(dl_training_to_bundle(*t, &bundle), DLTF_OK);
    dl_training_free(*t);
    assert_int_equal(dl_training_from_bundle(&bundle, samples(), targets(), threads, &next), DLTF_OK);
    dl_bundle_free(&bundle);
    *t = next;
}

static void assert_same_results(const dl_training *a, const dl_training *b) {
    int64_t count = 0, other = 0;
    const dl_epoch *first = dl_training_history(a, &count), *second = dl_training_history(b, &other);
    const dl_network *one = dl_training_network(a), *two = dl_training_network(b);
    assert_int_equal(count, other);
    for (int64_t e = 0; e < count; e++)
        assert_memory_equal(&first[e], &second[e], offsetof(dl_epoch, seconds));
    assert_memory_equal(one->values, two->values, (size_t)one->size * sizeof(float));
    assert_memory_equal(one->classes, two->classes, CLASSES * sizeof(int64_t));
    assert_true(one->scale == two->scale);
}

static void check_resumed(dl_network_options o, bool validated) {
    dl_network *start = make_start();
    dl_training *whole = NULL, *parts = NULL;
    o.threads = 1;
    assert_int_equal(dl_training_new(start, samples(), targets(), &o, &whole), DLTF_OK);
    if (validated)
        assert_int_equal(dl_training_validate(whole, samples(), labels), DLTF_OK);
    int64_t each = whole->samples, total = EPOCHS * each;
    run_until(whole, total + 1, DLTF_ITERATION_LIMIT);
    /* After one batch; within an epoch; at the last batch of one; at the very last. */
    const int64_t stops[] = {1, each / 2, each, 2 * each + BATCH, total};
    assert_int_equal(dl_training_new(start, samples(), targets(), &o, &parts), DLTF_OK);
    pass_on(&parts, 2);
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        if (validated)
            assert_int_equal(dl_training_validate(parts, samples(), labels), DLTF_OK);
        run_until(parts, stops[i], DLTF_INTERRUPTED);
        pass_on(&parts, 1 + (int64_t)i % 3);
    }
    if (validated)
        assert_int_equal(dl_training_validate(parts, samples(), labels), DLTF_OK);
    run_until(parts, total + 1, DLTF_ITERATION_LIMIT);
    assert_same_results(parts, whole);
    /* A finished one stays as it is. */
    pass_on(&parts, 1);
    run_until(parts, 0, DLTF_ITERATION_LIMIT);
    assert_same_results(parts, whole);
    assert_memory_not_equal(whole->network->values, start->values, (size_t)start->size * sizeof(float));
    dl_training_free(whole);
    dl_training_free(parts);
    dl_network_free(start);
}

static void resumed(void **state) {
    (void)state;
    make_problem();
    for (int optimiser = 0; optimiser < 3; optimiser++)
        check_resumed(all_features((dl_optimiser_kind)optimiser), optimiser == 1);
    dl_network_options plain = dl_network_options_default(), square = plain;
    plain.epochs = square.epochs = EPOCHS;
    plain.batch = square.batch = BATCH;
    square.loss = DL_LOSS_SQUARE;
    check_resumed(plain, true);
    check_resumed(square, false);
}

/* ---- Records ---- */

static double error_on(const dl_network *network, dltf_matrix data, const int32_t *wanted) {
    int32_t *found = malloc((size_t)data.rows * sizeof *found);
    double wrong = 0;
    assert_int_equal(dl_network_classify(network, data, 1, found, NULL), DLTF_OK);
    for (int64_t i = 0; i < data.rows; i++)
        wrong += found[i] != wanted[i];
    free(found);
    return wrong / (double)data.rows;
}

static void records(void **state) {
    (void)state;
    make_problem();
    dl_network *start = make_start(), *trained = NULL;
    for (int averaged = 0; averaged < 2; averaged++) {
        dl_network_options o = all_features(DL_OPTIMISER_NESTEROV);
        dl_training *t = NULL;
        double losses[EPOCHS];
        int64_t count = 0;
        o.held_out = 0;
        o.average = averaged ? 0.9 : 0;
        assert_int_equal(dl_training_new(start, samples(), targets(), &o, &t), DLTF_OK);
        dl_training_history(t, &count);
        assert_int_equal(count, 0);
        run_until(t, N, DLTF_INTERRUPTED);
        assert_int_equal(dl_training_validate(t, dltf_matrix_f32(X, 100, n), labels), DLTF_OK);
        run_until(t, EPOCHS * N + 1, DLTF_ITERATION_LIMIT);
        const dl_epoch *history = dl_training_history(t, &count);
        assert_int_equal(count, EPOCHS);
        for (int e = 0; e < EPOCHS; e++) {
            assert_true(fabs(history[e].rate - o.rate * (EPOCHS - e) / EPOCHS) < 1e-12);
            assert_true(history[e].error >= 0 && history[e].seconds >= 0);
            assert_true(e == 0 || history[e].seconds >= history[e - 1].seconds);
        }
        /* The last error is that of the result. */
        assert_true(history[EPOCHS - 1].error ==
                    error_on(dl_training_network(t), dltf_matrix_f32(X, 100, n), labels));
        /* The one-call form gives the same. */
        assert_int_equal(dl_network_part(start, 0, 3, &trained), DLTF_OK);
        assert_int_equal(dl_network_train(trained, samples(), targets(), &o, NULL, NULL, losses), DLTF_OK);
        assert_memory_equal(trained->values, t->network->values, (size_t)trained->size * sizeof(float));
        for (int e = 0; e < EPOCHS; e++)
            assert_true(losses[e] == history[e].loss);
        dl_network_free(trained);
        dl_training_free(t);
    }
    dl_network_free(start);
}

/* Every row is either held out or trained on; errors are measured on those held out. */
static void held_out(void **state) {
    (void)state;
    make_problem();
    dl_network *start = make_start();
    dl_network_options o = all_features(DL_OPTIMISER_SGD);
    dl_training *t = NULL;
    bool trained_on[N] = {false};
    int64_t count = 0, in_order = 0;
    o.held_out = 0.25;
    assert_int_equal(dl_training_new(start, samples(), targets(), &o, &t), DLTF_OK);
    assert_int_equal(t->held_out, 37);
    assert_int_equal(t->samples, N - 37);
    for (int64_t i = 0; i < t->samples; i++) {
        int64_t row = dl_training_row(t, i);
        assert_false(trained_on[row]);
        trained_on[row] = true;
        in_order += row == i;
    }
    assert_true(in_order < N / 4);
    for (int64_t i = 0; i < t->held_out; i++) {
        const float *sample = t->own_validation + i * n;
        int64_t row = 0;
        while (memcmp(X + row * n, sample, n * sizeof(float)) != 0)
            row++;
        assert_false(trained_on[row]);
        assert_int_equal(t->own_wanted[i], labels[row]);
    }
    run_until(t, N * EPOCHS, DLTF_ITERATION_LIMIT);
    const dl_epoch *history = dl_training_history(t, &count);
    assert_true(history[EPOCHS - 1].error == error_on(t->network, t->validation, t->wanted));
    dl_training_free(t);
    dl_network_free(start);
}

/* ---- What is refused ---- */

static void refused(void **state) {
    (void)state;
    make_problem();
    dl_network *start = make_start();
    dl_network_options o = dl_network_options_default();
    dl_training *t = NULL;
    o.loss = DL_LOSS_SQUARE;
    o.held_out = 0.1;
    assert_fails(dl_training_new(start, samples(), targets(), &o, &t), DLTF_ARGUMENT,
                 "held-out: needs loss softmax");
    assert_null(t);
    o.held_out = 0;
    assert_int_equal(dl_training_new(start, samples(), targets(), &o, &t), DLTF_OK);
    assert_fails(dl_training_validate(t, samples(), labels), DLTF_ARGUMENT, "needs loss softmax");
    dl_training_free(t);
    o.loss = DL_LOSS_SOFTMAX;
    o.held_out = 0.001;
    assert_fails(dl_training_new(start, samples(), targets(), &o, &t), DLTF_ARGUMENT,
                 "held-out: a share of 0.001 of 150 samples is less than one");
    o.held_out = 0;
    assert_int_equal(dl_training_new(start, samples(), targets(), &o, &t), DLTF_OK);
    assert_fails(dl_training_validate(t, dltf_matrix_f32(X, N, n - 1), labels), DLTF_DATA, "9 columns");
    labels[3] = 3;
    assert_fails(dl_training_validate(t, samples(), labels), DLTF_DATA,
                 "label 3 of sample 3 is out of range");
    assert_fails(dl_training_validate(t, samples(), NULL), DLTF_ARGUMENT, "must not be NULL");
    dl_training_free(t);
    dl_network_free(start);
}

static dltf_status use_all(const dl_network *start) {
    dl_network_options o = all_features(DL_OPTIMISER_ADAM);
    dl_training *t = NULL, *next = NULL;
    dl_bundle bundle = {0};
    dltf_outcome outcome;
    stop s = {N};
    o.threads = 1;
    o.epochs = 2;
    dltf_status status = dl_training_new(start, samples(), targets(), &o, &t);
    if (status == DLTF_OK)
        status = dl_training_run(t, stop_at, &s, &outcome);
    if (status == DLTF_OK)
        status = dl_training_to_bundle(t, &bundle);
    if (status == DLTF_OK)
        status = dl_training_from_bundle(&bundle, samples(), targets(), 1, &next);
    if (status == DLTF_OK)
        status = dl_training_run(next, NULL, NULL, &outcome);
    dl_bundle_free(&bundle);
    dl_training_free(t);
    dl_training_free(next);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    make_problem();
    dl_network *start = make_network((int64_t[]){n, 4, CLASSES}, 2, 4);
    assert_survives_lack_of_memory(use_all(start), 60);
    dl_network_free(start);
}

TESTS_MAIN(cmocka_unit_test(resumed), cmocka_unit_test(records), cmocka_unit_test(held_out),
           cmocka_unit_test(refused), cmocka_unit_test(out_of_memory))
