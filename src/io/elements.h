/* What .npy and IDX files have in common: typed elements in memory, in some byte and axis order, and the way
 * from there to a matrix. */
#ifndef DL_IO_ELEMENTS_H
#define DL_IO_ELEMENTS_H

#include "io/file.h"

enum { DL_MOST_AXES = 32 };

typedef struct dl_elements {
    char kind;    /* 'f' real, 'i' signed, 'u' unsigned, 'S' bytes, 'U' text in UCS-4 */
    int64_t item; /* bytes of one element */
    bool swapped; /* not in this machine's byte order; false for single bytes */
    bool fortran; /* first axis fastest */
    int rank;
    int64_t shape[DL_MOST_AXES];
    int64_t count; /* of elements; set by dl_elements_measure */
    int64_t bytes; /* count * item */
    const uint8_t *data;
    int64_t first; /* place of data[0] in the array, for messages; not 0 where it is read in pieces */
} dl_elements;

/* Sets count and bytes, or fails if the shape is larger than can be addressed. */
dltf_status dl_elements_measure(dl_elements *elements);

/* Refuses what is no matrix of numbers; otherwise the element type that the matrix gets. */
dltf_status dl_elements_type(const dl_elements *elements, dltf_type *type);

/* Whether elements in memory are those of a matrix of this type, byte for byte. */
bool dl_elements_native(const dl_elements *elements, dltf_type type);

/* Copies `count` elements as that type, in the order in which they lie. */
dltf_status dl_elements_convert(const dl_elements *elements, dltf_type type, void *out);

/* The elements as a matrix, first axis = rows. Points into `owner` and takes it over if the elements can be
 * used as they lie; otherwise copies: byte orders are swapped, integers become f32 (up to 16 bits) or f64. */
dltf_status dl_elements_array(const dl_elements *elements, dl_file *owner, dltf_array **array);

/* One element of kind 'i' or 'u'; unsigned values beyond int64 come out as INT64_MAX. */
int64_t dl_elements_integer(const dl_elements *elements, int64_t index);
/* One element of kind 'f'. */
double dl_elements_real(const dl_elements *elements, int64_t index);

#endif
