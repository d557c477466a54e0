/* Results, views and other structs of programs that were compiled with older or newer headers, in which they
 * are shorter or longer: every function that fills or reads one, from a table. */
#include "test_edge.h"

#include "dltf.h"

enum { ROWS = 24, COLS = 4, MORE = 16 };

static float samples[ROWS * COLS];
static const uint8_t bits[4] = {1, 2, 3, 4};
static const int64_t labels[4] = {0, 1, 0, 1};

/* One object of each kind. */
static struct {
    dltf_model *model;
    dltf_codes *codes;
    dltf_learner *learner;
    dltf_online *online;
    dltf_image *image;
    dltf_clusters *clusters;
    dltf_pca *pca;
    dltf_landmarks *landmarks;
    dltf_hasher *hasher;
    dltf_index *index;
    dltf_neighbours *neighbours;
    dltf_relevance *relevance;
    dltf_top *top;
    dltf_suggestion *suggestion;
} it;

static dltf_matrix data(void) {
    return dltf_matrix_f32(samples, ROWS, COLS);
}

static void make_learners(void) {
    dltf_train_options train = dltf_train_options_default();
    dltf_outcome outcome;
    train.m = 4;
    train.k = 1;
    train.threads = 1;
    train.encoder = DLTF_ENCODER_TIED;
    train.steps = train.iterations = 2;
    assert_int_equal(dltf_learner_new(data(), NULL, &train, &it.learner), DLTF_OK);
    assert_int_equal(dltf_learner_run(it.learner, NULL, NULL, &outcome), DLTF_OK);
    assert_int_equal(dltf_learner_model(it.learner, &it.model), DLTF_OK);
    train = dltf_train_options_default();
    train.m = 4;
    train.k = 1;
    assert_int_equal(dltf_online_new(COLS, NULL, &train, &it.online), DLTF_OK);
    assert_int_equal(dltf_online_add(it.online, data()), DLTF_OK);
}

static int make_all(void **state) {
    (void)state;
    dltf_cluster_options kmeans = dltf_cluster_options_default();
    dltf_landmark_options landmark = dltf_landmark_options_default();
    dltf_hash_options hash = dltf_hash_options_default();
    dltf_search_options search = dltf_search_options_default();
    kmeans.clusters = 2;
    landmark.m = 4;
    landmark.k = landmark.d = 2;
    hash.bits = 8;
    hash.method = DLTF_HASH_LSH;
    search.k = 1;
    fill_normal(samples, ROWS * COLS);
    make_learners();
    assert_int_equal(dltf_encode(it.model, data(), NULL, NULL, NULL, &it.codes), DLTF_OK);
    assert_int_equal(dltf_image_new(16, 16, 1, 8, &it.image), DLTF_OK);
    assert_int_equal(dltf_clusters_train(data(), &kmeans, NULL, NULL, &it.clusters), DLTF_OK);
    assert_int_equal(dltf_pca_train(data(), 2, 1, &it.pca), DLTF_OK);
    assert_int_equal(dltf_landmarks_train(data(), &landmark, NULL, NULL, &it.landmarks), DLTF_OK);
    assert_int_equal(dltf_hasher_train(data(), &hash, NULL, NULL, &it.hasher), DLTF_OK);
    assert_int_equal(dltf_index_new(dltf_matrix_u8(bits, 4, 1), &it.index), DLTF_OK);
    assert_int_equal(dltf_search(it.index, dltf_matrix_u8(bits, 4, 1), &search, NULL, NULL, &it.neighbours),
                     DLTF_OK);
    assert_int_equal(dltf_relevance_by_labels(labels, 4, labels, 4, &it.relevance), DLTF_OK);
    assert_int_equal(dltf_top_find(it.model, data(), NULL, NULL, NULL, NULL, &it.top), DLTF_OK);
    assert_int_equal(dltf_suggest(data(), NULL, NULL, NULL, &it.suggestion), DLTF_OK);
    return 0;
}

static int free_all(void **state) {
    (void)state;
    dltf_model_free(it.model);
    dltf_codes_free(it.codes);
    dltf_learner_free(it.learner);
    dltf_online_free(it.online);
    dltf_image_free(it.image);
    dltf_clusters_free(it.clusters);
    dltf_pca_free(it.pca);
    dltf_landmarks_free(it.landmarks);
    dltf_hasher_free(it.hasher);
    dltf_index_free(it.index);
    dltf_neighbours_free(it.neighbours);
    dltf_relevance_free(it.relevance);
    dltf_top_free(it.top);
    dltf_suggestion_free(it.suggestion);
    return 0;
}

/* ---- What the library fills ---- */

#define VIEW(name, type, call)                                                                               \
    static void fill_##name(void *out, size_t size) {                                                        \
        call;                                                                                                \
    }
#define RESULT(name, type, call) VIEW(name, type, assert_int_equal(call, DLTF_OK))

