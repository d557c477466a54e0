/* Classifiers: numbers of classes, predictions and confusion matrices against plain loops in double. */
#include "program/program.h"
#include "test_network.h"

enum { N = 333, n = 6, CLASSES = 4 };

static const int64_t labels_of[CLASSES] = {-7, 0, 12, INT64_C(1) << 40};
static float X[N * n];
static double outputs[N][CLASSES];
static int64_t largest[N];

/* Samples, and what a network of the given scale gives for them. */
static dl_network *make_problem(double scale, int64_t k) {
    dl_network *network = make_sparse_network((int64_t[]){n, 140, 30, CLASSES}, 3, k, 3);
    double *values = malloc((size_t)network->size * sizeof *values);
    widen(network->values, network->size, values);
    fill_normal(X, N * n);
    assert_int_equal(dl_network_set_scale(network, scale), DLTF_OK);
    assert_true(fabs(dl_network_scale(network) - scale) < 1e-6 * scale);
    for (int64_t i = 0; i < N; i++) {
        double x[n];
        for (int e = 0; e < n; e++)
            x[e] = (double)(float)scale * (double)X[i * n + e];
        reference_forward(network, values, x, NULL, outputs[i]);
        largest[i] = 0;
        for (int j = 1; j < CLASSES; j++)
            if (outputs[i][j] > outputs[i][largest[i]])
                largest[i] = j;
    }
    free(values);
    return network;
}

/* Whether rounding cannot change the prediction of a sample. */
static bool is_clear(int64_t i) {
    for (int j = 0; j < CLASSES; j++)
        if (j != largest[i] && outputs[i][largest[i]] - outputs[i][j] < 1e-3)
            return false;
    return true;
}

static void check_predictions(double scale, int64_t k, bool labelled) {
    dl_network *network = make_problem(scale, k);
    static int64_t labels[3][N];
    static float probabilities[3][N * CLASSES];
    int64_t clear = 0;
    if (labelled)
        assert_int_equal(dl_network_set_classes(network, labels_of), DLTF_OK);
    for (int t = 0; t < 3; t++)
        assert_int_equal(
            dl_network_predict(network, dltf_matrix_f32(X, N, n), t + 1, labels[t], probabilities[t]),
            DLTF_OK);
    for (int t = 1; t < 3; t++) {
        assert_memory_equal(labels[t], labels[0], sizeof labels[0]);
        assert_memory_equal(probabilities[t], probabilities[0], sizeof probabilities[0]);
    }
    for (int64_t i = 0; i < N; i++) {
        double sum = 0;
        for (int j = 0; j < CLASSES; j++)
            sum += exp(outputs[i][j]);
        for (int j = 0; j < CLASSES; j++)
            assert_true(fabs((double)probabilities[0][i * CLASSES + j] - exp(outputs[i][j]) / sum) < 1e-4);
        clear += is_clear(i);
        if (is_clear(i))
            assert_int_equal(labels[0][i], labelled ? labels_of[largest[i]] : largest[i]);
    }
    assert_true(clear > N * 9 / 10);
    assert_int_equal(dl_network_predict(network, dltf_matrix_f32(X, N, n), 1, labels[1], NULL), DLTF_OK);
    assert_memory_equal(labels[1], labels[0], sizeof labels[0]);
    dl_network_free(network);
}

static void predictions(void **state) {
    (void)state;
    check_predictions(1, 0, false);
    check_predictions(0.25, 0, true);
    check_predictions(1.5, 9, true);
}

static void confusion(void **state) {
    (void)state;
    dl_network *network = make_problem(0.5, 0);
    static int64_t wanted[N], found[N];
    int64_t counts[CLASSES][CLASSES], expected[CLASSES][CLASSES] = {{0}};
    for (int labelled = 0; labelled < 2; labelled++) {
        memset(expected, 0, sizeof expected);
        if (labelled)
            assert_int_equal(dl_network_set_classes(network, labels_of), DLTF_OK);
        assert_int_equal(dl_network_predict(network, dltf_matrix_f32(X, N, n), 2, found, NULL), DLTF_OK);
        for (int64_t i = 0; i < N; i++) {
            int64_t truth = below(CLASSES);
            wanted[i] = labelled ? labels_of[truth] : truth;
            for (int j = 0; j < CLASSES; j++)
                expected[truth][j] += found[i] == (labelled ? labels_of[j] : j);
        }
        assert_int_equal(dl_network_confusion(network, dltf_matrix_f32(X, N, n), wanted, 2, &counts[0][0]),
                         DLTF_OK);
        assert_memory_equal(counts, expected, sizeof counts);
    }
    wanted[9] = 13;
    assert_fails(dl_network_confusion(network, dltf_matrix_f32(X, N, n), wanted, 2, &counts[0][0]), DLTF_DATA,
                 "label 13 of sample 9 (counting from 0) is not one of the 4 classes");
    assert_int_equal(dltf_last_error().subject, DLTF_SUBJECT_LABELS);
    assert_fails(dl_network_confusion(network, dltf_matrix_f32(X, N, n - 1), wanted, 2, &counts[0][0]),
                 DLTF_DATA, "5 columns, but the network has 6 inputs");
    dl_network_free(network);
}

