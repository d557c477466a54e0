/* Escaped text and base64. */
#include "report/markup.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The length in bytes of the UTF-8 character at `text`, or 0 if it is not one that XML 1.0 allows: control
 * characters other than tab and line ends, surrogates, U+FFFE, U+FFFF, and malformed bytes. */
static int allowed_character(const unsigned char *text) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (text[0] < 0x80)
        return (text[0] >= ' ' && text[0] != 0x7f) || text[0] == '\t' || text[0] == '\n' || text[0] == '\r';
    int length = text[0] >= 0xf8 ? 0 : text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : text[0] >= 0xc0 ? 2 : 0;
    uint32_t character = length > 0 ? text[0] & (0x7fu >> length) : 0;
    for (int i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        character = character << 6 | (text[i] & 0x3f);
    }
    bool control = character < 0xa0, surrogate = character >= 0xd800 && character <= 0xdfff;
    bool beyond = character == 0xfffe || character == 0xffff || character > 0x10ffff;
    return control || surrogate || beyond || character < least[length] ? 0 : length;
}

/* NULL if the character needs none. */
static const char *entity(char character) {
    switch (character) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void markup_text(FILE *out, const char *text) {
    static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */
    while (*text) {
        int length = allowed_character((const unsigned char *)text);
        const char *escaped = entity(*text);
        if (length == 0)
            fputs(replacement, out);
        else if (escaped)
            fputs(escaped, out);
        else
            fwrite(text, 1, (size_t)length, out);
        text += length > 0 ? length : 1;
    }
}

void markup_base64_bytes(FILE *out, const void *bytes, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *from = bytes;
    for (size_t i = 0; i < size; i += 3) {
        unsigned char b[3] = {from[i], i + 1 < size ? from[i + 1] : 0, i + 2 < size ? from[i + 2] : 0};
        fputc(digits[b[0] >> 2], out);
        fputc(digits[(b[0] & 3) << 4 | b[1] >> 4], out);
        fputc(i + 1 < size ? digits[(b[1] & 15) << 2 | b[2] >> 6] : '=', out);
        fputc(i + 2 < size ? digits[b[2] & 63] : '=', out);
    }
}

void markup_base64(FILE *out, FILE *file) {
    char part[3 * 1024]; /* a multiple of three: parts need no padding but the last */
    for (size_t got; (got = fread(part, 1, sizeof part, file)) > 0;)
        markup_base64_bytes(out, part, got);
}

void markup_json(FILE *out, const char *json) {
    for (const char *c = json; *c; c++)
        if (*c == '<' || *c == '>' || *c == '&')
            fprintf(out, "\\u%04x", (unsigned)*c);
        else
            fputc(*c, out);
}
