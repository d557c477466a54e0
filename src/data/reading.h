/* How a file of samples is read: what the file itself leaves open. */
#ifndef DL_DATA_READING_H
#define DL_DATA_READING_H

#include "base/options.h"

/* Which axes of an array with three and more are the columns. */
typedef enum dl_columns_axis {
    DL_AXIS_AUTO, /* the last one; for images (dl_elements_shape) all but the first */
    DL_AXIS_LAST,
    DL_AXIS_REST, /* all but the first */
} dl_columns_axis;

/* What becomes of empty fields of text, and of NA, NaN and the like. */
typedef enum dl_missing {
    DL_MISSING_ERROR,
    DL_MISSING_DROP, /* the row */
    DL_MISSING_MEAN, /* of the column, over the rows that have it */
} dl_missing;

typedef struct dl_reading {
    dl_columns_axis columns_axis;
    const char *columns; /* of text: which ones, such as "2-30,price,-id"; NULL: all */
    dl_missing missing;  /* of text */
    const char *member;  /* of an archive; NULL: its only array. Not an option: part of a path */
} dl_reading;

/* The options of every command that reads samples. */
dl_option_table dl_reading_option_table(void);

/* The options that differ from their defaults need a text file: an error that names the option. */
dltf_status dl_reading_check_binary(const dl_reading *reading);

#endif
