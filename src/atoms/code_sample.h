/* A random sample of codes in bounded memory, and correlations between the atoms in it. */
#ifndef DL_ATOMS_CODE_SAMPLE_H
#define DL_ATOMS_CODE_SAMPLE_H

#include "base/status.h"
#include "dltf/data.h"

enum { DL_CODE_SAMPLE_BYTES = 32 << 20 };

typedef struct dl_code_sample {
    int64_t m, k, room; /* codes that fit */
    int64_t rows, seen; /* codes that it has; that were offered */
    uint64_t seed;
    int32_t *count, *index; /* of fixed width k */
    float *value;
    double *sum, *square; /* m: of the values; set by dl_code_sample_finish */
} dl_code_sample;

/* rows: -1 if unknown. */
dltf_status dl_code_sample_open(dl_code_sample *sample, int64_t m, int64_t k, int64_t rows, uint64_t seed);
void dl_code_sample_add(dl_code_sample *sample, int64_t first, dltf_csr codes);
void dl_code_sample_finish(dl_code_sample *sample);
/* Pearson's r of an atom with every atom, 0 with itself and where it is undefined. */
void dl_code_sample_pearson(const dl_code_sample *sample, int64_t atom, double *r);
/* For every atom, the codes that have it and this one: counts[atom] is the number of codes that have it. */
void dl_code_sample_together(const dl_code_sample *sample, int64_t atom, int64_t *counts);
void dl_code_sample_close(dl_code_sample *sample);

#endif
