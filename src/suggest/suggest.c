/* dltf_suggest: the search, and the options that it suggests. */
#include "dltf/suggest.h"

#include "data/matrix.h"
#include "learning/train_options.h"
#include "suggest/suggest_options.h"
#include "suggest/suggestion.h"

/* The samples of all trials: at least 10, to hold some out, and at most 128 MiB of floats. */
static dltf_status load(dltf_suggestion *s, dltf_matrix X, const dltf_suggest_options *options) {
    enum { LEAST = 10, MOST_VALUES = 1 << 25 };
    dl_halving *h = &s->search;
    if (X.rows < LEAST)
        return dl_fail_about(DLTF_DATA, DLTF_SUBJECT_DATA,
                             "%lld sample%s: at least %d are needed, to hold some out", (long long)X.rows,
                             X.rows == 1 ? "" : "s", LEAST);
    dltf_status status = dl_sizes_choose(options, X.rows, X.cols, &h->m, &h->k);
    if (status != DLTF_OK)
        return status;
    int64_t most = MOST_VALUES / (X.cols < MOST_VALUES ? X.cols : MOST_VALUES);
    most = most < options->samples ? most : options->samples;
    status = dl_trial_data_new(X, most > LEAST ? most : LEAST, h->k.values[h->k.count - 1], &h->data);
    h->data.seed = options->seed;
    h->data.threads = options->threads;
    return status;
}

static dltf_train_options training(const dltf_suggestion *s) {
    dltf_train_options options = dltf_train_options_default();
    options.m = s->with.m;
    options.k = s->with.k;
    options.center = s->search.chosen < 0 ? DLTF_AUTO : s->with.center ? DLTF_YES : DLTF_NO;
    options.remove_mean = s->with.remove_mean;
    options.unit_norm = s->with.unit_norm;
    options.select = s->with.select;
    options.encoder = s->with.encoder;
    options.seed = s->search.data.seed;
    options.threads = s->search.data.threads;
    return options;
}

/* The chosen setting, and what training with it costs. */
static void conclude(dltf_suggestion *s) {
    const dl_halving *h = &s->search;
    const dl_trial *chosen = h->chosen < 0 ? NULL : &h->trials[h->chosen];
    s->with = chosen ? chosen->with : dl_halving_usual(h);
    dltf_train_options options = training(s);
    s->samples = dl_train_samples(&options, s->rows, h->data.n);
    s->seconds = -1;
    if (chosen)
        s->seconds = chosen->train_seconds * dl_trial_train_work(&h->data, &s->with, s->samples) /
                     dl_trial_train_work(&h->data, &s->with, chosen->samples);
}

dltf_status dltf_suggest(dltf_matrix X, const dltf_suggest_options *options, dltf_progress_fn progress,
                         void *context, dltf_suggestion **suggestion) {
    DL_CLEAR(suggestion);
    DL_REQUIRE(suggestion);
    dltf_suggest_options own;
    dltf_suggestion *made = NULL;
    dltf_status status = DLTF_OK;
    DL_TRY(DL_READ_OPTIONS(suggest, options, &own));
    DL_TRY(dl_option_check(dl_suggest_option_table(), &own, NULL));
    DL_TRY(dl_matrix_check(X, DLTF_SUBJECT_DATA));
    DL_TRY_HANDLE(made, SUGGESTION);
    made->rows = X.rows;
    DL_TRY(load(made, X, &own));
    dl_halving *h = &made->search;
    h->seconds = own.seconds;
    h->unit_norm = own.unit_norm;
    h->abs = own.select != DLTF_SELECT_POSITIVE;
    h->positive = own.select != DLTF_SELECT_ABS;
    h->progress = progress;
    h->context = context;
    DL_TRY(dl_halving_run(h));
    conclude(made);
    dl_trial_data_release(&h->data);
    *suggestion = made;
    made = NULL;
done:
    dltf_suggestion_free(made);
    return status;
}

void dltf_suggestion_options_sized(const dltf_suggestion *suggestion, dltf_train_options *found,
                                   size_t size) {
    dltf_train_options own = suggestion ? training(suggestion) : dltf_train_options_default();
    dl_options_write(dl_train_option_table(), found, size, &own);
}

void dltf_suggestion_free(dltf_suggestion *suggestion) {
    if (!suggestion)
        return;
    dl_trial_data_release(&suggestion->search.data);
    dl_free(suggestion);
}
