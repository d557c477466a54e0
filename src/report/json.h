/* JSON output shared by all programs of the project. */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Significant digits of real numbers; more than any measurement has. */
enum { JSON_DIGITS = 12 };

/* Values are built by many small calls, whose failures nobody checks one by one. Call the first at the start
 * of the program; the second then tells whether any of them ran out of memory, so that a result is
 * incomplete. */
void json_watch_memory(void);
bool json_out_of_memory(void);

/* NaN and infinity, which JSON lacks, become null. */
json_t *json_number(double value);

/* A string from arbitrary bytes; bytes that are not UTF-8 become question marks. */
json_t *json_text(const char *text);

/* Indented text with a final line end; reals have `digits` digits. Allocated; NULL if out of memory. */
char *json_format(const json_t *value, int digits);

/* The same, with JSON_DIGITS, to a stream, which may be a terminal: ASCII only, the rest as \uNNNN. Returns
 * false and prints nothing if out of memory. */
bool json_print(const json_t *value, FILE *out);

#endif
