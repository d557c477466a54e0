/* The learner as a whole: what it learns; independence of units and threads; history and interruption. */
#include "dltf.h"

#include "learning/learner.h"
#include "program/program.h"
#include "reference/reference.h"

#include "test_small_learner.h"

#include <stdio.h>

/* ---- learning ---- */

static void beats_the_dictionary_that_made_the_data(void **state) {
    (void)state;
    int64_t n = sized(32, 16), m = sized(64, 24), k = sized(3, 2), N = sized(3000, 800);
    dltf_synthetic *problem = new_synthetic(n, m, k, N, 0.05);
    dltf_train_options options = dltf_train_options_default();
    options.m = m;
    options.k = k;
    options.encoder = DLTF_ENCODER_TIED;
    options.steps = sized(options.steps, 100);
    options.batch = sized(options.batch, 300);
    dltf_matrix W0 = dltf_synthetic_dictionary(problem);
    dltf_model_view parts = {.m = m, .n = n, .k = k, .dictionary = W0.data};
    dltf_model *original = NULL, *learned = train(dltf_synthetic_samples(problem, false), &options);
    assert_int_equal(dltf_model_new(&parts, &original), DLTF_OK);
    double recovered = 0, all = 0;
    double ours = score(learned, problem, &recovered), theirs = score(original, problem, &all);
    print_message("ave_dif %.3f, original %.3f; %.1f%% of the atoms recovered\n", ours, theirs,
                  100 * recovered);
    assert_near(all, 1, 1e-9);
    assert_true(ours < theirs);
    assert_true(recovered > (double)sized(90, 70) / 100);
    dltf_model_free(original);
    dltf_model_free(learned);
    dltf_synthetic_free(problem);
}

/* Signs: the mean code of an atom is not negative. The learner's last codes differ from the tied codes of all
 * data, so an atom whose codes nearly cancel may have either sign. */
static void mean_codes_are_positive(void **state) {
    (void)state;
    dltf_synthetic *problem = small_problem();
    dltf_train_options options = small_options();
    for (int stages = 1; stages < 8; stages++) {
        options.steps = stages & 1 ? 30 : 0;
        options.iterations = stages & 2 ? 10 : 0;
        options.admm = stages & 4 ? 5 : 0;
        dltf_matrix X = dltf_synthetic_samples(problem, false);
        dltf_model *model = train(X, &options);
        dltf_codes *codes = encode(model, X);
        dltf_csr csr = dltf_codes_csr(codes);
        double sum[24] = {0};
        int64_t negative = 0;
        for (int64_t e = 0; e < csr.indptr[csr.rows]; e++)
            sum[csr.indices[e]] += (double)csr.values[e];
        for (int64_t j = 0; j < 24; j++)
            negative += sum[j] < 0;
        assert_true(negative <= 1);
        dltf_codes_free(codes);
        dltf_model_free(model);
    }
    dltf_synthetic_free(problem);
}

/* ---- units and numbers of samples ---- */

static double largest_difference(const dltf_model *a, const dltf_model *b) {
    dltf_model_view x = dltf_model_get(a), y = dltf_model_get(b);
    double most = 0;
    for (int64_t i = 0; i < x.m * x.n; i++)
        most = fmax(most, fabs((double)x.dictionary[i] - (double)y.dictionary[i]));
    return most;
}

static void units_do_not_matter(void **state) {
    (void)state;
    dltf_synthetic *problem = small_problem();
    dltf_train_options options = small_options();
    dltf_matrix X = dltf_synthetic_samples(problem, false);
    dltf_model *model = train(X, &options);
    int64_t count = X.rows * X.cols;
    const float *x = X.data;
    double *scaled = new_f64(count);
    const double factors[] = {256, 0x1p-20, 255, 1e-3, 1e30};
    for (int f = 0; f < 5; f++) {
        for (int64_t i = 0; i < count; i++)
            scaled[i] = factors[f] * (double)x[i];
        dltf_model *other = train(dltf_matrix_f64(scaled, X.rows, X.cols), &options);
        if (f < 2) /* scaling by powers of two is exact */
            assert_same_dictionary(model, other);
        if (!(largest_difference(model, other) < 1e-4))
            fail_msg("samples times %g: dictionaries differ by %g", factors[f],
                     largest_difference(model, other));
        dltf_model_free(other);
    }
    free(scaled);
    dltf_model_free(model);
    dltf_synthetic_free(problem);
}

static double last_objective(const dltf_learner *learner) {
    int64_t count = 0;
    const dltf_iteration *history = dl_learner_history(learner, &count);
    return history[count - 1].objective;
}

