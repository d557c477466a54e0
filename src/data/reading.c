/* The options of reading samples. */
#include "data/reading.h"

#define FIELD(field) .offset = offsetof(dl_reading, field)

/* clang-format off */
static const dl_option options[] = {
    {.name = "columns-axis", .kind = DL_OPTION_CHOICE, FIELD(columns_axis), .default_text = "auto", .choices = "auto|last|rest", .argument = "AXIS", .help = "of an array with three or more axes: the last axis is the columns, all others are samples (last), or the first axis is the samples, all others are columns (rest). auto: rest for IDX files and for images, which are uint8 arrays of three axes, or of four if the second or the last has length 1, 3 or 4; otherwise last"},
    {.name = "columns", .kind = DL_OPTION_TEXT, FIELD(columns), .argument = "LIST", .help = "of text files: the columns to use, by number from 1, range or name, such as 2-30,price; -NAME leaves a column out (default: all)"},
    {.name = "missing", .kind = DL_OPTION_CHOICE, FIELD(missing), .default_text = "error", .choices = "error|drop|mean", .argument = "WHAT", .help = "of text files: empty fields, NA, NaN, null and ? are an error (error), drop their row (drop) or become the mean of their column (mean)"},
};
/* clang-format on */

dl_option_table dl_reading_option_table(void) {
    return (dl_option_table)DL_OPTION_TABLE(options, dl_reading);
}

dltf_status dl_reading_check_binary(const dl_reading *reading) {
    if (reading && reading->columns)
        return dl_fail_option(DLTF_ARGUMENT, "columns",
                              "is for text files (.csv, .tsv, .txt): the file has no text");
    if (reading && reading->missing != DL_MISSING_ERROR)
        return dl_fail_option(DLTF_ARGUMENT, "missing",
                              "is for text files (.csv, .tsv, .txt): the file has no text");
    return DLTF_OK;
}
