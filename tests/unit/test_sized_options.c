/* Options of programs that were compiled with older or newer headers, in which a struct is shorter or longer:
 * every function that takes options, from a table. */
#include "test_edge.h"

#include "dltf.h"

#include <stdio.h>

enum { ROWS = 12, COLS = 4, MORE = 16, LEAST = 2 * sizeof(size_t) };

static float samples[ROWS * COLS];
static dltf_model *model;
static dltf_codes *codes;

static dltf_matrix data(void) {
    return dltf_matrix_f32(samples, ROWS, COLS);
}

static dltf_status try_train(const void *options) {
    dltf_model *made = NULL;
    dltf_status status = dltf_train(data(), options, NULL, NULL, &made);
    dltf_model_free(made);
    return status;
}

static dltf_status try_learner(const void *options) {
    dltf_learner *made = NULL;
    dltf_status status = dltf_learner_new(data(), NULL, options, &made);
    dltf_learner_free(made);
    return status;
}

static dltf_status try_online(const void *options) {
    dltf_online *made = NULL;
    dltf_status status = dltf_online_new(COLS, NULL, options, &made);
    dltf_online_free(made);
    return status;
}

static dltf_status try_encode(const void *options) {
    dltf_codes *made = NULL;
    dltf_status status = dltf_encode(model, data(), options, NULL, NULL, &made);
    dltf_codes_free(made);
    return status;
}

static dltf_status try_encoder(const void *options) {
    dltf_encoder *made = NULL;
    dltf_status status = dltf_encoder_new(model, options, &made);
    dltf_encoder_free(made);
    return status;
}

static dltf_status try_stream(const void *options) {
    dltf_reader *reader = NULL;
    dltf_codes_writer *writer = NULL;
    dltf_stream_totals totals;
    assert_int_equal(dltf_reader_open("test_sized.npy", 0, &reader), DLTF_OK);
    assert_int_equal(dltf_codes_writer_open("test_sized.out", DLTF_LAYOUT_DENSE, ROWS, COLS, &writer),
                     DLTF_OK);
    dltf_status status = dltf_encode_stream(model, reader, options, NULL, NULL, writer, &totals);
    dltf_codes_writer_free(writer);
    dltf_reader_free(reader);
    return status;
}

static dltf_status try_denoise(const void *options) {
    dltf_image *noisy = NULL, *clean = NULL;
    assert_int_equal(dltf_image_new(3, 3, 1, 8, &noisy), DLTF_OK);
    dltf_status status = dltf_denoise(noisy, NULL, options, NULL, NULL, &clean, NULL);
    dltf_image_free(clean);
    dltf_image_free(noisy);
    return status;
}

static dltf_status try_gist(const void *options) {
    static float pixels[32 * 32], out[DLTF_GIST_SIZE];
    return dltf_gist(dltf_matrix_f32(pixels, 1, 32 * 32), 32, 32, options, NULL, NULL, out);
}

static dltf_status try_gist_of_set(const void *options) {
    static float out[DLTF_GIST_SIZE];
    const char *path = "test_sized.pgm";
    dltf_image *image = NULL;
    dltf_image_set *set = NULL;
    assert_int_equal(dltf_image_new(32, 32, 1, 8, &image), DLTF_OK);
    assert_int_equal(dltf_image_save(image, path), DLTF_OK);
    assert_int_equal(dltf_image_set_open(&path, 1, &set), DLTF_OK);
    dltf_status status = dltf_image_set_gist(set, options, NULL, NULL, out);
    dltf_image_set_free(set);
    dltf_image_free(image);
    unlink(path);
    return status;
}

static dltf_status try_certify_model(const void *options) {
    dltf_model_certificate certificate;
    return dltf_model_certify(model, options, &certificate);
}

static dltf_status try_certify_samples(const void *options) {
    uint8_t flags[ROWS * DLTF_FLAG_COUNT];
    return dltf_samples_certify(model, data(), NULL, NULL, options, NULL, NULL, flags);
}

static dltf_status try_kmeans(const void *options) {
    dltf_clusters *made = NULL;
    dltf_status status = dltf_clusters_train(data(), options, NULL, NULL, &made);
    dltf_clusters_free(made);
    return status;
}

static dltf_status try_kmeans_codes(const void *options) {
    dltf_clusters *made = NULL;
    dltf_status status = dltf_clusters_train_codes(codes, options, NULL, NULL, &made);
    dltf_clusters_free(made);
    return status;
}

static dltf_status try_kmeans_from(const void *options) {
    dltf_clusters *made = NULL;
    dltf_status status =
        dltf_clusters_train_from(data(), dltf_matrix_f32(samples, 2, COLS), options, NULL, NULL, &made);
    dltf_clusters_free(made);
    return status;
}

