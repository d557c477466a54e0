/* Nested dictionaries: the first m/16, m/8, m/4 and m/2 of m atoms are dictionaries, too. */
#ifndef DL_LEARNING_NESTED_H
#define DL_LEARNING_NESTED_H

#include "data/notes.h"

enum { DL_PREFIXES = 5 };

/* Sizes of the prefixes, all m atoms first, then shorter and shorter ones with more than k atoms; returns how
 * many, at most DL_PREFIXES. */
int dl_nested_prefixes(int64_t m, int64_t k, int64_t *prefix);

/* The weight of prefix q, of so many, in the loss; their sum is 1. The shorter a prefix, the larger: what
 * serves it also serves the longer ones, which have atoms of their own for the rest. */
static inline double dl_nested_weight(int count, int q) {
    return 2.0 * (q + 1) / (count * (count + 1));
}

/* Fails if there is only one, or with several ranks. */
dltf_status dl_nested_admit(int64_t m, int64_t k);

/* Sets the note that lists them (data/prefixes.h). */
dltf_status dl_nested_note(int64_t m, int64_t k, dl_notes *notes);

#endif
