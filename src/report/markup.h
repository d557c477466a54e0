/* Shared by HTML and SVG: escaped text, and files embedded in a page. */
#ifndef REPORT_MARKUP_H
#define REPORT_MARKUP_H

#include <stddef.h>
#include <stdio.h>

/* Text as the content of an element or attribute: characters that have a meaning in markup are escaped, those
 * that XML 1.0 does not allow become U+FFFD. */
void markup_text(FILE *out, const char *text);

/* Bytes, and the rest of a file, in base64, for a data: URL. */
void markup_base64_bytes(FILE *out, const void *bytes, size_t size);
void markup_base64(FILE *out, FILE *file);

/* JSON inside of a <script> element: ASCII only, and without the characters that could end the element. */
void markup_json(FILE *out, const char *json);

#endif
