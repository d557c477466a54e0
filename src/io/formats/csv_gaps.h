/* Missing values of a table, and a column that is none. */
#ifndef DL_IO_FORMATS_CSV_GAPS_H
#define DL_IO_FORMATS_CSV_GAPS_H

#include "data/reading.h"
#include "io/formats/csv_columns.h"

/* Drops the rows with NaN, or replaces NaN by the mean of its column. Says so in `remark`. Fails if nothing
 * is left of the rows or of a column. */
dltf_status dl_csv_fill_gaps(const dl_csv_columns *columns, dl_missing missing, double *numbers,
                             int64_t *rows, char *remark, size_t size);

/* Appends a remark if one of several columns has ascending integers, as those that number the rows, and
 * nearly all of the variance: a dictionary would learn nothing else. */
void dl_csv_remark_identifier(const dl_csv_columns *columns, const double *numbers, int64_t rows,
                              char *remark, size_t size);

#endif
