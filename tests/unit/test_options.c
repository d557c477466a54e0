/* The option tables: defaults, text to value and back for every row, everything that is rejected. */
#include "base/options.h"

#include "program/program.h"
#include "test_option_tables.h"

#include "learning/train_options.h"

#include <stdio.h>

/* Either struct, as bytes that can be compared. */
typedef union any_options {
    dltf_train_options train;
    dltf_encode_options encode;
} any_options;

static const dl_option *find(dl_option_table table, const char *name) {
    const dl_option *option = dl_option_find(table, name);
    assert_non_null(option);
    return option;
}

/* Formats one field, sets it in an empty struct, and finds the same text and bytes. */
static void assert_round_trip(dl_option_table table, const dl_option *option, const any_options *from) {
    char text[64], again[64];
    any_options to;
    memset(&to, 0, sizeof to);
    int length = dl_option_format(option, from, text, sizeof text);
    assert_int_equal(length, strlen(text));
    assert_int_equal(dl_option_set(table, &to, option->name, text), DLTF_OK);
    assert_memory_equal((char *)&to + option->offset, (const char *)from + option->offset,
                        option_field_size(option));
    dl_option_format(option, &to, again, sizeof again);
    assert_string_equal(text, again);
    char cut[3]; /* like snprintf */
    assert_int_equal(dl_option_format(option, from, cut, sizeof cut), length);
    assert_memory_equal(cut, text, length < 2 ? (size_t)length : 2);
    assert_int_equal(cut[length < 2 ? length : 2], '\0');
}

static void check_row(dl_option_table table, const dl_option *option) {
    any_options defaults;
    memset(&defaults, 0, sizeof defaults);
    assert_true(strlen(option->name) > 0 && strlen(option->help) > 10);
    /* Without a default the library chooses: a number of which 0 stands for "not given". */
    assert_true(option->default_text || (option->kind == DL_OPTION_INTEGER && option->min == 1) ||
                (option->kind == DL_OPTION_REAL && option->min > 0));
    if (option->default_text) {
        assert_int_equal(dl_option_set(table, &defaults, option->name, option->default_text), DLTF_OK);
        assert_round_trip(table, option, &defaults);
    }
    assert_true((option->kind == DL_OPTION_CHOICE) == (option->choices != NULL));
    bool flag = option->kind == DL_OPTION_FLAG || option->kind == DL_OPTION_SWITCH;
    assert_true(flag == (option->argument == NULL));
    if (option->default_text && (option->kind == DL_OPTION_INTEGER || option->kind == DL_OPTION_REAL))
        assert_true(option->min <= atof(option->default_text) && atof(option->default_text) <= option->max);
    for (const dl_option *other = table.options; other < option; other++) {
        assert_string_not_equal(other->name, option->name);
        assert_true(option->letter == 0 || other->letter != option->letter);
    }
}

/* Programs in other languages allocate the size that a table gives. */
static void every_table(void **state) {
    (void)state;
    const struct {
        dl_option_table table;
        size_t size;
    } tables[] = {{dl_train_option_table(), sizeof(dltf_train_options)},
                  {dl_encode_option_table(), sizeof(dltf_encode_options)},
                  {dl_certify_option_table(), sizeof(dltf_certify_options)},
                  {dl_denoise_option_table(), sizeof(dltf_denoise_options)},
                  {dl_gist_option_table(), sizeof(dltf_gist_options)}};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        assert_int_equal(tables[t].table.size, tables[t].size);
        assert_consistent_table(tables[t].table);
    }
}

static void every_row(void **state) {
    (void)state;
    dl_option_table tables[] = {dl_train_option_table(), dl_encode_option_table()};
    for (int t = 0; t < 2; t++) {
        assert_true(tables[t].count > 0);
        for (int i = 0; i < tables[t].count; i++)
            check_row(tables[t], &tables[t].options[i]);
    }
}

static void assert_refused(dl_option_table table, const char *name, const char *text, const char *part) {
    any_options target, before;
    memset(&target, 0x33, sizeof target);
    before = target;
    assert_fails(dl_option_set(table, &target, name, text), DLTF_ARGUMENT, part);
    assert_message_has(name);
    assert_memory_equal(&target, &before, sizeof target);
}

