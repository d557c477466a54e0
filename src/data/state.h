/* The state of a task in progress, for checkpoints: what a progress callback may save. */
#ifndef DL_DATA_STATE_H
#define DL_DATA_STATE_H

#include "data/field.h"

struct dltf_state {
    dltf_status (*to_bundle)(const void *task, dl_bundle *bundle); /* may borrow from the task */
    const void *task;
};

/* Arrays as tensors, borrowed, and back, copied. */
dltf_status dl_fields_to_bundle(const dl_field *fields, int count, dl_bundle *bundle);
dltf_status dl_fields_from_bundle(const dl_bundle *bundle, const dl_field *fields, int count);

/* The checksum of the data as a note, and its check: resuming with other data would give a result of
 * neither. */
dltf_status dl_checksum_note(dl_notes *notes, uint64_t checksum);
dltf_status dl_checksum_check(const dl_notes *notes, uint64_t checksum);

/* Whether all entries of a tensor are finite; integers are. */
bool dl_content_is_finite(dl_tensor_type type, const void *content, int64_t entries);

/* Fails unless all values are finite. */
dltf_status dl_fields_check_finite(const dl_field *fields, int count);

#endif
