/* Checkpoints of tasks that are one call, k-means and the training of hashers: saved at any progress report
 * and resumed, they give the same bytes; wrong checkpoints are rejected. */
#include "dltf.h"

#include "data/state.h"
#include "hash/hasher.h"
#include "io/formats/safetensors.h"

#include "test_learning.h"
#include "test_path.h"

#include <stdio.h>
#include <unistd.h>

enum { N = 400, n = 12 };

static float X[N * n];

static dltf_matrix samples(void) {
    if (X[0] == 0)
        fill_normal(X, N * n);
    return dltf_matrix_f32(X, N, n);
}

/* Saves a checkpoint at report number `at`, then cancels. */
typedef struct stop {
    int64_t at, seen;
    bool saved;
} stop;

static int save_and_stop(void *context, const dltf_progress *progress) {
    stop *s = context;
    if (s->seen++ != s->at)
        return 0;
    assert_non_null(progress->state);
    assert_int_equal(dltf_state_save(progress->state, path), DLTF_OK);
    s->saved = true;
    return 1;
}

/* ---- k-means ---- */

static dltf_cluster_options kmeans_options(bool spherical) {
    dltf_cluster_options options = dltf_cluster_options_default();
    options.clusters = 7;
    options.restarts = 3;
    options.tolerance = 0;
    options.spherical = spherical;
    options.threads = 1;
    return options;
}

static void assert_same_clusters(const dltf_clusters *a, const dltf_clusters *b) {
    dltf_clusters_view x = dltf_clusters_get(a), y = dltf_clusters_get(b);
    assert_memory_equal(x.assignment, y.assignment, (size_t)x.samples * sizeof *x.assignment);
    assert_memory_equal(x.centers, y.centers, (size_t)(x.clusters * x.cols) * sizeof *x.centers);
    assert_memory_equal(x.sizes, y.sizes, (size_t)x.clusters * sizeof *x.sizes);
    assert_memory_equal(&x.inertia, &y.inertia, sizeof x.inertia);
    assert_true(x.restart == y.restart && x.iterations == y.iterations && x.converged == y.converged);
}

static dltf_status run_kmeans(const dltf_codes *codes, const dltf_cluster_options *o,
                              dltf_progress_fn progress, void *context, dltf_clusters **clusters) {
    return codes ? dltf_clusters_train_codes(codes, o, progress, context, clusters)
                 : dltf_clusters_train(samples(), o, progress, context, clusters);
}

static void check_kmeans(const dltf_codes *codes, const dltf_cluster_options *o) {
    dltf_clusters *whole = NULL, *part = NULL;
    assert_int_equal(run_kmeans(codes, o, NULL, NULL, &whole), DLTF_OK);
    for (int64_t at = 0;; at += 3) {
        stop s = {.at = at};
        dltf_status status = run_kmeans(codes, o, save_and_stop, &s, &part);
        dltf_clusters_free(part);
        if (!s.saved)
            break;
        assert_true(status == DLTF_CANCELLED || status == DLTF_OK);
        int64_t threads = 1 + at % 3;
        status = codes ? dltf_clusters_resume_codes(path, codes, threads, NULL, NULL, &part)
                       : dltf_clusters_resume(path, samples(), threads, NULL, NULL, &part);
        if (status != DLTF_OK)
            fail_msg("%s", dltf_message());
        assert_same_clusters(whole, part);
        dltf_clusters_free(part);
        part = NULL;
    }
    dltf_clusters_free(whole);
}

static void kmeans(void **state) {
    (void)state;
    dltf_cluster_options plain = kmeans_options(false), spherical = kmeans_options(true), one = plain;
    one.clusters = 1;
    check_kmeans(NULL, &plain);
    check_kmeans(NULL, &spherical);
    check_kmeans(NULL, &one);
}

static void kmeans_of_codes(void **state) {
    (void)state;
    dltf_codes *codes = NULL;
    int64_t indptr[N + 1] = {0};
    int32_t indices[2 * N];
    float values[2 * N];
    for (int64_t i = 0; i < N; i++) {
        indptr[i + 1] = 2 * (i + 1);
        indices[2 * i] = (int32_t)below(n / 2);
        indices[2 * i + 1] = (int32_t)(n / 2 + below(n / 2));
        values[2 * i] = (float)normal() + 3;
        values[2 * i + 1] = (float)normal() + 3;
    }
    assert_int_equal(dltf_codes_new((dltf_csr){N, n, indptr, indices, values, NULL}, &codes), DLTF_OK);
    dltf_cluster_options options = kmeans_options(false);
    check_kmeans(codes, &options);
    dltf_codes_free(codes);
}

static void save_kmeans_at(int64_t at) {
    stop s = {.at = at};
    dltf_cluster_options options = kmeans_options(false);
    dltf_clusters *clusters = NULL;
    assert_int_equal(dltf_clusters_train(samples(), &options, save_and_stop, &s, &clusters), DLTF_CANCELLED);
    assert_true(s.saved);
}