/* The bounds themselves are allowed, the next value outside is not; nor is anything that is not a number. */
static void check_number(dl_option_table table, const dl_option *option) {
    static const char *const nonsense[] = {"", "x", "1x", "1 ", "nan", "inf", "-inf", "1e999", "--1", "1,5"};
    for (int i = 0; i < 10; i++)
        assert_refused(table, option->name, nonsense[i], " is not a ");
    any_options target;
    memset(&target, 0, sizeof target);
    bool whole = option->kind == DL_OPTION_INTEGER;
    const double bounds[] = {option->min, option->max};
    for (int b = 0; b < 2; b++) {
        char text[64], outside[64];
        double away = b == 0 ? -1 : 1, step = whole ? 1 : 1e-9 * fmax(bounds[b], 1e-6);
        step = fmax(step, nextafter(bounds[b], 1e300) - bounds[b]);
        snprintf(text, sizeof text, whole ? "%.0f" : "%.17g", bounds[b]);
        snprintf(outside, sizeof outside, whole ? "%.0f" : "%.17g", bounds[b] + away * step);
        assert_int_equal(dl_option_set(table, &target, option->name, text), DLTF_OK);
        assert_round_trip(table, option, &target);
        assert_refused(table, option->name, outside, " is outside ");
    }
    if (whole)
        assert_refused(table, option->name, "1.5", "is not a whole number");
    if (whole)
        assert_refused(table, option->name, "99999999999999999999", " is outside ");
    else
        assert_refused(table, option->name, "1e400", " is not a ");
}

static void numbers(void **state) {
    (void)state;
    dl_option_table tables[] = {dl_train_option_table(), dl_encode_option_table()};
    for (int t = 0; t < 2; t++)
        for (int i = 0; i < tables[t].count; i++) {
            dl_option_kind kind = tables[t].options[i].kind;
            if (kind == DL_OPTION_INTEGER || kind == DL_OPTION_REAL)
                check_number(tables[t], &tables[t].options[i]);
        }
}

static void awkward_reals(void **state) {
    (void)state;
    dl_option_table table = dl_train_option_table();
    any_options options = {.train = dltf_train_options_default()};
    const double values[] = {0, 0.1, 1.0 / 3, 1e-300, 5e-324, 1e12, 123456789.123456789, 0.30000000000000004};
    for (int i = 0; i < 8; i++) {
        options.train.theta = values[i];
        assert_round_trip(table, find(table, "theta"), &options);
    }
    char text[64];
    options.train.theta = 0.1; /* the shortest form, not 0.1000000000000000056 */
    dl_option_format(find(table, "theta"), &options, text, sizeof text);
    assert_string_equal(text, "0.1");
}

static void switches(void **state) {
    (void)state;
    static const struct {
        const char *text, *name;
        dltf_switch value;
    } cases[] = {{"yes", "yes", DLTF_YES},
                 {"auto", "auto", DLTF_AUTO},
                 {"no", "no", DLTF_NO},
                 {"true", "yes", (dltf_switch) true},
                 {"false", "no", DLTF_NO}};
    dl_option_table table = dl_train_option_table();
    any_options target = {.train = dltf_train_options_default()};
    char shown[8];
    for (int i = 0; i < 5; i++) {
        assert_int_equal(dl_option_set(table, &target, "center", cases[i].text), DLTF_OK);
        assert_int_equal(target.train.center, cases[i].value);
        assert_round_trip(table, find(table, "center"), &target);
        dl_option_format(find(table, "center"), &target, shown, sizeof shown);
        assert_string_equal(shown, cases[i].name);
    }
    assert_refused(table, "center", "maybe", "'maybe' is not one of auto, yes and no");
    target.train.center = (dltf_switch)3;
    assert_fails(dl_option_check(table, &target, NULL), DLTF_ARGUMENT, "not one of auto, yes and no");
}