/* All samples twice: the same problem, and the same terms of the objective. */
static void number_of_samples_does_not_matter(void **state) {
    (void)state;
    dltf_synthetic *problem = small_problem();
    dltf_train_options options = small_options();
    dltf_matrix X = dltf_synthetic_samples(problem, false);
    size_t count = (size_t)(X.rows * X.cols);
    float *twice = new_f32(2 * (int64_t)count);
    memcpy(twice, X.data, count * sizeof *twice);
    memcpy(twice + count, X.data, count * sizeof *twice);
    dltf_model *start = train(X, &options);
    options.steps = 0; /* minibatches would differ: both must begin stage tied at the same dictionary */
    dltf_learner *one = NULL, *two = NULL;
    assert_int_equal(dltf_learner_new(X, start, &options, &one), DLTF_OK);
    assert_int_equal(dltf_learner_new(dltf_matrix_f32(twice, 2 * X.rows, X.cols), start, &options, &two),
                     DLTF_OK);
    run(one);
    run(two);
    assert_near(last_objective(two), last_objective(one), 1e-3 * last_objective(one));
    dltf_learner_free(one);
    dltf_learner_free(two);
    options.steps = 30;
    one = new_learner(X, &options);
    two = new_learner(dltf_matrix_f32(twice, 2 * X.rows, X.cols), &options);
    run(one);
    run(two);
    assert_near(last_objective(two), last_objective(one), 0.05 * last_objective(one));
    dltf_learner_free(one);
    dltf_learner_free(two);
    dltf_model_free(start);
    free(twice);
    dltf_synthetic_free(problem);
}

static void threads_do_not_matter(void **state) {
    (void)state;
    dltf_synthetic *problem = new_synthetic(20, 80, 3, sized(5000, 600), 0.05); /* more than a block */
    dltf_train_options options = small_options();
    for (int variant = 0; variant < 2; variant++) {
        options.m = 80;
        options.k = 3;
        options.batch = 4500;
        options.steps = options.iterations = sized(10, 6);
        options.admm = 3;
        options.unit_norm = variant;
        options.center = variant ? DLTF_YES : DLTF_NO;
        options.select = variant ? DLTF_SELECT_POSITIVE : DLTF_SELECT_ABS;
        options.threads = 1;
        dltf_learner *one = new_learner(dltf_synthetic_samples(problem, false), &options);
        run(one);
        dltf_model *first = model_of(one);
        for (options.threads = 2; options.threads <= 3; options.threads++) {
            dltf_learner *other = new_learner(dltf_synthetic_samples(problem, false), &options);
            run(other);
            assert_same_history(one, other);
            dltf_model *model = model_of(other);
            assert_same_dictionary(first, model);
            dltf_model_free(model);
            dltf_learner_free(other);
        }
        dltf_model_free(first);
        dltf_learner_free(one);
    }
    dltf_synthetic_free(problem);
}

/* The same data in another type and order, and another seed. */
static void data_types_and_seeds(void **state) {
    (void)state;
    enum { N = 300, n = 8 };
    static uint8_t bytes[N * n];
    static double doubles[N * n];
    for (int64_t i = 0; i < N * n; i++) {
        bytes[i] = (uint8_t)below(256);
        doubles[i % n * N + i / n] = (double)bytes[i]; /* column by column */
    }
    dltf_train_options options = small_options();
    dltf_matrix columns = {doubles, DLTF_F64, N, n, 1, N};
    dltf_model *a = train(dltf_matrix_u8(bytes, N, n), &options), *b = train(columns, &options);
    assert_same_dictionary(a, b);
    assert_string_equal(dltf_model_note(a, "data.checksum"), dltf_model_note(b, "data.checksum"));
    options.seed = 1;
    dltf_model *c = train(columns, &options);
    assert_true(largest_difference(a, c) > 1e-3);
    dltf_model_free(a);
    dltf_model_free(b);
    dltf_model_free(c);
}

/* ---- outcomes ---- */

static void convergence(void **state) {
    (void)state;
    dltf_synthetic *problem = small_problem();
    dltf_train_options options = small_options();
    dltf_matrix X = dltf_synthetic_samples(problem, false);
    int64_t count = 0;
    options.tolerance = 1;
    options.admm = 0;
    dltf_learner *learner = new_learner(X, &options);
    assert_int_equal(run(learner), DLTF_CONVERGED);
    const dltf_iteration *r = dl_learner_history(learner, &count);
    assert_true(strcmp(r[count - 1].stage, "tied") == 0 && r[count - 1].index < options.iterations - 1);
    assert_true(r[count - 1].theta == options.theta); /* not before theta has its final value */
    dltf_learner_free(learner);
    options.admm = 50;
    learner = new_learner(X, &options);
    assert_int_equal(run(learner), DLTF_CONVERGED);
    r = dl_learner_history(learner, &count);
    assert_true(strcmp(r[count - 1].stage, "admm") == 0 && r[count - 1].index < 49);
    dltf_learner_free(learner);
    options.admm = 2;
    options.tolerance = 1e-12;
    learner = new_learner(X, &options);
    assert_int_equal(run(learner), DLTF_ITERATION_LIMIT);
    dltf_learner_free(learner);
    dltf_synthetic_free(problem);
}

