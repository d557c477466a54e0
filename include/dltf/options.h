/* dltf/options.h: options by name, for programs that read them from text, and for bindings to other
 * languages. */
#ifndef DLTF_OPTIONS_H
#define DLTF_OPTIONS_H

#include "dltf/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* DLTF_YES equals true. */
typedef enum dltf_switch { DLTF_AUTO, DLTF_YES, DLTF_NO } dltf_switch;

/* The options of a task. Names, values and defaults are those of the commands. */
typedef struct dltf_options dltf_options;

/* The names of the tasks: "train", "encode", "denoise", "gist", "certify", "cluster", "landmark", "hash",
 * "hash_evaluate", "search", "synthetic", "top", "suggest". NULL past the end. */
DLTF_API const char *dltf_options_task(int index);
/* The options of a task. All have their defaults. */
DLTF_API dltf_status dltf_options_new(const char *task, dltf_options **options);
/* Parses `text`. Flags take "true" or "false", switches also "yes", "no" and "auto"; numbers of bytes may
 * have a unit, such as 500M or 2G. */
DLTF_API dltf_status dltf_options_set(dltf_options *options, const char *name, const char *text);
/* The value as text, 0 if the library chooses it; valid until the next call with this handle. NULL if there
 * is no such option. */
DLTF_API const char *dltf_options_get(dltf_options *options, const char *name);
/* The names, in the order of the help; NULL past the end. */
DLTF_API const char *dltf_options_name(const dltf_options *options, int index);
/* What an option means, in a few words. NULL if there is no such option. */
DLTF_API const char *dltf_options_help(const dltf_options *options, const char *name);
/* The struct itself, such as a dltf_train_options, for functions that take a pointer to it. */
DLTF_API const void *dltf_options_struct(const dltf_options *options);
DLTF_API void dltf_options_free(dltf_options *options);

#ifdef __cplusplus
}
#endif

#endif
