/* Numbers and untrusted text, formatted for messages. */
#ifndef DL_BASE_SHOWN_H
#define DL_BASE_SHOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DL_SHOWN = 64 };

/* 40960 as "40,960", written to `text`, which is returned. */
const char *dl_commas_in(char text[DL_SHOWN], int64_t number);
bool dl_is_utf8(const char *text);
/* The first bytes of file content, unprintable ones as '?', followed by "..." if truncated. */
const char *dl_shown_in(char text[DL_SHOWN], const void *bytes, int64_t count);

/* Copies a text so that a terminal can show it: control characters, code points that change the direction or
 * break the line, and bytes that are not UTF-8 become \xNN. For text from files, such as notes and names of
 * options; texts and messages of errors are already in this form. Writes at most `size` bytes with the
 * terminating 0, cutting off the rest, and returns `shown`. */
const char *dl_printable(const char *text, char *shown, size_t size);

/* The same, in memory that is valid until the end of the enclosing block: for arguments of dl_fail. */
#define DL_COMMAS(number) dl_commas_in((char[DL_SHOWN]){0}, (number))
#define DL_PRINTABLE(bytes, count) dl_shown_in((char[DL_SHOWN]){0}, (bytes), (count))

#endif