static dltf_status try_landmarks(const void *options) {
    dltf_landmarks *made = NULL;
    dltf_status status = dltf_landmarks_train(data(), options, NULL, NULL, &made);
    dltf_landmarks_free(made);
    return status;
}

static dltf_status try_hasher(const void *options) {
    dltf_hasher *made = NULL;
    dltf_status status = dltf_hasher_train(data(), options, NULL, NULL, &made);
    dltf_hasher_free(made);
    return status;
}

static const uint8_t bits[ROWS] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

static dltf_status try_evaluate(const void *options) {
    const int64_t labels[ROWS] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    dltf_relevance *relevance = NULL;
    dltf_retrieval found;
    assert_int_equal(dltf_relevance_by_labels(labels, ROWS, labels, ROWS, &relevance), DLTF_OK);
    dltf_status status = dltf_hashes_evaluate(dltf_matrix_u8(bits, ROWS, 1), dltf_matrix_u8(bits, ROWS, 1),
                                              relevance, options, NULL, NULL, &found);
    dltf_relevance_free(relevance);
    return status;
}

static dltf_status try_search(const void *options) {
    dltf_index *index = NULL;
    dltf_neighbours *found = NULL;
    assert_int_equal(dltf_index_new(dltf_matrix_u8(bits, ROWS, 1), &index), DLTF_OK);
    dltf_status status = dltf_search(index, dltf_matrix_u8(bits, 1, 1), options, NULL, NULL, &found);
    dltf_neighbours_free(found);
    dltf_index_free(index);
    return status;
}

static dltf_status try_evaluation(const void *options) {
    dltf_evaluation found;
    return dltf_evaluate(model, data(), options, NULL, NULL, NULL, &found);
}

static dltf_reader *open_samples(void) {
    dltf_reader *reader = NULL;
    assert_int_equal(dltf_reader_open("test_sized.npy", 0, &reader), DLTF_OK);
    return reader;
}

static dltf_status try_evaluation_of_stream(const void *options) {
    dltf_evaluation found;
    dltf_reader *reader = open_samples();
    dltf_status status = dltf_evaluate_stream(model, reader, options, NULL, NULL, NULL, &found);
    dltf_reader_free(reader);
    return status;
}

static dltf_status try_top_of_stream(const void *options) {
    dltf_top *top = NULL;
    dltf_reader *reader = open_samples();
    dltf_status status = dltf_top_find_stream(model, reader, NULL, options, NULL, NULL, &top);
    dltf_top_free(top);
    dltf_reader_free(reader);
    return status;
}

static dltf_status try_top(const void *options) {
    dltf_top *top = NULL;
    dltf_status status = dltf_top_find(model, data(), NULL, options, NULL, NULL, &top);
    dltf_top_free(top);
    return status;
}

static dltf_status try_suggest(const void *options) {
    dltf_suggestion *suggestion = NULL;
    dltf_status status = dltf_suggest(data(), options, NULL, NULL, &suggestion);
    dltf_suggestion_free(suggestion);
    return status;
}

static int cancel(void *context, const dltf_progress *progress) {
    (void)context, (void)progress;
    return 1;
}

/* Cancelled at its first report, as drawing 10,000 samples takes long. */
static dltf_status try_synthetic(const void *options) {
    dltf_synthetic *problem = NULL;
    dltf_status status = dltf_synthetic_new(options, cancel, NULL, &problem);
    dltf_synthetic_free(problem);
    return status;
}

#define INIT(task)                                                                                           \
    static void init_##task(void *options, size_t size) {                                                    \
        dltf_##task##_options_init(options, size);                                                           \
    }
#define TASKS(ROW)                                                                                           \
    ROW(train)                                                                                               \
    ROW(encode)                                                                                              \
    ROW(denoise)                                                                                             \
    ROW(gist)                                                                                                \
    ROW(certify)                                                                                             \
    ROW(cluster) ROW(landmark) ROW(hash) ROW(hash_evaluate) ROW(search) ROW(synthetic) ROW(top) ROW(suggest)
TASKS(INIT)

typedef struct row {
    const char *task;
    size_t size;
    void (*init)(void *options, size_t size);
    dltf_status (*call)(const void *options);
} row;

