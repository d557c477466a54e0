/* Rows: a JSON array of flat objects, one for each row of a table. Written as a table for people, as CSV or
 * as HTML. A missing or null value is "no value". */
#ifndef REPORT_ROWS_H
#define REPORT_ROWS_H

#include <jansson.h>
#include <stdio.h>

enum { ROWS_MOST_COLUMNS = 32, ROWS_CELL_SIZE = 512 };

/* Aligned columns for people: three decimals, a dash for no value. Leaves out columns without any value. */
void rows_print(const json_t *rows, FILE *out);

/* Allocated text; empty fields for no value. NULL without memory. */
char *rows_csv(const json_t *rows);

/* A table element with the columns named by `keys` (NULL-terminated), empty cells for no value. */
void rows_html(const json_t *rows, const char *const *keys, FILE *out);

/* ---- What the writers share ---- */

/* The keys of all rows, in the order in which they first appear. Returns how many there are. */
int rows_columns(const json_t *rows, const char *columns[ROWS_MOST_COLUMNS]);

/* How reals are written: nine digits for programs, three decimals so that a column lines up, four digits. */
typedef enum rows_reals { ROWS_EXACT, ROWS_ALIGNED, ROWS_SHORT } rows_reals;

/* A value as text; "" for no value. */
void rows_cell(const json_t *value, rows_reals reals, char text[ROWS_CELL_SIZE]);

#endif
