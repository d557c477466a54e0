/* Rows of tensors are checked and copied in pieces, so that state which is kept in a file is not in memory as
 * a whole. */
#include "learning/field_rows.h"

#include "base/integer.h"
#include "data/state.h"

#include <string.h>

/* A learner writes finite values only. Others would end in NaN results or an endless loop. */
static dltf_status check_finite(const dl_field *f, const void *content, int64_t entries) {
    return dl_content_is_finite(f->type, content, entries)
               ? DLTF_OK
               : dl_fail(DLTF_FORMAT, "tensor '%s' has a non-finite value", f->name);
}

dltf_status dl_field_copy_rows(const dl_bundle *bundle, const dl_field *f, dl_rows rows,
                               const dl_scratch *scratch) {
    enum { PIECE = 1 << 22 }; /* bytes */
    const void *content = NULL;
    int64_t entries = dl_max(1, f->cols), size = entries * dl_tensor_type_size(f->type);
    int64_t some = dl_max(1, PIECE / size);
    dltf_status status = dl_bundle_get(bundle, f->name, f->type, rows.all, f->cols, &content);
    for (int64_t i = 0; i < rows.count && status == DLTF_OK; i += some) {
        int64_t count = dl_min(some, rows.count - i);
        const char *from = (const char *)content + (rows.first + i) * size;
        char *to = (char *)f->memory + (rows.to + i) * size;
        status = check_finite(f, from, count * entries);
        memcpy(to, from, (size_t)(count * size));
        dl_scratch_rest(&bundle->mapped, from, count * size);
        dl_scratch_rest(scratch, to, count * size);
    }
    return status;
}
