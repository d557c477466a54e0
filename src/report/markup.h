/* What HTML and SVG share: text without markup of its own, and files inside a page. */
#ifndef REPORT_MARKUP_H
#define REPORT_MARKUP_H

#include <stdio.h>

/* Characters that would begin markup are escaped. */
void markup_text(FILE *out, const char *text);

/* The rest of a file in base64, for a data: address. */
void markup_base64(FILE *out, FILE *file);

#endif