static void flags_and_choices(void **state) {
    (void)state;
    dl_option_table table = dl_train_option_table();
    any_options target = {.train = dltf_train_options_default()};
    assert_int_equal(dl_option_set(table, &target, "unit-norm", "true"), DLTF_OK);
    assert_true(target.train.unit_norm && !target.train.remove_mean);
    assert_int_equal(dl_option_set(table, &target, "unit-norm", "false"), DLTF_OK);
    assert_false(target.train.unit_norm);
    static const char *const no_flags[] = {"", "yes", "1", "True", "truefalse"};
    for (int i = 0; i < 5; i++)
        assert_refused(table, "remove-mean", no_flags[i], "neither true nor false");
    const struct {
        const char *text;
        dltf_select value;
    } choices[] = {
        {"positive", DLTF_SELECT_POSITIVE}, {"abs", DLTF_SELECT_ABS}, {"model", DLTF_SELECT_MODEL}};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(dl_option_set(table, &target, "select", choices[i].text), DLTF_OK);
        assert_int_equal(target.train.select, choices[i].value);
        assert_round_trip(table, find(table, "select"), &target);
    }
    assert_int_equal(dl_option_set(table, &target, "init", "gaussian"), DLTF_OK);
    assert_int_equal(target.train.init, DLTF_INIT_GAUSSIAN);
    static const char *const no_choices[] = {"", "a", "absx", "abs|positive", "ABS", "|", "1"};
    for (int i = 0; i < 7; i++)
        assert_refused(table, "select", no_choices[i], "is not one of model|abs|positive");
}

static void unknown_names(void **state) {
    (void)state;
    assert_refused(dl_train_option_table(), "bogus", "1", "unknown option 'bogus'");
    assert_refused(dl_train_option_table(), "", "1", "unknown option ''");
    assert_refused(dl_train_option_table(), "thet", "1", "unknown option 'thet'");
    assert_refused(dl_train_option_table(), "refit", "true", "unknown option 'refit'");
    assert_refused(dl_encode_option_table(), "theta", "1", "unknown option 'theta'");
}

static void texts(void **state) {
    (void)state;
    struct {
        int64_t other;
        const char *path;
    } target = {1, NULL};
    const dl_option rows[] = {{.name = "path", .kind = DL_OPTION_TEXT, .offset = sizeof(int64_t)}};
    dl_option_table table = {.options = rows, .count = 1, .size = sizeof target};
    char text[16];
    dl_option_defaults(table, &target);
    assert_null(target.path); /* no default */
    assert_int_equal(dl_option_format(&rows[0], &target, text, sizeof text), 0);
    assert_int_equal(dl_option_set(table, &target, "path", "a b"), DLTF_OK);
    assert_string_equal(target.path, "a b");
    assert_int_equal(dl_option_format(&rows[0], &target, text, sizeof text), 3);
    assert_string_equal(text, "a b");
    assert_int_equal(dl_option_check(table, &target, NULL), DLTF_OK);
}

/* Every field has the default of its row, and dl_option_defaults sets it. */
static void assert_table_matches(dl_option_table table, const void *defaults) {
    any_options set, again;
    memset(&set, 0x33, sizeof set);
    memset(&again, 0x33, sizeof again);
    dl_option_defaults(table, &again);
    for (int i = 0; i < table.count; i++) {
        const dl_option *row = &table.options[i];
        char text[3][64];
        if (!row->default_text)
            continue;
        assert_int_equal(dl_option_set(table, &set, row->name, row->default_text), DLTF_OK);
        dl_option_format(row, defaults, text[0], sizeof text[0]);
        dl_option_format(row, &set, text[1], sizeof text[1]);
        dl_option_format(row, &again, text[2], sizeof text[2]);
        assert_string_equal(text[0], text[1]);
        assert_string_equal(text[0], text[2]);
    }
}

