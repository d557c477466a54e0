/* Finished cells, kept in a folder so that an interrupted run can go on: cells.jsonl, one JSON object per
 * line. A cell counts only for the same program version, experiment and protocol. */
#ifndef EXPERIMENTS_KEPT_H
#define EXPERIMENTS_KEPT_H

#include "experiments/cells.h"

/* Marks the cells that are in the folder as done. */
dltf_status kept_load(cell_list *list);

/* Appends a cell, if the request has a folder. */
dltf_status kept_add(const cell_list *list, const cell_result *cell);

/* "DIR/NAME-CHECKSUM" for a file that is worth keeping as well; false without a folder. The checksum is of
 * program version and `key`, which tells what the content depends on. */
bool kept_file(const experiment_request *request, const char *name, const char *key, char *path, size_t size);

#endif
