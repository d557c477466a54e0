/* Checkpoints of the training of hashers: the arrays that a method lists, and the number of its iterations so
 * far. Everything else is made again from options and samples. */
#include "base/options.h"
#include "data/kind.h"
#include "data/option_notes.h"
#include "hash/hash_options.h"
#include "hash/hasher.h"

#include <stdio.h>
#include <string.h>

/* Options that the caller left open have no note. */
static dltf_status set_options(dl_notes *notes, const dltf_hash_options *options) {
    dl_option_table table = dl_hash_option_table();
    dltf_status status = DLTF_OK;
    char name[64], value[64];
    for (int i = 0; i < table.count && status == DLTF_OK; i++) {
        const dl_option *option = &table.options[i];
        if (strcmp(option->name, "threads") == 0 || dl_option_is_default(option, options))
            continue;
        snprintf(name, sizeof name, "option.%s", option->name);
        dl_option_format(option, options, value, sizeof value);
        status = dl_notes_set(notes, name, value);
    }
    return status;
}

dltf_status dl_hash_read_options(const dl_bundle *bundle, int64_t threads, dltf_hash_options *options) {
    dl_option_table table = dl_hash_option_table();
    dltf_status status = dl_kind_check(bundle, DL_KIND_HASHING);
    char name[64];
    *options = dltf_hash_options_default();
    for (int i = 0; i < table.count && status == DLTF_OK; i++) {
        snprintf(name, sizeof name, "option.%s", table.options[i].name);
        const char *value = dl_notes_get(&bundle->notes, name);
        if (value && dl_option_set(table, options, table.options[i].name, value) != DLTF_OK)
            status = dl_fail(DLTF_FORMAT, "metadata '%s' is out of range: '%.40s'", name, value);
    }
    options->threads = threads;
    return status;
}

static dltf_status to_bundle(const void *training, dl_bundle *bundle) {
    const dl_hash_training *t = training;
    dltf_status status = DLTF_OK;
    DL_TRY(dl_bundle_add_copy(bundle, "step", DL_TENSOR_I64, 1, 0, &t->step));
    DL_TRY(dl_fields_to_bundle(t->fields, t->field_count, bundle));
    DL_TRY(set_options(&bundle->notes, &t->options));
    DL_TRY(dl_checksum_note(&bundle->notes, t->checksum));
    DL_TRY(dl_kind_mark(bundle, DL_KIND_HASHING));
done:
    return status;
}

dltf_status dl_hash_enter(dl_hash_training *t, const dl_field *fields, int count) {
    dltf_status status = DLTF_OK;
    const void *step = NULL;
    memcpy(t->fields, fields, (size_t)count * sizeof *fields);
    t->field_count = count;
    t->state = (struct dltf_state){to_bundle, t};
    t->meter.total = t->options.iterations;
    if (!t->resumed)
        goto done;
    DL_TRY(dl_bundle_get(t->resumed, "step", DL_TENSOR_I64, 1, 0, &step));
    t->step = *(const int64_t *)step;
    if (t->step < 0 || t->step > t->options.iterations)
        return dl_fail(DLTF_FORMAT, "the checkpoint has an out-of-range number of iterations");
    DL_TRY(dl_fields_from_bundle(t->resumed, fields, count));
    DL_TRY(dl_fields_check_finite(fields, count));
    t->meter.done = t->step;
done:
    t->meter.state = status == DLTF_OK ? &t->state : NULL;
    return status;
}

dltf_status dl_hash_step(dl_hash_training *t) {
    t->step++;
    return dl_meter_add_state(&t->meter, 1, &t->state) ? DLTF_OK : dl_hash_cancelled();
}
