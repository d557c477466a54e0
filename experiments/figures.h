/* Figures of experiments as files. */
#ifndef EXPERIMENTS_FIGURES_H
#define EXPERIMENTS_FIGURES_H

#include "program/program.h"

/* Writes a picture into a folder that must exist, and frees it. NULL counts as out of memory. */
dltf_status figures_save(char *picture, const char *folder, const char *name);

#endif
