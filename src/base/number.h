/* Decimal numbers as text, independent of the locale. */
#ifndef DL_BASE_NUMBER_H
#define DL_BASE_NUMBER_H

#include "base/status.h"

#include <locale.h>

/* While this is open, printf and strtod of the calling thread use a decimal point, whatever the locale. */
typedef struct dl_decimal_point {
    locale_t plain, previous;
} dl_decimal_point;

dltf_status dl_decimal_point_open(dl_decimal_point *point);
void dl_decimal_point_close(dl_decimal_point *point);

/* Parses a decimal number, nan, inf or infinity, correctly rounded; false for anything else. Needs an open
 * decimal point. */
bool dl_number_parse(const char *text, int64_t length, double *value);

#endif
