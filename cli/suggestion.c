/* The report of dltf suggest: the trials of the last round, what was varied, what was not and why, and the
 * command to run with its cost. */
#include "cli/suggestion.h"

#include "cli/files.h"
#include "cli/output.h"
#include "report/json.h"

#include <string.h>

/* ---- The answer ---- */

typedef struct answer {
    dl_setting with;
    char command[1 << 14]; /* names of files may be long */
    int64_t samples;       /* that training will see */
    double seconds;        /* CPU time, at most; negative if unknown */
} answer;

static const char *preprocessing_of(const dl_setting *s) {
    return s->center ? "center" : s->remove_mean ? "remove-mean" : "none";
}

static const char *select_of(const dl_setting *s) {
    return s->select == DLTF_SELECT_POSITIVE ? "positive" : "abs";
}

static const char *encoder_of(const dl_setting *s) {
    return s->encoder == DLTF_ENCODER_BEST ? "best" : "learned";
}

/* The command states what was tried. Without a trial, whether to center is left to training. */
static void write_command(const dl_setting *s, bool tried, const char *data, char *text, size_t size) {
    const char *center = s->center ? " --center" : " --no-center";
    snprintf(text, size, "dltf train %s -m %lld -k %lld%s%s%s%s --encoder %s", files_quoted(data),
             (long long)s->m, (long long)s->k, tried ? center : "", s->remove_mean ? " --remove-mean" : "",
             s->unit_norm ? " --unit-norm" : "",
             s->select == DLTF_SELECT_POSITIVE ? " --select positive" : "", encoder_of(s));
}

static answer make_answer(const dltf_suggestion *s, const char *data) {
    answer a = {.with = s->with, .samples = s->samples, .seconds = s->seconds};
    write_command(&a.with, s->search.chosen >= 0, data, a.command, sizeof a.command);
    return a;
}

/* ---- What was varied, and what was not ---- */

typedef enum field { FIELD_PREPROCESSING, FIELD_SELECT, FIELD_M, FIELD_K, FIELD_ENCODER, FIELDS } field;
static const char *const FIELD_NAMES[FIELDS] = {"preprocessing", "select", "m", "k", "encoder"};

static json_t *value_of(const dl_setting *s, field f) {
    switch (f) {
    case FIELD_PREPROCESSING:
        return json_string(preprocessing_of(s));
    case FIELD_SELECT:
        return json_string(select_of(s));
    case FIELD_M:
        return json_integer(s->m);
    case FIELD_K:
        return json_integer(s->k);
    default:
        return json_string(encoder_of(s));
    }
}

static int compare_values(const json_t *a, const json_t *b) {
    json_int_t x = json_integer_value(a), y = json_integer_value(b);
    return json_is_string(a) ? strcmp(json_string_value(a), json_string_value(b)) : (x > y) - (x < y);
}

/* The values of a field in all trials, ascending. */
static json_t *values_tried(const dl_halving *h, field f) {
    json_t *values = json_array();
    for (int i = 0; i < h->count; i++) {
        json_t *value = value_of(&h->trials[i].with, f);
        size_t at = 0;
        bool known = false;
        for (size_t j = 0; j < json_array_size(values); j++) {
            const json_t *other = json_array_get(values, j);
            known = known || compare_values(other, value) == 0;
            at += compare_values(other, value) < 0;
        }
        if (!known)
            json_array_insert(values, at, value);
        json_decref(value);
    }
    return values;
}

/* Why a field has only one value. */
static const char *reason(const dl_halving *h, field f) {
    bool had_choice = f == FIELD_M   ? h->m.count > 1
                      : f == FIELD_K ? h->k.count > 1
                                     : f != FIELD_SELECT || (h->abs && h->positive);
    if (f == FIELD_ENCODER && h->chosen >= 0 && h->trials[h->chosen].with.m > DL_HALVING_MOST_ATOMS_FOR_BEST)
        return "best takes too long with more than 512 atoms";
    if (had_choice)
        return "the budget did not allow others";
    return f == FIELD_SELECT || (f == FIELD_M ? h->m.given : h->k.given) ? "as given"
           : f == FIELD_M ? "more atoms need more samples: ten for each"
                          : "more entries need more columns: four for each";
}

static json_t *fixed_value(json_t *value, const char *why) {
    json_t *fixed = json_object();
    json_object_set_new(fixed, "value", value);
    json_object_set_new(fixed, "reason", json_string(why));
    return fixed;
}

