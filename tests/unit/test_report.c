/* How results are written: JSON, facts, rows as table, CSV and HTML, charts, histories. */
#include "test_util.h"

#include "program/program.h"
#include "report/axis.h"
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
    facts_text(&f, "note", "note", "\x1b[2J\nforged  line \xc2\x9b\x7f");
    PRINTED(lines, out, facts_print(&f, out));
    assert_string_equal(lines, "note  \\x1b[2J\\x0aforged  line \\xc2\\x9b\\x7f\n");
    PRINTED(object, stream, json_print(f.object, stream));
    assert_string_equal(object, "{\n  \"note\": \"\\u001B[2J\\nforged  line \\u009B\\u007F\"\n}\n");
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
                              "<tr><td>a, &lt;b&gt;</td><td>0.1235</td><td></td></tr>\n"
                              "<tr><td>say &quot;c&quot;</td><td></td><td>2</td></tr>\n"
                              "</table>\n");
    free(text);
    json_decref(rows);
}

/* Text that a spreadsheet would evaluate gets an apostrophe; numbers, also negative ones, do not. */
static void formulas_in_csv(void **state) {
    (void)state;
    static const char *const pairs[][2] = {{"=1+1", "'=1+1"},
                                           {"+1", "'+1"},
                                           {"-1", "'-1"},
                                           {"@SUM(A1)", "'@SUM(A1)"},
                                           {"\t=1", "'\t=1"},
                                           {"\r=1", "\"'\r=1\""},
                                           {"=cmd|'/C calc'!A0,\"x\"", "\"'=cmd|'/C calc'!A0,\"\"x\"\"\""},
                                           {"a=1", "a=1"},
                                           {"", ""}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char expected[96];
        json_t *rows = json_pack("[{s:s, s:f, s:i}]", "=name", pairs[i][0], "real", -0.5, "integer", -3);
        char *text = rows_csv(rows);
        snprintf(expected, sizeof expected, "'=name,real,integer\n%s,-0.5,-3\n", pairs[i][1]);
        assert_string_equal(text, expected);
        free(text);
        json_decref(rows);
    }
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

/* Text cannot begin or end markup, and has only characters that XML 1.0 allows. */
static void escaped_text(void **state) {
    (void)state;
#define BAD "\xef\xbf\xbd"
    static const char *const pairs[][2] = {
        {"<script>alert('x')</script>", "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"},
        {"\" onload=\"x", "&quot; onload=&quot;x"},
        {"a ]]> b & c", "a ]]&gt; b &amp; c"},
        {"\t\n\r", "\t\n\r"},
        {"\x1b[2J\a\x7f\x01", BAD "[2J" BAD BAD BAD},
        {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"},
        {"\xef\xbf\xbe\xef\xbf\xbf", BAD BAD BAD BAD BAD BAD}, /* U+FFFE, U+FFFF */
        {"\xed\xa0\x80", BAD BAD BAD},                         /* a surrogate */
        {"\xc0\xbc\xe0\x80\xbc", BAD BAD BAD BAD BAD},         /* overlong '<' */
        {"\xf4\x90\x80\x80\xff", BAD BAD BAD BAD BAD},         /* beyond U+10FFFF */
        {"\xc2\x85"
         "a\xe2\x82",
         BAD BAD "a" BAD BAD}, /* a control character; cut off */
    };
#undef BAD
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        PRINTED(text, out, markup_text(out, pairs[i][0]));
        assert_string_equal(text, pairs[i][1]);
        free(text);
    }
}

/* Headings are text, too. */
static void hostile_table(void **state) {
    (void)state;
    static const char *const keys[] = {"<th>", NULL};
    json_t *rows = json_pack("[{s:s}]", "<th>", "</td><script>");
    PRINTED(text, out, rows_html(rows, keys, out));
    assert_string_equal(text, "<table><tr><th>&lt;th&gt;</th></tr>\n"
                              "<tr><td>&lt;/td&gt;&lt;script&gt;</td></tr>\n</table>\n");
    free(text);
    json_decref(rows);
}

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

static void add_points(chart_panel *panel, const char *name, bool dashed, int count, const double *x,
                       const double *y) {
    chart_line *line = chart_find_line(panel, name, dashed);
    assert_non_null(line);
    for (int i = 0; i < count; i++)
        assert_true(chart_add_point(line, x[i], y[i]));
}

static char *drawn(const chart_panel *panels, int count, bool legend_in_panel) {
    chart page = {.title = "title & more",
                  .note = "a note",
                  .width = CHART_WIDTH,
                  .height = CHART_HEIGHT,
                  .columns = 2,
                  .legend_in_panel = legend_in_panel,
                  .count = count,
                  .panels = panels};
    char *text = chart_svg(&page);
    assert_non_null(text);
    assert_int_equal(strncmp(text, "<svg ", 5), 0);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    return text;
}

static void charts(void **state) {
    (void)state;
    chart_panel *panels = calloc(2, sizeof *panels);
    assert_non_null(panels);
    panels[0] = (chart_panel){.title = "a < b", .x_label = "x", .y_label = "y", .log_x = true};
    add_points(&panels[0], "one", false, 3, (const double[]){0.01, 1, 100}, (const double[]){1, 2, 3});
    add_points(&panels[0], "two", true, 1, (const double[]){1}, (const double[]){0});
    panels[1] = (chart_panel){.title = "nothing", .x_label = "x", .y_label = "y"};
    char *text = drawn(panels, 2, false);
    assert_non_null(strstr(text, ">title &amp; more</text>"));
    assert_non_null(strstr(text, ">a note</text>"));
    assert_non_null(strstr(text, ">a &lt; b</text>"));
    assert_int_equal(count_of(text, "<polyline"), 2);
    assert_int_equal(count_of(text, "<circle"), 4);
    assert_int_equal(count_of(text, "stroke-dasharray"), 1);
    assert_int_equal(count_of(text, ">one</text>"), 1);
    free(text);
    chart_clear(panels, 2);
    free(panels);
}

static void charts_with_spans(void **state) {
    (void)state;
    chart_panel panel = {.title = "t", .x_label = "x", .y_label = "y", .log_y = true};
    add_points(&panel, "run", false, 2, (const double[]){1, 10}, (const double[]){0.2, 5});
    panel.spans[0] = (chart_span){"long", "run", 0, 9.99};
    panel.spans[1] = (chart_span){"short", "run", 9.99, 10};
    panel.span_count = 2;
    char *text = drawn(&panel, 1, true);
    assert_int_equal(count_of(text, "<title>"), 2);
    assert_int_equal(count_of(text, ">long</text>"), 1);
    assert_int_equal(count_of(text, ">short</text>"), 0); /* does not fit */
    assert_int_equal(count_of(text, ">0.2</text>"), 1);   /* ticks at 1, 2 and 5 times powers of ten */
    assert_int_equal(count_of(text, ">5</text>"), 1);
    free(text);
    chart_clear(&panel, 1);
}

/* All coordinates are finite and have few digits, whatever the points. */
static void charts_of_extreme_values(void **state) {
    (void)state;
    static const double values[] = {0, -0.0, 5e-324, 1e-310, 1e300, 1e308, 1.7e308, INFINITY, NAN, -1e308};
    enum { COUNT = sizeof values / sizeof *values };
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < COUNT; j++) {
            chart_panel panel = {.title = "t", .x_label = "x", .y_label = "y"};
            chart_line *line = chart_find_line(&panel, "l", false);
            assert_true(chart_add_point(line, values[i], values[j]));
            assert_true(chart_add_point(line, values[j], values[i]));
            panel.spans[panel.span_count++] = (chart_span){"s", "l", 0, isnan(values[i]) ? 0 : values[i]};
            char *text = drawn(&panel, 1, false);
            assert_int_equal(count_of(text, "nan") + count_of(text, "inf"), 0);
            assert_true(strlen(text) < 10000);
            free(text);
            chart_clear(&panel, 1);
        }
}

