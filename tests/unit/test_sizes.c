/* Impossible sizes, one in every position of every public function: negative, larger than any memory, zero.
 * The rule of dltf.h: an error, never a crash, and no result. Only where zero has a meaning may it succeed.
 */
#include "test_util.h"

#include "cluster/cluster_options.h"
#include "cluster/landmark_options.h"
#include "coding/encode_options.h"
#include "data/synthetic_options.h"
#include "denoise/denoise_options.h"
#include "dltf.h"
#include "hash/hash_options.h"
#include "image/gist_options.h"
#include "learning/train_options.h"
#include "theory/certify_options.h"

#include <unistd.h>

/* ---- Valid arguments ---- */

enum { ROWS = 40, COLS = 16, M = 20, K = 2, BYTES = 2 };

static _Alignas(64) unsigned char buffer[1 << 16]; /* zeros: rows of anything, or where results go */
static float x[ROWS * COLS];
static uint8_t bits[ROWS * BYTES];
static struct {
    dltf_model *model;
    dltf_codes *codes;
    dltf_array *array;
    dltf_encoder *encoder;
    dltf_hasher *hasher;
    dltf_index *index;
    dltf_landmarks *landmarks;
    dltf_learner *learner;
    dltf_online *online;
    dltf_pca *pca;
    dltf_reader *reader;
    dltf_relevance *relevance;
    dltf_values *values;
    dltf_image_set *set;
    dltf_codes_writer *writer;
    dltf_top *top;
} valid;
static const char input[] = "test_sizes.npy", output[] = "test_sizes.out", picture[] = "test_sizes.png";

static dltf_status read_row(void *context, int64_t row, double *out) {
    (void)context;
    (void)row;
    memset(out, 0, COLS * sizeof *out);
    return DLTF_OK;
}

#define BUFFER ((void *)buffer)
#define RESULT ((void *)&result)
#define VALID_MATRIX dltf_matrix_f32(x, ROWS, COLS)
#define VALID_HASHES dltf_matrix_u8(bits, ROWS, BYTES)
#define VALID_MODEL valid.model
#define VALID_CODES valid.codes
#define VALID_ARRAY valid.array
#define VALID_ENCODER valid.encoder
#define VALID_HASHER valid.hasher
#define VALID_INDEX valid.index
#define VALID_LANDMARKS valid.landmarks
#define VALID_LEARNER valid.learner
#define VALID_ONLINE valid.online
#define VALID_PCA valid.pca
#define VALID_READER valid.reader
#define VALID_RELEVANCE valid.relevance
#define VALID_VALUES valid.values
#define VALID_IMAGE_SET valid.set
#define VALID_CODES_WRITER valid.writer
#define VALID_TOP valid.top
#define VALID_TOP_ATOM BUFFER
#define VALID_TOP_INTERVAL BUFFER
#define VALID_EVALUATION BUFFER
#define VALID_AGREEMENT BUFFER
#define VALID_ITERATION BUFFER
#define VALID_RECONSTRUCTION BUFFER
#define VALID_RETRIEVAL BUFFER
#define VALID_TEXT_PATH output
#define VALID_TEXT_NAME "x"
#define VALID_TEXT_TYPE "float32"
#define VALID_TEXT_INDEX_TYPE "int64"
#define VALID_TEXT_LAYOUT "dense"
#define VALID_TEXT_GRAY "own"

#define MAKE(call) assert_int_equal((call), DLTF_OK)