static void list_fields(const dl_halving *h, const answer *a, json_t *varied, json_t *fixed) {
    for (field f = 0; f < FIELDS; f++) {
        json_t *values = values_tried(h, f);
        if (json_array_size(values) > 1)
            json_object_set(varied, FIELD_NAMES[f], values);
        else
            json_object_set_new(fixed, FIELD_NAMES[f], fixed_value(value_of(&a->with, f), reason(h, f)));
        json_decref(values);
    }
    if (!dl_halving_tries_remove_mean(h))
        json_object_set_new(fixed, "remove-mean",
                            fixed_value(json_string("off"), "the mean of so few columns is half a sample"));
    json_object_set_new(fixed, "unit-norm",
                        fixed_value(json_string(h->unit_norm ? "on" : "off"),
                                    h->unit_norm ? "as given" : "it would discard the norms of samples"));
}

/* ---- JSON ---- */

static json_t *row_of(const dl_halving *h, int i) {
    const dl_trial *t = &h->trials[i];
    json_t *row = json_object();
    for (field f = 0; f < FIELDS; f++)
        json_object_set_new(row, FIELD_NAMES[f], value_of(&t->with, f));
    json_object_set_new(row, "samples", json_integer(t->samples));
    json_object_set_new(row, "explained_variance", json_number(1 - t->unexplained));
    json_object_set_new(row, "raw_explained_variance", json_number(1 - t->raw_unexplained));
    json_object_set_new(row, "entries_per_code", json_number(t->entries));
    json_object_set_new(row, "unused_share", json_number(t->unused_share));
    json_object_set_new(row, "score", json_number(dl_halving_score(t)));
    json_object_set_new(row, "code_microseconds", json_number(1e6 * t->code_seconds));
    json_object_set_new(row, "train_seconds", json_number(t->train_seconds));
    json_object_set_new(row, "chosen", json_boolean(i == h->chosen));
    return row;
}

static void print_json(const dl_halving *h, const answer *a) {
    json_t *object = json_object(), *rows = json_array(), *varied = json_object(), *fixed = json_object();
    for (int i = 0; i < h->count; i++)
        json_array_append_new(rows, row_of(h, i));
    list_fields(h, a, varied, fixed);
    json_object_set_new(object, "trials", rows);
    json_object_set_new(object, "varied", varied);
    json_object_set_new(object, "fixed", fixed);
    json_object_set_new(object, "samples", json_integer(h->data.N));
    json_object_set_new(object, "held_out", json_integer(h->data.held_out));
    json_object_set_new(object, "complete", json_boolean(!dl_halving_budget_bound(h)));
    json_object_set_new(object, "budget_seconds", json_number(h->seconds));
    json_object_set_new(object, "used_seconds", json_number(h->used));
    json_object_set_new(object, "command", json_text(a->command));
    json_object_set_new(object, "command_samples", json_integer(a->samples));
    json_object_set_new(object, "command_seconds", a->seconds < 0 ? json_null() : json_number(a->seconds));
    output_json(object);
    json_decref(object);
}

/* ---- Text ---- */

/* Round 0 only measures the speed; it is of interest if the budget ended there. */
static void print_rounds(const dl_halving *h) {
    int begin = h->rounds > 1 ? 1 : 0;
    for (int r = begin; r < h->rounds; r++) {
        int end = r + 1 < h->rounds ? h->first[r + 1] : h->count - h->best_tried;
        int64_t tried = end - h->first[r], samples = h->trials[h->first[r]].samples;
        if (r == begin)
            printf("Tried %s on %lld samples each", counted(tried, "setting"), (long long)samples);
        else
            printf(", %lld of them on %lld", (long long)tried, (long long)samples);
    }
    printf(":\n\n");
}

static void print_table(const dl_halving *h) {
    printf("  %-13s %-8s %5s %4s %-8s %9s %7s %6s %7s %9s\n", "preprocessing", "select", "m", "k", "encoder",
           "explained", "raw", "L0", "unused", "us/sample");
    for (int i = dl_halving_last_round(h); i < h->count; i++) {
        const dl_trial *t = &h->trials[i];
        printf("%c %-13s %-8s %5lld %4lld %-8s %8.2f%% %6.2f%% %6.1f %6.1f%% %9.2f\n",
               i == h->chosen ? '*' : ' ', preprocessing_of(&t->with), select_of(&t->with),
               (long long)t->with.m, (long long)t->with.k, encoder_of(&t->with), 100 * (1 - t->unexplained),
               100 * (1 - t->raw_unexplained), t->entries, 100 * t->unused_share, 1e6 * t->code_seconds);
    }
}

