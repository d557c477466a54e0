/* Converts the state of an unfinished training to a bundle of tensors and back. State that can be recomputed
 * from options and data is not stored; the random number generator is counter-based and has no state. */
#include "base/finite.h"
#include "data/kind.h"
#include "data/matrix.h"
#include "data/option_notes.h"
#include "learning/field_rows.h"
#include "learning/ranks/shard.h"
#include "learning/train_options.h"
#include "linalg/blas.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int dl_checkpoint_fields(const dltf_learner *l, dl_field *fields) {
    int count = 0;
    fields[count++] = (dl_field){"dictionary", DL_TENSOR_F64, l->m, l->n, l->W};
    fields[count++] = (dl_field){"code_sum", DL_TENSOR_F64, l->m, 0, l->code_sum};
    fields[count++] = (dl_field){"tau", DL_TENSOR_F64, 1, 0, (void *)(uintptr_t)&l->tau};
    if (l->E) {
        fields[count++] = (dl_field){"encoder.E", DL_TENSOR_F64, l->m, l->n, l->E};
        fields[count++] = (dl_field){"encoder.bias", DL_TENSOR_F64, l->m, 0, l->bias};
    }
    const dl_stage *stage = l->stages[l->stage];
    if (dl_learner_inside(l) && stage->fields)
        count += stage->fields(l, l->state, fields + count);
    return count;
}

dl_scratch dl_learner_scratch(const dltf_learner *l) {
    const dl_stage *stage = l->stages[l->stage];
    return dl_learner_inside(l) && stage->scratch ? *stage->scratch(l->state) : (dl_scratch){0};
}

/* ---- Writing ---- */

static dltf_status note_integer(dl_notes *notes, const char *name, int64_t value) {
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)value);
    return dl_notes_set(notes, name, text);
}

static int stage_number(const dltf_learner *l, const char *name) {
    int number = 0;
    while (l->stages[number] && l->stages[number]->name != name)
        number++;
    return number;
}

/* By outcome. A learner that can be resumed was interrupted: that is not stored. */
static const char *const outcomes[] = {[DLTF_CONVERGED] = "converged",
                                       [DLTF_ITERATION_LIMIT] = "iteration limit",
                                       [DLTF_TIME_LIMIT] = "time limit",
                                       [DLTF_ERROR_GREW] = "error grew"};

/* Stores one record per row. A stage is stored as its position in the note `stages`, a list of names. */
static dltf_status add_history(const dltf_learner *l, dl_bundle *bundle) {
    dltf_status status = DLTF_OK;
    int64_t width = dl_history_width(), used = 0;
    char names[256] = "";
    void *rows = NULL;
    for (int i = 0; l->stages[i]; i++)
        used +=
            snprintf(names + used, sizeof names - (size_t)used, "%s%s", i > 0 ? " " : "", l->stages[i]->name);
    DL_TRY(dl_notes_set(&bundle->notes, "stages", names));
    if (l->history.count == 0) /* a file cannot hold an empty tensor */
        return DLTF_OK;
    DL_TRY(dl_bundle_add(bundle, "history", DL_TENSOR_F64, l->history.count, width, &rows));
    for (int64_t i = 0; i < l->history.count; i++) {
        const dltf_iteration *record = &l->history.records[i];
        dl_history_to_row(record, stage_number(l, record->stage), (double *)rows + i * width);
    }
done:
    return status;
}

/* The tensors, without those that are in shards. */
static dltf_status add_fields(const dltf_learner *l, dl_bundle *bundle) {
    dltf_status status = DLTF_OK;
    dl_field fields[DL_CHECKPOINT_FIELDS];
    int count = dl_checkpoint_fields(l, fields);
    bool shards = dl_learner_has_shards(l);
    bundle->mapped = dl_learner_scratch(l);
    for (int i = 0; i < count && status == DLTF_OK; i++)
        if (!shards || !dl_learner_divides(l, fields, count, i))
            status = dl_bundle_add_view(bundle, fields[i].name, fields[i].type, fields[i].rows,
                                        fields[i].cols, fields[i].memory);
    return status;
}

static bool is_finite(const dltf_learner *l) {
    return dl_all_finite64(l->W, l->atoms * l->n) && dl_all_finite64(l->E, l->atoms * l->n) &&
           dl_all_finite64(l->bias, l->atoms);
}

