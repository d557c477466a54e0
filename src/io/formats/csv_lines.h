/* Lines and fields of text. */
#ifndef DL_IO_FORMATS_CSV_LINES_H
#define DL_IO_FORMATS_CSV_LINES_H

#include <stdbool.h>
#include <stdint.h>

/* Position in the text, and the number of the last line read. */
typedef struct dl_csv_reader {
    const char *at, *end;
    int64_t line;
} dl_csv_reader;

/* The unread part of a line. */
typedef struct dl_csv_line {
    const char *at, *end;
    char separator; /* ' ': any run of blanks */
    bool more;      /* another field follows, possibly empty */
} dl_csv_line;

typedef struct dl_csv_field {
    const char *text;
    int64_t length;
} dl_csv_field;

/* The next line that is neither blank nor a comment, without its line end. */
bool dl_csv_next_line(dl_csv_reader *reader, dl_csv_line *line);

/* Semicolons take precedence over commas: files with decimal commas are separated by semicolons. */
char dl_csv_separator(dl_csv_line line);

/* The next field, without quotes; false at the end of the line. */
bool dl_csv_next_field(dl_csv_line *line, dl_csv_field *field);
int64_t dl_csv_count_fields(dl_csv_line line);

#endif
