/* Samples as algorithms use them: rows of a view, preprocessed and scaled, in f32. */
#ifndef DL_DATA_SAMPLES_H
#define DL_DATA_SAMPLES_H

#include "base/status.h"
#include "dltf/data.h"

/* Samples per tile: the scores of a tile stay in the L2 cache. Fixed, so that results do not depend on the
 * number of threads. */
enum { DL_TILE = 96 };

typedef struct dl_samples {
    dltf_matrix X;
    const float *mean;      /* subtracted, or NULL */
    const float *deviation; /* then divided by, or NULL */
    bool remove_mean;       /* then the mean of its own entries is subtracted from each row */
    bool unit_norm;         /* then scaled to norm 1 (a zero row stays zero) */
    bool layer_norm;     /* instead of both: own mean subtracted, then divided by standard deviation + 1e-5 */
    double factor;       /* then multiplied; 0: 1 */
    const float *offset; /* then subtracted, or NULL */
    double scale;        /* then multiplied */
} dl_samples;

/* Results of one pass over the raw data, or over a part of it. */
typedef struct dl_summary {
    double mean_square; /* mean of ||x||^2 after preprocessing; of a part: what it contributes */
    uint64_t checksum;  /* of shape and values, independent of element type and memory order */
    int64_t nonzero_rows;
} dl_summary;

/* The factor in use. */
double dl_samples_factor(const dl_samples *samples);

/* Whether each row is divided by a number of its own, which nothing but the row can tell. */
static inline bool dl_samples_rescaled(const dl_samples *samples) {
    return samples->unit_norm || samples->layer_norm;
}

/* Row i, preprocessed: in double in `row`, and scaled in `out`. */
void dl_samples_row(const dl_samples *samples, int64_t i, double *row, float *out);
/* The same of a row that is in `row` already, as dl_matrix_row loads it. */
void dl_samples_preprocess(const dl_samples *samples, double *row, float *out);

/* Rows from `first` on, in place, if they need no preprocessing, scaling or conversion; otherwise NULL, and
 * `stride` is unchanged. */
const float *dl_samples_direct(const dl_samples *samples, int64_t first, int64_t *stride);

/* The mean of the preprocessed rows, without `scale`, in f32. Fails with row and column of the first NaN or
 * infinity. */
dltf_status dl_samples_mean(const dl_samples *samples, float *mean);

/* The standard deviation of every column about samples->mean, in f32; 1 for a column that is constant up to
 * rounding, so that it can be divided by. */
dltf_status dl_samples_deviation(const dl_samples *samples, float *deviation);

/* A guard against resuming or comparing with other data: FNV-1a over 64-bit words, not cryptographic. */
uint64_t dl_checksum_add(uint64_t checksum, uint64_t word);
/* Of shape and values, as in dl_summary. */
dltf_status dl_matrix_checksum(dltf_matrix matrix, uint64_t *checksum);

/* Fails with row and column of the first NaN or infinity, and if dl_summary_check does. */
dltf_status dl_samples_summarise(const dl_samples *samples, dl_summary *summary);
/* Fails if all rows are zero or the sum of their squares is out of range. */
dltf_status dl_summary_check(const dl_samples *samples, const dl_summary *summary);

/* The summary in parts, without the check. Their number depends only on that of the rows: whoever computes
 * them, sums and checksum have the same bytes. `row` is work space of n doubles. */
int64_t dl_summary_parts(int64_t rows);
dltf_status dl_summary_part(const dl_samples *samples, int64_t part, double *row, dl_summary *found);
void dl_summary_join(const dl_samples *samples, const dl_summary *parts, dl_summary *summary);

/* Adds what a part contributes to the mean row, or to that of squares; then the mean or the deviation in f32,
 * from the sum of all parts, in order. */
dltf_status dl_mean_part(const dl_samples *samples, int64_t part, bool squares, double *row, double *sum);
dltf_status dl_mean_finish(const double *sum, int64_t n, float *mean);
dltf_status dl_deviation_finish(const dl_samples *samples, const double *sum, float *deviation);

/* What `mean` and `offset` together subtract from every preprocessed row, without `scale`. A mean that is
 * subtracted before rows are scaled to norm 1 or by their deviation is not counted: its effect differs from
 * row to row. */
void dl_samples_shift(const dl_samples *samples, double *shift);

#endif