dltf_status dl_checkpoint_make(const dltf_learner *l, dl_bundle *bundle) {
    dltf_status status = DLTF_OK;
    const dl_stage *stage = l->stages[l->stage];
    dl_learner_publish(l);
    if (l->ahead && !is_finite(l)) /* would replace a checkpoint that can be resumed */
        return dl_fail(DLTF_NUMERIC, "training diverged: its state has non-finite values");
    DL_TRY(add_fields(l, bundle));
    DL_TRY(add_history(l, bundle));
    DL_TRY(dl_learner_notes(l, &bundle->notes));
    DL_TRY(dl_kind_mark(bundle, DL_KIND_CHECKPOINT));
    DL_TRY(dl_notes_set(&bundle->notes, "stage", stage->name));
    DL_TRY(note_integer(&bundle->notes, "index", l->index));
    if (l->partway)
        DL_TRY(note_integer(&bundle->notes, "partway", 1));
    DL_TRY(dl_notes_set(&bundle->notes, "outcome", outcomes[l->outcome]));
    DL_TRY(note_integer(&bundle->notes, "samples_seen", l->samples_seen));
    DL_TRY(note_integer(&bundle->notes, "memory", l->options.memory));
done:
    return status;
}

/* ---- Reading ---- */

/* Checks m against the stored dictionary before anything of that size is allocated. That of a shard is
 * checked when it is opened. */
static dltf_status check_size(const dl_bundle *bundle, const dltf_train_options *options) {
    const dl_tensor *dictionary = dl_bundle_find(bundle, "dictionary");
    if (!dictionary && dl_shards_count(bundle) == options->m)
        return DLTF_OK;
    if (!dictionary || dictionary->rows != options->m)
        return dl_fail(DLTF_FORMAT, "tensor 'dictionary' is missing or does not have m = %lld rows",
                       (long long)options->m);
    return DLTF_OK;
}

/* Parses a nonnegative integer. False if the text holds anything else. */
static bool read_integer(const char *text, int64_t *value) {
    char *end = NULL;
    errno = 0;
    *value = strtoll(text, &end, 10);
    return end != text && *end == '\0' && errno == 0 && *value >= 0;
}

static dltf_status read_options(const dl_bundle *bundle, int64_t threads, dltf_train_options *options) {
    const char *memory = NULL;
    *options = dltf_train_options_default();
    options->threads = threads;
    dltf_status status = dl_notes_need(&bundle->notes, "memory", &memory);
    if (status != DLTF_OK)
        return status;
    if (!read_integer(memory, &options->memory))
        return dl_fail(DLTF_FORMAT, "metadata 'memory': '%.20s' is not a number of bytes", memory);
    return dl_option_notes_get(&bundle->notes, dl_train_option_table(), options);
}

static dltf_status read_position(const dl_bundle *bundle, dltf_learner *l) {
    dltf_status status = DLTF_OK;
    const char *stage = NULL, *index = NULL, *start = NULL;
    DL_TRY(dl_notes_need(&bundle->notes, "stage", &stage));
    DL_TRY(dl_notes_need(&bundle->notes, "index", &index));
    DL_TRY(dl_notes_need(&bundle->notes, "start", &start));
    while (l->stages[l->stage] && strcmp(l->stages[l->stage]->name, stage) != 0)
        l->stage++;
    if (!l->stages[l->stage] || !read_integer(index, &l->index) || l->index > l->stages[l->stage]->length(l))
        status = dl_fail(DLTF_FORMAT, "the checkpoint's position is out of range: stage '%.20s', index %.20s",
                         stage, index);
    else
        l->partway = dl_notes_get(&bundle->notes, "partway") != NULL;
    if (l->partway && (!l->stages[l->stage]->publish || l->index == l->stages[l->stage]->length(l)))
        status = dl_fail(DLTF_FORMAT,
                         "the checkpoint is partway through an iteration of stage '%.20s', "
                         "which has none at index %.20s",
                         stage, index);
    const char *choice = dl_notes_get(&bundle->notes, "encoder.choice");
    snprintf(l->choice, sizeof l->choice, "%s", choice ? choice : "");
    l->warm = strcmp(start, "new") != 0;
    l->warm_encoder = strcmp(start, "model with encoder") == 0;
done:
    return status;
}

static dltf_status read_outcome(const dl_bundle *bundle, dltf_learner *l) {
    dltf_status status = DLTF_OK;
    const char *outcome = NULL, *seen = NULL;
    int found = 0, count = sizeof outcomes / sizeof *outcomes;
    DL_TRY(dl_notes_need(&bundle->notes, "outcome", &outcome));
    DL_TRY(dl_notes_need(&bundle->notes, "samples_seen", &seen));
    while (found < count && !(outcomes[found] && strcmp(outcomes[found], outcome) == 0))
        found++;
    l->outcome = (dltf_outcome)found;
    if (found == count)
        status = dl_fail(DLTF_FORMAT, "metadata 'outcome': '%.20s' is unknown", outcome);
    else if (!read_integer(seen, &l->samples_seen))
        status = dl_fail(DLTF_FORMAT, "metadata 'samples_seen': '%.20s' is not a number of samples", seen);
done:
    return status;
}

