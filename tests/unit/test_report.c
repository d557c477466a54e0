/* How results are written: JSON, facts, rows as table, CSV and HTML, charts, histories. */
#include "test_util.h"

#include "report/chart.h"
#include "report/facts.h"
#include "report/history.h"
#include "report/json.h"
#include "report/markup.h"
#include "report/rows.h"

#include <stdio.h>

/* What a writer prints, allocated. */
#define PRINTED(text, out, call)                                                                             \
    char *text = NULL;                                                                                       \
    size_t text##_size = 0;                                                                                  \
    FILE *out = open_memstream(&text, &text##_size);                                                         \
    assert_non_null(out);                                                                                    \
    call;                                                                                                    \
    assert_int_equal(fclose(out), 0)

/* ---- JSON ---- */

static void json_values(void **state) {
    (void)state;
    static const double none[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        json_t *value = json_number(none[i]);
        assert_true(json_is_null(value));
        json_decref(value);
    }
    json_t *value = json_pack("{s:o, s:o, s:o}", "third", json_number(1.0 / 3), "name", json_text("ä"),
                              "bytes", json_text("a\xff\xfe"));
    char *text = json_format(value, 3);
    assert_string_equal(text, "{\n  \"third\": 0.333,\n  \"name\": \"ä\",\n  \"bytes\": \"a??\"\n}\n");
    PRINTED(printed, out, json_print(value, out));
    assert_non_null(strstr(printed, "0.333333333333,"));
    assert_int_equal(printed[printed_size - 1], '\n');
    free(printed);
    free(text);
    json_decref(value);
}

/* ---- Facts ---- */

static void facts_have_two_faces(void **state) {
    (void)state;
    facts f = facts_new();
    facts_text(&f, "model", "model", "m.safetensors");
    facts_integer(&f, "n", "entries (n)", 64);
    facts_real(&f, "error", NULL, NAN);
    facts_real(&f, NULL, "error", 0.123456);
    facts_line(&f, "next", "dltf %s", "encode");
    facts_json(&f, "tied", json_true());
    PRINTED(lines, out, facts_print(&f, out));
    assert_string_equal(lines, "model        m.safetensors\n"
                               "entries (n)  64\n"
                               "error        0.1235\n"
                               "next         dltf encode\n");
    char *object = json_dumps(f.object, JSON_COMPACT);
    assert_string_equal(object, "{\"model\":\"m.safetensors\",\"n\":64,\"error\":null,\"tied\":true}");
    free(object);
    free(lines);
    facts_free(&f);
    assert_null(f.object);
}

/* Text of a file, such as a note, cannot control the terminal in any form of output. */
static void results_are_printable(void **state) {
    (void)state;
    facts f = facts_new();
    facts_text(&f, "note", "note", "\x1b[2J\nforged  line \xc2\x9b");
    PRINTED(lines, out, facts_print(&f, out));
    assert_string_equal(lines, "note  \\x1b[2J\\x0aforged  line \\xc2\\x9b\n");
    PRINTED(object, stream, json_print(f.object, stream));
    assert_string_equal(object, "{\n  \"note\": \"\\u001B[2J\\nforged  line \\u009B\"\n}\n");
    json_t *rows = json_pack("[{s:s}]", "name", "a\x1b\nb");
    PRINTED(table, other, rows_print(rows, other));
    assert_string_equal(table, "name      \na\\x1b\\x0ab\n");
    json_decref(rows);
    free(table);
    free(object);
    free(lines);
    facts_free(&f);
}

/* ---- Rows ---- */

static json_t *some_rows(void) {
    json_t *rows = json_pack("[{s:s, s:i, s:n, s:f, s:n}, {s:s, s:i, s:f, s:n, s:b, s:n}]", "method",
                             "a, <b>", "k", 4, "sd", "value", 0.1234567891, "empty", "method", "say \"c\"",
                             "k", 12, "sd", 2.0, "value", "fine", 1, "empty");
    assert_non_null(rows);
    return rows;
}

static void rows_as_table(void **state) {
    (void)state;
    json_t *rows = some_rows();
    PRINTED(text, out, rows_print(rows, out));
    assert_string_equal(text, "method    k     sd  value  fine\n"
                              "a, <b>    4      -  0.123     -\n"
                              "say \"c\"  12  2.000      -   yes\n");
    free(text);
    json_decref(rows);
}

static void rows_as_csv(void **state) {
    (void)state;
    json_t *rows = some_rows();
    char *text = rows_csv(rows);
    assert_string_equal(text, "method,k,sd,value,empty,fine\n"
                              "\"a, <b>\",4,,0.123456789,,\n"
                              "\"say \"\"c\"\"\",12,2,,,yes\n");
    free(text);
    json_decref(rows);
}

static void rows_as_html(void **state) {
    (void)state;
    static const char *const keys[] = {"method", "value", "sd", NULL};
    json_t *rows = some_rows();
    PRINTED(text, out, rows_html(rows, keys, out));
    assert_string_equal(text, "<table><tr><th>method</th><th>value</th><th>sd</th></tr>\n"
                              "<tr><td>a, &lt;b></td><td>0.1235</td><td></td></tr>\n"
                              "<tr><td>say \"c\"</td><td></td><td>2</td></tr>\n"
                              "</table>\n");
    free(text);
    json_decref(rows);
}

static void no_rows(void **state) {
    (void)state;
    json_t *rows = json_array();
    char *csv = rows_csv(rows);
    assert_string_equal(csv, "\n");
    PRINTED(text, out, rows_print(rows, out));
    assert_int_equal(text_size, 0);
    free(text);
    free(csv);
    json_decref(rows);
}

/* ---- Markup and charts ---- */

/* The vectors of RFC 4648. */
static void base64(void **state) {
    (void)state;
    static const char *const pairs[][2] = {{"f", "Zg=="},         {"fo", "Zm8="},
                                           {"foo", "Zm9v"},       {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char bytes[8];
        snprintf(bytes, sizeof bytes, "%s", pairs[i][0]);
        FILE *file = fmemopen(bytes, strlen(bytes), "rb");
        PRINTED(text, out, markup_base64(out, file));
        fclose(file);
        assert_string_equal(text, pairs[i][1]);
        free(text);
    }
}

static int count_of(const char *text, const char *part) {
    int count = 0;
    for (; (text = strstr(text, part)) != NULL; text++)
        count++;
    return count;
}

static void charts(void **state) {
    (void)state;
    chart_panel *panels = calloc(2, sizeof *panels);
    assert_non_null(panels);
    panels[0] = (chart_panel){.title = "a < b", .x_label = "x", .y_label = "y", .log_x = true, .count = 2};
    panels[0].lines[0] = (chart_line){.name = "one", .count = 3, .x = {0.01, 1, 100}, .y = {1, 2, 3}};
    panels[0].lines[1] = (chart_line){.name = "two", .dashed = true, .count = 1, .x = {1}, .y = {0}};
    panels[1] = (chart_panel){.title = "nothing", .x_label = "x", .y_label = "y"};
    char *text = chart_svg("title & more", panels, 2, 2);
    assert_non_null(text);
    assert_int_equal(strncmp(text, "<svg ", 5), 0);
    assert_non_null(strstr(text, ">title &amp; more</text>"));
    assert_non_null(strstr(text, ">a &lt; b</text>"));
    assert_int_equal(count_of(text, "<polyline"), 2);
    assert_int_equal(count_of(text, "<circle"), 4);
    assert_int_equal(count_of(text, "stroke-dasharray"), 1);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    free(text);
    free(panels);
}

/* ---- Histories ---- */

static void histories(void **state) {
    (void)state;
    dltf_iteration history[2] = {{.stage = "minibatch", .index = 0, .objective = NAN},
                                 {.stage = "admm", .index = 7, .objective = 2.5, .seconds = 1}};
    json_t *rows = history_rows(history, 2);
    assert_int_equal(json_array_size(rows), 2);
    const json_t *first = json_array_get(rows, 0), *last = json_array_get(rows, 1);
    assert_string_equal(json_string_value(json_object_get(first, "stage")), "minibatch");
    assert_true(json_is_null(json_object_get(first, "objective")));
    assert_string_equal(json_string_value(json_object_get(last, "stage")), "admm");
    assert_int_equal(json_integer_value(json_object_get(last, "index")), 7);
    assert_true(json_real_value(json_object_get(last, "objective")) == 2.5);
    json_decref(rows);
    dltf_train_options options = dltf_train_options_default();
    options.m = 12;
    json_t *values = history_options(dltf_train_option_table(), &options);
    assert_int_equal(json_object_size(values), dltf_train_option_table().count);
    assert_int_equal(json_integer_value(json_object_get(values, "m")), 12);
    json_decref(values);
}

TESTS_MAIN(cmocka_unit_test(json_values), cmocka_unit_test(facts_have_two_faces),
           cmocka_unit_test(results_are_printable), cmocka_unit_test(rows_as_table),
           cmocka_unit_test(rows_as_csv), cmocka_unit_test(rows_as_html), cmocka_unit_test(no_rows),
           cmocka_unit_test(base64), cmocka_unit_test(charts), cmocka_unit_test(histories))
