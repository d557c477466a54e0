/* The report of dltf suggest. */
#ifndef CLI_SUGGESTION_H
#define CLI_SUGGESTION_H

#include "program/program.h"

/* data: the file. */
void suggestion_print(const dltf_suggestion *suggestion, const char *data, bool json);

#endif
