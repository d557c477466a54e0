/* Missing values and identifiers. */
#include "io/formats/csv_gaps.h"

#include "base/memory.h"
#include "base/shown.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The column of the file that is kept column `kept`. */
static int64_t column_of(const dl_csv_columns *c, int64_t kept) {
    for (int64_t column = 0; column < c->count; column++)
        if (c->keep[column] && kept-- == 0)
            return column;
    return -1;
}

static dltf_status drop_rows(const dl_csv_columns *c, double *numbers, int64_t *rows, char *remark,
                             size_t size) {
    int64_t left = 0, n = c->kept;
    for (int64_t i = 0; i < *rows; i++) {
        bool whole = true;
        for (int64_t j = 0; j < n; j++)
            whole = whole && !isnan(numbers[i * n + j]);
        if (whole)
            memmove(numbers + left++ * n, numbers + i * n, (size_t)n * sizeof *numbers);
    }
    if (left == 0)
        return dl_fail(DLTF_DATA, "all %s rows have missing values: --missing mean fills them",
                       DL_COMMAS(*rows));
    if (left < *rows)
        snprintf(remark, size, "%s of %s rows had missing values and were dropped", DL_COMMAS(*rows - left),
                 DL_COMMAS(*rows));
    *rows = left;
    return DLTF_OK;
}

static dltf_status fill_columns(const dl_csv_columns *c, double *numbers, int64_t rows, char *remark,
                                size_t size) {
    int64_t filled = 0, n = c->kept;
    char name[DL_CSV_NAME];
    for (int64_t j = 0; j < n; j++) {
        double mean = 0;
        int64_t present = 0;
        for (int64_t i = 0; i < rows; i++)
            if (!isnan(numbers[i * n + j]))
                mean += (numbers[i * n + j] - mean) / (double)++present;
        if (present == 0)
            return dl_fail(DLTF_DATA, "column %s has no values: leave it out with --columns",
                           dl_csv_columns_name(c, column_of(c, j), name));
        for (int64_t i = 0; i < rows; i++)
            if (isnan(numbers[i * n + j]))
                numbers[i * n + j] = mean;
        filled += rows - present;
    }
    if (filled > 0)
        snprintf(remark, size, "%s missing values were replaced by the mean of their column",
                 DL_COMMAS(filled));
    return DLTF_OK;
}

dltf_status dl_csv_fill_gaps(const dl_csv_columns *c, dl_missing missing, double *numbers, int64_t *rows,
                             char *remark, size_t size) {
    return missing == DL_MISSING_DROP ? drop_rows(c, numbers, rows, remark, size)
                                      : fill_columns(c, numbers, *rows, remark, size);
}

/* Sum of squares about the mean; `ascends`: whether the column has integers, each larger than the last. */
static double spread(const double *column, int64_t stride, int64_t rows, bool *ascends) {
    double mean = 0, sum = 0;
    *ascends = true;
    for (int64_t i = 0; i < rows; i++) {
        double value = column[i * stride], step = value - mean;
        mean += step / (double)(i + 1);
        sum += step * (value - mean);
        *ascends = *ascends && value == floor(value) && (i == 0 || value > column[(i - 1) * stride]);
    }
    return sum;
}

void dl_csv_remark_identifier(const dl_csv_columns *c, const double *numbers, int64_t rows, char *remark,
                              size_t size) {
    enum { FEWEST_ROWS = 10 };
    const double SHARE = 0.9;
    double total = 0, largest = 0;
    int64_t found = -1;
    if (c->kept < 2 || rows < FEWEST_ROWS)
        return;
    for (int64_t j = 0; j < c->kept; j++) {
        bool ascends;
        double sum = spread(numbers + j, c->kept, rows, &ascends);
        total += sum;
        if (ascends && sum > largest) {
            largest = sum;
            found = j;
        }
    }
    if (found < 0 || !(largest > SHARE * total))
        return;
    char name[DL_CSV_NAME];
    size_t used = strlen(remark);
    dl_csv_columns_name(c, column_of(c, found), name);
    snprintf(remark + used, size - used,
             "%scolumn %s numbers the rows and has %.4g%% of the variance: leave it out with --columns=-%s",
             used ? "; " : "", name, 100 * largest / total, name);
}