static void wrong_kmeans(void **state) {
    (void)state;
    dltf_clusters *clusters = NULL;
    dl_bundle bundle = {0};
    save_kmeans_at(2);
    X[5] += 1;
    assert_fails(dltf_clusters_resume(path, samples(), 1, NULL, NULL, &clusters), DLTF_DATA,
                 "made from different data");
    X[5] -= 1;
    assert_int_equal(dl_safetensors_load(path, &bundle), DLTF_OK);
    int32_t *assignment = dl_bundle_find(&bundle, "assignment")->data;
    const int32_t wrong[] = {-1, 7, INT32_MAX, INT32_MIN};
    for (int i = 0; i < 4; i++) {
        int32_t keep = assignment[9];
        assignment[9] = wrong[i];
        assert_int_equal(dl_safetensors_save(&bundle, path), DLTF_OK);
        assert_fails(dltf_clusters_resume(path, samples(), 1, NULL, NULL, &clusters), DLTF_FORMAT,
                     "out-of-range cluster");
        assignment[9] = keep;
    }
    int64_t *counts = dl_bundle_find(&bundle, "counts")->data;
    for (int i = 0; i < 3; i++) {
        int64_t keep = counts[i];
        counts[i] = i == 1 ? 0 : -1; /* not inside: its tensors are not needed, but a restart is missing */
        assert_int_equal(dl_safetensors_save(&bundle, path), DLTF_OK);
        if (i != 1)
            assert_fails(dltf_clusters_resume(path, samples(), 1, NULL, NULL, &clusters), DLTF_FORMAT,
                         "count");
        counts[i] = keep;
    }
    dl_tensor *centers = (dl_tensor *)dl_bundle_find(&bundle, "centers");
    ((float *)centers->data)[0] = NAN;
    assert_int_equal(dl_safetensors_save(&bundle, path), DLTF_OK);
    assert_fails(dltf_clusters_resume(path, samples(), 1, NULL, NULL, &clusters), DLTF_FORMAT, "non-finite");
    dl_bundle_free(&bundle);
    assert_null(clusters);
}

/* ---- Hashers ---- */

static void assert_same_hasher(const dltf_hasher *a, const dltf_hasher *b) {
    assert_int_equal(a->content.count, b->content.count);
    for (int i = 0; i < a->content.count; i++) {
        const dl_tensor *x = &a->content.tensors[i], *y = dl_bundle_find(&b->content, x->name);
        assert_memory_equal(x->data, y->data, (size_t)dl_tensor_bytes(x));
    }
    assert_int_equal(a->content.notes.count, b->content.notes.count);
    for (int i = 0; i < a->content.notes.count; i++)
        assert_string_equal(a->content.notes.list[i].value, b->content.notes.list[i].value);
}

static dltf_hash_options hash_options(dltf_hash_method method) {
    dltf_hash_options options = dltf_hash_options_default();
    options.method = method;
    options.bits = 8;
    options.iterations = 9;
    options.samples = 300;
    options.threads = 1;
    options.seed = 3;
    return options;
}

static void hashers(void **state) {
    (void)state;
    static const dltf_hash_method methods[] = {DLTF_HASH_SPH, DLTF_HASH_ITQ, DLTF_HASH_NEIGHBOUR};
    for (int i = 0; i < 3; i++) {
        dltf_hash_options options = hash_options(methods[i]);
        dltf_hasher *whole = NULL, *part = NULL;
        assert_int_equal(dltf_hasher_train(samples(), &options, NULL, NULL, &whole), DLTF_OK);
        int64_t saved = 0;
        for (int64_t at = 0; at < 9; at++) {
            stop s = {.at = at};
            dltf_status status = dltf_hasher_train(samples(), &options, save_and_stop, &s, &part);
            dltf_hasher_free(part);
            if (!s.saved)
                break;
            saved++;
            assert_int_equal(status, DLTF_CANCELLED);
            if (dltf_hasher_resume(path, samples(), 1 + at % 3, NULL, NULL, &part) != DLTF_OK)
                fail_msg("%s", dltf_message());
            assert_same_hasher(whole, part);
            dltf_hasher_free(part);
            part = NULL;
        }
        assert_true(saved > 0);
        dltf_hasher_free(whole);
    }
}

static void wrong_hashers(void **state) {
    (void)state;
    dltf_hash_options options = hash_options(DLTF_HASH_ITQ);
    dltf_hasher *hasher = NULL;
    dltf_clusters *clusters = NULL;
    dl_bundle bundle = {0};
    stop s = {.at = 2};
    assert_int_equal(dltf_hasher_train(samples(), &options, save_and_stop, &s, &hasher), DLTF_CANCELLED);
    assert_fails(dltf_clusters_resume(path, samples(), 1, NULL, NULL, &clusters), DLTF_FORMAT,
                 "is a checkpoint of an unfinished training of a hasher");
    X[5] += 1;
    assert_fails(dltf_hasher_resume(path, samples(), 1, NULL, NULL, &hasher), DLTF_DATA,
                 "made from different data");
    X[5] -= 1;
    assert_int_equal(dl_safetensors_load(path, &bundle), DLTF_OK);
    int64_t *step = dl_bundle_find(&bundle, "step")->data;
    *step = 10;
    assert_int_equal(dl_safetensors_save(&bundle, path), DLTF_OK);
    assert_fails(dltf_hasher_resume(path, samples(), 1, NULL, NULL, &hasher), DLTF_FORMAT, "iterations");
    *step = 2;
    assert_int_equal(dl_notes_set(&bundle.notes, "option.bits", "16"), DLTF_OK);
    assert_int_equal(dl_safetensors_save(&bundle, path), DLTF_OK);
    assert_true(dltf_hasher_resume(path, samples(), 1, NULL, NULL, &hasher) != DLTF_OK);
    dl_bundle_free(&bundle);
    assert_null(hasher);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kmeans),  cmocka_unit_test(kmeans_of_codes), cmocka_unit_test(wrong_kmeans),
        cmocka_unit_test(hashers), cmocka_unit_test(wrong_hashers),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