static void make_models(void) {
    dltf_train_options train = dltf_train_options_default();
    dltf_landmark_options landmark = dltf_landmark_options_default();
    dltf_hash_options hash = dltf_hash_options_default();
    train.m = M;
    train.k = K;
    landmark.m = 8;
    landmark.k = 2;
    landmark.d = 2;
    hash.bits = 8 * BYTES;
    hash.method = DLTF_HASH_LSH;
    MAKE(dltf_learner_new(VALID_MATRIX, NULL, &train, &valid.learner));
    MAKE(dltf_learner_model(valid.learner, &valid.model));
    MAKE(dltf_online_new(COLS, NULL, &train, &valid.online));
    MAKE(dltf_encode(valid.model, VALID_MATRIX, NULL, NULL, NULL, &valid.codes));
    MAKE(dltf_top_find(valid.model, VALID_MATRIX, NULL, NULL, NULL, NULL, &valid.top));
    MAKE(dltf_encoder_new(valid.model, NULL, &valid.encoder));
    MAKE(dltf_landmarks_train(VALID_MATRIX, &landmark, NULL, NULL, &valid.landmarks));
    MAKE(dltf_pca_train(VALID_MATRIX, 2, 1, &valid.pca));
    MAKE(dltf_hasher_train(VALID_MATRIX, &hash, NULL, NULL, &valid.hasher));
}

static int set_up(void **state) {
    (void)state;
    const char *const pictures[] = {picture};
    fill_normal(x, ROWS * COLS);
    make_models();
    MAKE(dltf_hasher_apply(valid.hasher, VALID_MATRIX, 1, NULL, NULL, bits));
    MAKE(dltf_index_new(VALID_HASHES, &valid.index));
    MAKE(dltf_relevance_by_nearest(VALID_MATRIX, VALID_MATRIX, 3, 1, NULL, NULL, &valid.relevance));
    MAKE(dltf_array_borrow(x, "float32", ROWS, COLS, COLS, 1, &valid.array));
    MAKE(dltf_values_new(&valid.values));
    MAKE(dltf_bind_matrix_save(valid.array, input));
    MAKE(dltf_reader_open(input, 0, &valid.reader));
    MAKE(dltf_picture_save(VALID_MATRIX, 4, 4, 5, DLTF_GRAY_OWN, picture));
    MAKE(dltf_image_set_open(pictures, 1, &valid.set));
    MAKE(dltf_codes_writer_open(output, DLTF_LAYOUT_SPARSE, -1, M, &valid.writer));
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    dltf_codes_writer_free(valid.writer);
    dltf_image_set_free(valid.set);
    dltf_reader_free(valid.reader);
    dltf_values_free(valid.values);
    dltf_array_free(valid.array);
    dltf_relevance_free(valid.relevance);
    dltf_index_free(valid.index);
    dltf_hasher_free(valid.hasher);
    dltf_pca_free(valid.pca);
    dltf_landmarks_free(valid.landmarks);
    dltf_encoder_free(valid.encoder);
    dltf_codes_free(valid.codes);
    dltf_top_free(valid.top);
    dltf_online_free(valid.online);
    dltf_model_free(valid.model);
    dltf_learner_free(valid.learner);
    unlink(input);
    unlink(output);
    unlink(picture);
    return 0;
}

/* ---- Impossible ones ---- */

static void *result;
static int broken;

static void report(const char *function, const char *argument, int64_t size, dltf_status status) {
    print_error("%s, %s = %lld: %s, \"%s\"\n", function, argument, (long long)size, dltf_status_name(status),
                dltf_message());
    broken++;
}

static void prepare(void) {
    memset(buffer, 0, sizeof buffer);
    result = NULL;
    dl_fail(DLTF_OK, "(no message)");
}

/* Larger sizes than any memory may be found by the allocation. Zero and the largest may have a meaning. */
static void check_size(const char *function, const char *argument, int64_t size, bool negative,
                       dltf_status status) {
    bool wrong = status == DLTF_OK ? size == INT64_MIN || (size < 0 && !negative)
                 : status == DLTF_ARGUMENT
                     ? false
                     : size < 0 || (status != DLTF_MEMORY && status != DLTF_DATA && status != DLTF_FORMAT);
    if (wrong || (status != DLTF_OK && result))
        report(function, argument, size, status);
}

