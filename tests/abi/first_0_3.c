/* A program of the first 0.3: compiled with the headers in include-0.3, linked with the library of today. It
 * trains, encodes, measures, hashes, searches, clusters and denoises with options, and reads the results. Its
 * structs are those of the old headers; a guard behind each shows whether the library writes more. Do not
 * change it: a program that needs a change would break. */
#include <dltf.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 400, COLS = 16, M = 24, K = 2, GUARD = 256 };

#define REQUIRE(condition)                                                                                   \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "line %d: %s; last error: %s\n", __LINE__, #condition, dltf_message());          \
            exit(EXIT_FAILURE);                                                                              \
        }                                                                                                    \
    } while (0)
#define DO(call) REQUIRE((call) == DLTF_OK)

/* A struct with a guard behind it. */
#define GUARDED(type)                                                                                        \
    struct {                                                                                                 \
        type is;                                                                                             \
        unsigned char guard[GUARD];                                                                          \
    }
#define ARM(guarded) memset((guarded).guard, 0x5A, GUARD)
#define CHECK(guarded) REQUIRE(untouched((guarded).guard))

static bool untouched(const unsigned char *guard) {
    for (int i = 0; i < GUARD; i++)
        if (guard[i] != 0x5A)
            return false;
    return true;
}

static dltf_synthetic *problem;
static dltf_model *model;
static dltf_codes *codes;

static int count_calls(void *context, const dltf_progress *progress) {
    ++*(int *)context;
    return progress->total > 0 && progress->done > progress->total;
}

static void train(dltf_matrix X) {
    GUARDED(dltf_train_options) options;
    GUARDED(dltf_quality) quality;
    GUARDED(dltf_iteration) record;
    GUARDED(dltf_model_view) view;
    dltf_learner *learner = NULL;
    dltf_outcome outcome;
    int calls = 0;
    ARM(options);
    ARM(quality);
    ARM(record);
    ARM(view);
    dltf_train_options_init(&options.is, sizeof options.is);
    options.is.m = M;
    options.is.k = K;
    options.is.threads = 2;
    options.is.encoder = DLTF_ENCODER_TIED;
    options.is.steps = 20;
    options.is.iterations = 5;
    options.is.memory = INT64_C(1) << 30; /* the last field of the first 0.3 */
    DO(dltf_learner_new(X, NULL, &options.is, &learner));
    DO(dltf_learner_run(learner, count_calls, &calls, &outcome));
    DO(dltf_learner_quality(learner, NULL, &quality.is));
    REQUIRE(calls > 0 && outcome == DLTF_ITERATION_LIMIT);
    REQUIRE(quality.is.raw_error > 0 && quality.is.raw_error < 1 &&
            quality.is.refit_error <= quality.is.raw_error);
    REQUIRE(dltf_learner_history(learner, 24, &record.is) == 25);
    REQUIRE(strcmp(record.is.stage, "tied") == 0 && record.is.index == 4 && record.is.seconds >= 0);
    REQUIRE(dltf_learner_options(learner).memory == options.is.memory);
    DO(dltf_learner_model(learner, &model));
    view.is = dltf_model_get(model);
    REQUIRE(view.is.m == M && view.is.n == COLS && view.is.k == K && view.is.dictionary && !view.is.encoder);
    CHECK(options);
    CHECK(quality);
    CHECK(record);
    CHECK(view);
    dltf_learner_free(learner);
}

static void encode(dltf_matrix X) {
    GUARDED(dltf_encode_options) options;
    GUARDED(dltf_reconstruction) found;
    GUARDED(dltf_model_certificate) certificate;
    ARM(options);
    ARM(found);
    ARM(certificate);
    dltf_encode_options_init(&options.is, sizeof options.is);
    options.is.coder = DLTF_CODER_OMP;
    options.is.threads = 2;
    DO(dltf_encode(model, X, &options.is, NULL, NULL, &codes));
    DO(dltf_reconstruction_measure(model, X, codes, 1, &found.is));
    DO(dltf_model_certify(model, NULL, &certificate.is));
    dltf_csr csr = dltf_codes_csr(codes);
    REQUIRE(csr.rows == N && csr.cols == M && csr.indptr[N] == (int64_t)N * K);
    REQUIRE(found.is.relative_error > 0 && found.is.relative_error < 1 && found.is.entries == K);
    REQUIRE(certificate.is.k == K && certificate.is.mu > 0 && certificate.is.mu < 1);
    CHECK(options);
    CHECK(found);
    CHECK(certificate);
}

static void build(void) {
    const float atoms[] = {1, 0, 0, 1}, bias[] = {0.5F, 0};
    GUARDED(dltf_model_view) parts = {.is = {.m = 2, .n = 2, .k = 1, .dictionary = atoms, .bias = bias}};
    dltf_model *made = NULL;
    ARM(parts);
    DO(dltf_model_new(&parts.is, &made));
    REQUIRE(dltf_model_get(made).bias[0] == 0.5F && dltf_model_get(made).select == DLTF_SELECT_ABS);
    CHECK(parts);
    dltf_model_free(made);
    parts.is.dictionary = NULL;
    REQUIRE(dltf_model_new(&parts.is, &made) == DLTF_ARGUMENT && !made);
    REQUIRE(dltf_last_error().status == DLTF_ARGUMENT && strlen(dltf_last_error().text) > 0);
}