static void interrupted_and_continued(void **state) {
    (void)state;
    dltf_synthetic *problem = small_problem();
    dltf_train_options options = small_options();
    dltf_matrix X = dltf_synthetic_samples(problem, false);
    dltf_learner *whole = new_learner(X, &options), *parts = new_learner(X, &options);
    run(whole);
    int pieces = 0;
    dltf_outcome outcome = DLTF_INTERRUPTED;
    while (outcome == DLTF_INTERRUPTED) {
        test_brake b = {.left = 3};
        assert_int_equal(dltf_learner_run(parts, brake, &b, &outcome), DLTF_OK);
        dltf_model *unfinished = model_of(parts);
        dltf_model_free(unfinished);
        pieces++;
    }
    assert_true(pieces > 5);
    assert_int_equal(outcome, DLTF_ITERATION_LIMIT);
    dltf_model *a = model_of(whole), *b = model_of(parts);
    assert_same_dictionary(a, b);
    assert_same_history(whole, parts);
    dltf_model_free(a);
    dltf_model_free(b);
    dltf_learner_free(whole);
    dltf_learner_free(parts);
    dltf_synthetic_free(problem);
}

typedef struct watch {
    int64_t calls, done, total;
} watch;

static int watching(void *context, const dltf_progress *progress) {
    watch *w = context;
    assert_string_equal(progress->task, "learning");
    w->calls++;
    assert_true(progress->done >= w->done && progress->done <= progress->total);
    assert_true(w->total == 0 || w->total == progress->total);
    w->done = progress->done;
    w->total = progress->total;
    assert_non_null(progress->iteration);
    assert_true(progress->iteration->frame_potential > 0);
    return 0;
}

static void progress_reports(void **state) {
    (void)state;
    dltf_synthetic *problem = small_problem();
    dltf_train_options options = small_options();
    watch w = {0};
    dltf_model *model = NULL;
    assert_int_equal(dltf_train(dltf_synthetic_samples(problem, false), &options, watching, &w, &model),
                     DLTF_OK);
    assert_int_equal(w.calls, options.steps + options.iterations + options.admm);
    assert_int_equal(w.done, w.total);
    dltf_model_free(model);
    dltf_synthetic_free(problem);
}

static void cancelled_training(void **state) {
    (void)state;
    dltf_synthetic *problem = small_problem();
    dltf_train_options options = small_options();
    dltf_model *model = NULL;
    for (int64_t after = 1; after < 25; after += 8) {
        test_brake b = {.left = after};
        assert_fails(dltf_train(dltf_synthetic_samples(problem, false), &options, brake, &b, &model),
                     DLTF_CANCELLED, "cancelled");
        assert_null(model);
    }
    dltf_synthetic_free(problem);
}

/* ---- warm start ---- */

static void warm_start(void **state) {
    (void)state;
    dltf_synthetic *problem = small_problem();
    dltf_train_options options = small_options(), rest = small_options();
    dltf_matrix X = dltf_synthetic_samples(problem, false);
    dltf_model *start = train(X, &options);
    rest.m = rest.k = 0; /* from the model */
    rest.steps = rest.iterations = rest.admm = 0;
    dltf_learner *learner = NULL;
    assert_int_equal(dltf_learner_new(X, start, &rest, &learner), DLTF_OK);
    assert_int_equal(dltf_learner_options(learner).m, 24);
    assert_int_equal(dltf_learner_options(learner).k, 2);
    run(learner);
    dltf_model *same = model_of(learner);
    dltf_model_view a = dltf_model_get(start), b = dltf_model_get(same);
    for (int64_t j = 0; j < a.m; j++) { /* no iterations; signs are arbitrary without codes */
        double along = 0;
        for (int64_t i = 0; i < a.n; i++)
            along += (double)a.dictionary[j * a.n + i] * (double)b.dictionary[j * a.n + i];
        assert_near(fabs(along), 1, 1e-6);
    }
    assert_string_equal(dltf_model_note(same, "start"), "model");
    assert_string_equal(dltf_model_note(start, "start"), "new");
    dltf_model_free(same);
    dltf_learner_free(learner);

    rest.k = 3; /* k may differ from the model's */
    assert_int_equal(dltf_learner_new(X, start, &rest, &learner), DLTF_OK);
    assert_int_equal(dltf_learner_options(learner).k, 3);
    dltf_learner_free(learner);
    learner = NULL;
    rest.m = 30;
    assert_fails(dltf_learner_new(X, start, &rest, &learner), DLTF_ARGUMENT, "24 atoms of 16 entries");
    rest.m = 0;
    X.cols = 15;
    assert_fails(dltf_learner_new(X, start, &rest, &learner), DLTF_ARGUMENT, "24 of 15");
    assert_null(learner);
    dltf_model_free(start);
    dltf_synthetic_free(problem);
}

