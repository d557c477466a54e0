/* The output of max_k. */
#ifndef DL_KERNELS_SELECT_OUTPUT_H
#define DL_KERNELS_SELECT_OUTPUT_H

#include <stdint.h>

/* Where selected scores go. Up to `room` entries may be written, also more than are selected: whole vectors
 * are stored where they fit, since masked stores are slow on some CPUs. */
typedef struct output {
    int32_t *index;
    float *value;
    int64_t room;
} output;

/* The output of a row after `rows` rows of k entries. Later rows of it are written later. */
static inline output output_at(output out, int64_t rows, int64_t k) {
    return (output){out.index + rows * k, out.value + rows * k, out.room - rows * k};
}

#endif
