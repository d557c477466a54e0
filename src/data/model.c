/* Models: built from parts, checked once, read through a view. */
#include "data/model.h"

#include "base/memory.h"
#include "base/sized.h"
#include "data/matrix.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

struct dl_derivatives {
    _Atomic(dl_derived *) kept[DL_DERIVED_KINDS];
    atomic_uint samples; /* coded so far */
};

static dltf_status check_parts(const dltf_model_view *parts) {
    if (!parts->dictionary)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_MODEL, "the dictionary is missing");
    if (parts->m < 1 || parts->n < 1 || parts->m > INT32_MAX || parts->n > INT32_MAX)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_MODEL,
                             "%lld atoms of %lld entries: both must be in 1 .. 2147483647",
                             (long long)parts->m, (long long)parts->n);
    if (parts->k < 1 || parts->k > parts->m)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_MODEL, "k = %lld is outside 1 .. m = %lld",
                             (long long)parts->k, (long long)parts->m);
    if ((unsigned)parts->select > DLTF_SELECT_POSITIVE)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_MODEL, "select must be abs or positive");
    if (parts->threshold && parts->select != DLTF_SELECT_POSITIVE)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_MODEL,
                             "thresholds keep positive scores: select must be positive");
    if (parts->threshold && parts->k != parts->m)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_MODEL,
                             "k = %lld, but a code of thresholds has up to m = %lld entries: set k to that",
                             (long long)parts->k, (long long)parts->m);
    if (parts->layer_norm && (parts->remove_mean || parts->unit_norm))
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_MODEL,
                             "layer_norm excludes remove_mean and unit_norm");
    if (!(parts->factor >= 0 && parts->factor <= (double)FLT_MAX))
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_MODEL, "factor = %g: expected a number above 0",
                             parts->factor);
    return DLTF_OK;
}

static dltf_status check_finite(const float *values, int64_t count, const char *name) {
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return dl_fail_about(DLTF_DATA, DLTF_SUBJECT_MODEL, "entry %lld of the %s is not finite",
                                 (long long)i, name);
    return DLTF_OK;
}

static dltf_status check_positive(const float *values, int64_t count, const char *name) {
    for (int64_t i = 0; values && i < count; i++)
        if (values[i] < FLT_MIN)
            return dl_fail_about(DLTF_DATA, DLTF_SUBJECT_MODEL,
                                 "entry %lld of the %s is %g: expected a positive number", (long long)i, name,
                                 (double)values[i]);
    return DLTF_OK;
}

static dltf_status copy_finite(const float *from, int64_t count, const char *name, float **copy) {
    if (!from)
        return DLTF_OK;
    if (!dl_is_aligned(from, sizeof *from))
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_MODEL,
                             "the address of the %s is not a multiple of %zu bytes", name, sizeof *from);
    dltf_status status = check_finite(from, count, name);
    if (status != DLTF_OK)
        return status;
    *copy = DL_NEW(float, count);
    if (!*copy)
        return DLTF_MEMORY;
    memcpy(*copy, from, (size_t)count * sizeof **copy);
    return DLTF_OK;
}

/* A row that is unit-norm up to f32 rounding keeps its bits, so that saving and loading changes nothing. */
static dltf_status normalise_rows(float *dictionary, int64_t m, int64_t n) {
    for (int64_t j = 0; j < m; j++) {
        float *w = dictionary + j * n;
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += (double)w[i] * w[i];
        double norm = sqrt(sum);
        if (!(norm > 1e-30))
            return dl_fail_about(DLTF_DATA, DLTF_SUBJECT_MODEL,
                                 "atom %lld is zero and cannot be scaled to norm 1", (long long)j);
        if (fabs(norm - 1) > 1e-6)
            for (int64_t i = 0; i < n; i++)
                w[i] = (float)(w[i] / norm);
    }
    return DLTF_OK;
}

static dltf_status make_cuts(dltf_model *model) {
    int64_t m = model->parts.m;
    if (!model->threshold)
        return DLTF_OK;
    model->cut = DL_NEW(float, m);
    for (int64_t j = 0; model->cut && j < m; j++)
        model->cut[j] = fmaxf(model->threshold[j], 0);
    return model->cut ? DLTF_OK : DLTF_MEMORY;
}

static void view_arrays(dltf_model *model) {
    dltf_model_view *parts = &model->parts;
    parts->dictionary = model->dictionary;
    parts->encoder = model->encoder;
    parts->bias = model->bias;
    parts->mean = model->mean;
    parts->deviation = model->deviation;
    parts->offset = model->offset;
    parts->scale = model->scale;
    parts->threshold = model->threshold;
}

