/* Which columns of a text file are read. */
#ifndef DL_IO_FORMATS_CSV_COLUMNS_H
#define DL_IO_FORMATS_CSV_COLUMNS_H

#include "base/status.h"
#include "io/formats/csv_lines.h"

typedef struct dl_csv_columns {
    int64_t count;      /* of the file */
    int64_t kept;       /* of these, */
    bool *keep;         /* which */
    dl_csv_line header; /* their names; `at` is NULL without */
} dl_csv_columns;

/* Sets `kept` and `keep` by a list such as "2-30,price,-id" (NULL: all): numbers from 1, ranges and names;
 * those with a dash are left out, of all columns if the list has no others. `keep` is freed with dl_free,
 * also after a failure. */
dltf_status dl_csv_columns_choose(dl_csv_columns *columns, const char *list);

/* What a list calls a column, counted from 0: its name or, if that is not a plain word, its number. */
enum { DL_CSV_NAME = 40 };
const char *dl_csv_columns_name(const dl_csv_columns *columns, int64_t column, char text[DL_CSV_NAME]);

#endif
