/* dltf/core.h: status, messages, version, progress. */
#ifndef DLTF_CORE_H
#define DLTF_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of these headers; dltf_version and dltf_version_number return that of the library. */
#define DLTF_VERSION "0.3.0"
#define DLTF_VERSION_MAJOR 0
#define DLTF_VERSION_MINOR 3
#define DLTF_VERSION_PATCH 0
#define DLTF_VERSION_NUMBER (DLTF_VERSION_MAJOR * 10000 + DLTF_VERSION_MINOR * 100 + DLTF_VERSION_PATCH)

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
    DLTF_FORMAT,    /* a file is corrupt, truncated or of an unsupported format */
    DLTF_FILE,      /* a file could not be opened, read, written or renamed */
    DLTF_MEMORY,    /* not enough memory */
    DLTF_NUMERIC,   /* a computation overflowed or produced non-finite values */
    DLTF_CANCELLED, /* the progress callback cancelled, and there is no partial result to return */
} dltf_status;

/* What an error is about. A program that knows which file the object came from can name the file instead. */
typedef enum dltf_subject {
    DLTF_SUBJECT_NONE,
    DLTF_SUBJECT_OPTION,          /* an option, by its name in the table */
    DLTF_SUBJECT_FILE,            /* a file or part of one, by its path or name */
    DLTF_SUBJECT_DATA,            /* the samples X */
    DLTF_SUBJECT_MODEL,           /* a model given to the call */
    DLTF_SUBJECT_CODES,           /* codes given to the call */
    DLTF_SUBJECT_CANDIDATES,      /* codes whose supports are to be proven */
    DLTF_SUBJECT_TRUE_CODES,      /* known codes to compare with */
    DLTF_SUBJECT_DICTIONARY,      /* a bare matrix of atoms */
    DLTF_SUBJECT_TRUE_DICTIONARY, /* known atoms to compare with */
    DLTF_SUBJECT_IMAGE,
    DLTF_SUBJECT_TILES, /* of a picture */
    DLTF_SUBJECT_LABELS,
    DLTF_SUBJECT_DATABASE, /* samples or hashes that are searched */
    DLTF_SUBJECT_QUERIES,  /* samples or hashes that are searched for */
    DLTF_SUBJECT_CENTERS,  /* of clusters */
    DLTF_SUBJECT_COUNT
} dltf_subject;

/* An error in parts. The strings are never NULL and stay valid until the thread's next error. */
typedef struct dltf_error {
    dltf_status status;
    dltf_subject subject;
    const char *name; /* of the subject: "theta", "x.npy", "true dictionary"; "" for none */
    const char *text; /* the problem: "row 17, column 3 is NaN" */
} dltf_error;

/* The calling thread's last error; DLTF_OK and empty strings if there was none. */
DLTF_API void dltf_last_error_sized(dltf_error *found, size_t size);
static inline dltf_error dltf_last_error(void) {
    dltf_error found;
    dltf_last_error_sized(&found, sizeof found);
    return found;
}

/* The same as one line, "NAME: TEXT", or TEXT alone if there is no subject. */
DLTF_API const char *dltf_message(void);

/* "argument", "data", ... */
DLTF_API const char *dltf_status_name(dltf_status status);

/* "0.3.0"; the same as a number that can be compared, 300; and a line that names the kernel level in use on
 * this CPU, the BLAS and the build. */
DLTF_API const char *dltf_version(void);
DLTF_API int dltf_version_number(void);
DLTF_API const char *dltf_build(void);

/* ---- Progress ---------------------------------------------------------------------------------- */

struct dltf_iteration;
struct dltf_state;

typedef struct dltf_progress {
    const char *task; /* what is being done, e.g. "learning", "encoding" */
    int64_t done;     /* of total, in units of work: roughly proportional to time */
    int64_t total;    /* 0 if unknown until the end */
    const struct dltf_iteration
        *iteration;                 /* of a learner: the newest history record; NULL before the first */
    const struct dltf_state *state; /* for dltf_state_save, within the callback; NULL: cannot be saved */
} dltf_progress;

/* Runs on the calling thread only, some times a second, also without progress. A non-zero return value
 * cancels. */
typedef int (*dltf_progress_fn)(void *context, const dltf_progress *progress);

/* Writes a checkpoint of a task that is a single call, such as dltf_clusters_train. The `_resume` function of
 * the same object continues it, with the same result as without the interruption. */
DLTF_API dltf_status dltf_state_save(const struct dltf_state *state, const char *path);

#ifdef __cplusplus
}
#endif

#endif