static void defaults(void **state) {
    (void)state;
    dltf_train_options train = dltf_train_options_default();
    dltf_encode_options encode = dltf_encode_options_default();
    assert_table_matches(dl_train_option_table(), &train);
    assert_table_matches(dl_encode_option_table(), &encode);
    assert_true(train.m == 0 && train.k == 0 && train.select == DLTF_SELECT_ABS && train.center == DLTF_AUTO);
    assert_true(train.steps == 200 && train.theta_start == 0.2 && train.theta == 0.003);
    assert_true(train.encoder == DLTF_ENCODER_AUTO && train.polish == 5);
    assert_true(train.lambda == 0.05 && train.beta == 0.5 && train.tolerance == 1e-6);
    assert_true(encode.k == 0 && encode.select == DLTF_SELECT_MODEL && !encode.refit && encode.threads == 0);
    assert_int_equal(dl_option_check(dl_train_option_table(), &train, NULL), DLTF_OK);
    assert_int_equal(dl_option_check(dl_encode_option_table(), &encode, NULL), DLTF_OK);
}

#define assert_hand_set_fails(field, value, part)                                                            \
    do {                                                                                                     \
        dltf_train_options options_ = dltf_train_options_default();                                          \
        options_.field = (value);                                                                            \
        assert_fails(dl_option_check(dl_train_option_table(), &options_, NULL), DLTF_ARGUMENT, part);        \
    } while (0)

static void set_by_hand(void **state) {
    (void)state;
    assert_hand_set_fails(k, -1, "k: -1 is outside 1 ..");
    assert_hand_set_fails(m, INT64_MAX, "m: 9223372036854775807 is outside");
    assert_hand_set_fails(seed, -1, "seed: -1");
    assert_hand_set_fails(threads, 1025, "threads: 1025");
    assert_hand_set_fails(batch, 0, "batch: 0");
    assert_hand_set_fails(theta, (double)NAN, "theta: ");
    assert_hand_set_fails(theta, -1e-9, "theta: -1e-09");
    assert_hand_set_fails(theta_start, (double)INFINITY, "theta-start: ");
    assert_hand_set_fails(beta, 0, "beta: 0");
    assert_hand_set_fails(tolerance, 1.5, "tolerance: 1.5");
    assert_hand_set_fails(select, (dltf_select)99, "select: ");
    assert_hand_set_fails(select, (dltf_select)3, "select: ");
    assert_hand_set_fails(select, (dltf_select)-1, "select: ");
    assert_hand_set_fails(init, (dltf_init)2, "init: ");
    dltf_encode_options encoding = dltf_encode_options_default();
    encoding.k = -3;
    assert_fails(dl_option_check(dl_encode_option_table(), &encoding, NULL), DLTF_ARGUMENT, "k: -3");
}

/* ---- What options apply to ---- */

static void assert_scope(dl_option_table table, const char *name, const char *wanted) {
    char text[128], cut[8];
    int length = (int)strlen(wanted);
    assert_int_equal(dl_option_scope(table, find(table, name), text, sizeof text), length);
    assert_string_equal(text, wanted);
    assert_int_equal(dl_option_scope(table, find(table, name), cut, sizeof cut), length);
    assert_int_equal(strlen(cut), length < 7 ? length : 7);
    assert_memory_equal(cut, wanted, strlen(cut));
}

static void scopes(void **state) {
    (void)state;
    dl_option_table train = dl_train_option_table(), encode = dl_encode_option_table();
    assert_scope(train, "seed", "");
    assert_scope(train, "steps", "encoder tied, tight, dual, distilled, best or method omp");
    assert_scope(train, "iterations", "encoder tied, method ksvd or omp");
    assert_scope(train, "epochs", "encoder learned or best");
    assert_scope(train, "theta", "encoder tied");
    assert_scope(train, "polish", "encoder tight, dual, distilled or best");
    assert_scope(train, "update", "method ksvd or omp");
    assert_scope(encode, "passes", "coder iht, niht or htp");
    assert_scope(encode, "error", "coder omp");
    assert_scope(dl_certify_option_table(), "noise", "");
}

