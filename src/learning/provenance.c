/* Provenance notes. */
#include "learning/provenance.h"

#include "base/memory.h"

#include <stdio.h>

dltf_status dl_provenance_notes(const dl_provenance *p, dl_notes *notes) {
    dltf_status status = DLTF_OK;
    char value[64];
    DL_TRY(dl_notes_set(notes, "start", p->warm_encoder ? "model with encoder" : p->warm ? "model" : "new"));
    snprintf(value, sizeof value, "%lld x %lld", (long long)p->N, (long long)p->n);
    DL_TRY(dl_notes_set(notes, "data.shape", value));
    snprintf(value, sizeof value, "%016llx", (unsigned long long)p->checksum);
    DL_TRY(dl_notes_set(notes, "data.checksum", value));
    DL_TRY(dl_notes_set(notes, "made-by", "dltf " DLTF_VERSION));
done:
    return status;
}
