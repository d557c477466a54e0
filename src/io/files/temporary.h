/* Temporary files that become outputs. They have no name where the file system allows it (O_TMPFILE), except
 * between the two calls that replace an existing file. Elsewhere they have short hidden names. Files with a
 * name are locked while in use: the next writer of the same output removes what a killed process left. */
#ifndef DL_IO_FILES_TEMPORARY_H
#define DL_IO_FILES_TEMPORARY_H

#include <stdbool.h>

enum { DL_TEMPORARY_NAME = 40 };

/* All return -1 and set errno on failure. `target` is the name that the file will get in the folder. */

/* A descriptor of a folder, for the functions below; need not be readable. */
int dl_temporary_folder(const char *path);
/* Creates a file for reading and writing, with the permissions of the umask, and returns its descriptor.
 * `name` is its name; "" if it has none. Removes what killed writers of the same target left. */
int dl_temporary_create(int folder, const char *target, char name[DL_TEMPORARY_NAME]);
/* The same for file systems without O_TMPFILE: the file always has a name. */
int dl_temporary_create_named(int folder, const char *target, char name[DL_TEMPORARY_NAME]);
/* Gives the file its final name, replacing an existing file. Sets `name` to "" on success. */
int dl_temporary_publish(int folder, int descriptor, const char *target, char name[DL_TEMPORARY_NAME]);

/* If `name` is one of a temporary file, removes it if the process that made it was killed, and returns true.
 * For targets that will not be written again. */
bool dl_temporary_remove_any(int folder, const char *name);

/* A file without name in a folder given by path, for the process alone. */
int dl_temporary_scratch(const char *folder);

#endif