/* The same message, whether the options that were set are named or found by their values. */
static void assert_not_for(dl_option_table table, any_options options, const char *name, const char *value,
                           const char *sentence) {
    const char *const given[] = {"output", name, NULL}, *const others[] = {"seed", "output", NULL};
    assert_int_equal(dl_option_set(table, &options, name, value), DLTF_OK);
    assert_fails(dl_option_check(table, &options, NULL), DLTF_ARGUMENT, sentence);
    assert_string_equal(dltf_message(), sentence);
    assert_fails(dl_option_check(table, &options, given), DLTF_ARGUMENT, sentence);
    assert_string_equal(dltf_message(), sentence);
    assert_int_equal(dltf_last_error().subject, DLTF_SUBJECT_OPTION);
    assert_int_equal(dl_option_check(table, &options, others), DLTF_OK);
    /* The default is rejected only if it was given explicitly. */
    const char *standard = find(table, name)->default_text;
    assert_int_equal(dl_option_set(table, &options, name, standard ? standard : value), DLTF_OK);
    if (standard)
        assert_int_equal(dl_option_check(table, &options, NULL), DLTF_OK);
    assert_fails(dl_option_check(table, &options, given), DLTF_ARGUMENT, sentence);
}

static void options_of_other_variants(void **state) {
    (void)state;
    dl_option_table train = dl_train_option_table(), encode = dl_encode_option_table();
    any_options options = {.train = dltf_train_options_default()};
    assert_not_for(train, options, "error", "2", "error: applies to method ksvd or omp");
    options.train.encoder = DLTF_ENCODER_DUAL;
    assert_not_for(train, options, "theta", "1", "theta: applies to encoder tied, not to encoder dual");
    assert_not_for(train, options, "iterations", "3",
                   "iterations: applies to encoder tied, method ksvd or omp, not to encoder dual");
    assert_not_for(train, options, "update", "exact",
                   "update: applies to method ksvd or omp, not to encoder dual");
    options.train.encoder = DLTF_ENCODER_TIED;
    assert_not_for(train, options, "polish", "1",
                   "polish: applies to encoder tight, dual, distilled or best, not to encoder tied");
    options.train.method = DLTF_METHOD_KSVD;
    assert_not_for(
        train, options, "steps", "0",
        "steps: applies to encoder tied, tight, dual, distilled, best or method omp, not to method ksvd");
    assert_not_for(train, options, "lambda", "0", "lambda: applies to encoder tied, not to method ksvd");
    options = (any_options){.encode = dltf_encode_options_default()};
    assert_not_for(encode, options, "passes", "2",
                   "passes: applies to coder iht, niht or htp, not to coder threshold");
    options.encode.coder = DLTF_CODER_NIHT;
    assert_not_for(encode, options, "error", "0.5", "error: applies to coder omp, not to coder niht");
    options.encode.passes = 3;
    assert_int_equal(dl_option_check(encode, &options, NULL), DLTF_OK);
}

/* The encoder that the options imply, and which option decides; NULL: none does. */
static void assert_settled(dltf_train_options options, const char *const *given, dltf_encoder_kind wanted,
                           const char *because) {
    const char *reason = "";
    assert_int_equal(dl_train_options_settle(&options, given, &reason), DLTF_OK);
    assert_int_equal(options.encoder, wanted);
    assert_true((reason == NULL) == (because == NULL));
    if (reason)
        assert_string_equal(reason, because);
}

static void open_encoder(void **state) {
    (void)state;
    const char *reason = NULL;
    dltf_train_options defaults = dltf_train_options_default(), options = defaults;
    assert_settled(options, NULL, DLTF_ENCODER_AUTO, NULL);
    assert_settled(options, (const char *const[]){"seed", "steps", "history", NULL}, DLTF_ENCODER_AUTO, NULL);
    assert_settled(options, (const char *const[]){"theta", NULL}, DLTF_ENCODER_TIED, "theta");
    assert_settled(options, (const char *const[]){"polish", "m", NULL}, DLTF_ENCODER_DISTILLED, "polish");
    options.admm = 1;
    options.steps = 3;
    assert_settled(options, NULL, DLTF_ENCODER_TIED, "admm");
    options.encoder = DLTF_ENCODER_TIED;
    assert_settled(options, NULL, DLTF_ENCODER_TIED, NULL);
    options = defaults;
    options.method = DLTF_METHOD_KSVD;
    options.iterations = 7;
    assert_settled(options, NULL, DLTF_ENCODER_AUTO, NULL);
    options = defaults;
    options.theta = 1;
    options.polish = 1;
    assert_fails(
        dl_train_options_settle(&options, NULL, &reason), DLTF_ARGUMENT,
        "polish: applies to encoder tight, dual, distilled or best, but theta to encoder tied: leave one");
    assert_null(reason);
    options.beta = -1;
    assert_fails(dl_train_options_settle(&options, NULL, &reason), DLTF_ARGUMENT, "beta: -1 is outside");
}

