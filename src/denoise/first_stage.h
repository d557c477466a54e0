/* The first stage: learns a dictionary, codes all patches, and averages their estimates. */
#ifndef DL_DENOISE_FIRST_STAGE_H
#define DL_DENOISE_FIRST_STAGE_H

#include "dltf/image.h"
#include "image/patches.h"

/* Parameters of the stage, and totals. */
typedef struct dl_first_stage {
    dltf_denoise_options options; /* complete: m and k as chosen, sigma known */
    const dltf_model *model;      /* the dictionary; NULL: learned from the plane */
    int threads;
    /* Totals over planes. */
    int64_t patches, entries;
    double learning_seconds, coding_seconds;
} dl_first_stage;

/* Units of the meter. */
enum { DL_LEARN_UNITS = 1500, DL_PASS_UNITS = 1000 };

dltf_status dl_first_stage_run(dl_first_stage *stage, dl_plane plane, dl_meter *meter, float *out);

#endif
