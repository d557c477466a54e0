/* The internals of a dltf_suggestion. */
#ifndef DL_SUGGEST_SUGGESTION_H
#define DL_SUGGEST_SUGGESTION_H

#include "base/handle.h"
#include "suggest/halving.h"

struct dltf_suggestion {
    dl_handle handle;
    dl_halving search; /* without its samples, which are freed when it ends */
    dl_setting with;   /* the suggestion */
    int64_t rows;      /* of the data */
    int64_t samples;   /* that training with the suggestion sees */
    double seconds;    /* CPU time that it takes, at most; negative if unknown */
};

#endif
