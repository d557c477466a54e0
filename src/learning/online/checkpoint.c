/* The state of an online learner as a bundle of tensors, and back. */
#include "base/integer.h"
#include "data/kind.h"
#include "data/option_notes.h"
#include "data/state.h"
#include "learning/online/online.h"
#include "learning/train_options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* `counts` and `numbers` decide which arrays there are. */
enum { SAMPLES, CHECKSUM, HELD_OUT, COUNT, BUFFERS, STEPS, COLUMNS, CENTER, COUNTS };
enum { SCALE, LEFT, ENERGY, NUMBERS };
enum { NOTHING, MEAN, OFFSET }; /* that is subtracted */

int dl_online_fields(const dltf_online *s, dl_field *fields) {
    int64_t m = s->m, n = s->n, held = dl_min(s->held_out, DL_ONLINE_HELD);
    dl_gradient *g = (dl_gradient *)(uintptr_t)&s->g; /* not a copy: a field points into it */
    const dl_field all[] = {
        {"dictionary", DL_TENSOR_F32, m, n, g->W.value},
        {"encoder", DL_TENSOR_F32, m, n, g->E.value},
        {"code_sum", DL_TENSOR_F64, m, 0, g->code_sum},
        {"average.W", DL_TENSOR_F32, m, n, s->average.W},
        {"average.E", DL_TENSOR_F32, m, n, s->average.E},
        {"average.b", DL_TENSOR_F32, m, 0, s->average.b},
        /* A file cannot hold an empty tensor. */
        {"buffer", DL_TENSOR_F64, s->count, n, s->rows},
        {"held_out", DL_TENSOR_F32, held, n, s->held},
        {"mean", DL_TENSOR_F32, s->mean ? n : 0, 0, s->mean},
        {"offset", DL_TENSOR_F32, s->offset ? n : 0, 0, s->offset},
    };
    int count = dl_gradient_fields(g, fields);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].rows > 0)
            fields[count++] = all[i];
    return count;
}

dltf_status dl_online_to_bundle(const dltf_online *s, dl_bundle *bundle) {
    dltf_status status = DLTF_OK;
    dl_field fields[DL_ONLINE_MAX_FIELDS];
    int64_t counts[] = {[SAMPLES] = s->samples,   [CHECKSUM] = (int64_t)s->checksum,
                        [HELD_OUT] = s->held_out, [COUNT] = s->count,
                        [BUFFERS] = s->buffers,   [STEPS] = s->steps,
                        [COLUMNS] = s->n,         [CENTER] = s->mean ? MEAN : s->offset ? OFFSET : NOTHING};
    double numbers[] = {[SCALE] = s->scale, [LEFT] = s->left, [ENERGY] = s->energy};
    int count = dl_online_fields(s, fields);
    DL_TRY(dl_bundle_add_copy(bundle, "counts", DL_TENSOR_I64, COUNTS, 0, counts));
    DL_TRY(dl_bundle_add_copy(bundle, "numbers", DL_TENSOR_F64, NUMBERS, 0, numbers));
    for (int i = 0; i < count; i++) {
        if (dl_fields_check_finite(&fields[i], 1) != DLTF_OK) /* it must not replace a good checkpoint */
            DL_TRY(dl_fail(DLTF_NUMERIC, "training has diverged: its state is not worth saving"));
        DL_TRY(dl_bundle_add_view(bundle, fields[i].name, fields[i].type, fields[i].rows, fields[i].cols,
                                  fields[i].memory));
    }
    DL_TRY(dl_online_notes(s, &bundle->notes));
    DL_TRY(dl_kind_mark(bundle, DL_KIND_ONLINE));
done:
    return status;
}

/* ---- Reading ---- */

static dltf_status out_of_range(const char *what) {
    return dl_fail(DLTF_FORMAT, "the checkpoint has an out-of-range %s", what);
}

