/* dltf_evaluate and dltf_top_find: known values, the same result for streams and any number of threads, and
 * the same without structs. tests/interop/evaluate_interop.py compares both with NumPy. */
#include "test_bind.h"

#include "atoms/top.h"
#include "base/random.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { N = 13000, COLS = 6, ATOMS = 10, K = 3 }; /* more than two pieces */

static float X[N * COLS];

static dltf_matrix samples(int64_t rows) {
    dl_random source = {.seed = 8, .stream = 2};
    for (int64_t i = 0; i < rows * COLS; i++)
        X[i] = (float)dl_random_normal(source, (uint64_t)i) + (float)(i % COLS);
    return dltf_matrix_f32(X, rows, COLS);
}

/* A bias above all scores makes positive codes empty. */
static dltf_model *make_model(float bias_of_all, const float *mean) {
    dl_random source = {.seed = 9, .stream = 2};
    float W[ATOMS * COLS], bias[ATOMS];
    dltf_model *model = NULL;
    for (int64_t i = 0; i < ATOMS * COLS; i++)
        W[i] = (float)dl_random_normal(source, (uint64_t)i);
    for (int64_t j = 0; j < ATOMS; j++)
        bias[j] = bias_of_all;
    dltf_model_view parts = {.m = ATOMS,
                             .n = COLS,
                             .k = K,
                             .dictionary = W,
                             .encoder = W,
                             .bias = bias,
                             .mean = mean,
                             .select = DLTF_SELECT_POSITIVE};
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    return model;
}

/* ---- Evaluation ---- */

static void the_mean_explains_nothing(void **state) {
    (void)state;
    enum { ROWS = 1000 };
    dltf_matrix data = samples(ROWS);
    double sum[COLS] = {0};
    float mean[COLS];
    int64_t uses[ATOMS];
    dltf_evaluation found;
    for (int64_t i = 0; i < ROWS * COLS; i++)
        sum[i % COLS] += (double)X[i];
    for (int j = 0; j < COLS; j++)
        mean[j] = (float)(sum[j] / ROWS);
    dltf_model *model = make_model(1e6f, mean);
    assert_int_equal(dltf_evaluate(model, data, NULL, NULL, NULL, uses, &found), DLTF_OK);
    assert_true(fabs(found.explained_variance) < 1e-7 && fabs(found.refit_explained_variance) < 1e-7);
    assert_true(found.l0 == 0 && found.frac_alive == 0 && uses[0] == 0 && found.samples == ROWS);
    assert_true(found.cossim > 0.5 && found.l2_ratio > 0.5); /* of the mean itself */
    dltf_model_free(model);
}

static void nothing_is_defined_for_zeros(void **state) {
    (void)state;
    float zeros[2 * COLS] = {0};
    dltf_model *model = make_model(0, NULL);
    dltf_evaluation found;
    assert_int_equal(dltf_evaluate(model, dltf_matrix_f32(zeros, 2, COLS), NULL, NULL, NULL, NULL, &found),
                     DLTF_OK);
    assert_true(isnan(found.explained_variance) && isnan(found.cossim) && isnan(found.l2_ratio));
    assert_true(isnan(found.relative_reconstruction_bias) && found.relative_error == 0 && found.mse == 0);
    dltf_model_free(model);
}

static dltf_reader *open_stream(dltf_matrix data) {
    static const char path[] = "test_atoms.npy";
    dltf_reader *reader = NULL;
    assert_int_equal(dltf_matrix_save(data, path), DLTF_OK);
    assert_int_equal(dltf_reader_open(path, 0, &reader), DLTF_OK);
    unlink(path);
    return reader;
}

/* Refitted tiles are the same ones in pieces of a stream; of many samples there are few. */
static void streams_give_the_same_evaluation(void **state) {
    (void)state;
    dltf_matrix data = samples(N);
    dltf_model *model = make_model(0, NULL);
    dltf_evaluation found, again;
    dltf_reconstruction fitted;
    dltf_codes *codes = NULL;
    dltf_encode_options encoding = dltf_encode_options_default();
    encoding.threads = 1;
    assert_int_equal(dltf_evaluate(model, data, &encoding, NULL, NULL, NULL, &found), DLTF_OK);
    encoding.threads = 2;
    dltf_reader *reader = open_stream(data);
    assert_int_equal(dltf_evaluate_stream(model, reader, &encoding, NULL, NULL, NULL, &again), DLTF_OK);
    assert_memory_equal(&found, &again, sizeof found);
    assert_true(found.samples == N && found.refit_samples >= 1536 && found.refit_samples <= 3072);
    encoding.refit = true;
    assert_int_equal(dltf_encode(model, data, &encoding, NULL, NULL, &codes), DLTF_OK);
    assert_int_equal(dltf_reconstruction_measure(model, data, codes, 1, &fitted), DLTF_OK);
    assert_true(fabs(fitted.relative_error - found.refit_relative_error) < 0.02 * fitted.relative_error);
    dltf_codes_free(codes);
    dltf_reader_free(reader);
    dltf_model_free(model);
}

