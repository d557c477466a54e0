/* A strict parser for {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }: exactly these three keys
 * in any order, with a string, a bool and a tuple of integers as values. NumPy evaluates the text as a Python
 * literal, but never writes anything else. */
#include "io/formats/npy_dict.h"

#include "base/memory.h"
#include "io/files/bytes.h"

typedef struct cursor {
    const char *at, *end;
} cursor;

static dltf_status corrupt(const char *expected) {
    return dl_fail(DLTF_FORMAT, "corrupt header: expected %s", expected);
}

static void skip_blanks(cursor *c) {
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t' || *c->at == '\r'))
        c->at++;
}

/* Consumes `wanted`, skipping blanks before it; false if the next character is another. */
static bool accept(cursor *c, char wanted) {
    skip_blanks(c);
    if (c->at == c->end || *c->at != wanted)
        return false;
    c->at++;
    return true;
}

static bool accept_word(cursor *c, const char *word) {
    skip_blanks(c);
    size_t length = strlen(word);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0)
        return false;
    c->at += length;
    return true;
}

/* 'text' or "text", without escapes. */
static bool accept_string(cursor *c, cursor *content) {
    skip_blanks(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
        return false;
    const char *close = memchr(c->at + 1, *c->at, (size_t)(c->end - c->at - 1));
    if (!close)
        return false;
    *content = (cursor){c->at + 1, close};
    c->at = close + 1;
    return true;
}

static bool accept_number(cursor *c, int64_t *number) {
    skip_blanks(c);
    const char *begin = c->at;
    int64_t value = 0;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
        if (!dl_multiply(value, 10, &value) || __builtin_add_overflow(value, *c->at - '0', &value))
            return false;
    bool any = c->at > begin;
    if (any && c->at < c->end && *c->at == 'L') /* Python 2 */
        c->at++;
    *number = value;
    return any;
}

static dltf_status unsupported(cursor descr) {
    return dl_fail(DLTF_FORMAT,
                   "unsupported dtype '%s': convert to float32, float64 or an integer type, e.g. with "
                   "x.astype(\"float32\")",
                   DL_PRINTABLE(descr.at, descr.end - descr.at));
}

static bool known_item(char kind, int64_t item) {
    if (kind == 'f')
        return item == 2 || item == 4 || item == 8;
    if (kind == 'V') /* bytes without a meaning: how NumPy stores bfloat16, which it does not know */
        return item == 2;
    if (kind == 'i' || kind == 'u')
        return item == 1 || item == 2 || item == 4 || item == 8;
    return (kind == 'S' || kind == 'U') && item >= 1 && item <= INT32_MAX;
}

static dltf_status read_descr(cursor *c, dl_elements *elements) {
    cursor descr;
    skip_blanks(c);
    if (c->at < c->end && *c->at == '[')
        return dl_fail(DLTF_FORMAT, "structured dtype is unsupported: save each field as a plain array");
    if (!accept_string(c, &descr))
        return corrupt("a dtype");
    cursor rest = descr;
    char order = '|', kind = 0;
    if (rest.at < rest.end && strchr("<>|=", *rest.at) && *rest.at)
        order = *rest.at++;
    if (rest.at < rest.end)
        kind = *rest.at++;
    if (kind == 'O')
        return dl_fail(
            DLTF_FORMAT,
            "contains Python objects: convert with x.astype(\"float32\") (requires rows of equal length)");
    if (!accept_number(&rest, &elements->item) || rest.at != rest.end || !known_item(kind, elements->item))
        return unsupported(descr);
    char host = dl_host_is_little() ? '<' : '>';
    elements->kind = kind;
    elements->swapped =
        (order == '<' || order == '>') && order != host && kind != 'S' && (elements->item > 1 || kind == 'U');
    if (kind == 'U')
        elements->item *= 4;
    return DLTF_OK;
}

static dltf_status read_order(cursor *c, dl_elements *elements) {
    elements->fortran = accept_word(c, "True");
    if (!elements->fortran && !accept_word(c, "False"))
        return corrupt("True or False");
    return DLTF_OK;
}

static dltf_status read_shape(cursor *c, dl_elements *elements) {
    if (!accept(c, '('))
        return corrupt("a shape");
    elements->rank = 0;
    while (!accept(c, ')')) {
        if (elements->rank == DL_MAX_AXES)
            return dl_fail(DLTF_FORMAT, "has more than %d axes", DL_MAX_AXES);
        if (!accept_number(c, &elements->shape[elements->rank++]))
            return corrupt("an axis length");
        if (!accept(c, ',')) {
            if (!accept(c, ')'))
                return corrupt("a closing parenthesis");
            break;
        }
    }
    return DLTF_OK;
}

static bool key_is(cursor key, const char *name) {
    return (size_t)(key.end - key.at) == strlen(name) && memcmp(key.at, name, strlen(name)) == 0;
}

dltf_status dl_npy_dict_parse(const char *text, int64_t length, dl_elements *elements) {
    static const struct {
        const char *name;
        dltf_status (*read)(cursor *c, dl_elements *elements);
    } keys[] = {{"descr", read_descr}, {"fortran_order", read_order}, {"shape", read_shape}};
    enum { KEYS = sizeof keys / sizeof keys[0] };
    cursor c = {text, text + length};
    bool seen[KEYS] = {false};
    if (!accept(&c, '{'))
        return corrupt("a dictionary");
    while (!accept(&c, '}')) {
        cursor key;
        if (!accept_string(&c, &key) || !accept(&c, ':'))
            return corrupt("a key");
        int which = 0;
        while (which < KEYS && !key_is(key, keys[which].name))
            which++;
        if (which == KEYS || seen[which])
            return corrupt("descr, fortran_order and shape, once each");
        seen[which] = true;
        dltf_status status = keys[which].read(&c, elements);
        if (status != DLTF_OK)
            return status;
        if (!accept(&c, ',')) {
            if (!accept(&c, '}'))
                return corrupt("the end of the dictionary");
            break;
        }
    }
    skip_blanks(&c);
    if (c.at != c.end)
        return corrupt("nothing after the dictionary");
    for (int which = 0; which < KEYS; which++)
        if (!seen[which])
            return corrupt(keys[which].name);
    return DLTF_OK;
}