static void hash_and_search(dltf_matrix X) {
    GUARDED(dltf_hash_options) hash;
    GUARDED(dltf_search_options) search;
    GUARDED(dltf_neighbours_view) view;
    dltf_hasher *hasher = NULL;
    dltf_index *index = NULL;
    dltf_neighbours *neighbours = NULL;
    uint8_t *bits = malloc((size_t)N * 4);
    REQUIRE(bits);
    ARM(hash);
    ARM(search);
    ARM(view);
    dltf_hash_options_init(&hash.is, sizeof hash.is);
    hash.is.bits = 32;
    hash.is.method = DLTF_HASH_LSH;
    DO(dltf_hasher_train(X, &hash.is, NULL, NULL, &hasher));
    DO(dltf_hasher_apply(hasher, X, 1, NULL, NULL, bits));
    REQUIRE(dltf_hasher_get(hasher).bits == 32 && strcmp(dltf_hasher_get(hasher).name, "lsh") == 0);
    DO(dltf_index_new(dltf_matrix_u8(bits, N, 4), &index));
    dltf_search_options_init(&search.is, sizeof search.is);
    search.is.k = 3;
    DO(dltf_search(index, dltf_matrix_u8(bits, N, 4), &search.is, NULL, NULL, &neighbours));
    view.is = dltf_neighbours_get(neighbours);
    REQUIRE(view.is.queries == N && view.is.k == 3 && view.is.distances[0] == 0 &&
            dltf_index_get(index).rows == N);
    CHECK(hash);
    CHECK(search);
    CHECK(view);
    dltf_neighbours_free(neighbours);
    dltf_index_free(index);
    dltf_hasher_free(hasher);
    free(bits);
}

static void cluster(dltf_matrix X) {
    GUARDED(dltf_cluster_options) options;
    GUARDED(dltf_clusters_view) view;
    GUARDED(dltf_agreement) agreement;
    dltf_clusters *clusters = NULL;
    int64_t labels[N];
    ARM(options);
    ARM(view);
    ARM(agreement);
    dltf_cluster_options_init(&options.is, sizeof options.is);
    options.is.clusters = 3;
    options.is.restarts = 2;
    DO(dltf_clusters_train(X, &options.is, NULL, NULL, &clusters));
    view.is = dltf_clusters_get(clusters);
    REQUIRE(view.is.samples == N && view.is.clusters == 3 && view.is.inertia > 0);
    for (int i = 0; i < N; i++)
        labels[i] = view.is.assignment[i];
    DO(dltf_partitions_compare(view.is.assignment, labels, N, &agreement.is));
    REQUIRE(agreement.is.accuracy == 1 && fabs(agreement.is.nmi - 1) < 1e-12);
    CHECK(options);
    CHECK(view);
    CHECK(agreement);
    dltf_clusters_free(clusters);
}

static void denoise(void) {
    GUARDED(dltf_denoise_options) options;
    GUARDED(dltf_denoise_info) info;
    dltf_image *image = NULL, *clean = NULL;
    ARM(options);
    ARM(info);
    DO(dltf_image_new(32, 32, 1, 8, &image));
    for (int i = 0; i < 32 * 32; i++)
        dltf_image_pixels(image)[i] = (float)(100 + i % 32);
    DO(dltf_image_add_noise(image, 10, 1));
    dltf_denoise_options_init(&options.is, sizeof options.is);
    options.is.sigma = 10;
    options.is.stages = 1;
    DO(dltf_denoise(image, NULL, &options.is, NULL, NULL, &clean, &info.is));
    REQUIRE(info.is.sigma == 10 && !info.is.estimated && info.is.patches > 0 && info.is.seconds > 0);
    REQUIRE(dltf_image_get(clean).width == 32 && dltf_image_get(clean).channels == 1);
    CHECK(options);
    CHECK(info);
    dltf_image_free(clean);
    dltf_image_free(image);
}

int main(void) {
    GUARDED(dltf_synthetic_options) options;
    ARM(options);
    dltf_synthetic_options_init(&options.is, sizeof options.is);
    options.is.n = COLS;
    options.is.m = M;
    options.is.k = K;
    options.is.samples = N;
    options.is.noise = 0.05;
    options.is.seed = 1;
    DO(dltf_synthetic_new(&options.is, NULL, NULL, &problem));
    CHECK(options);
    dltf_matrix X = dltf_synthetic_samples(problem, false);
    train(X);
    encode(X);
    build();
    hash_and_search(X);
    cluster(X);
    denoise();
    printf("compiled with " DLTF_VERSION ", ran with %s\n", dltf_version());
    dltf_codes_free(codes);
    dltf_model_free(model);
    dltf_synthetic_free(problem);
    return EXIT_SUCCESS;
}