/* Resuming on different data would silently change the experiment. */
static dltf_status check_data(const dl_bundle *bundle, const dltf_learner *l) {
    const char *checksum = NULL;
    char here[32];
    dltf_status status = dl_notes_need(&bundle->notes, "data.checksum", &checksum);
    if (status != DLTF_OK)
        return status;
    snprintf(here, sizeof here, "%016llx", (unsigned long long)l->summary.checksum);
    if (strcmp(checksum, here) != 0)
        return dl_fail(DLTF_DATA,
                       "the checkpoint was made from different data: expected checksum %.20s but found %s",
                       checksum, here);
    return DLTF_OK;
}

static dltf_status check_atoms(const dltf_learner *l) {
    for (int64_t j = 0; j < l->atoms; j++)
        if (!(fabs(dl_norm(l->W + j * l->n, l->n) - 1) < 1e-5))
            return dl_fail(DLTF_FORMAT, "atom %lld of the dictionary does not have norm 1",
                           (long long)(l->first_atom + j));
    return DLTF_OK;
}

/* The name of stage `number` in the note `stages`; NULL if the list is too short or the name is unknown. */
static const char *stage_name(const char *names, int number) {
    char name[64];
    for (; number > 0 && *names; number--) {
        names += strcspn(names, " ");
        names += strspn(names, " ");
    }
    snprintf(name, sizeof name, "%.*s", (int)strcspn(names, " "), names);
    const dl_stage *stage = dl_stage_find(name);
    return stage ? stage->name : NULL;
}

/* Restores the history, which is absent from the checkpoint of a learner that has not run. */
static dltf_status restore_history(const dl_bundle *bundle, dltf_learner *l) {
    dltf_status status = DLTF_OK;
    const dl_tensor *history = dl_bundle_find(bundle, "history");
    const char *names = NULL;
    int64_t width = dl_history_width();
    DL_TRY(dl_notes_need(&bundle->notes, "stages", &names));
    if (!history && !dl_learner_begun(l))
        return DLTF_OK;
    if (!history || history->type != DL_TENSOR_F64 || history->cols != width || history->rank != 2)
        return dl_fail(DLTF_FORMAT, "tensor 'history' is missing or has the wrong type or shape");
    for (int64_t i = 0; i < history->rows; i++) {
        dltf_iteration record = {0};
        int number = 0;
        bool readable = dl_history_from_row((const double *)history->data + i * width, &number, &record);
        record.stage = stage_name(names, number);
        if (!readable || !record.stage)
            return dl_fail(DLTF_FORMAT, "history record %lld has an out-of-range value or an unknown stage",
                           (long long)i);
        DL_TRY(dl_history_reserve(&l->history));
        dl_history_append(&l->history, &record);
    }
done:
    return status;
}

static dltf_status restore_fields(const dl_bundle *bundle, const dl_shard_source *source, dltf_learner *l) {
    dltf_status status = DLTF_OK;
    dl_field fields[DL_CHECKPOINT_FIELDS];
    if (dl_learner_has_encoder(l) || l->warm_encoder || dl_bundle_find(bundle, "encoder.E"))
        DL_TRY(dl_learner_make_encoder(l));
    if (dl_learner_inside(l))
        DL_TRY(dl_learner_enter(l));
    int count = dl_checkpoint_fields(l, fields), divided = 0;
    dl_scratch scratch = dl_learner_scratch(l);
    for (int i = 0; i < count; i++) {
        dl_rows all = {.all = fields[i].rows, .count = fields[i].rows};
        if (dl_learner_divides(l, fields, count, i))
            divided++;
        else
            DL_TRY(dl_field_copy_rows(bundle, &fields[i], all, &scratch));
    }
    if (divided > 0)
        DL_TRY(dl_bundle_has_shards(bundle) ? dl_shards_restore(bundle, l, source)
                                            : dl_divided_restore(bundle, l));
    DL_TRY(check_atoms(l));
    if (dl_learner_inside(l) && l->stages[l->stage]->restored)
        DL_TRY(l->stages[l->stage]->restored(l, l->state));
    status = restore_history(bundle, l);
done:
    return status;
}

dltf_status dl_checkpoint_restore(const dl_bundle *bundle, dltf_matrix X, int64_t threads,
                                  const dl_shard_source *source, dltf_learner **learner) {
    dltf_train_options options;
    dltf_learner *l = NULL;
    dltf_status status = dl_kind_check(bundle, DL_KIND_CHECKPOINT);
    if (status == DLTF_OK)
        status = read_options(bundle, threads, &options);
    if (status == DLTF_OK)
        status = check_size(bundle, &options);
    if (status != DLTF_OK)
        return status;
    DL_TRY(dl_learner_create(X, &options, &l));
    DL_TRY(check_data(bundle, l));
    DL_TRY(read_position(bundle, l));
    DL_TRY(read_outcome(bundle, l));
    DL_TRY(restore_fields(bundle, source, l));
    DL_TRY(dl_learner_compare(l, DLTF_SUBJECT_NONE));
    dl_learner_refresh(l);
    *learner = l;
    l = NULL;
done:
    dltf_learner_free(l);
    return status;
}