static void numbers_of_classes(void **state) {
    (void)state;
    enum { COUNT = 500 };
    int64_t labels[COUNT], classes[COUNT];
    int32_t numbers[COUNT];
    for (int64_t i = 0; i < COUNT; i++)
        labels[i] = (below(9) - 4) * (INT64_C(1) << 50);
    int64_t found = dl_classes_find(labels, COUNT, classes);
    assert_int_equal(found, 9);
    assert_int_equal(dl_classes_number(labels, COUNT, classes, found, numbers), DLTF_OK);
    for (int64_t i = 0; i < COUNT; i++)
        assert_true(classes[numbers[i]] == labels[i]);
    for (int64_t j = 1; j < found; j++)
        assert_true(classes[j] > classes[j - 1]);
    assert_int_equal(dl_classes_find(labels, 1, classes), 1);
    assert_int_equal(dl_classes_find(labels, 0, classes), 0);
}

/* The first part has the scale, the last the classes. */
static void parts(void **state) {
    (void)state;
    dl_network *network = make_problem(0.5, 0), *part = NULL;
    assert_int_equal(dl_network_set_classes(network, labels_of), DLTF_OK);
    for (int first = 0; first < 3; first++)
        for (int count = 1; count <= 3 - first; count++) {
            assert_int_equal(dl_network_part(network, first, count, &part), DLTF_OK);
            assert_true(dl_network_scale(part) == (first == 0 ? 0.5 : 1));
            const int64_t *classes = dl_network_classes(part);
            assert_int_equal(classes != NULL, first + count == 3);
            if (classes)
                assert_memory_equal(classes, labels_of, sizeof labels_of);
            dl_network_free(part);
        }
    dl_network_free(network);
}

static void refused(void **state) {
    (void)state;
    dl_network *network = make_problem(1, 0);
    const int64_t twice[CLASSES] = {1, 2, 2, 3};
    assert_fails(dl_network_set_classes(network, twice), DLTF_ARGUMENT, "class 2 follows class 2");
    assert_null(dl_network_classes(network));
    assert_fails(dl_network_set_scale(network, 0), DLTF_ARGUMENT, "must be finite and not 0");
    assert_fails(dl_network_set_scale(network, NAN), DLTF_ARGUMENT, "must be finite and not 0");
    assert_fails(dl_network_set_scale(network, 1e300), DLTF_ARGUMENT, "must be finite and not 0");
    assert_true(dl_network_scale(network) == 1);
    dl_network_free(network);
}

static dltf_status use_all(const dl_network *network) {
    int64_t labels[N], counts[CLASSES * CLASSES];
    dl_network *part = NULL;
    dltf_status status = dl_network_part(network, 0, 3, &part);
    if (status == DLTF_OK)
        status = dl_network_predict(part, dltf_matrix_f32(X, N, n), 1, labels, NULL);
    if (status == DLTF_OK)
        status = dl_network_confusion(part, dltf_matrix_f32(X, N, n), labels, 1, counts);
    dl_network_free(part);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    dl_network *network = make_problem(1, 9);
    assert_int_equal(dl_network_set_classes(network, labels_of), DLTF_OK);
    assert_survives_lack_of_memory(use_all(network), 14);
    dl_network_free(network);
}

TESTS_MAIN(cmocka_unit_test(predictions), cmocka_unit_test(confusion), cmocka_unit_test(numbers_of_classes),
           cmocka_unit_test(parts), cmocka_unit_test(refused), cmocka_unit_test(out_of_memory))