/* The best explained variance for every m or k, in the round that tried all settings. */
static void print_trade_off(const dl_halving *h, field f) {
    int round = h->rounds > 1, end = round + 1 < h->rounds ? h->first[round + 1] : h->count;
    const dl_sizes *sizes = f == FIELD_M ? &h->m : &h->k;
    int printed = 0;
    for (int s = 0; s < sizes->count && sizes->count > 1; s++) {
        const dl_trial *best = NULL;
        for (int i = h->first[round]; i < end; i++) {
            const dl_trial *t = &h->trials[i];
            int64_t size = f == FIELD_M ? t->with.m : t->with.k;
            if (size == sizes->values[s] && (!best || t->unexplained < best->unexplained))
                best = t;
        }
        if (best && printed++ == 0)
            printf("By %s:      on %lld samples at best", FIELD_NAMES[f], (long long)best->samples);
        if (best)
            printf("%s %lld: %.2f%%", printed > 1 ? "," : "", (long long)sizes->values[s],
                   100 * (1 - best->unexplained));
    }
    printf("%s", printed ? "\n" : "");
}

static void print_varied(const json_t *varied) {
    const char *name;
    json_t *values;
    int printed = 0;
    json_object_foreach((json_t *)varied, name, values) {
        printf("%s%s (", printed++ ? ", " : "Varied:    ", name);
        for (size_t i = 0; i < json_array_size(values); i++) {
            const json_t *value = json_array_get(values, i);
            printf("%s", i ? ", " : "");
            if (json_is_integer(value))
                printf("%lld", (long long)json_integer_value(value));
            else
                printf("%s", json_string_value(value));
        }
        printf(")");
    }
    printf("%s", printed ? "\n" : "");
}

static void print_fixed(const json_t *fixed) {
    const char *name;
    json_t *entry;
    int printed = 0;
    json_object_foreach((json_t *)fixed, name, entry) {
        const json_t *value = json_object_get(entry, "value");
        printf("%s%s ", printed++ ? "; " : "Fixed:     ", name);
        if (json_is_integer(value))
            printf("%lld", (long long)json_integer_value(value));
        else
            printf("%s", json_string_value(value));
        printf(" (%s)", json_string_value(json_object_get(entry, "reason")));
    }
    printf("\n");
}

/* What the suggestion rests on, if the budget was too small. */
static void print_doubt(const dl_halving *h, const answer *a) {
    if (h->chosen < 0) {
        printf("No trial ended within the budget of %g CPU seconds: this suggestion is a default and rests "
               "on no measurement. Raise --seconds.\n",
               h->seconds);
        return;
    }
    int64_t trials = h->count - dl_halving_last_round(h),
            samples = h->trials[dl_halving_last_round(h)].samples;
    if (dl_halving_budget_bound(h))
        printf("The budget of %g CPU seconds was too small for all trials. The choice rests on %s of %lld "
               "samples, where full training sees %lld, and depends on the speed of the machine: another run "
               "may suggest other settings. Raise --seconds.\n",
               h->seconds, counted(trials, "trial"), (long long)samples, (long long)a->samples);
}

static void print_text(const dl_halving *h, const answer *a) {
    json_t *varied = json_object(), *fixed = json_object();
    list_fields(h, a, varied, fixed);
    if (h->chosen >= 0) {
        print_rounds(h);
        print_table(h);
        printf("\nExplained: share of the variance of %s, by codes after refit (explained) and by raw codes "
               "(raw)%s. L0: entries per code.\n"
               "Order:     best first, where %s\n",
               counted(h->data.held_out, "held-out sample"),
               h->unit_norm ? ", in the space of the data: each sample is given its norm back" : "",
               DL_HALVING_RULE);
        print_trade_off(h, FIELD_M);
        print_trade_off(h, FIELD_K);
    }
    print_varied(varied);
    print_fixed(fixed);
    print_doubt(h, a);
    printf("Used:      %.1f of %g CPU seconds\n", h->used, h->seconds);
    printf("Suggested: %s\n", a->command);
    if (a->seconds >= 0)
        printf("Expected:  at most about %.*f s of CPU time, for %lld samples seen\n",
               a->seconds < 10 ? 1 : 0, a->seconds, (long long)a->samples);
    json_decref(varied);
    json_decref(fixed);
}

void suggestion_print(const dltf_suggestion *suggestion, const char *data, bool json) {
    answer a = make_answer(suggestion, data);
    if (json)
        print_json(&suggestion->search, &a);
    else
        print_text(&suggestion->search, &a);
}