static void charts_are_bounded(void **state) {
    (void)state;
    chart_panel panel = {.title = "t", .x_label = "x", .y_label = "y"};
    char names[CHART_MAX_LINES][8];
    for (int i = 0; i < CHART_MAX_LINES; i++) {
        snprintf(names[i], sizeof names[i], "l%d", i);
        chart_line *line = chart_find_line(&panel, names[i], false);
        for (int p = 0; p < 100; p++)
            assert_true(chart_add_point(line, p, i));
    }
    assert_null(chart_find_line(&panel, "one more", false));
    assert_ptr_equal(chart_find_line(&panel, "l3", false), &panel.lines[3]);
    char *text = drawn(&panel, 1, false);
    assert_int_equal(count_of(text, "<polyline"), CHART_MAX_LINES);
    assert_int_equal(count_of(text, "<circle"), 0); /* too many points to mark them */
    free(text);
    chart_clear(&panel, 1);
}

/* Ticks are ascending, within the range, about as many as wanted, and cover it. */
static void check_ticks(bool log, double low, double high, int wanted, double most_gap) {
    double ticks[AXIS_MAX_TICKS];
    axis a = axis_new(log);
    axis_include(&a, low);
    axis_include(&a, high);
    axis_finish(&a, true);
    int count = axis_ticks(&a, wanted, ticks);
    assert_in_range(count, 2, (uintmax_t)wanted + 2);
    for (int i = 0; i < count; i++) {
        double share = axis_share(&a, ticks[i]);
        assert_true(share > -1e-6 && share < 1 + 1e-6);
        assert_true(i == 0 || share - axis_share(&a, ticks[i - 1]) <= most_gap);
    }
    assert_true(axis_share(&a, high) <= 1 + 1e-9 && axis_share(&a, low) >= -1e-9);
}

