/* Text to number, fast and correctly rounded. strtod alone would follow the locale, accept hexadecimal, and
 * need a terminated string; it is the fallback where the fast path is not exact. */
#include "base/number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_LENGTH = 512, MAX_DIGITS = 18, MAX_POWER = 22 };

dltf_status dl_decimal_point_open(dl_decimal_point *point) {
    point->plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (point->plain == (locale_t)0)
        return dl_fail(DLTF_MEMORY, "cannot create the C locale: %s", strerror(errno));
    point->previous = uselocale(point->plain);
    return DLTF_OK;
}

void dl_decimal_point_close(dl_decimal_point *point) {
    uselocale(point->previous);
    freelocale(point->plain);
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* A parsed number: digits * 10^power. */
typedef struct decimal {
    uint64_t digits; /* the first MAX_DIGITS */
    int count;       /* of significant digits */
    int64_t power;
} decimal;

/* Digits with at most one point among them; false if there is no digit. */
static bool scan_digits(const char **at, const char *end, decimal *d) {
    bool any = false, point = false;
    for (; *at < end && (is_digit(**at) || (**at == '.' && !point)); (*at)++) {
        if (**at == '.') {
            point = true;
            continue;
        }
        any = true;
        if (d->count > 0 || **at != '0')
            d->count++;
        if (d->count <= MAX_DIGITS)
            d->digits = 10 * d->digits + (uint64_t)(**at - '0');
        d->power -= point;
    }
    return any;
}

static bool scan_exponent(const char **at, const char *end, decimal *d) {
    if (*at == end || (**at != 'e' && **at != 'E'))
        return true;
    (*at)++;
    bool negative = *at < end && **at == '-';
    if (*at < end && (**at == '-' || **at == '+'))
        (*at)++;
    if (*at == end || !is_digit(**at))
        return false;
    int64_t exponent = 0;
    for (; *at < end && is_digit(**at); (*at)++)
        if (exponent < 1000000)
            exponent = 10 * exponent + (**at - '0');
    d->power += negative ? -exponent : exponent;
    return true;
}

static bool word_is(const char *text, int64_t length, const char *word) {
    return (size_t)length == strlen(word) && strncasecmp(text, word, (size_t)length) == 0;
}

static bool parse_word(const char *text, int64_t length, double *value) {
    if (word_is(text, length, "nan"))
        *value = (double)NAN;
    else if (word_is(text, length, "inf") || word_is(text, length, "infinity"))
        *value = (double)INFINITY;
    else
        return false;
    return true;
}

bool dl_number_parse(const char *text, int64_t length, double *value) {
    static const double powers[MAX_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (length <= 0 || length >= MAX_LENGTH)
        return false;
    const char *at = text, *end = text + length;
    bool negative = *at == '-';
    if (*at == '-' || *at == '+')
        at++;
    double magnitude = 0.0;
    decimal d = {0};
    const char *number = at;
    if (!scan_digits(&at, end, &d) || !scan_exponent(&at, end, &d) || at != end) {
        if (!parse_word(number, end - number, &magnitude))
            return false;
    } else if (d.count <= MAX_DIGITS && d.digits <= (UINT64_C(1) << 53) && d.power >= -MAX_POWER &&
               d.power <= MAX_POWER) {
        /* Both factors are exact doubles, so one operation rounds once: the correctly rounded result. */
        magnitude = d.power < 0 ? (double)d.digits / powers[-d.power] : (double)d.digits * powers[d.power];
    } else {
        char copy[MAX_LENGTH];
        memcpy(copy, number, (size_t)(end - number));
        copy[end - number] = '\0';
        magnitude = strtod(copy, NULL);
    }
    *value = negative ? -magnitude : magnitude;
    return true;
}