/* ---- Atoms ---- */

static void assert_same_examples(const dltf_example *a, const dltf_example *b, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        assert_true(a[i].row == b[i].row && a[i].value == b[i].value);
}

static void assert_same_atoms(const dltf_top *a, const dltf_top *b) {
    for (int64_t j = 0; j < ATOMS; j++) {
        dltf_top_atom x, y;
        dltf_top_interval p, q;
        assert_int_equal(dltf_top_get(a, j, &x), DLTF_OK);
        assert_int_equal(dltf_top_get(b, j, &y), DLTF_OK);
        assert_true(x.uses == y.uses && x.mean == y.mean && x.largest == y.largest);
        assert_true(x.top_count == y.top_count && x.random_count == y.random_count &&
                    x.intervals == y.intervals);
        assert_same_examples(x.top, y.top, x.top_count);
        assert_same_examples(x.random, y.random, x.random_count);
        for (int64_t i = 0; i < x.intervals; i++) {
            assert_int_equal(dltf_top_interval_get(a, j, i, &p), DLTF_OK);
            assert_int_equal(dltf_top_interval_get(b, j, i, &q), DLTF_OK);
            assert_true(p.uses == q.uses && p.count == q.count);
            assert_same_examples(p.examples, q.examples, p.count);
        }
    }
}

static void streams_and_threads_find_the_same_samples(void **state) {
    (void)state;
    dltf_matrix data = samples(N);
    dltf_model *model = make_model(0, NULL);
    dltf_top *top = NULL, *again = NULL;
    dltf_encode_options encoding = dltf_encode_options_default();
    encoding.threads = 1;
    assert_int_equal(dltf_top_find(model, data, &encoding, NULL, NULL, NULL, &top), DLTF_OK);
    dltf_reader *reader = open_stream(data);
    encoding.threads = 3;
    assert_int_equal(dltf_top_find_stream(model, reader, &encoding, NULL, NULL, NULL, &again), DLTF_OK);
    assert_true(dltf_top_samples(again) == N && dltf_top_atoms(again) == ATOMS);
    assert_same_atoms(top, again);
    dltf_reader_free(reader);
    dltf_top_free(top);
    dltf_top_free(again);
    dltf_model_free(model);
}

/* Values that grow from 2^-100 to 2^100: the range doubles, and what was counted stays. */
static void ranges_double(void **state) {
    (void)state;
    enum { ROWS = 201 };
    dltf_top_options options = dltf_top_options_default();
    dltf_top *top = NULL;
    dltf_top_atom found;
    dltf_top_interval first, last;
    int64_t indptr[] = {0, 1};
    int32_t index = 0;
    float value = 0;
    options.interval = 3;
    assert_int_equal(dl_top_new(1, 1, -1, 1, &options, &top), DLTF_OK);
    for (int i = 0; i < ROWS; i++) {
        value = ldexpf(i % 2 > 0 ? -1 : 1, i - 100);
        dl_top_add(top, i, (dltf_csr){1, 1, indptr, &index, &value, NULL});
    }
    assert_int_equal(dltf_top_get(top, 0, &found), DLTF_OK);
    assert_true(found.uses == ROWS && found.largest == ldexp(1, 100) && found.bar_count == 33);
    assert_true(found.top[0].row == 200 && found.top[1].row == 199 && found.top[1].value < 0);
    assert_int_equal(found.intervals, 5);
    assert_int_equal(dltf_top_interval_get(top, 0, 0, &first), DLTF_OK);
    assert_int_equal(dltf_top_interval_get(top, 0, 4, &last), DLTF_OK);
    assert_true(first.uses == 198 && first.count == 3 && last.uses == 1 && last.examples[0].row == 200);
    assert_true(last.min == ldexp(1, 100) && first.max == ldexp(1, 98));
    dltf_top_free(top);
}

