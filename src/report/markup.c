/* Escaped text and base64. */
#include "report/markup.h"

#include <string.h>

void markup_text(FILE *out, const char *text) {
    for (; *text; text++)
        if (*text == '<' || *text == '&')
            fputs(*text == '<' ? "&lt;" : "&amp;", out);
        else
            putc(*text, out);
}

void markup_base64(FILE *out, FILE *file) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char b[3];
    for (size_t got; (got = fread(b, 1, 3, file)) > 0;) {
        memset(b + got, 0, 3 - got);
        fputc(digits[b[0] >> 2], out);
        fputc(digits[(b[0] & 3) << 4 | b[1] >> 4], out);
        fputc(got > 1 ? digits[(b[1] & 15) << 2 | b[2] >> 6] : '=', out);
        fputc(got > 2 ? digits[b[2] & 63] : '=', out);
    }
}
