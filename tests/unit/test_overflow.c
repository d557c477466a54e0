/* Every call that computes numbers, on samples at the limits of single and double precision: the results are
 * finite, or the call fails with a message. */
#include "base/finite.h"

#include "program/program.h"
#include "test_util.h"

#include <float.h>
#include <math.h>

enum { N = 30, COLS = 16, ATOMS = 8, K = 3, CLASSES = 3, BITS = 8 };

static double wide[N * COLS];
static float narrow[N * COLS];

static bool acceptable(dltf_status status) {
    return status == DLTF_OK || status == DLTF_NUMERIC || status == DLTF_DATA;
}

static void assert_finite_or_failed(dltf_status status, const float *values, int64_t count) {
    assert_true(acceptable(status));
    assert_true(status != DLTF_OK || dl_all_finite(values, count));
}

/* ---- The calls ---- */

static void try_model(const dltf_model *model, dltf_matrix X) {
    float decoded[N * COLS];
    for (int coder = DLTF_CODER_THRESHOLD; coder <= DLTF_CODER_INCOHERENT; coder++) {
        dltf_encode_options options = dltf_encode_options_default();
        dltf_codes *codes = NULL, *refitted = NULL;
        double error = 0;
        options.coder = (dltf_coder)coder;
        options.threads = 1;
        dltf_status status = dltf_encode(model, X, &options, NULL, NULL, &codes);
        assert_true(acceptable(status));
        if (status == DLTF_OK) {
            assert_true(dl_all_finite(dltf_codes_csr(codes).values, dltf_codes_csr(codes).indptr[N]));
            assert_finite_or_failed(dltf_decode(model, codes, decoded), decoded, N * COLS);
            assert_true(acceptable(dltf_reconstruction_error(model, X, codes, &error)) && !isnan(error));
            status = dltf_refit(model, X, codes, 1, &refitted);
            assert_true(acceptable(status));
            if (status == DLTF_OK)
                assert_true(dl_all_finite(dltf_codes_csr(refitted).values, dltf_codes_csr(codes).indptr[N]));
        }
        dltf_codes_free(codes);
        dltf_codes_free(refitted);
    }
}

static void try_training(dltf_matrix X, bool unit_norm) {
    const dltf_encoder_kind encoders[] = {DLTF_ENCODER_TIED, DLTF_ENCODER_DISTILLED, DLTF_ENCODER_LEARNED};
    for (int i = 0; i < 3; i++) {
        dltf_train_options options = dltf_train_options_default();
        dltf_learner *learner = NULL;
        dltf_model *model = NULL;
        dltf_quality quality;
        dltf_outcome outcome;
        options.m = ATOMS;
        options.k = K;
        options.threads = 1;
        options.encoder = encoders[i];
        if (encoders[i] == DLTF_ENCODER_LEARNED)
            options.epochs = 2;
        else
            options.steps = 2;
        if (encoders[i] == DLTF_ENCODER_TIED)
            options.iterations = 2;
        if (encoders[i] == DLTF_ENCODER_DISTILLED)
            options.polish = options.finetune = 2;
        options.unit_norm = unit_norm;
        dltf_status status = dltf_learner_new(X, NULL, &options, &learner);
        if (status == DLTF_OK)
            status = dltf_learner_run(learner, NULL, NULL, &outcome);
        if (status == DLTF_OK)
            status = dltf_learner_model(learner, &model);
        assert_true(acceptable(status));
        if (status == DLTF_OK) { /* what can be trained can be measured and used */
            assert_int_equal(dltf_learner_quality(learner, NULL, &quality), DLTF_OK);
            assert_true(isfinite(quality.raw_error) && isfinite(quality.refit_error));
            try_model(model, X);
        }
        dltf_model_free(model);
        dltf_learner_free(learner);
    }
}

static void try_clustering(dltf_matrix X, bool spherical) {
    dltf_cluster_options options = dltf_cluster_options_default();
    dltf_clusters *clusters = NULL;
    options.clusters = 3;
    options.threads = 1;
    options.spherical = spherical;
    dltf_status status = dltf_clusters_train(X, &options, NULL, NULL, &clusters);
    assert_true(acceptable(status));
    if (status == DLTF_OK) {
        assert_true(dl_all_finite(dltf_clusters_get(clusters).centers, 3 * COLS));
        assert_true(isfinite(dltf_clusters_get(clusters).inertia));
    }
    dltf_clusters_free(clusters);
}

