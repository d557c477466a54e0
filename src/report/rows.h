/* Rows: a JSON array of flat objects, one per row of a table, written as a text table, CSV or HTML. A missing
 * or null value is "no value". */
#ifndef REPORT_ROWS_H
#define REPORT_ROWS_H

#include <jansson.h>
#include <stdio.h>

enum { ROWS_MAX_COLUMNS = 32, ROWS_CELL_SIZE = 512 };

/* Text table: three decimals, a dash for no value. Omits columns without any value. */
void rows_print(const json_t *rows, FILE *out);

/* CSV with empty fields for no value. Allocated; NULL if out of memory. */
char *rows_csv(const json_t *rows);

/* Reads what rows_csv writes: a header, then a row on each line, without line ends in fields. Numbers become
 * reals; empty fields and NaN have no value. NULL after an error, which is described in `error`. */
enum { ROWS_ERROR_SIZE = 256 };
json_t *rows_read_csv(FILE *in, char error[ROWS_ERROR_SIZE]);

/* An HTML table with the columns `keys` (NULL-terminated), empty cells for no value. */
void rows_html(const json_t *rows, const char *const *keys, FILE *out);

/* ---- Shared by the writers ---- */

/* The keys of all rows, in order of first appearance. Returns their number. */
int rows_columns(const json_t *rows, const char *columns[ROWS_MAX_COLUMNS]);

/* Format of reals: nine digits (for programs), three decimals (aligned columns), four digits. */
typedef enum rows_reals { ROWS_EXACT, ROWS_ALIGNED, ROWS_SHORT } rows_reals;

/* A value as text; "" for no value. */
void rows_cell(const json_t *value, rows_reals reals, char text[ROWS_CELL_SIZE]);

#endif
