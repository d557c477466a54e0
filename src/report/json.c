/* JSON values and the common layout of JSON output. */
#include "report/json.h"

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- Memory ---- */

/* jansson does not survive all failures of malloc: an assertion of its parser ends the program. A last
 * reserve, which is never given back, keeps it alive, so that the failure can be reported. */
enum { RESERVE = 1 << 18, ALIGNMENT = 16 };

static _Alignas(16) char reserve[RESERVE];
static atomic_size_t reserve_used;
static atomic_bool failed;

static void *watched_malloc(size_t size) {
    void *memory = malloc(size);
    if (memory)
        return memory;
    atomic_store(&failed, true);
    if (size > RESERVE)
        return NULL;
    size_t at = atomic_fetch_add(&reserve_used, (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    return at + size <= RESERVE ? reserve + at : NULL;
}

static void watched_free(void *memory) {
    if ((uintptr_t)memory - (uintptr_t)reserve >= RESERVE)
        free(memory);
}

void json_watch_memory(void) {
    json_set_alloc_funcs(watched_malloc, watched_free);
}

bool json_out_of_memory(void) {
    return atomic_load(&failed);
}

/* ---- Values and text ---- */

static size_t layout(int digits) {
    return JSON_INDENT(2) | JSON_REAL_PRECISION((size_t)digits);
}

json_t *json_number(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_text(const char *text) {
    json_t *value = json_string(text);
    if (value)
        return value;
    char *copy = strdup(text);
    if (!copy)
        atomic_store(&failed, true);
    for (char *c = copy; c && *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    value = copy ? json_string(copy) : NULL;
    free(copy);
    return value;
}

/* Not json_dumps, which may return incomplete text when it is out of memory. */
static char *format(const json_t *value, size_t flags) {
    size_t size = json_out_of_memory() ? 0 : json_dumpb(value, NULL, 0, flags);
    char *text = size > 0 ? malloc(size + 2) : NULL;
    if (text && json_dumpb(value, text, size, flags) == size && !json_out_of_memory()) {
        memcpy(text + size, "\n", 2);
        return text;
    }
    free(text);
    return NULL;
}

char *json_format(const json_t *value, int digits) {
    return format(value, layout(digits));
}

/* jansson escapes all control characters but DEL, which occurs in strings only. */
static void print_escaped(const char *text, FILE *out) {
    for (const char *c = text; *c; c++)
        if (*c == 0x7f)
            fputs("\\u007F", out);
        else
            putc(*c, out);
}

bool json_print(const json_t *value, FILE *out) {
    char *text = format(value, layout(JSON_DIGITS) | JSON_ENSURE_ASCII);
    if (text)
        print_escaped(text, out);
    bool printed = text != NULL;
    free(text);
    return printed;
}
