/* Sources: rows that are not in memory. */
#ifndef DL_DATA_SOURCE_H
#define DL_DATA_SOURCE_H

#include "base/status.h"
#include "dltf/data.h"

/* Row i. A failure cannot be reported here, deep inside a parallel loop: rows are zero after the first one,
 * which is kept for dl_source_status. */
void dl_source_row(const dltf_source *source, int64_t row, double *out);
void dl_source_row_f32(const dltf_source *source, int64_t row, float *out);

/* The first failure, as the last error of the calling thread; DLTF_OK if there was none. */
dltf_status dl_source_status(const dltf_source *source);

/* Rows [first, first + count) will be needed soon. */
void dl_source_expect(const dltf_source *source, int64_t first, int64_t count);

/* What a source may have besides its reader. */
typedef struct dl_source_extras {
    void (*expect)(void *context, int64_t first, int64_t count);
    void (*free)(void *context);
} dl_source_extras;

void dl_source_extend(dltf_source *source, dl_source_extras extras);

#endif