/* One iteration of stage tied from a good model has a lower data term than one from random samples. */
static void warm_start_is_used(void **state) {
    (void)state;
    dltf_synthetic *problem = small_problem();
    dltf_train_options options = small_options();
    dltf_matrix X = dltf_synthetic_samples(problem, false), W0 = dltf_synthetic_dictionary(problem);
    dltf_model_view parts = {.m = 24, .n = 16, .k = 2, .dictionary = W0.data};
    dltf_model *truth = NULL;
    assert_int_equal(dltf_model_new(&parts, &truth), DLTF_OK);
    options.steps = options.admm = 0;
    options.iterations = 1;
    dltf_learner *warm = NULL, *cold = new_learner(X, &options);
    assert_int_equal(dltf_learner_new(X, truth, &options, &warm), DLTF_OK);
    run(warm);
    run(cold);
    int64_t count = 0;
    double with = dl_learner_history(warm, &count)->relative_error;
    double without = dl_learner_history(cold, &count)->relative_error;
    assert_true(with < 0.7 * without);
    dltf_learner_free(warm);
    dltf_learner_free(cold);
    dltf_model_free(truth);
    dltf_synthetic_free(problem);
}

/* ---- provenance ---- */

static void assert_same_notes(const dltf_model *a, const dltf_model *b) {
    int i = 0;
    for (const char *name; (name = dltf_model_note_name(a, i)); i++) {
        assert_string_equal(name, dltf_model_note_name(b, i));
        assert_string_equal(dltf_model_note(a, name), dltf_model_note(b, name));
    }
    assert_null(dltf_model_note_name(b, i));
}

static void notes(void **state) {
    (void)state;
    dltf_synthetic *problem = small_problem();
    dltf_train_options options = small_options();
    options.m = options.k = 0;
    options.theta = 0.1 + 0.2; /* needs 17 digits */
    options.seed = 1234567890123;
    dltf_matrix X = dltf_synthetic_samples(problem, false);
    dltf_learner *learner = new_learner(X, &options);
    dltf_train_options used = dltf_learner_options(learner), read = dltf_train_options_default();
    assert_true(used.m > 0 && used.k > 0);
    run(learner);
    dltf_model *model = model_of(learner);
    options.threads = 1;
    dltf_model *again = train(X, &options);
    assert_same_notes(model, again); /* nothing differs between runs, whatever the threads */
    dl_option_table table = dl_train_option_table();
    int expected = 0;
    for (int i = 0; i < table.count; i++) {
        char name[80];
        snprintf(name, sizeof name, "option.%s", table.options[i].name);
        const char *value = dltf_model_note(model, name);
        if (strcmp(table.options[i].name, "threads") == 0 || strcmp(table.options[i].name, "memory") == 0) {
            assert_null(value);
            continue;
        }
        assert_non_null(value);
        assert_int_equal(dl_option_set(table, &read, table.options[i].name, value), DLTF_OK);
        expected++;
    }
    read.threads = used.threads;
    for (int i = 0; i < table.count; i++) { /* read back, they are the options in use */
        char left[80], right[80];
        dl_option_format(&table.options[i], &used, left, sizeof left);
        dl_option_format(&table.options[i], &read, right, sizeof right);
        assert_string_equal(left, right);
    }
    assert_true(read.theta == 0.1 + 0.2);
    const char *others[] = {"start", "data.shape", "data.checksum", "made-by"};
    for (int i = 0; i < 4; i++)
        assert_non_null(dltf_model_note(model, others[i]));
    assert_int_equal(strlen(dltf_model_note(model, "data.checksum")), 16);
    int count = 0;
    while (dltf_model_note_name(model, count))
        count++;
    assert_int_equal(count, expected + 4); /* and nothing else: no time, no host */
    dltf_model_free(model);
    dltf_model_free(again);
    dltf_learner_free(learner);
    dltf_synthetic_free(problem);
}

TESTS_MAIN(cmocka_unit_test(beats_the_dictionary_that_made_the_data),
           cmocka_unit_test(mean_codes_are_positive), cmocka_unit_test(units_do_not_matter),
           cmocka_unit_test(number_of_samples_does_not_matter), cmocka_unit_test(threads_do_not_matter),
           cmocka_unit_test(data_types_and_seeds), cmocka_unit_test(convergence),
           cmocka_unit_test(interrupted_and_continued), cmocka_unit_test(progress_reports),
           cmocka_unit_test(cancelled_training), cmocka_unit_test(warm_start),
           cmocka_unit_test(warm_start_is_used), cmocka_unit_test(notes))
