/* The report of dltf suggest. */
#ifndef CLI_SUGGESTION_H
#define CLI_SUGGESTION_H

#include "cli/halving.h"

/* data: the file, which has `rows` samples. */
void suggestion_print(const halving *h, const char *data, int64_t rows, bool json);

#endif
