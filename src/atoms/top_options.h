/* The options of dltf_top_find. */
#ifndef DL_ATOMS_TOP_OPTIONS_H
#define DL_ATOMS_TOP_OPTIONS_H

#include "base/sized.h"
#include "dltf/atoms.h"

/* The rows, for a struct that contains a dltf_top_options: `prefix` leads to its fields. */
#define DL_TOP_COUNT_ROW(title, type, field, value, least, text)                                             \
    {                                                                                                        \
        .name = title, .kind = DL_OPTION_INTEGER, .offset = offsetof(type, field), .default_text = value,    \
        .min = least, .max = 1000, .argument = "N", .help = text                                             \
    }
#define DL_TOP_ROWS(type, prefix)                                                                            \
    DL_TOP_COUNT_ROW("top", type, prefix top, "10", 1, "samples with the largest values of each atom"),      \
        DL_TOP_COUNT_ROW("random", type, prefix random, "5", 0,                                              \
                         "random samples of those that use the atom"),                                       \
        DL_TOP_COUNT_ROW("interval", type, prefix interval, "2", 0,                                          \
                         "random samples of each of five to eight intervals of values"),                     \
        DL_SEED_OPTION(type, prefix seed, "seed of the random samples")

dl_option_table dl_top_option_table(void);

#endif
