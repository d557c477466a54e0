/* What bindings ask of every object: its kind, its options, its errors, cancellation; and the objects that
 * other tests of dltf/bind.h do not use. */
#include "test_bind.h"

#include <math.h>
#include <unistd.h>

enum { N = 90, n = 6 };
static float x[N * n];
static dltf_array *X;

static int set_up(void **state) {
    (void)state;
    fill_normal(x, N * n);
    return dltf_array_borrow(x, "float32", N, n, n, 1, &X) == DLTF_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    dltf_array_free(X);
    return 0;
}

/* ---- Kinds ---- */

static void objects_of_other_kinds(void **state) {
    (void)state;
    static const char *const kinds[] = {"array",      "codes", "model",     "learner", "online",
                                        "clusters",   "pca",   "landmarks", "hasher",  "index",
                                        "neighbours", "image", "synthetic"};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    dltf_options *train = OPTIONS("train", "m", "4", "k", "1");
    dltf_pca *pca = NULL;
    dltf_image *image = NULL;
    dltf_learner *learner = NULL;
    dltf_values *values = NULL;
    assert_int_equal(dltf_bind_pca_train(X, 2, 1, &pca), DLTF_OK);
    assert_int_equal(dltf_image_new(4, 4, 1, 8, &image), DLTF_OK);
    assert_int_equal(dltf_bind_learner_new(X, NULL, train, &learner), DLTF_OK);
    const struct {
        const char *kind;
        const void *object;
    } objects[] = {{"array", X}, {"pca", pca}, {"image", image}, {"learner", learner}, {"none", train}};
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        for (int k = 0; k < KINDS; k++) {
            bool same = strcmp(kinds[k], objects[i].kind) == 0;
            dltf_status status = dltf_bind_get(kinds[k], objects[i].object, &values);
            assert_int_equal(status, same ? DLTF_OK : DLTF_ARGUMENT);
            assert_true(same == (values != NULL));
            dltf_values_free(values);
        }
    assert_fails(dltf_bind_get("model", pca, &values), DLTF_ARGUMENT,
                 "the object is not of kind 'model', but of kind 'pca'");
    assert_fails(dltf_bind_get("model", train, &values), DLTF_ARGUMENT, "the object is not of kind 'model'");
    dltf_learner_free(learner);
    dltf_image_free(image);
    dltf_pca_free(pca);
    dltf_options_free(train);
}

/* ---- Options and errors ---- */

static void assert_text(const dltf_values *values, const char *name, const char *expected) {
    const char *text = NULL;
    assert_int_equal(dltf_values_text(values, name, &text), DLTF_OK);
    assert_string_equal(text, expected);
}

static void descriptions_of_options(void **state) {
    (void)state;
    int tasks = 0, options = 0;
    for (const char *task; (task = dltf_options_task(tasks)); tasks++) {
        dltf_options *of_task = NULL;
        const char *name;
        assert_int_equal(dltf_options_new(task, &of_task), DLTF_OK);
        for (int i = 0; (name = dltf_options_name(of_task, i)); i++, options++) {
            dltf_values *values = NULL;
            const char *text = NULL;
            assert_int_equal(dltf_options_describe(of_task, name, &values), DLTF_OK);
            assert_text(values, "help", dltf_options_help(of_task, name));
            if (dltf_values_text(values, "default", &text) == DLTF_OK)
                assert_int_equal(dltf_options_set(of_task, name, text), DLTF_OK);
            dltf_values_free(values);
        }
        dltf_options_free(of_task);
    }
    assert_true(tasks == 13 && options > 60);
    assert_null(dltf_options_task(-1));
}

static void one_description(void **state) {
    (void)state;
    dltf_options *options = OPTIONS("encode", "k", "3");
    dltf_values *values = NULL;
    assert_survives_lack_of_memory(dltf_options_describe(options, "coder", &values), 2);
    assert_text(values, "kind", "choice");
    assert_text(values, "default", "threshold");
    assert_text(values, "choices", "threshold|omp|iht|niht|htp|incoherent|shortlist");
    dltf_values_free(values);
    assert_int_equal(dltf_options_describe(options, "error", &values), DLTF_OK);
    assert_text(values, "kind", "real");
    assert_text(values, "scope", "coder omp");
    assert_true(number(values, "min") == 0);
    dltf_values_free(values);
    assert_fails(dltf_options_describe(options, "colour", &values), DLTF_ARGUMENT,
                 "the task 'encode' has no option 'colour'");
    dltf_options_free(options);
}

