/* Facts: collected once, printed as one JSON object or as aligned lines of text. */
#ifndef REPORT_FACTS_H
#define REPORT_FACTS_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

typedef struct facts {
    json_t *object; /* JSON form */
    json_t *lines;  /* text form: label, text, label, text, ... */
} facts;

facts facts_new(void);
void facts_free(facts *f);

/* A NULL key omits the fact from the JSON, a NULL label from the text. */
void facts_text(facts *f, const char *key, const char *label, const char *text);
void facts_integer(facts *f, const char *key, const char *label, int64_t value);
void facts_real(facts *f, const char *key, const char *label, double value);
void facts_line(facts *f, const char *label, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* JSON only; takes ownership of `value`. */
void facts_json(facts *f, const char *key, json_t *value);

/* Prints the text form; the JSON form is f->object. */
void facts_print(const facts *f, FILE *out);

#endif