static void try_reductions(dltf_matrix X) {
    dltf_landmark_options options = dltf_landmark_options_default();
    dltf_landmarks *landmarks = NULL;
    dltf_pca *pca = NULL;
    float out[N * 4];
    options.m = ATOMS;
    options.k = K;
    options.d = 4;
    dltf_status status = dltf_landmarks_train(X, &options, NULL, NULL, &landmarks);
    if (status == DLTF_OK)
        status = dltf_landmarks_apply(landmarks, X, 1, out);
    assert_finite_or_failed(status, out, N * 4);
    dltf_landmarks_free(landmarks);
    status = dltf_pca_train(X, 4, 1, &pca);
    if (status == DLTF_OK)
        status = dltf_pca_apply(pca, X, 1, out);
    assert_finite_or_failed(status, out, N * 4);
    dltf_pca_free(pca);
}

#define ONE(NAME, name, help) +1
enum { METHODS = 0 DLTF_HASH_METHODS(ONE) };
#undef ONE

static void try_hashing(dltf_matrix X) {
    uint8_t codes[N * BITS / 8];
    dltf_relevance *relevance = NULL;
    for (int method = 0; method < METHODS; method++) {
        dltf_hash_options options = dltf_hash_options_default();
        dltf_hasher *hasher = NULL;
        options.method = (dltf_hash_method)method;
        options.bits = BITS;
        options.threads = 1;
        dltf_status status = dltf_hasher_train(X, &options, NULL, NULL, &hasher);
        if (status == DLTF_OK)
            status = dltf_hasher_apply(hasher, X, 1, NULL, NULL, codes);
        assert_true(acceptable(status));
        dltf_hasher_free(hasher);
    }
    assert_true(acceptable(dltf_relevance_by_nearest(X, X, 3, 1, NULL, NULL, &relevance)));
    dltf_relevance_free(relevance);
    dltf_status status = dltf_relevance_by_radius(X, X, 3, 1, NULL, NULL, &relevance);
    assert_true(acceptable(status));
    assert_true(status != DLTF_OK || isfinite(dltf_relevance_radius(relevance)));
    dltf_relevance_free(relevance);
}

static dl_network *new_network(float weight) {
    float weights[CLASSES * COLS], bias[CLASSES];
    for (int i = 0; i < CLASSES * COLS; i++)
        weights[i] = i % 2 ? weight : -weight;
    for (int i = 0; i < CLASSES; i++)
        bias[i] = weight;
    const dl_layer_view layers[] = {{.inputs = COLS, .outputs = 5, .activation = DL_ACTIVATION_RELU},
                                    {.inputs = 5,
                                     .outputs = CLASSES,
                                     .activation = DL_ACTIVATION_LINEAR,
                                     .weights = weights,
                                     .bias = bias}};
    dl_network *network = NULL;
    assert_int_equal(dl_network_new(layers, 2, 1, &network), DLTF_OK);
    return network;
}

static void try_networks(dltf_matrix X) {
    const float weights[] = {1, 3e38f, 1e-40f};
    for (int i = 0; i < 3; i++) {
        dl_network *network = new_network(weights[i]);
        float outputs[N * CLASSES];
        int64_t labels[N];
        assert_finite_or_failed(dl_network_apply(network, X, 2, outputs), outputs, N * CLASSES);
        assert_finite_or_failed(dl_network_predict(network, X, 2, labels, outputs), outputs, N * CLASSES);
        dl_network_free(network);
    }
    const int64_t sizes[] = {4}, k[] = {2};
    for (int start = DL_START_DLTF; start <= DL_START_RANDOM; start++) {
        dl_pretrain_options options = dl_pretrain_options_default();
        dl_network *network = NULL;
        options.method = (dl_start_kind)start;
        options.threads = 1;
        if (start == DL_START_DLTF || start == DL_START_AE)
            options.epochs = 1;
        dltf_status status = dl_pretrain(X, sizes, k, 1, &options, NULL, NULL, &network);
        assert_true(acceptable(status));
        if (status == DLTF_OK)
            assert_true(dl_all_finite(dl_network_layer(network, 0).weights, 4 * COLS));
        dl_network_free(network);
    }
}

