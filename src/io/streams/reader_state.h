/* The state of a reader, for the two files that define it. */
#ifndef DL_IO_STREAMS_READER_STATE_H
#define DL_IO_STREAMS_READER_STATE_H

#include "dltf/encode.h"
#include "io/formats/elements.h"

struct dltf_reader {
    char *name;                      /* for messages */
    dltf_array *array;               /* the whole file, if its format cannot be streamed */
    int descriptor;                  /* of the stream otherwise */
    bool raw, ended;                 /* no header; end of input reached */
    dl_elements elements;            /* how an element is stored */
    dltf_type type;                  /* element type of returned rows */
    int64_t rows, cols;              /* rows = -1 if unknown until end of input */
    int64_t row_bytes;               /* of a row in the stream, */
    int64_t row_prefix;              /* of which so many come before its elements */
    bool bounded;                    /* bytes after the last row are ignored, */
    bool drained;                    /* and those of a stream are read */
    char remark[240];                /* on how the file is read; "": nothing special */
    int64_t done;                    /* rows returned so far */
    uint8_t *bytes;                  /* buffer, as read */
    int64_t capacity, filled, given; /* of `bytes`; the first `given` belong to the rows returned last */
    void *converted;                 /* rows converted to `type`, if needed */
    int64_t room;                    /* capacity of `converted` in rows */
};

/* Reads until `bytes` holds `wanted` bytes or the stream ends. A signal interrupts the wait without loss. */
dltf_status dl_reader_fill(int descriptor, uint8_t *bytes, int64_t wanted, int64_t *filled, bool *ended);

/* Reads and forgets as many bytes, or those that are left. */
dltf_status dl_reader_discard(dltf_reader *reader, int64_t bytes);

/* The error of a row of which only so many bytes are there. */
dltf_status dl_reader_partial_row(const dltf_reader *reader, int64_t row, int64_t bytes);

#endif
