/* State as tensors of a bundle. */
#include "data/state.h"

#include "base/finite.h"
#include "data/option_notes.h"

#include <stdio.h>
#include <string.h>

static int64_t entries_of(const dl_field *f) {
    return f->rows * (f->cols > 0 ? f->cols : 1);
}

dltf_status dl_fields_to_bundle(const dl_field *fields, int count, dl_bundle *bundle) {
    dltf_status status = DLTF_OK;
    for (int i = 0; i < count && status == DLTF_OK; i++)
        status = dl_bundle_add_view(bundle, fields[i].name, fields[i].type, fields[i].rows, fields[i].cols,
                                    fields[i].memory);
    return status;
}

dltf_status dl_fields_from_bundle(const dl_bundle *bundle, const dl_field *fields, int count) {
    dltf_status status = DLTF_OK;
    for (int i = 0; i < count && status == DLTF_OK; i++) {
        const dl_field *f = &fields[i];
        const void *content = NULL;
        status = dl_bundle_get(bundle, f->name, f->type, f->rows, f->cols, &content);
        if (status == DLTF_OK)
            memcpy(f->memory, content, (size_t)(entries_of(f) * dl_tensor_type_size(f->type)));
    }
    return status;
}

bool dl_content_is_finite(dl_tensor_type type, const void *content, int64_t entries) {
    return type == DL_TENSOR_F32   ? dl_all_finite(content, entries)
           : type == DL_TENSOR_F64 ? dl_all_finite64(content, entries)
                                   : true;
}

dltf_status dl_fields_check_finite(const dl_field *fields, int count) {
    for (int i = 0; i < count; i++) {
        const dl_field *f = &fields[i];
        if (!dl_content_is_finite(f->type, f->memory, entries_of(f)))
            return dl_fail(DLTF_FORMAT, "tensor '%s' has a non-finite value", f->name);
    }
    return DLTF_OK;
}

static void format(uint64_t checksum, char text[32]) {
    snprintf(text, 32, "%016llx", (unsigned long long)checksum);
}

dltf_status dl_checksum_note(dl_notes *notes, uint64_t checksum) {
    char text[32];
    format(checksum, text);
    return dl_notes_set(notes, "data.checksum", text);
}

dltf_status dl_checksum_check(const dl_notes *notes, uint64_t checksum) {
    const char *expected = NULL;
    char here[32];
    dltf_status status = dl_notes_need(notes, "data.checksum", &expected);
    format(checksum, here);
    if (status == DLTF_OK && strcmp(expected, here) != 0)
        status = dl_fail(DLTF_DATA,
                         "the checkpoint was made from different data: expected checksum %.20s but found %s",
                         expected, here);
    return status;
}
