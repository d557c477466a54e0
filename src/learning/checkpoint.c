/* The state of an unfinished training as a bundle of tensors, and back. What can be computed again from
 * options and data is not stored; random numbers have no state. */
#include "learning/learner.h"

#include "base/memory.h"
#include "data/matrix.h"
#include "linalg/blas.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECKPOINT_FORMAT "dltf-checkpoint"
#define CHECKPOINT_VERSION "2"

/* A tensor and the memory of the learner that it mirrors: one list serves writing and reading. */
typedef struct field {
    const char *name;
    dl_tensor_type type;
    int64_t rows, cols;
    void *memory;
} field;

enum { MOST_FIELDS = 16 };

static int list_fields(const dltf_learner *l, field *fields) {
    int64_t m = l->m, n = l->n, N = l->N;
    const dl_minibatch *b = &l->minibatch;
    int count = 0;
    fields[count++] = (field){"dictionary", DL_TENSOR_F64, m, n, l->W};
    fields[count++] = (field){"code_sum", DL_TENSOR_F64, m, 0, l->code_sum};
    if (l->stage == DLTF_STAGE_MINIBATCH && l->options.steps > 0) {
        fields[count++] = (field){"minibatch.D", DL_TENSOR_F64, m, m, b->D};
        fields[count++] = (field){"minibatch.C", DL_TENSOR_F64, m, n, b->C};
        fields[count++] = (field){"minibatch.use", DL_TENSOR_F64, m, 0, b->use};
    }
    if (l->stage == DLTF_STAGE_ADMM && l->index > 0) {
        fields[count++] = (field){"admm.A", DL_TENSOR_F64, n, n, l->A};
        fields[count++] = (field){"admm.Q", DL_TENSOR_F32, N, m, l->Q};
        fields[count++] = (field){"admm.Y", DL_TENSOR_F32, N, m, l->Y};
        fields[count++] = (field){"admm.Z.count", DL_TENSOR_I32, N, 0, l->Z.count};
        fields[count++] = (field){"admm.Z.index", DL_TENSOR_I32, N, l->k, l->Z.index};
        fields[count++] = (field){"admm.Z.value", DL_TENSOR_F32, N, l->k, l->Z.value};
    }
    if (dl_has_encoder(l)) {
        fields[count++] = (field){"encoder.E", DL_TENSOR_F64, m, n, l->encoder.E};
        fields[count++] = (field){"encoder.bias", DL_TENSOR_F64, m, 0, l->encoder.bias};
    }
    return count;
}

/* History records as rows of doubles, in the order of the struct. */
enum { RECORD_COLUMNS = 14 };

static void record_to_row(const dltf_iteration *r, double *row) {
    double values[RECORD_COLUMNS] = {(double)r->stage,
                                     (double)r->index,
                                     r->theta,
                                     r->objective,
                                     r->noise_term,
                                     r->incoherence_term,
                                     r->data_term,
                                     r->relative_error,
                                     r->primal_residual,
                                     r->dual_residual,
                                     r->coherence,
                                     r->frame_potential,
                                     (double)r->atoms_replaced,
                                     r->seconds};
    memcpy(row, values, sizeof values);
}

static dltf_iteration row_to_record(const double *row) {
    return (dltf_iteration){.stage = (dltf_stage)row[0],
                            .index = (int64_t)row[1],
                            .theta = row[2],
                            .objective = row[3],
                            .noise_term = row[4],
                            .incoherence_term = row[5],
                            .data_term = row[6],
                            .relative_error = row[7],
                            .primal_residual = row[8],
                            .dual_residual = row[9],
                            .coherence = row[10],
                            .frame_potential = row[11],
                            .atoms_replaced = (int64_t)row[12],
                            .seconds = row[13]};
}

static dltf_status note_integer(dl_notes *notes, const char *name, int64_t value) {
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)value);
    return dl_notes_set(notes, name, text);
}

dltf_status dl_checkpoint_make(const dltf_learner *l, dl_bundle *bundle) {
    dltf_status status = DLTF_OK;
    field fields[MOST_FIELDS];
    int count = list_fields(l, fields);
    void *rows = NULL;
    for (int i = 0; i < count; i++)
        DL_TRY(dl_bundle_add_copy(bundle, fields[i].name, fields[i].type, fields[i].rows, fields[i].cols,
                                  fields[i].memory));
    DL_TRY(dl_bundle_add_copy(bundle, "tau", DL_TENSOR_F64, 1, 0, &l->tau));
    if (l->history_count > 0) /* a file cannot hold an empty tensor */
        DL_TRY(dl_bundle_add(bundle, "history", DL_TENSOR_F64, l->history_count, RECORD_COLUMNS, &rows));
    for (int64_t i = 0; i < l->history_count; i++)
        record_to_row(&l->history[i], (double *)rows + i * RECORD_COLUMNS);
    DL_TRY(dl_learner_notes(l, &bundle->notes));
    DL_TRY(dl_notes_set(&bundle->notes, "format", CHECKPOINT_FORMAT));
    DL_TRY(dl_notes_set(&bundle->notes, "version", CHECKPOINT_VERSION));
    DL_TRY(note_integer(&bundle->notes, "stage", l->stage));
    DL_TRY(note_integer(&bundle->notes, "index", l->index));
done:
    return status;
}

