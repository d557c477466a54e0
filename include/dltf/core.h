/* dltf/core.h: status, messages, version, progress. */
#ifndef DLTF_CORE_H
#define DLTF_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DLTF_VERSION "0.2.0"

#if defined(__GNUC__)
#define DLTF_API __attribute__((visibility("default")))
#else
#define DLTF_API
#endif

/* ---- Status ------------------------------------------------------------------------------------ */

typedef enum dltf_status {
    DLTF_OK = 0,
    DLTF_ARGUMENT,  /* an option or argument is out of range or contradicts another */
    DLTF_DATA,      /* the samples cannot be used: NaN, infinity, all zero, wrong number of columns */
    DLTF_FORMAT,    /* a file's content is not what its format promises */
    DLTF_FILE,      /* the system refused to open, read, write or rename a file */
    DLTF_MEMORY,    /* not enough memory */
    DLTF_NUMERIC,   /* a computation left the range of the numbers it works with */
    DLTF_CANCELLED, /* the progress callback asked to stop and there is no partial result to return */
} dltf_status;

/* The sentence that belongs to the calling thread's last failed call. Never NULL; valid until its next call.
 */
DLTF_API const char *dltf_message(void);

/* "argument", "data", ... */
DLTF_API const char *dltf_status_name(dltf_status status);

/* "0.2.0", and a line that names the kernel level in use on this CPU, the BLAS and the build. */
DLTF_API const char *dltf_version(void);
DLTF_API const char *dltf_build(void);

/* Wall-clock seconds of a monotonic clock. Only differences mean something. */
DLTF_API double dltf_seconds(void);

/* ---- Progress ---------------------------------------------------------------------------------- */

struct dltf_iteration;

typedef struct dltf_progress {
    const char *task; /* what is being done, e.g. "learning", "encoding" */
    int64_t done;     /* of total, in units of work: about proportional to time */
    int64_t total;    /* 0: not known before the end */
    const struct dltf_iteration
        *iteration; /* the newest history record while a learner runs, otherwise NULL */
} dltf_progress;

/* Called from the calling thread only. A non-zero return cancels. */
typedef int (*dltf_progress_fn)(void *context, const dltf_progress *progress);

#ifdef __cplusplus
}
#endif

#endif