#define ROW(task, function)                                                                                  \
    { #task, sizeof(dltf_##task##_options), init_##task, try_##function }
static const row rows[] = {
    ROW(train, train),
    ROW(train, learner),
    ROW(train, online),
    ROW(encode, encode),
    ROW(encode, encoder),
    ROW(encode, stream),
    ROW(encode, evaluation),
    ROW(encode, evaluation_of_stream),
    ROW(top, top),
    ROW(top, top_of_stream),
    ROW(suggest, suggest),
    ROW(denoise, denoise),
    ROW(gist, gist),
    ROW(gist, gist_of_set),
    ROW(certify, certify_model),
    ROW(certify, certify_samples),
    ROW(cluster, kmeans),
    ROW(cluster, kmeans_codes),
    ROW(cluster, kmeans_from),
    ROW(landmark, landmarks),
    ROW(hash, hasher),
    ROW(hash_evaluate, evaluate),
    ROW(search, search),
    ROW(synthetic, synthetic),
};

static void for_every_row(void (*check)(const row *r)) {
    dltf_encode_options one = dltf_encode_options_default();
    dltf_model_view parts = {.m = COLS, .n = COLS, .k = 2, .dictionary = samples};
    fill_normal(samples, ROWS * COLS);
    one.k = 1;
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    assert_int_equal(dltf_encode(model, data(), &one, NULL, NULL, &codes), DLTF_OK);
    assert_int_equal(dltf_matrix_save(data(), "test_sized.npy"), DLTF_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check(&rows[i]);
    unlink("test_sized.npy");
    dltf_codes_free(codes);
    dltf_model_free(model);
}

/* Calls with defaults at the edge of memory, of a program that knows `size` bytes of them. */
static void check_same_as_defaults(const row *r, size_t size, dltf_status wanted, const char *message) {
    size_t written = 0;
    void *options = at_edge(size);
    r->init(options, size);
    memcpy(&written, options, sizeof written);
    assert_int_equal(written, size);
    dl_fail(DLTF_OK, "(none)");
    dltf_status status = r->call(options);
    if (status != wanted || strcmp(dltf_message(), message) != 0)
        fail_msg("%s options of %zu bytes: \"%s\" instead of \"%s\"", r->task, size, dltf_message(), message);
}

static void any_size(const row *r) {
    char message[2048];
    dl_fail(DLTF_OK, "(none)");
    dltf_status status = r->call(NULL);
    snprintf(message, sizeof message, "%s", dltf_message());
    const size_t sizes[] = {LEAST, r->size / 2 / LEAST * LEAST, r->size - sizeof(size_t), r->size,
                            r->size + MORE};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i] >= LEAST)
            check_same_as_defaults(r, sizes[i], status, message);
}

static void older_and_newer_programs(void **state) {
    (void)state;
    for_every_row(any_size);
}

/* A field that this library does not have must not be ignored. */
static void unknown_field(const row *r) {
    unsigned char *options = at_edge(r->size + MORE);
    r->init(options, r->size + MORE);
    options[r->size + MORE - 1] = 1;
    assert_fails(r->call(options), DLTF_ARGUMENT, "_options is not known to version " DLTF_VERSION);
    assert_message_has(r->task);
}

static void unknown_fields(void **state) {
    (void)state;
    for_every_row(unknown_field);
}

static void impossible_size(const row *r) {
    const size_t sizes[] = {0, sizeof(size_t), 100000, SIZE_MAX};
    char wanted[100];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *options = at_edge(r->size);
        r->init(options, r->size);
        memcpy(options, &sizes[i], sizeof sizes[i]);
        snprintf(wanted, sizeof wanted, "size is %zu: initialise options with dltf_%s_options_default()",
                 sizes[i], r->task);
        assert_fails(r->call(options), DLTF_ARGUMENT, wanted);
    }
}

static void impossible_sizes(void **state) {
    (void)state;
    for_every_row(impossible_size);
}

/* An older program sets what it knows: here everything before `select`. */
static void fields_before_the_end_count(void **state) {
    (void)state;
    size_t size = offsetof(dltf_encode_options, select);
    dltf_encode_options *options = at_edge(size);
    dltf_encoder *encoder = NULL;
    dltf_model_view parts = {.m = COLS, .n = COLS, .k = 1, .dictionary = samples};
    fill_normal(samples, ROWS * COLS);
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    dltf_encode_options_init(options, size);
    options->k = 3;
    assert_int_equal(dltf_encoder_new(model, options, &encoder), DLTF_OK);
    assert_int_equal(dltf_encoder_k(encoder), 3);
    dltf_encoder_free(encoder);
    dltf_model_free(model);
}

TESTS_MAIN(cmocka_unit_test(older_and_newer_programs), cmocka_unit_test(unknown_fields),
           cmocka_unit_test(impossible_sizes), cmocka_unit_test(fields_before_the_end_count))
