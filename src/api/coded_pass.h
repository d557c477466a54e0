/* One pass over samples that are coded piece by piece. */
#ifndef DL_API_CODED_PASS_H
#define DL_API_CODED_PASS_H

#include "coding/residual.h"
#include "dltf/encode.h"

typedef struct dl_coded_pass {
    const dltf_model *model;
    dltf_reader *reader; /* NULL: the samples are X */
    dltf_matrix X;
    const dltf_encode_options *options;
    dltf_progress_fn progress;
    void *progress_context;
    /* Prepares for codes of at most k entries, in pieces of at most max_rows samples; sets `residual` to sums
     * that are computed while coding, or leaves it NULL. */
    dltf_status (*open)(void *context, int threads, int64_t k, int64_t max_rows, dl_residual **residual);
    /* Uses the codes of a piece whose first row is `first`. */
    dltf_status (*add)(void *context, int64_t first, dltf_csr codes);
    void *context;
} dl_coded_pass;

/* Fails if there are no samples. */
dltf_status dl_coded_pass_run(const dl_coded_pass *pass);

#endif