static void errors_in_parts(void **state) {
    (void)state;
    const char *subject = NULL, *name = NULL, *text = NULL;
    dltf_options *options = OPTIONS("encode", "k", "3");
    dltf_model *model = NULL;
    assert_int_equal(dltf_options_set(options, "k", "many"), DLTF_ARGUMENT);
    assert_int_equal(dltf_bind_last_error(&subject, &name, &text), DLTF_ARGUMENT);
    assert_string_equal(subject, "option");
    assert_string_equal(name, "k");
    assert_non_null(strstr(text, "many"));
    assert_int_equal(dltf_model_load("test_bind_objects.missing", &model), DLTF_FILE);
    assert_int_equal(dltf_bind_last_error(&subject, &name, NULL), DLTF_FILE);
    assert_string_equal(subject, "file");
    assert_string_equal(name, "test_bind_objects.missing");
    assert_int_equal(dltf_array_borrow(x, "float32", 0, 1, 1, 1, &(dltf_array *){NULL}), DLTF_ARGUMENT);
    assert_int_equal(dltf_bind_last_error(&subject, &name, NULL), DLTF_ARGUMENT);
    assert_string_equal(subject, "argument");
    assert_string_equal(name, "data");
    dltf_options_free(options);
}

/* ---- Cancellation ---- */

static int refuse(void *context, const char *task, int64_t done, int64_t total, const char *stage,
                  int64_t index, double error, const struct dltf_state *state) {
    ++*(int *)context;
    return task[0] == 0 && done == 0 && total == 0 && stage[0] == 0 && index == -1 && isnan(error) && !state;
}

/* A call that has no callback, again and again until one of them takes long enough to be asked. */
static void calls_without_a_callback(void **state) {
    (void)state;
    enum { MOST = 100000 };
    int calls = 0, tries = 0;
    dltf_pca *pca = NULL;
    static float out[N * 2];
    assert_int_equal(dltf_bind_pca_train(X, 2, 1, &pca), DLTF_OK);
    dltf_bind_watch(refuse, &calls);
    dltf_status status = DLTF_OK;
    while (status == DLTF_OK && tries++ < MOST)
        status = dltf_bind_pca_apply(pca, X, 1, out);
    assert_int_equal(status, DLTF_CANCELLED);
    assert_int_equal(calls, 1);
    assert_non_null(strstr(dltf_message(), "cancelled"));
    assert_int_equal(dltf_bind_pca_apply(pca, X, 1, out), DLTF_CANCELLED);
    dltf_bind_watch(NULL, NULL);
    assert_int_equal(dltf_bind_pca_apply(pca, X, 1, out), DLTF_OK);
    assert_int_equal(calls, 1);
    dltf_pca_free(pca);
}

/* ---- Objects ---- */

static void synthetic_problems(void **state) {
    (void)state;
    dltf_options *options = OPTIONS("synthetic", "n", "8", "m", "12", "k", "3", "samples", "50");
    dltf_synthetic *problem = NULL;
    dltf_array *atoms = NULL;
    dltf_values *values = NULL;
    double found = 0, expected = 0, babel[2] = {0};
    assert_int_equal(dltf_bind_synthetic_new(options, NULL, NULL, &problem), DLTF_OK);
    assert_int_equal(dltf_bind_get("synthetic", problem, &values), DLTF_OK);
    const void *dictionary = array(values, "dictionary", "float32", 12, 8);
    assert_ptr_equal(array(values, "samples", "float32", 50, 8), dltf_synthetic_samples(problem, false).data);
    assert_ptr_equal(array(values, "test.samples", "float32", 50, 8),
                     dltf_synthetic_samples(problem, true).data);
    array(values, "indptr", "int64", 51, 0);
    array(values, "test.indices", "int32", 150, 0);
    array(values, "test.values", "float32", 150, 0);
    assert_int_equal(dltf_array_borrow(dictionary, "float32", 12, 8, 8, 1, &atoms), DLTF_OK);
    assert_int_equal(dltf_coherence(dltf_synthetic_dictionary(problem), &expected), DLTF_OK);
    assert_int_equal(dltf_bind_coherence(atoms, &found), DLTF_OK);
    assert_true(found == expected && found > 0);
    assert_int_equal(dltf_bind_babel(atoms, 2, babel), DLTF_OK);
    assert_true(babel[1] >= babel[0] && babel[0] > 0);
    assert_int_equal(dltf_bind_frame_potential(atoms, &found), DLTF_OK);
    assert_true(found >= 12.0 * 12 / 8);
    dltf_array_free(atoms);
    dltf_values_free(values);
    dltf_synthetic_free(problem);
    dltf_options_free(options);
}

