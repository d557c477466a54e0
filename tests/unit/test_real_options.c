/* Every real-valued option of every table at the ends of its range and of double precision: a call succeeds
 * with finite results, or fails with a message. UndefinedBehaviorSanitizer checks the arithmetic. */
#include "base/integer.h"
#include "learning/holdout.h"
#include "program/program.h"

#include "test_util.h"

#include <math.h>
#include <stdio.h>

enum { N = 60, COLS = 6, ATOMS = 8, SIDE = 24 };

static float samples[N * COLS];
static int32_t labels[N];
static dltf_matrix X;

/* Ends computations after so many reports. */
static int stop_early(void *context, const dltf_progress *progress) {
    (void)progress;
    return --*(int *)context < 0;
}

static bool acceptable(dltf_status status) {
    return status == DLTF_OK || status == DLTF_ARGUMENT || status == DLTF_NUMERIC || status == DLTF_DATA ||
           status == DLTF_CANCELLED;
}

static void assert_finite(const float *values, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        assert_true(isfinite(values[i]));
}

/* ---- What the options configure ---- */

static dltf_status train(dltf_train_options o) {
    dltf_model *model = NULL;
    int reports = o.epochs > 1000 ? 0 : 20;
    o.m = ATOMS;
    o.k = 2;
    o.threads = 1;
    dltf_status status = dltf_train(X, &o, stop_early, &reports, &model);
    if (status == DLTF_OK)
        assert_finite(dltf_model_get(model).dictionary, ATOMS * COLS);
    dltf_model_free(model);
    return status;
}

static dltf_status run_tied(const void *options) {
    dltf_train_options o = *(const dltf_train_options *)options;
    o.encoder = DLTF_ENCODER_TIED;
    o.steps = o.iterations = o.admm = 2;
    return train(o);
}

static dltf_status run_distilled(const void *options) {
    dltf_train_options o = *(const dltf_train_options *)options;
    o.encoder = DLTF_ENCODER_DISTILLED;
    o.steps = o.polish = o.finetune = 2;
    return train(o);
}

static dltf_status run_learned(const void *options) {
    dltf_train_options o = *(const dltf_train_options *)options;
    o.encoder = DLTF_ENCODER_LEARNED;
    o.epochs = o.epochs > 0 ? o.epochs : 2;
    return train(o);
}

static dltf_status run_ksvd(const void *options) {
    dltf_train_options o = *(const dltf_train_options *)options;
    o.method = DLTF_METHOD_KSVD;
    o.iterations = 2;
    return train(o);
}

static dltf_status run_online(const void *options) {
    dltf_train_options o = *(const dltf_train_options *)options;
    dltf_online *online = NULL;
    dltf_model *model = NULL;
    o.m = ATOMS;
    o.k = 2;
    dltf_status status = dltf_online_new(COLS, NULL, &o, &online);
    if (status == DLTF_OK)
        status = dltf_online_add(online, X);
    if (status == DLTF_OK)
        status = dltf_online_model(online, &model);
    dltf_model_free(model);
    dltf_online_free(online);
    return status;
}

static dltf_model *new_model(void) {
    dltf_model *model = NULL;
    dltf_model_view parts = {.m = ATOMS, .n = COLS, .k = 2, .dictionary = samples};
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    return model;
}

static dltf_status run_encode(const void *options) {
    const dltf_coder coders[] = {DLTF_CODER_OMP, DLTF_CODER_INCOHERENT};
    dltf_model *model = new_model();
    dltf_status status = DLTF_OK;
    for (int i = 0; i < 2 && acceptable(status); i++) {
        dltf_encode_options o = *(const dltf_encode_options *)options;
        dltf_codes *codes = NULL;
        o.coder = coders[i];
        status = dltf_encode(model, X, &o, NULL, NULL, &codes);
        dltf_codes_free(codes);
    }
    dltf_model_free(model);
    return status;
}

static dl_network *new_network(void) {
    const dl_layer_view layers[] = {{.inputs = COLS, .outputs = 5, .activation = DL_ACTIVATION_RELU},
                                    {.inputs = 5, .outputs = 3, .activation = DL_ACTIVATION_LINEAR}};
    dl_network *network = NULL;
    assert_int_equal(dl_network_new(layers, 2, 1, &network), DLTF_OK);
    return network;
}

