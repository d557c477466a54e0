/* How often the codes of data use the atoms of a model, and how well they reconstruct it. */
#ifndef CLI_ATOM_USE_H
#define CLI_ATOM_USE_H

#include "cli/prefix.h"

typedef struct atom_use {
    int64_t atom, codes; /* how many codes use it */
} atom_use;

typedef struct atom_use_errors {
    int64_t samples;
    dltf_reconstruction raw, refitted;
    prefix_list prefixes;
} atom_use_errors;

/* Codes the samples in a file and sorts the atoms by use. Returns an exit code. */
int atom_use_measure(const char *path, const dltf_model *model, atom_use *use, atom_use_errors *found);

void atom_use_report(facts *f, const atom_use *use, int64_t m, const atom_use_errors *found);

#endif
