/* The atoms of `dltf top` as text. */
#include "cli/output.h"
#include "cli/top.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *top_sample_name(const top_job *job, int64_t row) {
    return job->names.count > 0 && !job->words && row < job->names.count ? job->names.line[row] : NULL;
}

top_correlated top_find_correlated(const top_job *job, int64_t atom) {
    top_correlated c = {.count = 0};
    if (dltf_top_correlated(job->found, atom, TOP_CORRELATED, c.atoms, c.pearson, &c.count) != DLTF_OK)
        output_lost();
    return c;
}

int64_t top_columns(const top_job *job, int64_t atom, int64_t most, int64_t *columns) {
    dltf_model_view model = dltf_model_get(job->model);
    const float *w = model.dictionary + atom * model.n;
    int64_t count = 0;
    for (int64_t j = 0; j < model.n; j++) {
        int64_t at = count;
        if (count == most && fabsf(w[j]) <= fabsf(w[columns[most - 1]]))
            continue;
        if (count == most)
            at--;
        else
            count++;
        for (; at > 0 && fabsf(w[columns[at - 1]]) < fabsf(w[j]); at--)
            columns[at] = columns[at - 1];
        columns[at] = j;
    }
    return count;
}

/* ---- Lines ---- */

/* A line under construction. */
typedef struct line {
    FILE *out;
    char *text;
    size_t size;
} line;

static bool line_begin(line *l) {
    *l = (line){NULL, NULL, 0};
    l->out = open_memstream(&l->text, &l->size);
    if (!l->out)
        output_lost();
    return l->out != NULL;
}

static void line_end(line *l, const char *label, facts *f) {
    bool written = fclose(l->out) == 0;
    if (written && l->text) /* glibc: NULL if memory ran out */
        facts_text(f, NULL, label, l->text);
    else
        output_lost();
    free(l->text);
}

static void write_examples(const top_job *job, const dltf_example *examples, int64_t count, FILE *out) {
    for (int64_t i = 0; i < count; i++) {
        const char *name = top_sample_name(job, examples[i].row);
        fprintf(out, "%s%lld%s%s (%.3g)", i > 0 ? ", " : "", (long long)examples[i].row, name ? " " : "",
                name ? name : "", (double)examples[i].value);
    }
}

static void report_examples(const top_job *job, facts *f, const char *label, const dltf_example *examples,
                            int64_t count) {
    line l;
    if (count == 0 || !line_begin(&l))
        return;
    write_examples(job, examples, count, l.out);
    line_end(&l, label, f);
}

static void report_intervals(const top_job *job, facts *f, int64_t atom, const dltf_top_atom *found) {
    for (int64_t i = found->intervals - 1; i >= 0 && job->flags.keep.interval > 0; i--) {
        dltf_top_interval interval;
        line l;
        if (dltf_top_interval_get(job->found, atom, i, &interval) != DLTF_OK || interval.uses == 0 ||
            !line_begin(&l))
            continue;
        fprintf(l.out, "%.3g%% from %.4g to %.4g: ", 100 * (double)interval.uses / (double)found->uses,
                interval.min, interval.max);
        write_examples(job, interval.examples, interval.count, l.out);
        line_end(&l, i == found->intervals - 1 ? "  intervals" : "", f);
    }
}

static void report_correlated(const top_job *job, facts *f, int64_t atom) {
    top_correlated found = top_find_correlated(job, atom);
    line l;
    if (found.count == 0 || !line_begin(&l))
        return;
    for (int64_t i = 0; i < found.count; i++)
        fprintf(l.out, "%s%d (%.3g)", i > 0 ? ", " : "", (int)found.atoms[i], found.pearson[i]);
    line_end(&l, "  correlated", f);
}

static void report_words(const top_job *job, facts *f, int64_t atom) {
    int64_t columns[TOP_WORDS], count = job->words ? top_columns(job, atom, TOP_WORDS, columns) : 0;
    dltf_model_view model = dltf_model_get(job->model);
    line l;
    if (count == 0 || !line_begin(&l))
        return;
    for (int64_t i = 0; i < count; i++)
        fprintf(l.out, "%s%s (%.3g)", i > 0 ? ", " : "", job->names.line[columns[i]],
                (double)model.dictionary[atom * model.n + columns[i]]);
    line_end(&l, "  words", f);
}

static void report_atom(const top_job *job, facts *f, int64_t atom) {
    char label[32];
    dltf_top_atom found;
    if (dltf_top_get(job->found, atom, &found) != DLTF_OK)
        return;
    snprintf(label, sizeof label, "atom %lld", (long long)atom);
    if (found.uses == 0) {
        facts_line(f, label, "in no code");
        return;
    }
    facts_line(f, label, "in %.3g%% of the codes, mean %.4g, largest %.4g",
               100 * (double)found.uses / (double)dltf_top_samples(job->found), found.mean, found.largest);
    report_words(job, f, atom);
    report_examples(job, f, "  top", found.top, found.top_count);
    report_examples(job, f, "  random", found.random, found.random_count);
    report_intervals(job, f, atom, &found);
    report_correlated(job, f, atom);
}

void top_report(const top_job *job, facts *f) {
    for (int64_t i = 0; i < job->listed_count; i++)
        report_atom(job, f, job->listed[i]);
}
