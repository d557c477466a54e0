/* JSON as all programs of the project write it. */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include <jansson.h>
#include <stdio.h>

/* Significant digits of a real number: more than any measurement here has. */
enum { JSON_DIGITS = 12 };

/* JSON has no NaN and no infinity: null stands for both. */
json_t *json_number(double value);

/* A string of any bytes: JSON is UTF-8, other bytes become question marks. */
json_t *json_text(const char *text);

/* Indented, with a line end, allocated; `digits` of every real number. NULL without memory. */
char *json_format(const json_t *value, int digits);

/* The same, with JSON_DIGITS, to a stream. */
void json_print(const json_t *value, FILE *out);

#endif