static void axes(void **state) {
    (void)state;
    for (double high = 1e-6; high < 1e9; high *= 3.7) {
        check_ticks(false, 0, high, 6, 0.6);
        check_ticks(true, high / 12, high, 6, 0.75);
        check_ticks(true, high / 1e7, high, 6, 0.6);
    }
    axis empty = axis_new(false);
    axis_finish(&empty, true);
    assert_true(empty.low < empty.high);
    axis single = axis_new(false);
    axis_include(&single, 5);
    axis_finish(&single, false);
    assert_true(single.low < 5 && single.high > 5);
}

/* No more ticks than there is room for, also where adding a step changes nothing. */
static void axes_at_the_limits_of_precision(void **state) {
    (void)state;
    const double ranges[][2] = {{1e16, 1e16 + 2}, {-1e16 - 2, -1e16}, {0, 5e-324}, {-1e308, 1.7e308}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        double ticks[AXIS_MAX_TICKS];
        axis a = axis_new(false);
        axis_include(&a, ranges[i][0]);
        axis_include(&a, ranges[i][1]);
        axis_finish(&a, false);
        assert_in_range(axis_ticks(&a, 6, ticks), 0, AXIS_MAX_TICKS);
        assert_true(isfinite(axis_share(&a, ranges[i][0])) && isfinite(axis_share(&a, ranges[i][1])));
    }
}

/* ---- Reading ---- */

static json_t *read_text(const char *text, char *error) {
    FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    assert_non_null(in);
    json_t *rows = rows_read_csv(in, error);
    fclose(in);
    return rows;
}

static void rows_from_csv(void **state) {
    (void)state;
    char error[ROWS_ERROR_SIZE];
    json_t *rows = read_text("name,x,y\r\n\"a \"\"b\"\", c\",1.5,\n\nd,nan,-2e3\n", error);
    assert_non_null(rows);
    assert_int_equal(json_array_size(rows), 2);
    const json_t *first = json_array_get(rows, 0), *second = json_array_get(rows, 1);
    assert_string_equal(json_string_value(json_object_get(first, "name")), "a \"b\", c");
    assert_true(json_real_value(json_object_get(first, "x")) == 1.5);
    assert_true(json_is_null(json_object_get(first, "y")));
    assert_true(json_is_null(json_object_get(second, "x")));
    assert_true(json_real_value(json_object_get(second, "y")) == -2000);
    char *text = rows_csv(rows);
    json_t *again = read_text(text, error);
    assert_true(json_equal(rows, again));
    free(text);
    json_decref(again);
    json_decref(rows);
}

static void bad_csv(void **state) {
    (void)state;
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"\n\n", "is empty"},
        {"a,b\n1\n", "line 2 has 1 fields, expected 2"},
        {"a,b\n1,2,3\n", "line 2 has 3 fields, expected 2"},
        {"a\n\"x\"y\n", "line 2: text after a closing quote"},
        {"a\n\xff\n", "line 2 is not UTF-8 text"},
        {"\xff,b\n1,2\n", "line 2 is not UTF-8 text"},
    };
    char error[ROWS_ERROR_SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_null(read_text(cases[i].text, error));
        assert_string_equal(error, cases[i].error);
    }
    char wide[200] = "";
    for (int i = 0; i < ROWS_MAX_COLUMNS; i++)
        strcat(wide, "a,");
    assert_null(read_text(wide, error));
    assert_non_null(strstr(error, "more than 32 fields"));
    static char endless[1 << 16];
    memset(endless, 'a', sizeof endless - 1);
    assert_null(read_text(endless, error));
    assert_non_null(strstr(error, "characters"));
    FILE *in = fmemopen("a\0b\nc\n", 6, "r");
    assert_null(rows_read_csv(in, error));
    fclose(in);
    assert_non_null(strstr(error, "zero byte"));
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
    json_t *values = history_options(dl_train_option_table(), &options);
    assert_int_equal(json_object_size(values), dl_train_option_table().count);
    assert_int_equal(json_integer_value(json_object_get(values, "m")), 12);
    json_decref(values);
}

TESTS_MAIN(cmocka_unit_test(json_values), cmocka_unit_test(facts_have_two_faces),
           cmocka_unit_test(results_are_printable), cmocka_unit_test(rows_as_table),
           cmocka_unit_test(rows_as_csv), cmocka_unit_test(rows_as_html), cmocka_unit_test(formulas_in_csv),
           cmocka_unit_test(escaped_text), cmocka_unit_test(hostile_table),
           cmocka_unit_test(charts_of_extreme_values), cmocka_unit_test(no_rows), cmocka_unit_test(base64),
           cmocka_unit_test(charts), cmocka_unit_test(charts_with_spans),
           cmocka_unit_test(charts_are_bounded), cmocka_unit_test(axes),
           cmocka_unit_test(axes_at_the_limits_of_precision), cmocka_unit_test(rows_from_csv),
           cmocka_unit_test(bad_csv), cmocka_unit_test(histories))
