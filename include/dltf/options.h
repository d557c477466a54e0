/* dltf/options.h: option tables: every option described once, for programs that set options by name. */
#ifndef DLTF_OPTIONS_H
#define DLTF_OPTIONS_H

#include "dltf/core.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dltf_option_kind {
    DLTF_OPTION_INTEGER,
    DLTF_OPTION_REAL,
    DLTF_OPTION_FLAG,   /* bool, no argument */
    DLTF_OPTION_CHOICE, /* an enum; `choices` names its values in order, separated by '|' */
    DLTF_OPTION_TEXT,   /* const char *, borrowed */
    DLTF_OPTION_BYTES,  /* int64_t; units such as 500M and 2G are powers of 1024 */
    DLTF_OPTION_SWITCH, /* dltf_switch; a flag on command lines: --name or --no-name, otherwise auto */
} dltf_option_kind;

/* DLTF_YES equals true. */
typedef enum dltf_switch { DLTF_AUTO, DLTF_YES, DLTF_NO } dltf_switch;

/* One row of an option table: the complete description of an option. */
typedef struct dltf_option {
    const char *name; /* "theta-start" */
    char letter;      /* 'm', or 0 */
    dltf_option_kind kind;
    size_t offset;            /* of the field in its struct */
    const char *default_text; /* NULL: none, the library chooses */
    double min, max;          /* bounds of numbers, inclusive */
    const char *choices;
    const char *applies;  /* variants that use the option, separated by '|'; NULL: all */
    const char *argument; /* placeholder for the value in help: "N", "FILE" */
    const char *help;
} dltf_option;

/* Variants are the alternatives that a struct selects among and to which not every option applies: methods,
 * coders, encoders. Each has the name of the choice that selects it. */
typedef struct dltf_option_table {
    const dltf_option *options;
    int count;
    size_t size;          /* of the struct that the offsets are in */
    const char *variants; /* separated by '|'; NULL: none */
    /* Bit i: the struct selects variant i or leaves it open. NULL without variants. */
    unsigned (*possible)(const void *target);
} dltf_option_table;

/* Initialises a table without variants from an array of rows and the type of the struct. */
#define DLTF_OPTION_TABLE(rows, type)                                                                        \
    { rows, (int)(sizeof(rows) / sizeof *(rows)), sizeof(type), NULL, NULL }

/* NULL if not found. */
DLTF_API const dltf_option *dltf_option_find(dltf_option_table table, const char *name);

/* Parses `text` into the field of `target` that belongs to option `name`; flags take "true" or "false",
 * switches also "yes", "no" and "auto". */
DLTF_API dltf_status dltf_option_set(dltf_option_table table, void *target, const char *name,
                                     const char *text);

/* Sets every option of a table to its default. */
DLTF_API void dltf_option_defaults(dltf_option_table table, void *target);

/* Rejects values that the table does not allow, options that do not apply to the selected variant, and
 * options that contradict each other. `given`: the names of the options that were set, ending with NULL;
 * names that are not in the table are ignored. NULL: those that differ from their default. */
DLTF_API dltf_status dltf_option_check(dltf_option_table table, const void *target, const char *const *given);

/* What an option applies to, as text: "encoder tied or method ksvd"; "" for everything. Returns like
 * snprintf. */
DLTF_API int dltf_option_scope(dltf_option_table table, const dltf_option *option, char *text, size_t size);

/* A field as text that dltf_option_set reads back to the same value; returns like snprintf. */
DLTF_API int dltf_option_format(const dltf_option *option, const void *target, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
