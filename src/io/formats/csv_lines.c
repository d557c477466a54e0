/* Lines and fields of text. */
#include "io/formats/csv_lines.h"

#include <stddef.h>
#include <string.h>

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

bool dl_csv_next_line(dl_csv_reader *r, dl_csv_line *line) {
    while (r->at < r->end) {
        const char *begin = r->at;
        const char *end = memchr(begin, '\n', (size_t)(r->end - begin));
        r->at = end ? end + 1 : r->end;
        if (!end)
            end = r->end;
        r->line++;
        const char *first = begin, *last = end;
        while (first < last && is_blank(*first))
            first++;
        while (last > first && (is_blank(last[-1]) || last[-1] == '\r'))
            last--;
        if (first == last || *first == '#')
            continue;
        /* Keep tabs at either end, which may delimit empty fields; strip only the carriage return. */
        while (end > begin && end[-1] == '\r')
            end--;
        *line = (dl_csv_line){.at = begin, .end = end, .more = true};
        return true;
    }
    return false;
}

char dl_csv_separator(dl_csv_line line) {
    bool quoted = false, tab = false, comma = false;
    for (const char *at = line.at; at < line.end; at++) {
        if (*at == '"')
            quoted = !quoted;
        else if (quoted)
            continue;
        else if (*at == ';')
            return ';';
        tab |= !quoted && *at == '\t';
        comma |= !quoted && *at == ',';
    }
    return comma ? ',' : tab ? '\t' : ' ';
}

static bool is_space(const dl_csv_line *c, char ch) {
    return ch == ' ' || (ch == '\t' && c->separator != '\t');
}

static bool is_separator(const dl_csv_line *c, char ch) {
    return c->separator == ' ' ? is_blank(ch) : ch == c->separator;
}

/* The end of the quoted field that begins at c->at, past the closing quote; "" is an escaped quote. */
static const char *quote_end(const dl_csv_line *c) {
    for (const char *at = c->at + 1; at < c->end; at++)
        if (*at == '"') {
            if (at + 1 == c->end || at[1] != '"')
                return at + 1;
            at++;
        }
    return c->end;
}

bool dl_csv_next_field(dl_csv_line *c, dl_csv_field *f) {
    while (c->at < c->end && is_space(c, *c->at))
        c->at++;
    if (!c->more || (c->separator == ' ' && c->at == c->end))
        return false;
    const char *begin = c->at;
    bool quoted = begin < c->end && *begin == '"';
    if (quoted)
        c->at = quote_end(c);
    while (c->at < c->end && !is_separator(c, *c->at))
        c->at++;
    const char *end = c->at;
    c->more = c->at < c->end;
    c->at += c->more;
    while (end > begin && is_space(c, end[-1]))
        end--;
    if (quoted && end - begin >= 2 && end[-1] == '"') {
        begin++;
        end--;
    }
    *f = (dl_csv_field){begin, end - begin};
    return true;
}

int64_t dl_csv_count_fields(dl_csv_line line) {
    dl_csv_field f;
    int64_t count = 0;
    while (dl_csv_next_field(&line, &f))
        count++;
    return count;
}
