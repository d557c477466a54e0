/* The cells of an experiment: what is to be measured, and what was. */
#ifndef EXPERIMENTS_CELLS_H
#define EXPERIMENTS_CELLS_H

#include "experiments/experiment.h"

typedef struct cell_result {
    const char *method;
    int setting;
    int64_t seed;
    bool done;
    double values[EXPERIMENT_MAX_METRICS];
} cell_result;

/* The request with the cells that it selects, in the order of the rows; the seeds of a row follow each other.
 */
typedef struct cell_list {
    const experiment *self;
    const experiment_request *request;
    cell_result *cells;
    int64_t count, finished;
} cell_list;

/* Whether some method of the request applies to one of its settings. */
bool cells_exist(const experiment *self, const experiment_request *request);

dltf_status cells_new(const experiment *self, const experiment_request *request, cell_list *list);
void cells_free(cell_list *list);

/* Measures all cells that are not done, and keeps the results in the folder of the request, if it has one. */
dltf_status cells_measure(cell_list *list);

/* Measures one cell in this process; it contributes to the overall progress. */
dltf_status cells_measure_one(cell_list *list, cell_result *cell);

/* Marks a cell as done, counts it and keeps it. DLTF_FILE if it cannot be written. */
dltf_status cells_finish(cell_list *list, cell_result *cell);

/* Reports overall progress, with `part` of CELL_PARTS of the next cell; not 0: the user cancels. */
enum { CELL_PARTS = 1000 };
int cells_report(const cell_list *list, int64_t part);

/* The cell of the same setting and seed by another method; NULL if it was not measured. */
const cell_result *cells_find(const cell_list *list, const char *method, int setting, int64_t seed);

/* What is common to all cells, for the reader and to tell results of other protocols apart. */
json_t *cells_protocol(const experiment *self, const experiment_request *request);

#endif