/* A C program has no list of given options: those that differ from the default count. */
static void encoder_of_a_learner(void **state) {
    (void)state;
    enum { few = 20, many = 100000 };
    char choice[160] = "";
    dltf_train_options options = dltf_train_options_default();
    options.m = 10;
    dltf_train_options theta = options, polish = options, none = options, given = options;
    theta.theta = 0.01;
    polish.polish = 3;
    given.encoder = DLTF_ENCODER_DUAL;
    dl_train_options_complete(&given, many, 8, choice, sizeof choice);
    assert_string_equal(choice, "");
    dl_train_options_complete(&theta, many, 8, choice, sizeof choice);
    dl_train_options_complete(&polish, few, 8, choice, sizeof choice);
    dl_train_options_complete(&none, many, 8, choice, sizeof choice);
    assert_string_equal(choice, "best: errors on held-out samples will decide");
    dl_train_options_complete(&options, few, 8, choice, sizeof choice);
    assert_int_equal(theta.encoder, DLTF_ENCODER_TIED);
    assert_int_equal(polish.encoder, DLTF_ENCODER_DISTILLED);
    assert_int_equal(none.encoder, DLTF_ENCODER_BEST);
    assert_int_equal(options.encoder, DLTF_ENCODER_BEST);
    options.encoder = none.encoder = DLTF_ENCODER_AUTO;
    options.m = 513;
    dl_train_options_complete(&options, many, 8, choice, sizeof choice);
    assert_int_equal(options.encoder, DLTF_ENCODER_LEARNED);
    assert_string_equal(choice, "learned: more than 512 atoms");
    dl_train_options_complete(&none, many, 5000, choice, sizeof choice);
    assert_int_equal(none.encoder, DLTF_ENCODER_LEARNED);
    assert_int_equal(dl_train_options_check(&theta), DLTF_OK);
    assert_int_equal(dl_train_options_check(&polish), DLTF_OK);
}

static void sizes_in_bytes(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t bytes;
    } good[] = {{"0", 0},
                {"123", 123},
                {"10B", 10},
                {"1k", 1024},
                {"64KiB", 65536},
                {"500M", 524288000},
                {"2G", INT64_C(1) << 31},
                {"3TB", 3 * (INT64_C(1) << 40)}};
    static const char *const bad[] = {"", "x", "G", "2X", "1.5G", "2 G", "2GG", "2Gi", "2BB", "nan"};
    dl_option_table table = dl_train_option_table();
    dltf_train_options o = dltf_train_options_default();
    char text[64];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(dl_option_set(table, &o, "memory", good[i].text), DLTF_OK);
        assert_int_equal(o.memory, good[i].bytes);
        dl_option_format(dl_option_find(table, "memory"), &o, text, sizeof text);
        assert_int_equal(strtoll(text, NULL, 10), good[i].bytes);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_refused(table, "memory", bad[i], "is not a size in bytes");
    assert_refused(table, "memory", "-1", "is outside");
    assert_refused(table, "memory", "9999999T", "is too large");
    assert_refused(table, "memory", "99999999999999999999", "is too large");
}

TESTS_MAIN(cmocka_unit_test(every_table), cmocka_unit_test(sizes_in_bytes), cmocka_unit_test(every_row),
           cmocka_unit_test(numbers), cmocka_unit_test(awkward_reals), cmocka_unit_test(switches),
           cmocka_unit_test(flags_and_choices), cmocka_unit_test(unknown_names), cmocka_unit_test(texts),
           cmocka_unit_test(defaults), cmocka_unit_test(set_by_hand), cmocka_unit_test(scopes),
           cmocka_unit_test(options_of_other_variants), cmocka_unit_test(open_encoder),
           cmocka_unit_test(encoder_of_a_learner))