/* Draws are spread evenly over the rows. */
static void random_samples_are_uniform(void **state) {
    (void)state;
    enum { ROWS = 4000 };
    dltf_top_options options = dltf_top_options_default();
    int64_t indptr[] = {0, 1}, early = 0;
    int32_t index = 0;
    float value = 1;
    options.random = 100;
    for (options.seed = 0; options.seed < 20; options.seed++) {
        dltf_top *top = NULL;
        dltf_top_atom found;
        assert_int_equal(dl_top_new(1, 1, -1, 1, &options, &top), DLTF_OK);
        for (int i = 0; i < ROWS; i++)
            dl_top_add(top, i, (dltf_csr){1, 1, indptr, &index, &value, NULL});
        assert_int_equal(dltf_top_get(top, 0, &found), DLTF_OK);
        for (int64_t i = 0; i < found.random_count; i++)
            early += found.random[i].row < ROWS / 2;
        dltf_top_free(top);
    }
    assert_in_range(early, 900, 1100); /* of 2000; 4.5 standard deviations */
}

static void errors(void **state) {
    (void)state;
    dltf_matrix data = samples(10);
    dltf_model *model = make_model(0, NULL);
    dltf_top *top = NULL;
    dltf_top_atom found;
    dltf_top_interval interval;
    dltf_top_options options = dltf_top_options_default();
    dltf_evaluation measured;
    assert_int_equal(dltf_top_find(model, data, NULL, &options, NULL, NULL, &top), DLTF_OK);
    assert_fails(dltf_top_get(top, ATOMS, &found), DLTF_ARGUMENT, "from 0 to 9");
    assert_fails(dltf_top_interval_get(top, 0, 8, &interval), DLTF_ARGUMENT, "from 0 to 7");
    dltf_top_free(top);
    options.top = 0;
    assert_fails(dltf_top_find(model, data, NULL, &options, NULL, NULL, &top), DLTF_ARGUMENT, "top");
    assert_null(top);
    data.cols--;
    assert_fails(dltf_evaluate(model, data, NULL, NULL, NULL, NULL, &measured), DLTF_DATA, "5 columns");
    X[7] = NAN;
    assert_fails(dltf_evaluate(model, dltf_matrix_f32(X, 10, COLS), NULL, NULL, NULL, NULL, &measured),
                 DLTF_DATA, "row 1");
    dltf_model_free(model);
}

/* ---- Without structs ---- */

static void bindings(void **state) {
    (void)state;
    enum { ROWS = 300 };
    dltf_matrix data = samples(ROWS);
    dltf_model *model = make_model(0, NULL);
    dltf_array *array_of_X = NULL;
    dltf_values *values = NULL;
    dltf_evaluation found;
    dltf_top *top = NULL;
    dltf_top_atom atom;
    int64_t uses[ATOMS];
    dltf_options *options = OPTIONS("top", "top", "4");
    assert_int_equal(dltf_array_borrow(X, "float32", ROWS, COLS, COLS, 1, &array_of_X), DLTF_OK);
    assert_int_equal(dltf_evaluate(model, data, NULL, NULL, NULL, uses, &found), DLTF_OK);
    assert_int_equal(dltf_bind_evaluate(model, array_of_X, NULL, NULL, NULL, &values), DLTF_OK);
    assert_true(number(values, "explained_variance") == found.explained_variance);
    assert_true(number(values, "relative_reconstruction_bias") == found.relative_reconstruction_bias);
    assert_memory_equal(array(values, "uses", "int64", ATOMS, 0), uses, sizeof uses);
    dltf_values_free(values);
    assert_int_equal(dltf_bind_top_find(model, array_of_X, NULL, options, NULL, NULL, &top), DLTF_OK);
    assert_int_equal(dltf_bind_get("top", top, &values), DLTF_OK);
    assert_int_equal(dltf_top_get(top, 1, &atom), DLTF_OK);
    const int64_t *indptr = array(values, "top_indptr", "int64", ATOMS + 1, 0);
    const int64_t *rows = array(values, "top_rows", "int64", indptr[ATOMS], 0);
    assert_true(indptr[2] - indptr[1] == 4 && rows[indptr[1]] == atom.top[0].row);
    assert_memory_equal(array(values, "uses", "int64", ATOMS, 0), uses, sizeof uses);
    dltf_values_free(values);
    dltf_top_free(top);
    assert_fails(dltf_bind_top_find(model, array_of_X, options, NULL, NULL, NULL, &top), DLTF_ARGUMENT,
                 "top");
    dltf_options_free(options);
    dltf_array_free(array_of_X);
    dltf_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mean_explains_nothing),
        cmocka_unit_test(nothing_is_defined_for_zeros),
        cmocka_unit_test(streams_give_the_same_evaluation),
        cmocka_unit_test(streams_and_threads_find_the_same_samples),
        cmocka_unit_test(ranges_double),
        cmocka_unit_test(random_samples_are_uniform),
        cmocka_unit_test(errors),
        cmocka_unit_test(bindings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
