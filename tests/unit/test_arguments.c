/* Arguments that no caller should pass: NULL in every pointer position of every public function, NULL
 * options, sizes, threads and seeds that cannot be. */
#include "test_util.h"

#include "dltf.h"
#include "io/formats/integers.h"
#include "program/program.h"

#include <stdio.h>
#include <unistd.h>

/* ---- NULL ---- */

/* Stands for a valid object. A call that looks at it before all arguments are checked sees zeros. */
static _Alignas(64) unsigned char zeros[1 << 16];
static void *result;

#define ANY ((void *)zeros)
#define RESULT ((void *)&result)

static void prepare(void) {
    memset(zeros, 0, sizeof zeros);
    result = ANY;
    dl_fail(DLTF_OK, "(no message)");
}

static void check(const char *function, const char *argument, bool has_result, dltf_status status,
                  const char *wanted) {
    if (status != DLTF_ARGUMENT || !strstr(dltf_message(), wanted))
        fail_msg("%s, %s: %s, \"%s\"", function, argument, dltf_status_name(status), dltf_message());
    if (has_result && result)
        fail_msg("%s, %s: the result is not NULL", function, argument);
}

#define REJECTS(function, argument, has_result, call)                                                        \
    prepare();                                                                                               \
    check(#function, #argument, has_result, call, "argument '" #argument "' must not be NULL");
#define OUTSIDE(function, argument, has_result, call)                                                        \
    prepare();                                                                                               \
    check(#function, #argument, has_result, call, #argument ": ");
#define ACCEPTS(call)                                                                                        \
    prepare();                                                                                               \
    call;

static void impossible_arguments(void **state) {
    (void)state;
#include "test_arguments_calls.h"
}

/* ---- NULL options ---- */

enum { ROWS = 40, COLS = 16 };
static float samples[ROWS * COLS];
static const int32_t labels[ROWS] = {0, 1};

static dltf_matrix data(void) {
    return dltf_matrix_f32(samples, ROWS, COLS);
}

static dl_network *small_network(int64_t outputs) {
    dl_network *network = NULL;
    dl_layer_view layer = {.inputs = COLS, .outputs = outputs};
    assert_int_equal(dl_network_new(&layer, 1, 1, &network), DLTF_OK);
    return network;
}

/* Defines try_FUNCTION, which makes a call with these options and frees the result. */
#define TRY(function, options_type, result_type, call)                                                       \
    static dltf_status try_##function(const void *pointer) {                                                 \
        const options_type##_options *options = pointer;                                                     \
        result_type *made = NULL;                                                                            \
        dltf_status status = (call);                                                                         \
        result_type##_free(made);                                                                            \
        return status;                                                                                       \
    }

static const int64_t sizes[] = {COLS, 3};

TRY(train, dltf_train, dltf_model, dltf_train(data(), options, NULL, NULL, &made))
TRY(learner, dltf_train, dltf_learner, dltf_learner_new(data(), NULL, options, &made))
TRY(online, dltf_train, dltf_online, dltf_online_new(COLS, NULL, options, &made))
TRY(kmeans, dltf_cluster, dltf_clusters, dltf_clusters_train(data(), options, NULL, NULL, &made))
TRY(landmarks, dltf_landmark, dltf_landmarks, dltf_landmarks_train(data(), options, NULL, NULL, &made))
TRY(hasher, dltf_hash, dltf_hasher, dltf_hasher_train(data(), options, NULL, NULL, &made))
TRY(pretrain, dl_pretrain, dl_network, dl_pretrain(data(), sizes, NULL, 1, options, NULL, NULL, &made))
TRY(autoencoder, dl_network, dl_network,
    dl_autoencoder_new(data(), sizes, 2, false, options, NULL, NULL, &made))
TRY(network, dl_network, dl_network,
    dl_network_train(made = small_network(2), data(), (dl_targets){.labels = labels}, options, NULL, NULL,
                     NULL))

static dltf_status try_gist(const void *options) {
    static float pixels[32 * 32], out[ROWS * COLS * 8];
    return dltf_gist(dltf_matrix_f32(pixels, 1, 32 * 32), 32, 32, options, NULL, NULL, out);
}

static dltf_status try_search(const void *options) {
    static const uint8_t codes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    dltf_index *index = NULL;
    dltf_neighbours *found = NULL;
    assert_int_equal(dltf_index_new(dltf_matrix_u8(codes, 12, 1), &index), DLTF_OK);
    dltf_status status = dltf_search(index, dltf_matrix_u8(codes, 1, 1), options, NULL, NULL, &found);
    dltf_neighbours_free(found);
    dltf_index_free(index);
    return status;
}

static dltf_status try_training(const void *options) {
    dl_network *network = small_network(2);
    dl_training *training = NULL;
    dltf_status status = dl_training_new(network, data(), (dl_targets){.labels = labels}, options, &training);
    dl_training_free(training);
    dl_network_free(network);
    return status;
}

/* More clusters than can be: the check of the options comes before. */
static dltf_status try_dec(const void *options) {
    dl_network *network = small_network(2);
    float centers[2] = {0};
    dltf_status status = dl_dec_train(network, data(), centers, INT64_MAX, options, NULL, NULL, NULL);
    dl_network_free(network);
    return status;
}

static void same_as_defaults(const char *name, dltf_status (*call)(const void *), const void *defaults) {
    char message[2048];
    dl_fail(DLTF_OK, "(none)");
    dltf_status status = call(defaults);
    snprintf(message, sizeof message, "%s", dltf_message());
    dl_fail(DLTF_OK, "(none)");
    if (call(NULL) != status || strcmp(dltf_message(), message) != 0)
        fail_msg("%s: \"%s\" with NULL options, \"%s\" with the defaults", name, dltf_message(), message);
}

#define SAME(function, options_type)                                                                         \
    do {                                                                                                     \
        options_type##_options defaults = options_type##_options_default();                                  \
        same_as_defaults(#function, try_##function, &defaults);                                              \
    } while (0)

static void null_options(void **state) {
    (void)state;
    fill_normal(samples, ROWS * COLS);
    SAME(train, dltf_train);
    SAME(learner, dltf_train);
    SAME(online, dltf_train);
    SAME(kmeans, dltf_cluster);
    SAME(landmarks, dltf_landmark);
    SAME(hasher, dltf_hash);
    SAME(pretrain, dl_pretrain);
    SAME(autoencoder, dl_network);
    SAME(network, dl_network);
    SAME(gist, dltf_gist);
    SAME(search, dltf_search);
    SAME(training, dl_network);
    SAME(dec, dl_dec);
}

/* ---- Sizes ---- */

static const int64_t LARGE = INT64_C(1) << 32;

/* Nothing may be written. */
static void shapes_of_files(void **state) {
    (void)state;
    const char *path = "test_arguments.npy";
    const int64_t value = 1;
    dltf_codes_writer *writer = NULL;
    dl_reservation *reservation = NULL;
    unlink(path);
    assert_fails(dl_integers_save(&(dl_integers){&value, LARGE, LARGE, false}, path), DLTF_ARGUMENT,
                 "4294967296 x 4294967296");
    assert_fails(dl_integers_save(&(dl_integers){&value, 1, -1, false}, path), DLTF_ARGUMENT, "1 x -1");
    assert_fails(dl_integers_save(&(dl_integers){&value, 0, 1, false}, path), DLTF_ARGUMENT, "0 x 1");
    assert_fails(dltf_labels_save(&value, -1, path), DLTF_ARGUMENT, "-1 x 1");
    assert_fails(dltf_labels_save(&value, INT64_MAX, path), DLTF_ARGUMENT, "out of range");
    assert_fails(dltf_matrix_save(dltf_matrix_f32(samples, LARGE, LARGE), path), DLTF_ARGUMENT, "too large");
    assert_fails(dltf_matrix_save(dltf_matrix_f32(samples, -1, 2), path), DLTF_ARGUMENT, "-1 rows");
    assert_fails(dltf_codes_writer_open(path, DLTF_LAYOUT_DENSE, -2, 3, &writer), DLTF_ARGUMENT, "-2 rows");
    assert_fails(dltf_codes_writer_open(path, DLTF_LAYOUT_DENSE, INT64_MAX, 3, &writer), DLTF_ARGUMENT,
                 "rows of 3 columns");
    assert_fails(dltf_codes_writer_open(path, (dltf_layout)7, 1, 3, &writer), DLTF_ARGUMENT, "layout 7");
    assert_fails(dltf_picture_save(data(), LARGE, LARGE, 1, DLTF_GRAY_OWN, path), DLTF_ARGUMENT,
                 "do not fit");
    assert_fails(dl_reservation_new(path, -1, &reservation), DLTF_ARGUMENT, "-1 bytes");
    assert_int_equal(access(path, F_OK), -1);
}

static dltf_status no_row(void *context, int64_t row, double *out) {
    (void)context;
    (void)row;
    (void)out;
    return DLTF_OK;
}

static void sizes_of_objects(void **state) {
    (void)state;
    dltf_source *source = NULL;
    dltf_relevance *relevance = NULL;
    dltf_image *image = NULL;
    dltf_image_set *set = NULL;
    dl_network *part = NULL, *network = small_network(2);
    int64_t classes[2] = {0, 1};
    int32_t numbers[2];
    const char *path = "x.png";
    assert_fails(dltf_source_new(-1, 2, no_row, NULL, &source), DLTF_ARGUMENT, "-1 rows");
    assert_fails(dltf_relevance_by_nearest(data(), dltf_matrix_f32(samples, INT64_MAX / 8, 1), ROWS, 1, NULL,
                                           NULL, &relevance),
                 DLTF_MEMORY, "1152921504606846975 queries");
    assert_fails(
        dltf_relevance_by_radius(data(), dltf_matrix_f32(samples, -3, COLS), 1, 1, NULL, NULL, &relevance),
        DLTF_ARGUMENT, "-3 rows");
    assert_fails(dltf_image_new(LARGE, LARGE, 1, 8, &image), DLTF_MEMORY, "not enough memory");
    assert_fails(dltf_image_set_open(&path, -1, &set), DLTF_ARGUMENT, "no files given");
    assert_int_equal(dl_classes_find(classes, -1, classes), 0);
    assert_fails(dl_classes_number(classes, 2, classes, -1, numbers), DLTF_ARGUMENT, "-1 classes");
    assert_fails(dl_network_part(network, 1, INT64_MAX, &part), DLTF_ARGUMENT, "the network has 1 layers");
    assert_fails(dltf_pca_new(&(dltf_pca_view){.n = 2, .d = 1}, &(dltf_pca *){NULL}), DLTF_ARGUMENT,
                 "missing");
    dl_network_free(network);
}

static void layers_that_do_not_exist(void **state) {
    (void)state;
    dl_network *network = small_network(2);
    assert_int_equal(dl_network_layer(network, 0).outputs, 2);
    assert_int_equal(dl_network_layer(network, 7).outputs, 0);
    assert_int_equal(dl_network_layer(network, -1).outputs, 0);
    assert_null(dl_network_layer(network, INT64_MAX).weights);
    dl_network_free(network);
}

TESTS_MAIN(cmocka_unit_test(impossible_arguments), cmocka_unit_test(null_options),
           cmocka_unit_test(shapes_of_files), cmocka_unit_test(sizes_of_objects),
           cmocka_unit_test(layers_that_do_not_exist))
