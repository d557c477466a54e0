/* The first atoms of a model: option --atoms, and the prefixes of nested dictionaries. */
#ifndef CLI_PREFIX_H
#define CLI_PREFIX_H

#include "cli/output.h"

/* The row of option --atoms in the table of a struct with a field `atoms`. */
#define PREFIX_OPTION(type, action)                                                                          \
    {                                                                                                        \
        .name = "atoms", .kind = DL_OPTION_INTEGER, .offset = offsetof(type, atoms), .min = 1,               \
        .max = DL_OPTION_MAX_COUNT, .argument = "P",                                                         \
        .help =                                                                                              \
            action " only the first P atoms of MODEL, which are a dictionary of their own if it is nested "  \
                   "(train --nested) and P is one of its prefixes, as listed by inspect"                     \
    }

/* Loads a model, or its first atoms; atoms = 0: all. Returns an exit code. */
int prefix_load_model(const char *path, int64_t atoms, dltf_model **model);

/* Which atoms are in use, and whether they are a dictionary of their own; nothing if they are all. */
void prefix_report(facts *f, const dltf_model *model);

enum { PREFIX_MOST = 8 };

/* The prefixes of a nested dictionary, ascending; none of other dictionaries. */
typedef struct prefix_list {
    int64_t count, atoms[PREFIX_MOST];
    bool measured;
    dltf_reconstruction errors[PREFIX_MOST]; /* of samples, each prefix with its own k best; if measured */
} prefix_list;

prefix_list prefix_list_of(const dltf_model *model);
dltf_status prefix_list_measure(prefix_list *list, const dltf_model *model, dltf_matrix X);
void prefix_list_report(facts *f, const prefix_list *list);

#endif