/* ROW(name, type, call): `call` fills the struct `out` of `size` bytes. */
#define VIEWS(ROW)                                                                                           \
    ROW(error, dltf_error, dltf_last_error_sized(out, size))                                                 \
    ROW(model, dltf_model_view, dltf_model_get_sized(it.model, out, size))                                   \
    ROW(options, dltf_train_options, dltf_learner_options_sized(it.learner, out, size))                      \
    ROW(online_options, dltf_train_options, dltf_online_options_sized(it.online, out, size))                 \
    ROW(suggested_options, dltf_train_options, dltf_suggestion_options_sized(it.suggestion, out, size))      \
    ROW(record, dltf_iteration, dltf_learner_history_sized(it.learner, 1, out, size))                        \
    ROW(now, dltf_online_view, dltf_online_get_sized(it.online, out, size))                                  \
    ROW(image, dltf_image_view, dltf_image_get_sized(it.image, out, size))                                   \
    ROW(clusters, dltf_clusters_view, dltf_clusters_get_sized(it.clusters, out, size))                       \
    ROW(pca, dltf_pca_view, dltf_pca_get_sized(it.pca, out, size))                                           \
    ROW(landmarks, dltf_landmarks_view, dltf_landmarks_get_sized(it.landmarks, out, size))                   \
    ROW(hasher, dltf_hasher_view, dltf_hasher_get_sized(it.hasher, out, size))                               \
    ROW(index, dltf_index_view, dltf_index_get_sized(it.index, out, size))                                   \
    ROW(neighbours, dltf_neighbours_view, dltf_neighbours_get_sized(it.neighbours, out, size))               \
    ROW(traffic, dltf_traffic, dltf_ranks_traffic_sized(out, size))

#define RESULTS(ROW)                                                                                         \
    ROW(evaluation, dltf_evaluation,                                                                         \
        dltf_evaluate_sized(it.model, data(), NULL, NULL, NULL, NULL, out, size))                            \
    ROW(evaluation_stream, dltf_evaluation, evaluate_stream(out, size))                                      \
    ROW(top, dltf_top_atom, dltf_top_get_sized(it.top, 0, out, size))                                        \
    ROW(interval, dltf_top_interval, dltf_top_interval_get_sized(it.top, 0, 0, out, size))                   \
    ROW(reconstruction, dltf_reconstruction,                                                                 \
        dltf_reconstruction_measure_sized(it.model, data(), it.codes, 1, out, size))                         \
    ROW(quality, dltf_quality, dltf_learner_quality_sized(it.learner, it.model, out, size))                  \
    ROW(online_quality, dltf_quality, dltf_online_quality_sized(it.online, it.model, out, size))             \
    ROW(score, dltf_support_score, dltf_supports_score_sized(it.codes, it.codes, NULL, out, size))           \
    ROW(certificate, dltf_model_certificate, dltf_model_certify_sized(it.model, NULL, out, size))            \
    ROW(flags, uint8_t[DLTF_FLAG_COUNT],                                                                     \
        dltf_samples_certify_sized(it.model, dltf_matrix_f32(samples, 1, COLS), NULL, NULL, NULL, NULL,      \
                                   NULL, out, size))                                                         \
    ROW(agreement, dltf_agreement,                                                                           \
        dltf_partitions_compare_sized((const int32_t[]){0, 1, 0, 1}, labels, 4, out, size))                  \
    ROW(retrieval, dltf_retrieval,                                                                           \
        dltf_hashes_evaluate_sized(dltf_matrix_u8(bits, 4, 1), dltf_matrix_u8(bits, 4, 1), it.relevance,     \
                                   NULL, NULL, NULL, out, size))                                             \
    ROW(denoise, dltf_denoise_info, denoise(out, size))                                                      \
    ROW(totals, dltf_stream_totals, stream(out, size))

static dltf_status denoise(void *out, size_t size) {
    dltf_image *clean = NULL;
    dltf_denoise_options options = dltf_denoise_options_default();
    options.sigma = 0; /* nothing to do */
    dltf_status status = dltf_denoise_sized(it.image, NULL, &options, NULL, NULL, &clean, out, size);
    dltf_image_free(clean);
    return status;
}

static dltf_status stream(void *out, size_t size) {
    dltf_reader *reader = NULL;
    dltf_codes_writer *writer = NULL;
    assert_int_equal(dltf_matrix_save(data(), "test_sized_results.npy"), DLTF_OK);
    assert_int_equal(dltf_reader_open("test_sized_results.npy", 0, &reader), DLTF_OK);
    assert_int_equal(dltf_codes_writer_open("test_sized.out", DLTF_LAYOUT_DENSE, ROWS, COLS, &writer),
                     DLTF_OK);
    dltf_status status = dltf_encode_stream_sized(it.model, reader, NULL, NULL, NULL, writer, out, size);
    dltf_codes_writer_free(writer);
    dltf_reader_free(reader);
    unlink("test_sized_results.npy");
    return status;
}

