/* Cells measured side by side, each in a process of its own. */
#ifndef EXPERIMENTS_JOBS_H
#define EXPERIMENTS_JOBS_H

#include "experiments/cells.h"

/* Measures cells that are not done, request->jobs at a time, until all are or one fails. A cell that fails is
 * left undone: measured once more by the caller, it shows its error. */
dltf_status jobs_measure(cell_list *list);

#endif
