/* Shared by HTML and SVG: escaped text, and files embedded in a page. */
#ifndef REPORT_MARKUP_H
#define REPORT_MARKUP_H

#include <stdio.h>

/* Escapes characters that would begin markup. */
void markup_text(FILE *out, const char *text);

/* The rest of a file in base64, for a data: URL. */
void markup_base64(FILE *out, FILE *file);

#endif
