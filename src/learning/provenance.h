/* Provenance notes that the models of all learners share. */
#ifndef DL_LEARNING_PROVENANCE_H
#define DL_LEARNING_PROVENANCE_H

#include "data/notes.h"

typedef struct dl_provenance {
    bool warm, warm_encoder; /* started from a model; from one with an encoder */
    int64_t N, n;            /* shape of the data */
    uint64_t checksum;
} dl_provenance;

/* Records nothing that differs between runs: the same training gives the same file. */
dltf_status dl_provenance_notes(const dl_provenance *p, dl_notes *notes);

#endif