#define SIZE(function, argument, negative, release, call)                                                    \
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {                                              \
        int64_t size = sizes[i];                                                                             \
        prepare();                                                                                           \
        check_size(#function, #argument, size, negative, call);                                              \
        release;                                                                                             \
    }
#define MATRIX(function, argument, release, call)                                                            \
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {                                        \
        const dltf_matrix *matrix = &matrices[i];                                                            \
        prepare();                                                                                           \
        dltf_status status = call;                                                                           \
        if (status != DLTF_ARGUMENT || result)                                                               \
            report(#function, #argument, (int64_t)i, status);                                                \
        release;                                                                                             \
    }
#define CSR(function, argument, release, call)                                                               \
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {                                              \
        const dltf_csr *csr = &lists[i];                                                                     \
        prepare();                                                                                           \
        dltf_status status = call;                                                                           \
        if (status != DLTF_ARGUMENT || result)                                                               \
            report(#function, #argument, (int64_t)i, status);                                                \
        release;                                                                                             \
    }

static const int64_t sizes[] = {0, -1, INT64_MIN, INT64_MAX};

static void every_function(void **state) {
    (void)state;
    static const int64_t indptr[3] = {0};
    static const int32_t indices[1];
    static const float values[1];
    const dltf_matrix matrices[] = {
        {x, DLTF_F32, 0, COLS, COLS, 1},         {x, DLTF_F32, -1, COLS, COLS, 1},
        {x, DLTF_F32, INT64_MIN, COLS, COLS, 1}, {x, DLTF_F32, INT64_MAX, COLS, COLS, 1},
        {x, DLTF_F32, ROWS, 0, COLS, 1},         {x, DLTF_F32, ROWS, -1, COLS, 1},
        {x, DLTF_F32, ROWS, INT64_MAX, COLS, 1}, {x, DLTF_F32, INT64_MAX, INT64_MAX, COLS, 1},
        {x, DLTF_F32, ROWS, COLS, INT64_MAX, 1}, {x, DLTF_F32, ROWS, COLS, COLS, INT64_MIN},
        {x, DLTF_F64, ROWS, COLS, INT64_MIN, 1}, {bits, DLTF_U8, 0, BYTES, BYTES, 1},
        {bits, DLTF_U8, INT64_MAX, BYTES, 2, 1}, {bits, DLTF_U8, ROWS, BYTES, INT64_MAX, 1},
        {x, (dltf_type)9, ROWS, COLS, COLS, 1},  {NULL, DLTF_F32, ROWS, COLS, COLS, 1},
        {x + 1, DLTF_F64, ROWS / 2, 4, COLS, 1},
    };
    const dltf_csr lists[] = {
        {-1, M, indptr, indices, values, NULL},        {INT64_MIN, M, indptr, indices, values, NULL},
        {INT64_MAX, M, indptr, indices, values, NULL}, {2, 0, indptr, indices, values, NULL},
        {2, -1, indptr, indices, values, NULL},        {2, INT64_MAX, indptr, indices, values, NULL},
        {2, M, NULL, indices, values, NULL},
    };
    broken = 0;
#include "test_sizes_calls.h"
    assert_int_equal(broken, 0);
}

/* ---- Zero ---- */

/* Codes may have no rows. */
static void codes_without_rows(void **state) {
    (void)state;
    const int64_t indptr[] = {0};
    dltf_codes *none = NULL, *made = NULL;
    dltf_clusters *clusters = NULL;
    dltf_support_score score;
    dltf_reconstruction measured;
    dltf_cluster_options options = dltf_cluster_options_default();
    int64_t unused = 0;
    float out[1] = {7};
    options.clusters = 1;
    MAKE(dltf_codes_new((dltf_csr){.cols = M, .indptr = indptr}, &none));
    MAKE(dltf_codes_unused(none, &unused));
    assert_int_equal(unused, M);
    MAKE(dltf_decode(valid.model, none, out));
    MAKE(dltf_codes_dense(none, out));
    assert_true(out[0] == 7);
    MAKE(dltf_bind_codes_writer_add(valid.writer, none));
    MAKE(dltf_codes_save(none, input));
    MAKE(dltf_codes_load(input, &made));
    assert_int_equal(dltf_codes_csr(made).rows, 0);
    dltf_codes_free(made);
    made = NULL;
    assert_fails(dltf_refit(valid.model, VALID_MATRIX, none, 1, &made), DLTF_DATA, "");
    assert_fails(dltf_reconstruction_measure(valid.model, VALID_MATRIX, none, 1, &measured), DLTF_DATA, "");
    assert_fails(dltf_supports_score(none, valid.codes, NULL, &score), DLTF_ARGUMENT, "");
    assert_fails(dltf_supports_score(none, none, NULL, &score), DLTF_ARGUMENT, "");
    assert_fails(dltf_clusters_train_codes(none, &options, NULL, NULL, &clusters), DLTF_ARGUMENT, "");
    dltf_codes_free(none);
}

/* ---- Options ---- */

static dltf_status run_task(const char *task, const dltf_options *options) {
    dltf_status status = DLTF_ARGUMENT;
    void *made = NULL;
    dltf_image *image = NULL;
#define RUN(name, free, call)                                                                                \
    if (strcmp(task, name) == 0) {                                                                           \
        status = (call);                                                                                     \
        free(made);                                                                                          \
    }
    RUN("train", dltf_model_free, dltf_bind_train(valid.array, NULL, options, NULL, NULL, (void *)&made))
    RUN("encode", dltf_codes_free,
        dltf_bind_encode(valid.model, valid.array, options, NULL, NULL, (void *)&made))
    RUN("certify", dltf_values_free, dltf_bind_model_certify(valid.model, options, (void *)&made))
    RUN("cluster", dltf_clusters_free,
        dltf_bind_clusters_train(valid.array, options, NULL, NULL, (void *)&made))
    RUN("landmark", dltf_landmarks_free,
        dltf_bind_landmarks_train(valid.array, options, NULL, NULL, (void *)&made))
    RUN("hash", dltf_hasher_free, dltf_bind_hasher_train(valid.array, options, NULL, NULL, (void *)&made))
    RUN("synthetic", dltf_synthetic_free, dltf_bind_synthetic_new(options, NULL, NULL, (void *)&made))
    RUN("gist", (void), dltf_bind_gist(valid.array, 4, 4, options, NULL, NULL, BUFFER))
    if (strcmp(task, "denoise") == 0 && dltf_image_new(16, 16, 1, 8, &image) == DLTF_OK) {
        status = dltf_bind_denoise(image, NULL, options, NULL, NULL, (void *)&made, NULL);
        dltf_image_free(made);
        dltf_image_free(image);
    }
#undef RUN
    return status;
}

/* A program may write any number into the struct of options. */
static int try_options(const char *task, dl_option_table table) {
    static const int64_t numbers[] = {-1, INT64_MIN, INT64_MAX};
    int tried = 0;
    dltf_options *options = NULL;
    MAKE(dltf_options_new(task, &options));
    for (int i = 0; i < table.count; i++) {
        const dl_option *option = &table.options[i];
        char *field = (char *)dltf_options_struct(options) + option->offset;
        int64_t before = 0;
        memcpy(&before, field, option->kind == DL_OPTION_INTEGER ? sizeof before : 0);
        for (int j = 0; j < 3 && option->kind == DL_OPTION_INTEGER; j++, tried++) {
            memcpy(field, &numbers[j], sizeof numbers[j]);
            if (run_task(task, options) != DLTF_ARGUMENT)
                fail_msg("%s, %s = %lld: \"%s\"", task, option->name, (long long)numbers[j], dltf_message());
        }
        memcpy(field, &before, option->kind == DL_OPTION_INTEGER ? sizeof before : 0);
    }
    dltf_options_free(options);
    return tried;
}

static void options_out_of_range(void **state) {
    (void)state;
    int tried =
        try_options("train", dl_train_option_table()) + try_options("encode", dl_encode_option_table()) +
        try_options("certify", dl_certify_option_table()) +
        try_options("cluster", dl_cluster_option_table()) +
        try_options("landmark", dl_landmark_option_table()) + try_options("hash", dl_hash_option_table()) +
        try_options("synthetic", dl_synthetic_option_table()) + try_options("gist", dl_gist_option_table()) +
        try_options("denoise", dl_denoise_option_table());
    assert_true(tried > 100);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TESTS_MAIN(TEST(every_function), TEST(codes_without_rows), TEST(options_out_of_range))
