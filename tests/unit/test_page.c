/* Pages: every string is escaped for the place where it stands. */
#include "test_util.h"

#include "report/page.h"
#include "report/page_assets.h"

#include <jansson.h>

static const char hostile[] = "</script><script>alert(1)</script>]]>\"'&\xff<!--";
static const char escaped[] = "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;]]&gt;&quot;&#39;&amp;"
                              "\xef\xbf\xbd&lt;!--";

static char *finished(page *p) {
    char *text = page_end(p);
    assert_non_null(text);
    return text;
}

static int occurrences(const char *text, const char *part) {
    int count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        count++;
    return count;
}

static void text_and_attributes(void **state) {
    (void)state;
    page p;
    page_begin(&p, hostile, hostile);
    page_section(&p, "one", hostile);
    page_element(&p, "p", hostile, "title", hostile, "class", NULL, NULL);
    page_open(&p, "a", "href", hostile, NULL);
    page_format(&p, "%s", hostile);
    page_name(&p, hostile);
    page_text(&p, NULL);
    page_close(&p, "a");
    page_picture(&p, "abcd", 4, "tile", hostile);
    page_figure(&p, strdup("<svg></svg>"), hostile, hostile);
    page_section_end(&p);
    char *text = finished(&p);
    assert_null(strstr(text, "alert(1)</script>"));
    assert_int_equal(occurrences(text, escaped), 12);
    assert_int_equal(occurrences(text, "<script"), 1);
    assert_non_null(strstr(text, "<img src=\"data:image/png;base64,YWJjZA==\" class=\"tile\" alt=\"&lt;"));
    assert_non_null(strstr(text, "default-src &#39;none&#39;"));
    assert_null(strstr(text, "class=\"\""));
    free(text);
}

/* What a browser reads from the element is the value that was written. */
static void data(void **state) {
    (void)state;
    page p;
    json_t *value = json_pack("{s:s, s:f, s:i}", "name", "</script>&\u2028<!--", "real", 0.1, "integer", 7);
    page_begin(&p, "data", NULL);
    page_data(&p, "facts", value);
    char *text = finished(&p);
    static const char start[] = "<script type=\"application/json\" id=\"facts\">";
    char *from = strstr(text, start), *to;
    assert_non_null(from);
    from += strlen(start);
    to = strchr(from, '<');
    assert_non_null(to);
    assert_memory_equal(to, "</script>", 9);
    json_t *found = json_loadb(from, (size_t)(to - from), 0, NULL);
    assert_true(json_equal(found, value));
    for (const char *c = from; c < to; c++)
        assert_true(*c >= ' ' && *c != '>' && *c != '&' && *c < 0x7f);
    json_decref(found);
    json_decref(value);
    free(text);
}

static void tables(void **state) {
    (void)state;
    page p;
    static const char *const keys[] = {"name", "value", NULL}, *const titles[] = {"<Name>", "Value", NULL};
    json_t *rows =
        json_pack("[{s:s, s:f}, {s:s, s:n}]", "name", "<b>", "value", 1.0 / 3, "name", "c", "value");
    json_t *lines = json_pack("[s, s, s, s]", "first", "<1>", "", "more");
    page_begin(&p, "tables", NULL);
    page_rows(&p, "Caption", rows, keys, titles);
    page_pairs(&p, lines);
    char *text = finished(&p);
    assert_non_null(strstr(text, "<th scope=\"col\">&lt;Name&gt;</th>"));
    assert_non_null(strstr(text, "<bdi class=\"name\">&lt;b&gt;</bdi>"));
    assert_non_null(strstr(text, "<td class=\"number\" data-value=\"0.333333333\">0.3333</td>"));
    assert_non_null(strstr(text, "<td class=\"number\" data-value=\"\"></td>"));
    assert_int_equal(occurrences(text, "<dt>"), 1);
    assert_int_equal(occurrences(text, "<dd>"), 2);
    json_decref(rows);
    json_decref(lines);
    free(text);
}

/* A page that misses a part is no page. */
static void missing_parts(void **state) {
    (void)state;
    page p;
    page_begin(&p, "missing", NULL);
    page_figure(&p, NULL, "a chart", NULL);
    assert_null(page_end(&p));
    assert_null(page_end(&p));
}

static void assets(void **state) {
    (void)state;
    assert_null(strstr(page_css, "</"));
    assert_null(strstr(page_js, "</"));
    assert_null(strstr(page_js, "<!--"));
    assert_null(strstr(page_js, "innerHTML"));
    assert_null(strstr(page_css, "url("));
    assert_non_null(strstr(page_css, "prefers-color-scheme: dark"));
    assert_memory_equal(page_js, "/* What readers can do", 22);
    assert_int_equal(page_js[strlen(page_js) - 1], '\n');
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_and_attributes), cmocka_unit_test(data),   cmocka_unit_test(tables),
        cmocka_unit_test(missing_parts),       cmocka_unit_test(assets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
