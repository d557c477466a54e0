/* The filters of GIST, in the frequency domain. */
#ifndef DL_IMAGE_GIST_FILTERS_H
#define DL_IMAGE_GIST_FILTERS_H

#include "base/status.h"

enum { DL_GIST_SCALES = 4, DL_GIST_ORIENTATIONS = 8, DL_GIST_BLOCKS = 4 };

/* Orientation 8 - o is orientation o mirrored in x, so that filters 0 .. 4 are enough: an image and its
 * reflection are both in the periodic image that is filtered. Only frequency 0, where a direction means
 * nothing, has gains of its own. */
enum { DL_GIST_STORED = DL_GIST_ORIENTATIONS / 2 + 1 };

/* Gains as [fx][fy], the frequencies in the order of a Fourier transform, divided by size^2, which makes up
 * for an inverse transform without that factor. */
typedef struct dl_gist_filter {
    float *gains;
    bool *passes; /* by fx: whether any of the gains matters; all are 0 otherwise */
} dl_gist_filter;

/* Filters for periodic images of size x size pixels. */
typedef struct dl_gist_filters {
    int64_t size;
    dl_gist_filter low_pass;
    dl_gist_filter gabor[DL_GIST_SCALES][DL_GIST_STORED];
    float at_zero[DL_GIST_SCALES][DL_GIST_ORIENTATIONS]; /* gains at frequency 0, which `gabor` leaves out */
} dl_gist_filters;

/* For images of side x side pixels; size = 2 side. Must be freed even after a failure. */
dltf_status dl_gist_filters_new(dl_gist_filters *filters, int64_t side);
void dl_gist_filters_free(dl_gist_filters *filters);

#endif