static dltf_status run_network(const void *options) {
    dl_network_options o = *(const dl_network_options *)options;
    dl_network *network = new_network();
    float outputs[N * 3];
    o.epochs = 3;
    o.batch = 20;
    dltf_status status = dl_network_train(network, X, (dl_targets){.labels = labels}, &o, NULL, NULL, NULL);
    if (status == DLTF_OK)
        status = dl_network_apply(network, X, 1, outputs);
    if (status == DLTF_OK)
        assert_finite(outputs, N * 3);
    dl_network_free(network);
    return status;
}

static dltf_status run_dec(const void *options) {
    dl_dec_options o = *(const dl_dec_options *)options;
    dl_network *network = new_network();
    float centers[2 * 3] = {0};
    o.steps = 4;
    o.interval = 2;
    dltf_status status = dl_dec_train(network, X, centers, 2, &o, NULL, NULL, NULL);
    if (status == DLTF_OK)
        assert_finite(centers, 2 * 3);
    dl_network_free(network);
    return status;
}

static dltf_status run_pretrain(const void *options) {
    const dl_start_kind starts[] = {DL_START_AE, DL_START_SAMPLES};
    const int64_t sizes[] = {4}, k[] = {2};
    dltf_status status = DLTF_OK;
    for (int i = 0; i < 2 && acceptable(status); i++) {
        dl_pretrain_options o = *(const dl_pretrain_options *)options;
        dl_network *network = NULL;
        o.method = starts[i];
        if (starts[i] == DL_START_AE)
            o.epochs = 1;
        status = dl_pretrain(X, sizes, k, 1, &o, NULL, NULL, &network);
        if (status == DLTF_OK)
            assert_finite(dl_network_layer(network, 0).weights, 4 * COLS);
        dl_network_free(network);
    }
    return status;
}

static dltf_status run_kmeans(const void *options) {
    dltf_cluster_options o = *(const dltf_cluster_options *)options;
    dltf_clusters *clusters = NULL;
    o.clusters = 3;
    o.restarts = 2;
    dltf_status status = dltf_clusters_train(X, &o, NULL, NULL, &clusters);
    if (status == DLTF_OK)
        assert_finite(dltf_clusters_get(clusters).centers, 3 * COLS);
    dltf_clusters_free(clusters);
    return status;
}

static dltf_status run_landmarks(const void *options) {
    dltf_landmark_options o = *(const dltf_landmark_options *)options;
    dltf_landmarks *landmarks = NULL;
    float out[N * 2];
    o.m = ATOMS;
    o.k = 3;
    o.d = 2;
    dltf_status status = dltf_landmarks_train(X, &o, NULL, NULL, &landmarks);
    if (status == DLTF_OK)
        status = dltf_landmarks_apply(landmarks, X, 1, out);
    if (status == DLTF_OK)
        assert_finite(out, N * 2);
    dltf_landmarks_free(landmarks);
    return status;
}

static dltf_status run_certify(const void *options) {
    dltf_model *model = new_model();
    dltf_model_certificate certificate;
    uint8_t flags[N * DLTF_FLAG_COUNT];
    dltf_status status = dltf_model_certify(model, options, &certificate);
    if (status == DLTF_OK) {
        assert_true(isfinite(certificate.mu_e) && isfinite(certificate.mu));
        status = dltf_samples_certify(model, X, NULL, NULL, options, NULL, NULL, flags);
    }
    dltf_model_free(model);
    return status;
}

static dltf_status run_denoise(const void *options) {
    dltf_denoise_options o = *(const dltf_denoise_options *)options;
    dltf_image *noisy = NULL, *clean = NULL;
    int reports = 20;
    assert_int_equal(dltf_image_new(SIDE, SIDE, 1, 8, &noisy), DLTF_OK);
    for (int i = 0; i < SIDE * SIDE; i++)
        dltf_image_pixels(noisy)[i] = (float)(i % 7 * 30);
    o.m = 64;
    dltf_status status = dltf_denoise(noisy, NULL, &o, stop_early, &reports, &clean, NULL);
    if (status == DLTF_OK)
        assert_finite(dltf_image_get(clean).planes, SIDE * SIDE);
    dltf_image_free(noisy);
    dltf_image_free(clean);
    return status;
}

/* ---- The tables ---- */