static dltf_status evaluate_stream(void *out, size_t size) {
    dltf_reader *reader = NULL;
    assert_int_equal(dltf_matrix_save(data(), "test_sized_results.npy"), DLTF_OK);
    assert_int_equal(dltf_reader_open("test_sized_results.npy", 0, &reader), DLTF_OK);
    dltf_status status = dltf_evaluate_stream_sized(it.model, reader, NULL, NULL, NULL, NULL, out, size);
    dltf_reader_free(reader);
    unlink("test_sized_results.npy");
    return status;
}

VIEWS(VIEW)
RESULTS(RESULT)

static const struct {
    const char *name;
    size_t size;
    void (*fill)(void *out, size_t size);
} outputs[] = {
#define ROW(name, type, call) {#name, sizeof(type), fill_##name},
    VIEWS(ROW) RESULTS(ROW)
#undef ROW
};

/* At the edge of memory, so that a byte too many ends the test. */
static void filled_structs(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        bool options = strstr(outputs[i].name, "options") != NULL; /* the size itself comes first */
        unsigned char whole[1000];
        assert_true(outputs[i].size <= sizeof whole);
        outputs[i].fill(whole, outputs[i].size);
        size_t least = (options ? 2 : 1) * sizeof(size_t);
        for (size_t size = least; size <= outputs[i].size + MORE; size += sizeof(size_t)) {
            unsigned char *out = at_edge(size);
            outputs[i].fill(out, size);
            size_t from = options ? sizeof(size_t) : 0;
            if (memcmp(out + from, whole + from, sizeof(int)) != 0)
                fail_msg("%s of %zu bytes begins with something else", outputs[i].name, size);
            for (size_t rest = outputs[i].size; rest < size; rest++)
                if (out[rest] != 0)
                    fail_msg("%s of %zu bytes: byte %zu is not 0", outputs[i].name, size, rest);
        }
    }
}

/* ---- What the library reads ---- */

static dltf_status read_model(const void *in, size_t size) {
    dltf_model *made = NULL;
    dltf_status status = dltf_model_new_sized(in, size, &made);
    dltf_model_free(made);
    return status;
}

static dltf_status read_pca(const void *in, size_t size) {
    dltf_pca *made = NULL;
    dltf_status status = dltf_pca_new_sized(in, size, &made);
    dltf_pca_free(made);
    return status;
}

static const dltf_model_view model_parts = {.m = 4, .n = COLS, .k = 1, .dictionary = samples};
static const double variances[1] = {1};
static const dltf_pca_view pca_parts = {COLS, 1, samples, samples + COLS, variances, 2};

/* `least`: an older program knows this much of the struct. */
static const struct {
    const char *type;
    const void *value;
    size_t least, size;
    dltf_status (*read)(const void *in, size_t size);
} inputs[] = {
    {"dltf_model_view", &model_parts, offsetof(dltf_model_view, encoder), sizeof model_parts, read_model},
    {"dltf_pca_view", &pca_parts, sizeof pca_parts, sizeof pca_parts, read_pca},
};

static void read_structs(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        for (size_t size = inputs[i].least; size <= inputs[i].size + MORE; size += sizeof(size_t)) {
            unsigned char *in = at_edge(size);
            memset(in, 0, size);
            memcpy(in, inputs[i].value, size < inputs[i].size ? size : inputs[i].size);
            if (inputs[i].read(in, size) != DLTF_OK)
                fail_msg("%s of %zu bytes: %s", inputs[i].type, size, dltf_message());
            if (size <= inputs[i].size)
                continue;
            in[inputs[i].size] = 1; /* a field that the library does not have */
            assert_fails(inputs[i].read(in, size), DLTF_ARGUMENT, "is not known to version " DLTF_VERSION);
            assert_message_has(inputs[i].type);
        }
        assert_fails(inputs[i].read(inputs[i].value, 0), DLTF_ARGUMENT, "0 bytes are not a possible size");
    }
}

/* ---- Records ---- */

static void history_by_record(void **state) {
    (void)state;
    dltf_iteration record = {.index = -7};
    int64_t count = dltf_learner_history(it.learner, 0, NULL);
    assert_int_equal(count, 4);
    assert_int_equal(dltf_learner_history(it.learner, 3, &record), 4);
    assert_string_equal(record.stage, "tied");
    assert_int_equal(record.index, 1);
    record.index = -7;
    assert_int_equal(dltf_learner_history(it.learner, 4, &record), 4);
    assert_int_equal(dltf_learner_history(it.learner, -1, &record), 4);
    assert_int_equal(record.index, -7);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(filled_structs), cmocka_unit_test(read_structs),
                                       cmocka_unit_test(history_by_record)};
    return cmocka_run_group_tests(tests, make_all, free_all);
}
