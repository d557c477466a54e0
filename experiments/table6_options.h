/* The options of one cell of Table 6. */
#ifndef EXPERIMENTS_TABLE6_OPTIONS_H
#define EXPERIMENTS_TABLE6_OPTIONS_H

#include "program/program.h"

typedef struct table6_options {
    dl_pretrain_options pretraining;
    dl_network_options training;
} table6_options;

/* Sets options from a list "NAME=VALUE,...", or NULL. Names are those of either table; of pre-training, those
 * that both have are called pretrain-NAME, and those that do not apply to its method are left as they are. */
dltf_status table6_try(table6_options *o, const char *trial);

#endif
