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
} dltf_option_kind;

/* One row of an option table: everything that anybody needs to know of an option. */
typedef struct dltf_option {
    const char *name; /* "theta-start" */
    char letter;      /* 'm', or 0 */
    dltf_option_kind kind;
    size_t offset;            /* of the field in its struct */
    const char *default_text; /* NULL: none, the library chooses */
    double min, max;          /* bounds of numbers, both included */
    const char *choices;
    const char *applies;  /* names among the table's variants, separated by '|'; NULL: all use the option */
    const char *argument; /* how help names the value: "N", "FILE" */
    const char *help;
} dltf_option;

/* Variants are what a struct can ask for that not every option applies to: methods, coders, encoders. Each is
 * named like the choice that asks for it. */
typedef struct dltf_option_table {
    const dltf_option *options;
    int count;
    size_t size;          /* of the struct that the offsets are in */
    const char *variants; /* separated by '|'; NULL: none */
    /* Bit i: the struct asks for variant i or leaves it open. NULL without variants. */
    unsigned (*possible)(const void *target);
} dltf_option_table;

/* Initialises a table without variants from an array of rows and the type of the struct. */
#define DLTF_OPTION_TABLE(rows, type)                                                                        \
    { rows, (int)(sizeof(rows) / sizeof *(rows)), sizeof(type), NULL, NULL }

/* NULL if there is none of this name. */
DLTF_API const dltf_option *dltf_option_find(dltf_option_table table, const char *name);

/* Reads `text` into the field of `target` that the table describes; flags take "true" or "false". */
DLTF_API dltf_status dltf_option_set(dltf_option_table table, void *target, const char *name,
                                     const char *text);

/* Sets every option of a table to its default. */
DLTF_API void dltf_option_defaults(dltf_option_table table, void *target);

/* Refuses values that a table does not allow, and options that do not apply to what the struct asks for or
 * contradict each other. `given`: names of the options that were set, NULL at the end; names that are not in
 * the table do not matter. NULL: those that differ from their default. */
DLTF_API dltf_status dltf_option_check(dltf_option_table table, const void *target, const char *const *given);

/* What an option applies to, in words: "encoder tied or method ksvd"; "" for everything. Returns like
 * snprintf. */
DLTF_API int dltf_option_scope(dltf_option_table table, const dltf_option *option, char *text, size_t size);

/* A field as text that dltf_option_set reads back to the same value; returns like snprintf. */
DLTF_API int dltf_option_format(const dltf_option *option, const void *target, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