dltf_status dltf_model_new_sized(const dltf_model_view *parts, size_t size, dltf_model **model) {
    DL_CLEAR(model);
    DL_REQUIRE(parts, model);
    dltf_model_view own;
    dltf_status status = DL_READ_STRUCT(dltf_model_view, &own, parts, size);
    parts = &own;
    if (status == DLTF_OK)
        status = check_parts(parts);
    if (status != DLTF_OK)
        return status;
    int64_t m = parts->m, n = parts->n;
    dltf_model *made = NULL;
    DL_TRY_HANDLE(made, MODEL);
    DL_TRY_NEW(made->derivatives, 1);
    DL_TRY(copy_finite(parts->dictionary, m * n, "dictionary", &made->dictionary));
    DL_TRY(copy_finite(parts->encoder, m * n, "encoder", &made->encoder));
    DL_TRY(copy_finite(parts->bias, m, "bias", &made->bias));
    DL_TRY(copy_finite(parts->mean, n, "mean", &made->mean));
    DL_TRY(copy_finite(parts->offset, n, "offset", &made->offset));
    DL_TRY(copy_finite(parts->deviation, n, "deviation", &made->deviation));
    DL_TRY(check_positive(made->deviation, n, "deviation"));
    DL_TRY(copy_finite(parts->scale, m, "scale", &made->scale));
    DL_TRY(check_positive(made->scale, m, "scale"));
    DL_TRY(copy_finite(parts->threshold, m, "threshold", &made->threshold));
    DL_TRY(normalise_rows(made->dictionary, m, n));
    DL_TRY(dl_packed_alloc(&made->packed, m, n));
    dl_packed_fill(&made->packed, made->encoder ? made->encoder : made->dictionary, made->bias);
    made->parts = *parts;
    view_arrays(made);
    if (made->parts.select == DLTF_SELECT_MODEL)
        made->parts.select = DLTF_SELECT_ABS;
    if (made->parts.factor == 0)
        made->parts.factor = 1;
    DL_TRY(make_cuts(made));
    *model = made;
    made = NULL;
done:
    dltf_model_free(made);
    return status;
}

dltf_status dl_model_new_empty(const dltf_model_view *parts, dltf_model **model) {
    dltf_status status = DLTF_OK;
    dltf_model *made = NULL;
    DL_TRY_NEW(made, 1);
    made->parts = *parts;
    DL_TRY(copy_finite(parts->mean, parts->n, "mean", &made->mean));
    DL_TRY(copy_finite(parts->deviation, parts->n, "deviation", &made->deviation));
    DL_TRY(copy_finite(parts->offset, parts->n, "offset", &made->offset));
    made->parts.dictionary = made->parts.encoder = made->parts.bias = NULL;
    made->parts.deviation = made->deviation;
    made->parts.mean = made->mean;
    made->parts.offset = made->offset;
    *model = made;
    made = NULL;
done:
    dltf_model_free(made);
    return status;
}

void dltf_model_get_sized(const dltf_model *model, dltf_model_view *found, size_t size) {
    const dltf_model_view none = {0};
    DL_WRITE_STRUCT(dltf_model_view, found, size, model ? &model->parts : &none);
}

const char *dltf_model_note(const dltf_model *model, const char *name) {
    return model && name ? dl_notes_get(&model->notes, name) : NULL;
}

const char *dltf_model_note_name(const dltf_model *model, int index) {
    return model && index >= 0 && index < model->notes.count ? model->notes.list[index].name : NULL;
}

/* ---- Derived things ---- */

const dl_derived *dl_model_derived(const dltf_model *model, dl_derived_kind kind) {
    return atomic_load(&model->derivatives->kept[kind]);
}

dltf_status dl_model_derive(const dltf_model *model, dl_derived_kind kind, dl_deriver make,
                            const void *context, const dl_derived **found) {
    dl_derived *made = NULL, *first = NULL;
    *found = dl_model_derived(model, kind);
    if (*found)
        return DLTF_OK;
    dltf_status status = make(context, &made);
    if (status != DLTF_OK)
        return status;
    if (atomic_compare_exchange_strong(&model->derivatives->kept[kind], &first, made)) {
        *found = made;
        return DLTF_OK;
    }
    made->free(made);
    *found = first;
    return DLTF_OK;
}

unsigned dl_model_count(const dltf_model *model, int64_t samples) {
    atomic_uint *total = &model->derivatives->samples;
    unsigned before = atomic_load(total), after;
    do {
        int64_t room = (int64_t)(UINT_MAX - before);
        after = before + (unsigned)(samples < room ? samples : room);
    } while (!atomic_compare_exchange_weak(total, &before, after));
    return after;
}

static void drop_derived(dltf_model *model) {
    for (int kind = 0; model->derivatives && kind < DL_DERIVED_KINDS; kind++) {
        dl_derived *kept = atomic_exchange(&model->derivatives->kept[kind], NULL);
        if (kept)
            kept->free(kept);
    }
}

static dltf_status narrow_finite(const double *from, int64_t count, const char *name, float *to) {
    for (int64_t i = 0; i < count; i++)
        to[i] = (float)from[i];
    return check_finite(to, count, name);
}

dltf_status dl_model_replace(dltf_model *model, const double *dictionary, const double *encoder) {
    int64_t m = model->parts.m, n = model->parts.n;
    drop_derived(model);
    dltf_status status = narrow_finite(dictionary, m * n, "dictionary", model->dictionary);
    if (status == DLTF_OK)
        status = narrow_finite(encoder, m * n, "encoder", model->encoder);
    if (status == DLTF_OK)
        status = normalise_rows(model->dictionary, m, n);
    if (status == DLTF_OK)
        dl_packed_fill(&model->packed, model->encoder, model->bias);
    return status;
}

void dltf_model_free(dltf_model *model) {
    if (!model)
        return;
    drop_derived(model);
    dl_free(model->derivatives);
    dl_free(model->dictionary);
    dl_free(model->encoder);
    dl_free(model->bias);
    dl_free(model->mean);
    dl_free(model->deviation);
    dl_free(model->offset);
    dl_free(model->scale);
    dl_free(model->threshold);
    dl_free(model->cut);
    dl_packed_free(&model->packed);
    dl_notes_free(&model->notes);
    dl_free(model);
}