/* ---- Reading ---- */

static dltf_status get_note(const dl_bundle *bundle, const char *name, const char **value) {
    *value = dl_notes_get(&bundle->notes, name);
    return *value ? DLTF_OK : dl_fail(DLTF_FORMAT, "the checkpoint lacks '%s'", name);
}

static dltf_status check_format(const dl_bundle *bundle) {
    const char *format = dl_notes_get(&bundle->notes, "format"), *version = NULL;
    if (!format || strcmp(format, CHECKPOINT_FORMAT) != 0)
        return dl_fail(
            DLTF_FORMAT, "not a checkpoint%s",
            format && strcmp(format, "dltf-model") == 0 ? " but a finished model: use it with --init" : "");
    dltf_status status = get_note(bundle, "version", &version);
    if (status == DLTF_OK && strcmp(version, CHECKPOINT_VERSION) != 0)
        status = dl_fail(DLTF_FORMAT, "checkpoint version %.20s is not known to this program", version);
    return status;
}

/* Before anything is allocated by what the options say. */
static dltf_status check_size(const dl_bundle *bundle, const dltf_train_options *options) {
    const dl_tensor *dictionary = dl_bundle_find(bundle, "dictionary");
    if (!dictionary || dictionary->rows != options->m)
        return dl_fail(DLTF_FORMAT,
                       "tensor 'dictionary' is missing or does not have the %lld rows of option m",
                       (long long)options->m);
    return DLTF_OK;
}

static dltf_status read_options(const dl_bundle *bundle, int64_t threads, dltf_train_options *options) {
    dltf_option_table table = dltf_train_option_table();
    *options = dltf_train_options_default();
    for (int i = 0; i < table.count; i++) {
        char name[64];
        const char *value = NULL;
        if (strcmp(table.options[i].name, "threads") == 0)
            continue;
        snprintf(name, sizeof name, "option.%s", table.options[i].name);
        dltf_status status = get_note(bundle, name, &value);
        if (status == DLTF_OK)
            status = dltf_option_set(table, options, table.options[i].name, value);
        if (status != DLTF_OK)
            return status;
    }
    options->threads = threads;
    return DLTF_OK;
}

/* A whole number >= 0 and nothing else. */
static bool read_integer(const char *text, int64_t *value) {
    char *end = NULL;
    errno = 0;
    *value = strtoll(text, &end, 10);
    return end != text && *end == '\0' && errno == 0 && *value >= 0;
}

static dltf_status read_position(const dl_bundle *bundle, dltf_learner *l) {
    const char *stage = NULL, *index = NULL, *start = NULL;
    dltf_status status = get_note(bundle, "stage", &stage);
    if (status == DLTF_OK)
        status = get_note(bundle, "index", &index);
    if (status == DLTF_OK)
        status = get_note(bundle, "start", &start);
    if (status != DLTF_OK)
        return status;
    int64_t at_stage = 0, at_index = 0;
    if (!read_integer(stage, &at_stage) || at_stage < (int64_t)dl_first_stage(&l->options) ||
        at_stage > (int64_t)dl_last_stage(&l->options) || !read_integer(index, &at_index) ||
        at_index > dl_stage_length(&l->options, (dltf_stage)at_stage))
        return dl_fail(DLTF_FORMAT, "the checkpoint stands at stage %.20s, index %.20s, which does not exist",
                       stage, index);
    l->stage = (dltf_stage)at_stage;
    l->index = at_index;
    l->warm = strcmp(start, "model") == 0;
    return DLTF_OK;
}

/* The data must be those of the first run: anything else would silently be another experiment. */
static dltf_status check_data(const dl_bundle *bundle, const dltf_learner *l) {
    const char *checksum = NULL;
    char here[32];
    dltf_status status = get_note(bundle, "data.checksum", &checksum);
    if (status != DLTF_OK)
        return status;
    snprintf(here, sizeof here, "%016llx", (unsigned long long)l->scan.checksum);
    if (strcmp(checksum, here) != 0)
        return dl_fail(DLTF_DATA, "the checkpoint belongs to other data (checksum %.20s, these have %s)",
                       checksum, here);
    return DLTF_OK;
}

