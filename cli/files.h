/* Files of the command line: default names, checks before any work starts, loading and saving with error
 * messages on stderr. */
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include "program/program.h"

#include <stdio.h>

/* Rejects outputs that cannot be written, that would overwrite an input, or that are given twice, and inputs
 * that are not the same on all ranks. Skips NULL names. Returns an exit code. */
int files_check(int input_count, const char *const *inputs, int output_count, const char *const *outputs);

/* Creates the folder if it does not exist. Returns an exit code. */
int files_make_folder(const char *path);

/* Ignores case. */
bool files_has_ending(const char *name, const char *ending);

/* Reject a name whose extension is not supported for writing a matrix (called `what` in the message),
 * integers or a picture. Accept NULL. Return an exit code. */
int files_check_matrix(const char *what, const char *name);
int files_check_integers(const char *what, const char *name);
int files_check_picture(const char *name);

/* Whether the name is "-", for standard input or output. */
bool files_is_standard(const char *name);

/* Whether both names refer to the same file, existing or not. */
bool files_same(const char *a, const char *b);

/* The file part of FILE.npz:NAME, otherwise the path itself. Allocated; NULL if out of memory. */
char *files_container(const char *data);

/* "dir/train-images-idx3-ubyte.gz" and ".codes.npz" give "train-images.codes.npz", allocated; NULL
 * after a failure, which was printed. */
char *files_default_name(const char *data, const char *ending);

/* "a" + "b", allocated; NULL after a failure, which was printed. */
char *files_join(const char *a, const char *b);

/* Writes text atomically. NULL text counts as out of memory. Returns an exit code. */
int files_save_text(const char *path, const char *text);

/* Makes sure that a file of about this many floats can be written after a long computation. Free `space`
 * right before. Returns an exit code. */
int files_reserve(const char *path, int64_t floats, dl_reservation **space);

/* Saves what took long to compute. If the path cannot be written, looks for another folder. Returns the path
 * that was written; NULL if there is none. Unless it is `path`, a failure was printed. */
typedef dltf_status (*files_saver)(const void *object, const char *path);
const char *files_save_anywhere(files_saver save, const void *object, const char *path);

/* How all data files are read from now on: the options of the command, which must outlive its run. */
void files_configure(const dl_reading *reading);

/* Prints those that differ from their defaults, each after a blank, for a command that users can paste. */
void files_print_reading(FILE *out);

/* Like the library's loaders, with a specific error for a model or codes given as data, or the reverse.
 * Return an exit code. */
int files_load_data(const char *path, dltf_array **array);
/* The same, or rows that are read when they are needed if the format allows it. */
int files_open_rows(const char *path, int64_t raw_columns, dltf_array **array);
/* Only rejects what cannot be a data file, by its name. */
int files_check_data(const char *path);
/* The same where sparse codes are accepted, too; sets one of the two. */
int files_load_data_or_codes(const char *path, dltf_array **array, dltf_codes **codes);
/* The same for data read in pieces; "-" is standard input. */
int files_open_data(const char *path, int64_t raw_columns, dltf_reader **reader);
int files_load_model(const char *path, dltf_model **model);
/* Rejects a data file where a model is expected, by its name. */
int files_check_model(const char *path);

/* A name that can be pasted into a shell: quoted where needed, ./-name for -name. Returns one of a few static
 * buffers, used in rotation. */
const char *files_quoted(const char *name);

#endif
