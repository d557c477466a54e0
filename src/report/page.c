/* Pages: elements, text, sections, figures, pictures, data. */
#include "report/page.h"

#include "report/json.h"
#include "report/markup.h"
#include "report/page_assets.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- Elements and text ---- */

static void write_attributes(page *p, va_list attributes) {
    const char *name;
    while ((name = va_arg(attributes, const char *)) != NULL) {
        const char *value = va_arg(attributes, const char *);
        if (!value)
            continue;
        fprintf(p->out, " %s=\"", name);
        markup_text(p->out, value);
        fputc('"', p->out);
    }
}

void page_open(page *p, const char *element, ...) {
    if (!p->out)
        return;
    va_list attributes;
    va_start(attributes, element);
    fprintf(p->out, "<%s", element);
    write_attributes(p, attributes);
    fputc('>', p->out);
    va_end(attributes);
}

/* A line end after these would be a blank in the text. */
static bool is_inline(const char *element) {
    return strcmp(element, "a") == 0 || strcmp(element, "bdi") == 0 || strcmp(element, "span") == 0;
}

void page_close(page *p, const char *element) {
    if (p->out)
        fprintf(p->out, is_inline(element) ? "</%s>" : "</%s>\n", element);
}

void page_element(page *p, const char *element, const char *text, ...) {
    if (!p->out)
        return;
    va_list attributes;
    va_start(attributes, text);
    fprintf(p->out, "<%s", element);
    write_attributes(p, attributes);
    fputc('>', p->out);
    va_end(attributes);
    page_text(p, text);
    page_close(p, element);
}

void page_text(page *p, const char *text) {
    if (p->out && text)
        markup_text(p->out, text);
}

void page_format(page *p, const char *format, ...) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = p->out ? open_memstream(&text, &size) : NULL;
    if (!out) {
        p->incomplete = true;
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
    if (fclose(out) == 0)
        page_text(p, text);
    else
        p->incomplete = true;
    free(text);
}

/* Long names are cut, between characters. */
void page_name(page *p, const char *text) {
    char cut[PAGE_NAME_MOST + 4];
    if (!text || strlen(text) <= PAGE_NAME_MOST) {
        page_element(p, "bdi", text, "class", "name", NULL);
        return;
    }
    size_t length = PAGE_NAME_MOST;
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    memcpy(cut, text, length);
    memcpy(cut + length, "\xe2\x80\xa6", 4); /* an ellipsis */
    page_element(p, "bdi", cut, "class", "name", NULL);
}

/* ---- The page ---- */

/* Nothing is loaded and nothing is sent, whatever a page contains. */
static const char policy[] = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src "
                             "'unsafe-inline'; base-uri 'none'; form-action 'none'";

void page_begin(page *p, const char *title, const char *lead) {
    *p = (page){.text = NULL};
    p->out = open_memstream(&p->text, &p->size);
    if (!p->out)
        return;
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", p->out);
    page_open(p, "meta", "http-equiv", "Content-Security-Policy", "content", policy, NULL);
    fputs("\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n", p->out);
    page_element(p, "title", title, NULL);
    fprintf(p->out, "<style>\n%s</style>\n</head>\n<body>\n", page_css);
    page_open(p, "header", NULL);
    page_open(p, "h1", NULL);
    page_name(p, title);
    page_close(p, "h1");
    if (lead)
        page_element(p, "p", lead, "class", "lead", NULL);
    page_close(p, "header");
    page_open(p, "main", NULL);
}

char *page_end(page *p) {
    if (!p->out)
        return NULL;
    page_close(p, "main");
    fprintf(p->out, "<script>\n%s</script>\n</body>\n</html>\n", page_js);
    bool failed = ferror(p->out) != 0 || p->incomplete;
    if (fclose(p->out) != 0 || failed) {
        free(p->text);
        p->text = NULL;
    }
    p->out = NULL;
    return p->text;
}

void page_section(page *p, const char *id, const char *title) {
    page_open(p, "section", "id", id, NULL);
    page_element(p, "h2", title, NULL);
}

void page_section_end(page *p) {
    page_close(p, "section");
}

/* ---- Figures, pictures, data ---- */

void page_figure(page *p, char *svg, const char *alternative, const char *caption) {
    if (!svg)
        p->incomplete = true;
    if (p->out && svg) {
        page_open(p, "figure", NULL);
        page_open(p, "div", "class", "chart", "role", "img", "aria-label", alternative, NULL);
        fputs(svg, p->out);
        page_close(p, "div");
        if (caption)
            page_element(p, "figcaption", caption, NULL);
        page_close(p, "figure");
    }
    free(svg);
}

void page_picture(page *p, const void *png, size_t size, const char *kind, const char *alternative) {
    if (!p->out)
        return;
    fputs("<img src=\"data:image/png;base64,", p->out);
    markup_base64_bytes(p->out, png, size);
    fputs("\" class=\"", p->out);
    markup_text(p->out, kind ? kind : "");
    fputs("\" alt=\"", p->out);
    markup_text(p->out, alternative);
    fputs("\">", p->out);
}

void page_data(page *p, const char *id, const json_t *value) {
    size_t flags = JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(JSON_DIGITS);
    char *text = p->out ? json_dumps(value, flags) : NULL;
    if (text) {
        page_open(p, "script", "type", "application/json", "id", id, NULL);
        markup_json(p->out, text);
        page_close(p, "script");
    } else {
        p->incomplete = true;
    }
    free(text);
}
