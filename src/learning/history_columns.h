/* The columns of the history of a training, for programs that print or store it. */
#ifndef DL_LEARNING_HISTORY_COLUMNS_H
#define DL_LEARNING_HISTORY_COLUMNS_H

#include "base/status.h"

/* The fields of a record, for programs that print or store them. */
typedef enum dl_history_kind {
    DL_HISTORY_TEXT,    /* const char * */
    DL_HISTORY_INTEGER, /* int64_t */
    DL_HISTORY_REAL,    /* double */
} dl_history_kind;

typedef struct dl_history_column {
    const char *name;
    size_t offset; /* in dltf_iteration */
    dl_history_kind kind;
} dl_history_column;

const dl_history_column *dl_history_columns(int *count);

#endif