static void try_images(dltf_matrix X) {
    static float out[N * DLTF_GIST_SIZE];
    dltf_gist_options options = dltf_gist_options_default();
    options.side = 32;
    options.threads = 1;
    assert_finite_or_failed(dltf_gist(X, 4, 4, &options, NULL, NULL, out), out, N * DLTF_GIST_SIZE);
    for (int estimated = 0; estimated < 2; estimated++) {
        dltf_denoise_options denoising = dltf_denoise_options_default();
        dltf_image *image = NULL, *clean = NULL;
        assert_int_equal(dltf_image_new(COLS, N, 1, 32, &image), DLTF_OK);
        for (int64_t i = 0; i < N; i++)
            dltf_matrix_row(X, i, dltf_image_pixels(image) + i * COLS);
        denoising.sigma = estimated ? DLTF_SIGMA_UNKNOWN : 20;
        denoising.m = 64;
        denoising.threads = 1;
        dltf_status status = dltf_denoise(image, NULL, &denoising, NULL, NULL, &clean, NULL);
        assert_true(acceptable(status));
        if (status == DLTF_OK)
            assert_true(dl_all_finite(dltf_image_get(clean).planes, N * COLS));
        dltf_image_free(image);
        dltf_image_free(clean);
    }
}

static void try_all(dltf_matrix X) {
    dltf_model *model = NULL;
    float atoms[ATOMS * COLS];
    for (int i = 0; i < ATOMS * COLS; i++)
        atoms[i] = (float)(i % 3 - 1);
    dltf_model_view parts = {.m = ATOMS, .n = COLS, .k = K, .dictionary = atoms};
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    try_model(model, X);
    dltf_model_free(model);
    for (int i = 0; i < 2; i++) {
        try_training(X, i);
        try_clustering(X, i);
    }
    try_reductions(X);
    try_hashing(X);
    try_networks(X);
    try_images(X);
}

/* ---- The samples ---- */

static void doubles(void **state) {
    (void)state;
    const double scales[] = {1, 1e19, 1e30, 1e39, 1e154, 1e200, 1e307, 1e-160, 1e-310};
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
        fill_normal_f64(wide, N * COLS);
        for (int i = 0; i < N * COLS; i++)
            wide[i] *= scales[s];
        try_all(dltf_matrix_f64(wide, N, COLS));
    }
}

static void floats(void **state) {
    (void)state;
    const double scales[] = {FLT_MAX, 1e37, 1e20, 1e-20, 1e-42};
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
        for (int i = 0; i < N * COLS; i++)
            narrow[i] = (float)(scales[s] * (normal() > 0 ? 1 : -1));
        try_all(dltf_matrix_f32(narrow, N, COLS));
    }
}

static void one_value(void **state) {
    (void)state;
    const double values[] = {DBL_MAX, 1e39, FLT_MAX, DBL_MIN};
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
        fill_normal_f64(wide, N * COLS);
        wide[3 * COLS + 5] = values[v];
        try_all(dltf_matrix_f64(wide, N, COLS));
    }
}

/* ---- What the messages say ---- */

static void places(void **state) {
    (void)state;
    static const char message[] =
        "row 3, column 5 is 1e+39 (counting from 0), beyond the range of single precision: rescale the data";
    dl_network *network = new_network(1);
    dltf_clusters *clusters = NULL;
    dltf_relevance *relevance = NULL;
    dltf_cluster_options options = dltf_cluster_options_default();
    float outputs[N * CLASSES];
    options.clusters = 3;
    fill_normal_f64(wide, N * COLS);
    wide[3 * COLS + 5] = 1e39;
    dltf_matrix X = dltf_matrix_f64(wide, N, COLS);
    assert_fails(dl_network_apply(network, X, 1, outputs), DLTF_DATA, message);
    assert_fails(dltf_clusters_train(X, &options, NULL, NULL, &clusters), DLTF_DATA, message);
    wide[3 * COLS + 5] = 1e38;
    for (int i = 0; i < 4; i++) /* enough weights for a sum of the second layer to overflow */
        wide[7 * COLS + i] = 1e38;
    dl_network_free(network);
    network = new_network(1e30f);
    assert_fails(dl_network_apply(network, X, 2, outputs), DLTF_NUMERIC,
                 "row 3: the outputs of the network overflow single precision");
    dl_network_free(network);
    wide[3 * COLS + 5] = 1e160;
    assert_fails(dltf_relevance_by_nearest(X, X, 3, 1, NULL, NULL, &relevance), DLTF_NUMERIC,
                 "row 3: its distances overflow");
}

TESTS_MAIN(cmocka_unit_test(doubles), cmocka_unit_test(floats), cmocka_unit_test(one_value),
           cmocka_unit_test(places))
