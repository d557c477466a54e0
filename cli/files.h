/* Files as the command line sees them: default names, checks before any work starts, loading and saving with
 * sentences that fit the command. */
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include "dltf.h"

/* Refuses, with a sentence, outputs that cannot be written or that are an input or each other. NULL names are
 * skipped. Returns an exit code. */
int files_check(int input_count, const char *const *inputs, int output_count, const char *const *outputs);

/* The folder is there afterwards, made if need be. Returns an exit code. */
int files_make_folder(const char *path);

/* Upper or lower case. */
bool files_has_ending(const char *name, const char *ending);

/* Refuse, with a sentence, a name under which a matrix (called `what` in it) or a picture is not written.
 * NULL names are fine: nothing is written. Return an exit code. */
int files_check_matrix(const char *what, const char *name);
int files_check_picture(const char *name);

/* "-": standard input or output. */
bool files_is_standard(const char *name);

/* Both names lead to the same file, existing or not. */
bool files_same(const char *a, const char *b);

/* "dir/train-images-idx3-ubyte.gz" and ".codes.npz" give "train-images.codes.npz", allocated; NULL after a
 * printed failure. */
char *files_default_name(const char *data, const char *ending);

/* "a" + "b", allocated; NULL after a printed failure. */
char *files_join(const char *a, const char *b);

/* Text to a temporary name, then renamed. NULL text counts as missing memory. Returns an exit code. */
int files_save_text(const char *path, const char *text);

/* Like the library's loaders, but a model or codes where data belong (or the reverse) are named as such.
 * Return an exit code. */
int files_load_data(const char *path, dltf_array **array);
/* The same for data that are read in pieces; "-" is standard input. */
int files_open_data(const char *path, int64_t raw_columns, dltf_reader **reader);
int files_load_model(const char *path, dltf_model **model);

/* A name as a shell and our own parser read it back: quoted where needed, ./-name for -name. In a static ring
 * of a few buffers. */
const char *files_quoted(const char *name);

#endif