static void components_in_memory(void **state) {
    (void)state;
    dltf_pca *pca = NULL, *copy = NULL;
    uint8_t *bytes = NULL;
    int64_t size = 0;
    assert_int_equal(dltf_bind_pca_train(X, 3, 1, &pca), DLTF_OK);
    assert_survives_lack_of_memory(dltf_pca_write(pca, &bytes, &size), 2);
    assert_survives_lack_of_memory(dltf_pca_read(bytes, size, &copy), 2);
    assert_memory_equal(dltf_pca_get(copy).components, dltf_pca_get(pca).components, 3 * n * sizeof(float));
    dltf_pca_free(copy);
    assert_fails(dltf_pca_read(bytes, size / 2, &copy), DLTF_FORMAT, "");
    assert_fails(dltf_pca_read(bytes, -1, &copy), DLTF_ARGUMENT, "-1 bytes");
    assert_null(copy);
    dltf_bytes_free(bytes);
    dltf_pca_free(pca);
}

static dltf_status read_row(void *context, int64_t row, double *out) {
    (void)context;
    widen(x + row * n, n, out);
    return DLTF_OK;
}

static void rows_from_a_function(void **state) {
    (void)state;
    dltf_array *rows = NULL;
    float copy[N * n];
    assert_survives_lack_of_memory(dltf_bind_source_new(N, n, read_row, NULL, &rows), 2);
    assert_int_equal(dltf_array_rows(rows, 0, N, copy), DLTF_OK);
    assert_memory_equal(copy, x, sizeof copy);
    dltf_array_free(rows);
    assert_fails(dltf_bind_source_new(N, n, NULL, NULL, &rows), DLTF_ARGUMENT, "no function");
    assert_fails(dltf_bind_source_new(0, n, read_row, NULL, &rows), DLTF_ARGUMENT, "0 rows");
    assert_null(rows);
}

static void descriptors_and_pictures(void **state) {
    (void)state;
    enum { SIDE = 32 };
    const char *path = "test_bind_objects.png";
    static float pixels[2 * SIDE * SIDE], found[2 * DLTF_GIST_SIZE], expected[2 * DLTF_GIST_SIZE];
    dltf_array *images = NULL;
    dltf_image_set *set = NULL;
    for (int i = 0; i < 2 * SIDE * SIDE; i++)
        pixels[i] = (float)(i % 251);
    assert_int_equal(dltf_array_borrow(pixels, "float32", 2, SIDE * SIDE, SIDE * SIDE, 1, &images), DLTF_OK);
    assert_int_equal(
        dltf_gist(dltf_matrix_f32(pixels, 2, SIDE * SIDE), SIDE, SIDE, NULL, NULL, NULL, expected), DLTF_OK);
    assert_int_equal(dltf_bind_gist(images, SIDE, SIDE, NULL, NULL, NULL, found), DLTF_OK);
    assert_memory_equal(found, expected, sizeof found);
    assert_int_equal(dltf_bind_picture_save(images, SIDE, SIDE, 2, "own", path), DLTF_OK);
    assert_fails(dltf_bind_picture_save(images, SIDE, SIDE, 2, "red", path), DLTF_ARGUMENT,
                 "expected own, symmetric or unit");
    assert_int_equal(dltf_image_set_open(&path, 1, &set), DLTF_OK);
    assert_int_equal(dltf_bind_image_set_gist(set, NULL, NULL, NULL, found), DLTF_OK);
    dltf_image_set_free(set);
    dltf_array_free(images);
    unlink(path);
}

static void relevance_by_radius(void **state) {
    (void)state;
    dltf_relevance *found = NULL, *expected = NULL;
    dltf_matrix samples = dltf_matrix_f32(x, N, n);
    assert_int_equal(dltf_relevance_by_radius(samples, samples, 5, 1, NULL, NULL, &expected), DLTF_OK);
    assert_int_equal(dltf_bind_relevance_by_radius(X, X, 5, 1, NULL, NULL, &found), DLTF_OK);
    assert_true(dltf_relevance_radius(found) == dltf_relevance_radius(expected));
    dltf_relevance_free(found);
    dltf_relevance_free(expected);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TESTS_MAIN(TEST(objects_of_other_kinds), TEST(descriptions_of_options), TEST(one_description),
           TEST(errors_in_parts), TEST(calls_without_a_callback), TEST(synthetic_problems),
           TEST(components_in_memory), TEST(rows_from_a_function), TEST(descriptors_and_pictures),
           TEST(relevance_by_radius))
