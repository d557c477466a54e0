/* Rows and facts as parts of a page. */
#include "report/page.h"
#include "report/rows.h"

static void write_cell(page *p, const json_t *value) {
    char shown[ROWS_CELL_SIZE], exact[ROWS_CELL_SIZE];
    if (json_is_string(value)) { /* of any length */
        page_open(p, "td", NULL);
        page_name(p, json_string_value(value));
        page_close(p, "td");
        return;
    }
    rows_cell(value, ROWS_SHORT, shown);
    rows_cell(value, ROWS_EXACT, exact);
    page_element(p, "td", shown, "class", "number", "data-value", exact, NULL);
}

void page_rows(page *p, const char *caption, const json_t *rows, const char *const *keys,
               const char *const *titles) {
    page_open(p, "div", "class", "scroll", "tabindex", "0", "role", "region", "aria-label", caption, NULL);
    page_open(p, "table", "class", "sortable", NULL);
    page_element(p, "caption", caption, NULL);
    page_open(p, "thead", NULL);
    page_open(p, "tr", NULL);
    for (int i = 0; keys[i]; i++)
        page_element(p, "th", titles ? titles[i] : keys[i], "scope", "col", NULL);
    page_close(p, "tr");
    page_close(p, "thead");
    page_open(p, "tbody", NULL);
    for (size_t r = 0; r < json_array_size(rows); r++) {
        page_open(p, "tr", NULL);
        for (int i = 0; keys[i]; i++)
            write_cell(p, json_object_get(json_array_get(rows, r), keys[i]));
        page_close(p, "tr");
    }
    page_close(p, "tbody");
    page_close(p, "table");
    page_close(p, "div");
}

void page_pairs(page *p, const json_t *lines) {
    page_open(p, "dl", NULL);
    for (size_t i = 0; i + 1 < json_array_size(lines); i += 2) {
        const char *label = json_string_value(json_array_get(lines, i));
        if (label && *label) /* a line without a label continues the one above */
            page_element(p, "dt", label, NULL);
        page_open(p, "dd", NULL);
        page_name(p, json_string_value(json_array_get(lines, i + 1)));
        page_close(p, "dd");
    }
    page_close(p, "dl");
}