/* What a learner writes is finite; anything else would come out as a NaN, or as a loop without end. */
static dltf_status check_finite(const char *name, dl_tensor_type type, int64_t entries, const void *content) {
    for (int64_t i = 0; type != DL_TENSOR_I32 && i < entries; i++)
        if (!isfinite(type == DL_TENSOR_F32 ? (double)((const float *)content)[i]
                                            : ((const double *)content)[i]))
            return dl_fail(DLTF_FORMAT, "tensor '%s' holds a value that is not finite", name);
    return DLTF_OK;
}

static dltf_status check_atoms(const dltf_learner *l) {
    for (int64_t j = 0; j < l->m; j++)
        if (!(fabs(dl_norm(l->W + j * l->n, l->n) - 1) < 1e-6))
            return dl_fail(DLTF_FORMAT, "atom %lld of the dictionary does not have norm 1", (long long)j);
    return DLTF_OK;
}

/* Codes are used to address memory. */
static dltf_status check_codes(const dltf_learner *l) {
    for (int64_t i = 0; i < l->N; i++) {
        int32_t count = l->Z.count[i], previous = -1;
        bool good = count >= 0 && count <= l->k;
        for (int64_t e = i * l->k; good && e < i * l->k + count; e++) {
            good = l->Z.index[e] > previous && l->Z.index[e] < l->m;
            previous = l->Z.index[e];
        }
        if (!good)
            return dl_fail(DLTF_FORMAT, "code %lld of the checkpoint makes no sense", (long long)i);
    }
    return DLTF_OK;
}

/* History as far as it went; a checkpoint of a learner that has not run has none. */
static dltf_status restore_history(const dl_bundle *bundle, dltf_learner *l) {
    dltf_status status = DLTF_OK;
    const dl_tensor *history = dl_bundle_find(bundle, "history");
    bool begun = l->stage > dl_first_stage(&l->options) || l->index > 0;
    if (!history && (!begun || l->options.steps + l->options.iterations == 0))
        return DLTF_OK;
    if (!history || history->type != DL_TENSOR_F64 || history->cols != RECORD_COLUMNS || history->rank != 2)
        return dl_fail(DLTF_FORMAT, "the checkpoint has no readable history");
    DL_TRY(check_finite("history", DL_TENSOR_F64, history->rows * RECORD_COLUMNS, history->data));
    for (int64_t i = 0; i < history->rows; i++) {
        const double *row = (const double *)history->data + i * RECORD_COLUMNS;
        if (!(row[0] >= 1 && row[0] <= DLTF_STAGE_KSVD && fabs(row[1]) < 1e15 && fabs(row[12]) < 1e15))
            return dl_fail(DLTF_FORMAT, "record %lld of the checkpoint's history makes no sense",
                           (long long)i);
        dltf_iteration record = row_to_record(row);
        DL_TRY(dl_learner_record(l, &record));
    }
done:
    return status;
}

static dltf_status restore_fields(const dl_bundle *bundle, dltf_learner *l) {
    field fields[MOST_FIELDS];
    int count = list_fields(l, fields);
    dltf_status status = DLTF_OK;
    const void *content = NULL;
    for (int i = 0; i < count; i++) {
        const field *f = &fields[i];
        DL_TRY(dl_bundle_get(bundle, f->name, f->type, f->rows, f->cols, &content));
        int64_t entries = f->rows * (f->cols > 0 ? f->cols : 1);
        DL_TRY(check_finite(f->name, f->type, entries, content));
        memcpy(f->memory, content, (size_t)(entries * dl_tensor_type_size(f->type)));
    }
    DL_TRY(dl_bundle_get(bundle, "tau", DL_TENSOR_F64, 1, 0, &content));
    memcpy(&l->tau, content, sizeof l->tau);
    DL_TRY(check_finite("tau", DL_TENSOR_F64, 1, content));
    DL_TRY(check_atoms(l));
    if (l->stage == DLTF_STAGE_ADMM && l->index > 0)
        DL_TRY(check_codes(l));
    status = restore_history(bundle, l);
done:
    return status;
}

dltf_status dl_checkpoint_restore(const dl_bundle *bundle, dltf_matrix X, int64_t threads,
                                  dltf_learner **learner) {
    dltf_train_options options;
    dltf_learner *l = NULL;
    dltf_status status = check_format(bundle);
    if (status == DLTF_OK)
        status = read_options(bundle, threads, &options);
    if (status == DLTF_OK)
        status = check_size(bundle, &options);
    if (status != DLTF_OK)
        return status;
    DL_TRY(dl_learner_create(X, &options, &l));
    DL_TRY(check_data(bundle, l));
    DL_TRY(read_position(bundle, l));
    DL_TRY(restore_fields(bundle, l));
    dl_learner_refresh(l);
    *learner = l;
    l = NULL;
done:
    dltf_learner_free(l);
    return status;
}