static void try_value(dl_option_table table, const dl_option *option, const char *text,
                      dltf_status (*call)(const void *)) {
    void *options = calloc(1, table.size);
    assert_non_null(options);
    dl_option_defaults(table, options);
    dltf_status status = dl_option_set(table, options, option->name, text);
    assert_true(status == DLTF_OK || status == DLTF_ARGUMENT);
    if (status == DLTF_OK)
        status = call(options);
    if (!acceptable(status))
        fail_msg("%s = %s: status %d: %s", option->name, text, (int)status, dltf_message());
    free(options);
}

static void try_table(dl_option_table table, dltf_status (*call)(const void *)) {
    static const char *const values[] = {"0",    "-0",   "5e-324", "1e-308", "1e-60", "1e-19",
                                         "1e19", "1e38", "1e39",   "1e300",  "1e308", "-1e308"};
    int tried = 0;
    void *defaults = calloc(1, table.size);
    assert_non_null(defaults);
    dl_option_defaults(table, defaults);
    if (call(defaults) != DLTF_OK)
        fail_msg("%s", dltf_message());
    free(defaults);
    for (int i = 0; i < table.count; i++) {
        const dl_option *option = &table.options[i];
        if (option->kind != DL_OPTION_REAL)
            continue;
        for (size_t v = 0; v < sizeof values / sizeof *values; v++)
            try_value(table, option, values[v], call);
        const double bounds[] = {option->min, option->max};
        for (int b = 0; b < 2; b++) {
            char text[64];
            snprintf(text, sizeof text, "%.17g", bounds[b]);
            try_value(table, option, text, call);
        }
        tried++;
    }
    assert_true(tried > 0);
}

static void all_tables(void **state) {
    (void)state;
    fill_normal(samples, N * COLS);
    X = dltf_matrix_f32(samples, N, COLS);
    for (int i = 0; i < N; i++)
        labels[i] = i % 3;
    try_table(dl_train_option_table(), run_tied);
    try_table(dl_train_option_table(), run_distilled);
    try_table(dl_train_option_table(), run_learned);
    try_table(dl_train_option_table(), run_ksvd);
    try_table(dl_train_option_table(), run_online);
    try_table(dl_encode_option_table(), run_encode);
    try_table(dl_network_option_table(), run_network);
    try_table(dl_dec_option_table(), run_dec);
    try_table(dl_pretrain_option_table(), run_pretrain);
    try_table(dl_cluster_option_table(), run_kmeans);
    try_table(dl_landmark_option_table(), run_landmarks);
    try_table(dl_certify_option_table(), run_certify);
    try_table(dl_denoise_option_table(), run_denoise);
}

/* ---- Real numbers as integers ---- */

static void integers(void **state) {
    (void)state;
    const struct {
        double value;
        int64_t expected;
    } cases[] = {{2.9, 2},      {-2.9, -2},      {-0.0, 0},        {5e-324, 0},
                 {1e308, 1000}, {-1e308, -1000}, {INFINITY, 1000}, {-INFINITY, -1000},
                 {NAN, -1000},  {999.999, 999},  {1000, 1000},     {-1000, -1000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(dl_integer(cases[i].value, -1000, 1000), cases[i].expected);
    assert_int_equal(dl_integer(9223372036854775808.0, 0, INT64_MAX), INT64_MAX);
    assert_int_equal(dl_integer(9223372036854774784.0, 0, INT64_MAX), 9223372036854774784);
    assert_int_equal(dl_integer(-1e300, INT64_MIN, INT64_MAX), INT64_MIN);
}

/* Nothing is held out of a share that is less than one sample, and training says so. */
static void tiny_shares(void **state) {
    (void)state;
    const double shares[] = {5e-324, 1e-308, 1e-30, 1e-19, 1e-18, 1e-4};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        dl_holdout holdout = dl_holdout_rows(1000, shares[i], 1000, 3);
        assert_int_equal(holdout.held_out, 0);
        assert_true(holdout.group >= 1000);
        dltf_train_options options = dltf_train_options_default();
        dltf_learner *learner = NULL;
        options.validation = shares[i];
        assert_fails(dltf_learner_new(X, NULL, &options, &learner), DLTF_ARGUMENT, "less than one");
        assert_message_has("validation");
    }
    assert_int_equal(dl_holdout_rows(1000, 0.5, 1000, 3).held_out, 500);
}

TESTS_MAIN(cmocka_unit_test(all_tables), cmocka_unit_test(integers), cmocka_unit_test(tiny_shares))
