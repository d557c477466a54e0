/* Records of the history and the table of their columns. */
#include "learning/history.h"

#include "base/memory.h"
#include "learning/history_columns.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define REAL(field)                                                                                          \
    { #field, offsetof(dltf_iteration, field), DL_HISTORY_REAL }
#define INTEGER(field)                                                                                       \
    { #field, offsetof(dltf_iteration, field), DL_HISTORY_INTEGER }

static const dl_history_column columns[] = {
    {"stage", offsetof(dltf_iteration, stage), DL_HISTORY_TEXT},
    INTEGER(index),
    REAL(theta),
    REAL(objective),
    REAL(noise_term),
    REAL(incoherence_term),
    REAL(data_term),
    REAL(relative_error),
    REAL(primal_residual),
    REAL(dual_residual),
    REAL(coherence),
    REAL(frame_potential),
    REAL(raw_error),
    REAL(refit_error),
    REAL(explained_variance),
    REAL(refit_explained_variance),
    INTEGER(atoms_replaced),
    REAL(seconds),
};

enum { COLUMNS = sizeof columns / sizeof *columns };

/* The bits of enum dl_column follow the order of the table from theta on. */
enum { FIRST_OPTIONAL = 2, OPTIONAL = 10 };

const dl_history_column *dl_history_columns(int *count) {
    if (count)
        *count = COLUMNS;
    return columns;
}

static double *real_field(dltf_iteration *record, int column) {
    return (double *)(void *)((char *)record + columns[column].offset);
}

dltf_status dl_history_reserve(dl_history *history) {
    if (history->count < history->capacity)
        return DLTF_OK;
    int64_t capacity = 2 * history->capacity + 64;
    dltf_iteration *records = dl_grow(history->records, history->count, capacity, sizeof *records);
    if (!records)
        return DLTF_MEMORY;
    history->records = records;
    history->capacity = capacity;
    return DLTF_OK;
}

void dl_history_append(dl_history *history, const dltf_iteration *record) {
    history->records[history->count++] = *record;
}

void dl_history_free(dl_history *history) {
    dl_free(history->records);
    *history = (dl_history){0};
}

const char *dl_history_finish(dltf_iteration *record, unsigned recorded) {
    const char *bad = NULL;
    for (int i = 0; i < OPTIONAL; i++) {
        double *value = real_field(record, FIRST_OPTIONAL + i);
        if (!(recorded >> i & 1))
            *value = NAN;
        else if (!isfinite(*value))
            bad = columns[FIRST_OPTIONAL + i].name;
    }
    return bad;
}

int64_t dl_history_width(void) {
    return COLUMNS;
}

void dl_history_to_row(const dltf_iteration *record, int stage, double *row) {
    for (int c = 0; c < COLUMNS; c++) {
        const char *field = (const char *)record + columns[c].offset;
        int64_t integer = 0;
        switch (columns[c].kind) {
        case DL_HISTORY_TEXT:
            row[c] = stage;
            break;
        case DL_HISTORY_INTEGER:
            memcpy(&integer, field, sizeof integer);
            row[c] = (double)integer;
            break;
        case DL_HISTORY_REAL:
            memcpy(&row[c], field, sizeof row[c]);
            break;
        }
    }
}

bool dl_history_from_row(const double *row, int *stage, dltf_iteration *record) {
    const double largest = 1e15; /* integers up to this are exact in a double */
    for (int c = 0; c < COLUMNS; c++) {
        char *field = (char *)record + columns[c].offset;
        if (columns[c].kind == DL_HISTORY_REAL) {
            memcpy(field, &row[c], sizeof row[c]);
            continue;
        }
        if (!(row[c] >= 0 && row[c] <= largest))
            return false;
        int64_t integer = (int64_t)row[c];
        if (columns[c].kind == DL_HISTORY_INTEGER)
            memcpy(field, &integer, sizeof integer);
        else
            *stage = integer < INT_MAX ? (int)integer : INT_MAX;
    }
    return true;
}
