/* Lists of columns. */
#include "io/formats/csv_columns.h"

#include "base/memory.h"
#include "base/shown.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* A part of the list. */
typedef struct item {
    const char *text;
    int64_t length;
    bool drop; /* begins with a dash, which is not part of the text */
} item;

static dltf_status bad(const item *i, const char *what) {
    return dl_fail_option(DLTF_ARGUMENT, "columns", "'%s' %s", DL_PRINTABLE(i->text, i->length), what);
}

/* A number from 1; 0 if the text is anything else. */
static int64_t number_of(const char *text, int64_t length) {
    enum { LONGEST = 15 };
    int64_t value = 0;
    for (int64_t i = 0; i < length; i++) {
        if (!isdigit((unsigned char)text[i]) || length > LONGEST)
            return 0;
        value = 10 * value + (text[i] - '0');
    }
    return value;
}

static bool field_at(const dl_csv_columns *c, int64_t column, dl_csv_field *f) {
    dl_csv_line line = c->header;
    if (!line.at)
        return false;
    for (int64_t i = 0; dl_csv_next_field(&line, f); i++)
        if (i == column)
            return true;
    return false;
}

/* -1: no column of this name. */
static int64_t find_name(const dl_csv_columns *c, const item *i) {
    dl_csv_line line = c->header;
    dl_csv_field f;
    for (int64_t column = 0; line.at && dl_csv_next_field(&line, &f); column++)
        if (f.length == i->length && memcmp(f.text, i->text, (size_t)f.length) == 0)
            return column;
    return -1;
}

/* The columns of an item: first to last, counted from 0. */
static dltf_status find_columns(const dl_csv_columns *c, const item *i, int64_t *first, int64_t *last) {
    const char *dash = memchr(i->text, '-', (size_t)i->length);
    int64_t left = dash ? dash - i->text : i->length;
    *first = number_of(i->text, left);
    *last = dash ? number_of(dash + 1, i->length - left - 1) : *first;
    int64_t named = *first > 0 && !dash ? -1 : find_name(c, i);
    if (named >= 0)
        *first = *last = named + 1;
    if (*first < 1 || *last < 1)
        return bad(i, c->header.at
                          ? "is not a column: expected a number from 1, a range such as 2-30, or a name "
                            "of the first line"
                          : "is not a column: the file has no names in its first line, expected a number "
                            "from 1 or a range such as 2-30");
    if (*last > c->count || *first > *last)
        return dl_fail_option(DLTF_ARGUMENT, "columns", "'%s' is out of range: the file has %s columns",
                              DL_PRINTABLE(i->text, i->length), DL_COMMAS(c->count));
    *first -= 1;
    *last -= 1;
    return DLTF_OK;
}

/* The next part of a list between commas. */
static bool next_item(const char **list, item *i) {
    if (!**list)
        return false;
    size_t length = strcspn(*list, ",");
    *i = (item){.text = *list, .length = (int64_t)length, .drop = **list == '-'};
    i->text += i->drop;
    i->length -= i->drop;
    *list += length + ((*list)[length] == ',');
    return true;
}

dltf_status dl_csv_columns_choose(dl_csv_columns *c, const char *list) {
    dltf_status status = DLTF_OK;
    bool all = true;
    item i;
    DL_TRY_NEW(c->keep, c->count);
    for (const char *at = list; at && next_item(&at, &i);)
        all = all && i.drop;
    for (int64_t column = 0; column < c->count; column++)
        c->keep[column] = all;
    for (int dropping = 0; dropping < 2; dropping++)
        for (const char *at = list; at && next_item(&at, &i);) {
            int64_t first = 0, last = 0;
            if (i.drop != dropping)
                continue;
            DL_TRY(find_columns(c, &i, &first, &last));
            for (int64_t column = first; column <= last; column++)
                c->keep[column] = !i.drop;
        }
    c->kept = 0;
    for (int64_t column = 0; column < c->count; column++)
        c->kept += c->keep[column];
    if (c->kept == 0)
        status = dl_fail_option(DLTF_ARGUMENT, "columns", "no column is left of %s", DL_COMMAS(c->count));
done:
    return status;
}

const char *dl_csv_columns_name(const dl_csv_columns *c, int64_t column, char text[DL_CSV_NAME]) {
    dl_csv_field f = {0};
    bool plain = field_at(c, column, &f) && f.length > 0 && f.length < DL_CSV_NAME &&
                 (isalpha((unsigned char)f.text[0]) || f.text[0] == '_');
    for (int64_t i = 0; plain && i < f.length; i++)
        plain = isalnum((unsigned char)f.text[i]) || f.text[i] == '_' || f.text[i] == '.';
    if (plain)
        snprintf(text, DL_CSV_NAME, "%.*s", (int)f.length, f.text);
    else
        snprintf(text, DL_CSV_NAME, "%lld", (long long)column + 1);
    return text;
}
