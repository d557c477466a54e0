/* The history of a training: one record per iteration. */
#ifndef DL_LEARNING_HISTORY_H
#define DL_LEARNING_HISTORY_H

#include "base/status.h"
#include "dltf/learn.h"

/* Bits for the columns that only some stages record. In the other stages they are NaN. */
enum dl_column {
    DL_THETA = 1 << 0,
    DL_OBJECTIVE = 1 << 1,
    DL_NOISE_TERM = 1 << 2,
    DL_INCOHERENCE_TERM = 1 << 3,
    DL_DATA_TERM = 1 << 4,
    DL_RELATIVE_ERROR = 1 << 5,
    DL_PRIMAL_RESIDUAL = 1 << 6,
    DL_DUAL_RESIDUAL = 1 << 7,
    DL_COHERENCE = 1 << 8,
    DL_FRAME_POTENTIAL = 1 << 9,
};

typedef struct dl_history {
    dltf_iteration *records;
    int64_t count, capacity;
} dl_history;

/* Reserves memory for one more record, so that no iteration runs without room for its record. */
dltf_status dl_history_reserve(dl_history *history);
/* Appends a record; the memory must have been reserved. Cannot fail. */
void dl_history_append(dl_history *history, const dltf_iteration *record);
void dl_history_free(dl_history *history);

/* Sets the columns not in `columns` to NaN. Returns the name of a recorded column that is not finite, or
 * NULL. */
const char *dl_history_finish(dltf_iteration *record, unsigned columns);

/* Converts records to and from rows of dl_history_width() doubles, for checkpoints. `stage` is the caller's
 * number of the stage. */
int64_t dl_history_width(void);
void dl_history_to_row(const dltf_iteration *record, int stage, double *row);
/* Returns false if a value is out of range. */
bool dl_history_from_row(const double *row, int *stage, dltf_iteration *record);

#endif
