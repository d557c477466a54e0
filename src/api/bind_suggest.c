/* dltf/bind.h: suggestions. */
#include "api/bind_suggest.h"
#include "api/bind.h"
#include "data/array.h"
#include "suggest/suggestion.h"

dltf_status dltf_bind_suggest(const dltf_array *X, const dltf_options *options, dltf_report_fn report,
                              void *context, dltf_suggestion **suggestion) {
    DL_CLEAR(suggestion);
    DL_REQUIRE(X, suggestion);
    dl_call call;
    dltf_status status = dl_call_begin(&call, "suggest", options, report, context);
    if (status != DLTF_OK)
        return status;
    return dltf_suggest(X->matrix, call.options, call.progress, &call, suggestion);
}

dltf_status dltf_bind_suggestion_options(const dltf_suggestion *suggestion, dltf_options **options) {
    DL_CLEAR(options);
    DL_REQUIRE(suggestion, options);
    dltf_train_options own = dltf_suggestion_options(suggestion);
    return dl_options_of("train", &own, options);
}

/* ---- Content ---- */

/* An expression of trial `t`, as a vector over all trials. */
#define PUT_COLUMN(values, search, title, type, element, expression)                                         \
    do {                                                                                                     \
        element *to_ = dl_values_add_vector((values), (title), (type), (search)->count);                     \
        for (int i_ = 0; to_ && i_ < (search)->count; i_++) {                                                \
            const dl_trial *t = &(search)->trials[i_];                                                       \
            to_[i_] = (element)(expression);                                                                 \
        }                                                                                                    \
    } while (0)
#define PUT_INTEGERS(values, search, title, expression)                                                      \
    PUT_COLUMN(values, search, title, DL_TENSOR_I64, int64_t, expression)
#define PUT_REALS(values, search, title, expression)                                                         \
    PUT_COLUMN(values, search, title, DL_TENSOR_F64, double, expression)

static void put_settings(const dl_halving *search, dltf_values *values) {
    PUT_INTEGERS(values, search, "m", t->with.m);
    PUT_INTEGERS(values, search, "k", t->with.k);
    PUT_INTEGERS(values, search, "center", t->with.center);
    PUT_INTEGERS(values, search, "remove_mean", t->with.remove_mean);
    PUT_INTEGERS(values, search, "positive", t->with.select == DLTF_SELECT_POSITIVE);
    PUT_INTEGERS(values, search, "best", t->with.encoder == DLTF_ENCODER_BEST);
}

static void put_findings(const dl_halving *search, dltf_values *values) {
    PUT_INTEGERS(values, search, "trained_samples", t->samples);
    PUT_REALS(values, search, "explained_variance", 1 - t->unexplained);
    PUT_REALS(values, search, "raw_explained_variance", 1 - t->raw_unexplained);
    PUT_REALS(values, search, "l0", t->entries);
    PUT_REALS(values, search, "unused_share", t->unused_share);
    PUT_REALS(values, search, "score", dl_halving_score(t));
    PUT_REALS(values, search, "code_seconds", t->code_seconds);
    PUT_REALS(values, search, "train_seconds", t->train_seconds);
}

void dl_bind_get_suggestion(const void *object, dltf_values *values) {
    const dltf_suggestion *suggestion = object;
    const dl_halving *search = &suggestion->search;
    dl_values_put_number(values, "samples", (double)search->data.N);
    dl_values_put_number(values, "held_out", (double)search->data.held_out);
    dl_values_put_number(values, "complete", !dl_halving_budget_bound(search));
    dl_values_put_number(values, "used_seconds", search->used);
    dl_values_put_number(values, "expected_samples", (double)suggestion->samples);
    dl_values_put_number(values, "expected_seconds", suggestion->seconds);
    dl_values_put_number(values, "chosen", search->chosen);
    put_settings(search, values);
    put_findings(search, values);
}
