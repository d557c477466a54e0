/* Codes over true atoms as codes over the atoms of a learned model. */
#ifndef CLI_RELABEL_H
#define CLI_RELABEL_H

#include "program/program.h"

/* Replaces the codes. Atoms are matched one to one (dltf_match); a value changes its sign if its atom points
 * the other way. An entry of an atom without a counterpart is dropped: its support is then not that of k
 * atoms. */
dltf_status relabel_codes(dltf_matrix truth, const dltf_model *model, dltf_codes **codes);

#endif