/* Options and columns decide what is allocated: they are checked against the dictionary in the file. */
static dltf_status read_options(const dl_bundle *bundle, int64_t threads, dltf_train_options *options,
                                int64_t *n) {
    const dl_tensor *dictionary = dl_bundle_find(bundle, "dictionary");
    *options = dltf_train_options_default();
    options->threads = threads;
    dltf_status status = dl_option_notes_get(&bundle->notes, dl_train_option_table(), options);
    if (status == DLTF_OK)
        status = dl_train_options_check(options);
    if (status != DLTF_OK)
        return status;
    if (!dictionary || dictionary->rank != 2 || dictionary->rows != options->m)
        return dl_fail(DLTF_FORMAT, "tensor 'dictionary' is missing or does not have m = %lld rows",
                       (long long)options->m);
    if (options->k < 1 || options->encoder != DLTF_ENCODER_LEARNED)
        return out_of_range("option");
    *n = dictionary->cols;
    return DLTF_OK;
}

static dltf_status read_counts(const dl_bundle *bundle, dltf_online *s) {
    dltf_status status = DLTF_OK;
    const void *content = NULL;
    const char *start = NULL;
    DL_TRY(dl_notes_need(&bundle->notes, "start", &start));
    s->warm = strcmp(start, "new") != 0;
    s->warm_encoder = strcmp(start, "model with encoder") == 0;
    DL_TRY(dl_bundle_get(bundle, "numbers", DL_TENSOR_F64, NUMBERS, 0, &content));
    const double *numbers = content;
    s->scale = numbers[SCALE];
    s->left = numbers[LEFT];
    s->energy = numbers[ENERGY];
    DL_TRY(dl_bundle_get(bundle, "counts", DL_TENSOR_I64, COUNTS, 0, &content));
    const int64_t *counts = content;
    s->samples = counts[SAMPLES];
    s->checksum = (uint64_t)counts[CHECKSUM];
    s->held_out = counts[HELD_OUT];
    s->count = counts[COUNT];
    s->buffers = counts[BUFFERS];
    s->steps = counts[STEPS];
    const int64_t most = INT64_MAX / 2;
    bool good = s->samples >= 0 && s->samples < most && s->held_out >= 0 && s->held_out <= s->samples &&
                s->count >= 0 && s->count <= s->room && s->buffers >= 0 && s->buffers <= s->samples &&
                s->steps >= 0 && s->steps < most && counts[COLUMNS] == s->n && counts[CENTER] >= NOTHING &&
                counts[CENTER] <= OFFSET;
    if (!good)
        status = out_of_range("count");
    else if (!(s->left >= 0 && s->energy >= 0 && isfinite(s->left) && isfinite(s->energy) &&
               isfinite(s->scale) && (s->buffers == 0 || s->scale > 0)))
        status = out_of_range("number");
    else
        status = dl_online_make_center(s, counts[CENTER] == MEAN, counts[CENTER] == OFFSET);
    const char *choice = dl_notes_get(&bundle->notes, "center.choice");
    snprintf(s->center_choice, sizeof s->center_choice, "%s", choice ? choice : "");
done:
    return status;
}

static dltf_status read_fields(const dl_bundle *bundle, dltf_online *s) {
    dltf_status status = DLTF_OK;
    dl_field fields[DL_ONLINE_MAX_FIELDS];
    const void *content = NULL;
    int count = dl_online_fields(s, fields);
    for (int i = 0; i < count; i++) {
        const dl_field *f = &fields[i];
        DL_TRY(dl_bundle_get(bundle, f->name, f->type, f->rows, f->cols, &content));
        memcpy(f->memory, content, (size_t)(f->rows * dl_max(1, f->cols) * dl_tensor_type_size(f->type)));
        DL_TRY(dl_fields_check_finite(f, 1));
    }
    status = dl_gradient_check(&s->g);
    dl_gradient_pack(&s->g);
done:
    return status;
}

dltf_status dl_online_from_bundle(const dl_bundle *bundle, int64_t threads, dltf_online **online) {
    dltf_train_options options;
    dltf_online *s = NULL;
    int64_t n = 0;
    dltf_status status = dl_kind_check(bundle, DL_KIND_ONLINE);
    if (status == DLTF_OK)
        status = read_options(bundle, threads, &options, &n);
    if (status != DLTF_OK)
        return status;
    DL_TRY(dl_online_create(&options, n, &s));
    DL_TRY(read_counts(bundle, s));
    DL_TRY(read_fields(bundle, s));
    *online = s;
    s = NULL;
done:
    dltf_online_free(s);
    return status;
}
