/* The values of m and k that trials use. */
#ifndef DL_SUGGEST_SIZES_H
#define DL_SUGGEST_SIZES_H

#include "dltf/suggest.h"

enum { DL_MOST_SIZES = 8 };

typedef struct dl_sizes {
    int count;
    int64_t values[DL_MOST_SIZES]; /* ascending */
    bool given;                    /* by the caller */
} dl_sizes;

/* Those of the options, or by default m: one, two and four times the columns; k: a quarter of the columns,
 * half of that, half again. */
dltf_status dl_sizes_choose(const dltf_suggest_options *options, int64_t rows, int64_t cols, dl_sizes *m,
                            dl_sizes *k);

#endif
