/* Checkpoints of networks in files: resumed exactly, anything else is rejected. */
#include "test_io.h"

#include "data/kind.h"
#include "io/formats/safetensors.h"
#include "network/training.h"
#include "program/program.h"

#include <math.h>

enum { N = 12, n = 3, CLASSES = 2 };

static float X[N * n];
static int32_t labels[N];

static dltf_matrix samples(void) {
    for (int i = 0; i < N * n; i++)
        X[i] = (float)((i * 7) % 11 - 5);
    for (int i = 0; i < N; i++)
        labels[i] = i % 3 == 0;
    return dltf_matrix_f32(X, N, n);
}

static int stop_soon(void *context, const dltf_progress *progress) {
    (void)context;
    return progress->done >= N + 4;
}

/* Interrupted in its second epoch. */
static dl_training *example(void) {
    dl_layer_view layers[2] = {{.inputs = n, .outputs = 4, .activation = DL_ACTIVATION_RELU, .k = 3},
                               {.inputs = 4, .outputs = CLASSES}};
    dl_network_options o = dl_network_options_default();
    dl_network *network = NULL;
    dl_training *t = NULL;
    dltf_outcome outcome;
    o.batch = 4;
    o.epochs = 3;
    o.average = 0.5;
    o.threads = 1;
    dltf_matrix data = samples();
    assert_int_equal(dl_network_new(layers, 2, 0, &network), DLTF_OK);
    assert_int_equal(dl_training_new(network, data, (dl_targets){.labels = labels}, &o, &t), DLTF_OK);
    assert_int_equal(dl_training_run(t, stop_soon, NULL, &outcome), DLTF_OK);
    assert_int_equal(outcome, DLTF_INTERRUPTED);
    dl_network_free(network);
    return t;
}

static dltf_status restore(const dl_bundle *bundle) {
    dl_training *t = NULL;
    dltf_outcome outcome;
    dltf_status status = dl_training_from_bundle(bundle, samples(), (dl_targets){.labels = labels}, 1, &t);
    assert_int_equal(status == DLTF_OK, t != NULL);
    if (t) /* whatever was read, training goes on or says why not */
        dl_training_run(t, NULL, NULL, &outcome);
    dl_training_free(t);
    return status;
}

static dltf_status load(dl_file *file) {
    dl_bundle bundle;
    dltf_status status = dl_safetensors_parse(file->bytes, file->size, &bundle);
    if (status == DLTF_OK)
        status = restore(&bundle);
    dl_bundle_free(&bundle);
    return status;
}

static void round_trip(void **state) {
    (void)state;
    dl_training *t = example(), *back = NULL;
    dltf_outcome outcome;
    dl_targets targets = {.labels = labels};
    const char *path = in_directory("a.safetensors");
    assert_int_equal(dl_training_save(t, path), DLTF_OK);
    assert_int_equal(dl_training_resume(path, samples(), targets, 2, &back), DLTF_OK);
    assert_int_equal(dl_training_save(back, in_directory("b.safetensors")), DLTF_OK);
    assert_same_files(in_directory("a.safetensors"), in_directory("b.safetensors"));
    assert_int_equal(dl_training_run(t, NULL, NULL, &outcome), DLTF_OK);
    assert_int_equal(dl_training_run(back, NULL, NULL, &outcome), DLTF_OK);
    assert_int_equal(outcome, DLTF_ITERATION_LIMIT);
    assert_memory_equal(back->network->values, t->network->values, (size_t)t->network->size * sizeof(float));
    dl_training_free(back);
    dl_training_free(t);
}

static void other_data(void **state) {
    (void)state;
    dl_training *t = example(), *back = NULL;
    dl_targets targets = {.labels = labels};
    const char *path = in_directory("a.safetensors");
    assert_int_equal(dl_training_save(t, path), DLTF_OK);
    dl_training_free(t);
    dltf_matrix data = samples();
    labels[5] = 1 - labels[5];
    assert_fails(dl_training_resume(path, data, targets, 1, &back), DLTF_DATA, "different samples or labels");
    assert_null(back);
    data = samples();
    X[7] += 1;
    assert_fails(dl_training_resume(path, data, targets, 1, &back), DLTF_DATA, "different samples or labels");
    X[7] = NAN;
    assert_fails(dl_training_resume(path, data, targets, 1, &back), DLTF_DATA, "row 2, column 1 is NaN");
    data = samples();
    data.rows--;
    assert_fails(dl_training_resume(path, data, targets, 1, &back), DLTF_DATA, "different samples or labels");
    assert_fails(dl_training_resume(in_directory("none"), data, targets, 1, &back), DLTF_FILE, "none");
}

static void survives_corruption(void **state) {
    (void)state;
    dl_training *t = example();
    const char *path = in_directory("memory.safetensors");
    assert_survives_lack_of_memory(dl_training_save(t, path), access(path, F_OK) != 0);
    dl_text file = read_back(path);
    assert_truncation_fails(load, file.data, file.length);
    flip_every_bit(load, file.data, file.length);
    assert_survives_lack_of_memory(load_copy(load, file.data, file.length), true);
    dl_text_free(&file);
    dl_training_free(t);
}

/* ---- Spoilt state ---- */

static dl_bundle whole(void) {
    dl_training *t = example();
    dl_bundle bundle = {0};
    assert_int_equal(dl_training_to_bundle(t, &bundle), DLTF_OK);
    dl_training_free(t);
    return bundle;
}

static void *content(const dl_bundle *bundle, const char *name) {
    return dl_bundle_find(bundle, name)->data;
}

static void assert_refused(dl_bundle bundle, const char *part) {
    assert_fails(restore(&bundle), DLTF_FORMAT, part);
    dl_bundle_free(&bundle);
}

static void refused(void **state) {
    (void)state;
    dl_bundle b = whole();
    assert_int_equal(restore(&b), DLTF_OK);
    dl_bundle_free(&b);
    const int64_t positions[][2] = {
        {-1, 0}, {4, 0}, {3, 4}, {1, -4}, {1, 5}, {1, 16}, {INT64_MAX, INT64_MAX}};
    for (size_t i = 0; i < sizeof positions / sizeof *positions; i++) {
        b = whole();
        memcpy(content(&b, "position"), positions[i], sizeof positions[i]);
        assert_refused(b, "the checkpoint's position is out of range");
    }
    b = whole();
    ((int64_t *)content(&b, "position"))[0] = 2;
    assert_refused(b, "tensor 'history' has the wrong type or shape");
    const char *const floats[] = {"moment.0", "average"};
    for (int i = 0; i < 2; i++) {
        b = whole();
        ((float *)content(&b, floats[i]))[2] = INFINITY;
        assert_refused(b, "has a non-finite value");
        b = whole();
        content(&b, floats[i]);
        memcpy(b.tensors[dl_bundle_find(&b, floats[i]) - b.tensors].name, "other", 6);
        assert_refused(b, "is missing");
    }
    b = whole();
    *(double *)content(&b, "loss") = NAN;
    assert_refused(b, "tensor 'loss' has a non-finite value");
    b = whole();
    assert_int_equal(dl_notes_set(&b.notes, "option.batch", "0"), DLTF_OK);
    assert_refused(b, "metadata 'option.batch': 0 is outside 1 .. 1000000");
    b = whole();
    assert_int_equal(dl_kind_mark(&b, DL_KIND_NETWORK), DLTF_OK);
    assert_refused(b, "is a network, not a checkpoint of a network");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(round_trip), cmocka_unit_test(other_data),
                                       cmocka_unit_test(survives_corruption), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
