/* Option tables: name, type, default, bounds and help of every option, once, next to the code that it
 * configures. Command-line flags, validation, manual page, completion and the provenance in model files are
 * all generated from them. */
#ifndef DL_BASE_OPTIONS_H
#define DL_BASE_OPTIONS_H

#include "base/parallel.h"
#include "base/status.h"

typedef enum dl_option_kind {
    DL_OPTION_INTEGER,
    DL_OPTION_REAL,
    DL_OPTION_FLAG,   /* bool, no argument */
    DL_OPTION_CHOICE, /* an enum; `choices` names its values in order, separated by '|' */
    DL_OPTION_TEXT,   /* const char *, borrowed */
    DL_OPTION_BYTES,  /* int64_t; units such as 500M and 2G are powers of 1024 */
    DL_OPTION_SWITCH, /* dltf_switch; a flag on command lines: --name or --no-name, otherwise auto */
} dl_option_kind;

/* One row of an option table: the complete description of an option. */
typedef struct dl_option {
    const char *name; /* "theta-start" */
    char letter;      /* 'm', or 0 */
    dl_option_kind kind;
    size_t offset;            /* of the field in its struct */
    const char *default_text; /* NULL: none, the library chooses */
    double min, max;          /* bounds of numbers, inclusive */
    const char *choices;
    const char *applies;  /* variants that use the option, separated by '|'; NULL: all */
    const char *argument; /* placeholder for the value in help: "N", "FILE" */
    const char *help;
} dl_option;

/* Variants are the alternatives that a struct selects among and to which not every option applies: methods,
 * coders, encoders. Each has the name of the choice that selects it. */
typedef struct dl_option_table {
    const dl_option *options;
    int count;
    size_t size;          /* of the struct that the offsets are in */
    bool sized;           /* the struct begins with its size, a size_t, as those of the public headers do */
    const char *variants; /* separated by '|'; NULL: none */
    /* Bit i: the struct selects variant i or leaves it open. NULL without variants. */
    unsigned (*possible)(const void *target);
} dl_option_table;

/* Initialises a table without variants from an array of rows and the type of the struct. */
#define DL_OPTION_TABLE(rows, type)                                                                          \
    { .options = (rows), .count = (int)(sizeof(rows) / sizeof *(rows)), .size = sizeof(type) }
#define DL_SIZED_TABLE(rows, type)                                                                           \
    { .options = (rows), .count = (int)(sizeof(rows) / sizeof *(rows)), .size = sizeof(type), .sized = true }

/* NULL if not found. */
const dl_option *dl_option_find(dl_option_table table, const char *name);

/* Parses `text` into the field of `target` that belongs to option `name`; flags take "true" or "false",
 * switches also "yes", "no" and "auto". */
dltf_status dl_option_set(dl_option_table table, void *target, const char *name, const char *text);

/* Sets every option of a table to its default, and the size if the struct begins with it. */
void dl_option_defaults(dl_option_table table, void *target);

/* Rejects values that the table does not allow, options that do not apply to the selected variant, and
 * options that contradict each other. `given`: the names of the options that were set, ending with NULL;
 * names that are not in the table are ignored. NULL: those that differ from their default. */
dltf_status dl_option_check(dl_option_table table, const void *target, const char *const *given);

/* What an option applies to, as text: "encoder tied or method ksvd"; "" for everything. Returns like
 * snprintf. */
int dl_option_scope(dl_option_table table, const dl_option *option, char *text, size_t size);

/* A field as text that dl_option_set reads back to the same value; returns like snprintf. */
int dl_option_format(const dl_option *option, const void *target, char *text, size_t size);

#define DL_OPTION_MAX_COUNT 2147483647.0

/* The rows of options that mean the same everywhere: `member` of the struct `type`. */
#define DL_THREADS_ROW(type, member, note)                                                                   \
    {                                                                                                        \
        .name = "threads", .kind = DL_OPTION_INTEGER, .offset = offsetof(type, member), .default_text = "0", \
        .max = DL_MAX_THREADS, .argument = "T", .help = "threads to use; 0: all cores" note                  \
    }
#define DL_THREADS_OPTION(type, member) DL_THREADS_ROW(type, member, ". The result does not depend on it")

#define DL_MAX_SEED 9.0e18
#define DL_SEED_OPTION(type, member, text)                                                                   \
    {                                                                                                        \
        .name = "seed", .kind = DL_OPTION_INTEGER, .offset = offsetof(type, member), .default_text = "0",    \
        .max = DL_MAX_SEED, .argument = "S", .help = text                                                    \
    }

/* The same checks for functions that take a number of threads or a seed as an argument. */
dltf_status dl_threads_check(int64_t threads);
dltf_status dl_seed_check(int64_t seed);

/* Returns from the calling function if `threads` is out of range. */
#define DL_REQUIRE_THREADS(threads)                                                                          \
    do {                                                                                                     \
        if (dl_threads_check(threads) != DLTF_OK)                                                            \
            return DLTF_ARGUMENT;                                                                            \
    } while (0)

/* Options that several tables have, with other choices besides. */
#define DL_SELECT_CHOICES "model|abs|positive" /* the values of dltf_select */
#define DL_SELECT_HELP                                                                                       \
    "which scores a code keeps: the largest magnitudes (abs) or the largest positive ones (positive)"
#define DL_INIT_CHOICES "samples|gaussian" /* the values of dltf_init */
#define DL_INIT_HELP "initial dictionary: random samples (samples) or random atoms (gaussian)"

/* Checks the value against its row. */
dltf_status dl_option_check_value(const dl_option *option, const void *target);

/* The value is the default, or 0 where the library chooses. */
bool dl_option_is_default(const dl_option *option, const void *target);

/* The index-th name in a list separated by '|'; false if there is none. */
bool dl_name_at(const char *names, int index, const char **name, size_t *length);
/* The index of a name in such a list; -1 if not found. */
int dl_name_index(const char *names, const char *name, size_t length);

/* The variants that remain if every option that was set (`given` as in dl_option_check) must apply, and the
 * last option that ruled one out, or NULL. Fails if none remains. Does not check values. */
dltf_status dl_variants_left(dl_option_table table, const void *target, const char *const *given,
                             unsigned *left, const dl_option **reason);

#endif
