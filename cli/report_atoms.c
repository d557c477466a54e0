/* The atoms of a report: a grid of cards, and for each atom an article that its card opens. */
#include "cli/output.h"
#include "cli/report.h"

#include <math.h>
#include <stdlib.h>

/* ---- Cards ---- */

/* The class of most codes with the atom; -1: none. */
static int64_t main_class(const report_job *job, int64_t atom) {
    const int64_t *counts = job->study.by_class + atom * job->classes.count;
    int64_t best = -1;
    for (int64_t c = 0; c < job->classes.count; c++)
        if (counts[c] > (best < 0 ? 0 : counts[best]))
            best = c;
    return best;
}

static void write_number(char text[32], double value) {
    snprintf(text, 32, "%.9g", value);
}

static dltf_top_atom atom_of(const report_job *job, int64_t atom) {
    dltf_top_atom found = {.uses = 0};
    if (job->reader && dltf_top_get(job->study.top, atom, &found) != DLTF_OK)
        output_lost();
    return found;
}

static double use_share(const report_job *job, const dltf_top_atom *found) {
    return (double)found->uses / (double)job->study.evaluation.samples;
}

static void draw_atom(report_job *job, int64_t atom, const char *kind) {
    char alternative[48];
    snprintf(alternative, sizeof alternative, "atom %lld", (long long)atom);
    if (job->kind == REPORT_WORDS)
        report_words(job, atom);
    else
        report_atom_tile(job, job->view.dictionary + atom * job->view.n, kind, alternative);
}

static void open_card(report_job *job, int64_t atom, const dltf_top_atom *found) {
    char number[5][32], label[32];
    int64_t class = job->classes.count > 0 ? main_class(job, atom) : -1;
    write_number(number[0], (double)found->uses);
    write_number(number[1], job->reader ? job->study.energy[atom] : 0);
    write_number(number[2], found->mean);
    write_number(number[3], (double)job->coherence[atom]);
    write_number(number[4], (double)atom);
    snprintf(label, sizeof label, "%lld", class < 0 ? 0 : (long long)job->classes.labels[class]);
    page_open(&job->page, "li", "data-use", job->reader ? number[0] : NULL, "data-energy",
              job->reader ? number[1] : NULL, "data-mean", job->reader ? number[2] : NULL, "data-coherence",
              number[3], "data-atom", number[4], "data-label", class < 0 ? NULL : label, NULL);
}

static void write_card(report_job *job, int64_t atom) {
    page *p = &job->page;
    dltf_top_atom found = atom_of(job, atom);
    open_card(job, atom, &found);
    report_atom_link(job, atom);
    draw_atom(job, atom, "atom-picture");
    if (job->reader && found.uses == 0)
        page_text(p, "in no code");
    else if (job->reader)
        page_format(p, "in %.3g%% of the codes, mean %.4g", 100 * use_share(job, &found), found.mean);
    /* The names of top samples say what an atom stands for, and can be searched for. */
    for (int64_t i = 0; job->kind == REPORT_LINES && job->names.count > 0 && i < found.top_count && i < 4;
         i++) {
        page_text(p, i == 0 ? ": " : ", ");
        page_name(p, job->names.line[found.top[i].row]);
    }
    page_close(p, "li");
}

static char *label_list(const report_job *job) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (int64_t c = 0; out && c < job->classes.count; c++)
        fprintf(out, "%s%lld", c > 0 ? "|" : "", (long long)job->classes.labels[c]);
    return out && fclose(out) == 0 ? text : NULL;
}

static void write_cards(report_job *job) {
    char *labels = job->classes.count > 0 ? label_list(job) : NULL;
    page_open(&job->page, "ul", "class", "cards", "data-sorts",
              job->reader ? "use|energy|mean|coherence|atom" : "coherence|atom", "data-labels", labels, NULL);
    for (int64_t i = 0; i < job->shown_count; i++)
        write_card(job, job->order[i]);
    page_close(&job->page, "ul");
    free(labels);
}

/* ---- Articles ---- */

/* The values of an atom as a histogram. */
static void write_histogram(page *p, const dltf_top_atom *found) {
    char points[80 * 24];
    int used = snprintf(points, sizeof points, "0,100");
    int64_t most = 1;
    for (int64_t i = 0; i < found->bar_count; i++)
        most = found->bars[i] > most ? found->bars[i] : most;
    for (int64_t i = 0; i < found->bar_count; i++) {
        double y = 100 * (1 - (double)found->bars[i] / (double)most);
        used += snprintf(points + used, sizeof points - (size_t)used, " %d,%.1f %d,%.1f", (int)i, y,
                         (int)i + 1, y);
    }
    snprintf(points + used, sizeof points - (size_t)used, " %d,100", (int)found->bar_count);
    char box[48];
    snprintf(box, sizeof box, "0 0 %d 100", (int)found->bar_count);
    page_element(p, "h3", "Values", NULL);
    page_open(p, "svg", "class", "histogram", "viewBox", box, "preserveAspectRatio", "none", "role", "img",
              "aria-label", "histogram of the magnitudes of the values", NULL);
    page_element(p, "polygon", NULL, "points", points, NULL);
    page_close(p, "svg");
    page_open(p, "p", "class", "note", NULL);
    page_format(p, "Magnitudes from 0 to %.4g, codes per interval of %.3g; the tallest bar is %lld.",
                (double)found->bar_count * found->bar_width, found->bar_width, (long long)most);
    page_close(p, "p");
}

static void write_strip(report_job *job, const dltf_example *examples, int64_t count) {
    page *p = &job->page;
    float *row = malloc((size_t)job->view.n * sizeof *row);
    if (!row)
        output_lost();
    page_open(p, "ul", "class", "strip", NULL);
    for (int64_t i = 0; row && i < count && examples[i].row < job->X.rows; i++) {
        char alternative[48];
        snprintf(alternative, sizeof alternative, "sample %lld", (long long)examples[i].row);
        page_open(p, "li", NULL);
        if (job->kind != REPORT_WORDS) {
            dltf_matrix_row(job->X, examples[i].row, row);
            report_sample_tile(job, row, NULL, alternative);
        }
        report_sample_name(job, examples[i].row);
        page_format(p, " (%.4g)", (double)examples[i].value);
        page_close(p, "li");
    }
    page_close(p, "ul");
    free(row);
}

static void write_samples(report_job *job, int64_t atom, const dltf_top_atom *found) {
    page *p = &job->page;
    page_element(p, "h3", "Samples with the largest values", NULL);
    write_strip(job, found->top, found->top_count);
    if (found->random_count > 0) {
        page_element(p, "h3", "Random samples that use the atom", NULL);
        write_strip(job, found->random, found->random_count);
    }
    if (job->flags.keep.interval == 0)
        return;
    page_element(p, "h3", "Samples by value", NULL);
    for (int64_t i = found->intervals - 1; i >= 0; i--) {
        dltf_top_interval in;
        if (dltf_top_interval_get(job->study.top, atom, i, &in) != DLTF_OK || in.uses == 0)
            continue;
        page_open(p, "p", "class", "note", NULL);
        page_format(p, "From %.4g to %.4g: %.3g%% of the codes that use it", in.min, in.max,
                    100 * (double)in.uses / (double)found->uses);
        page_close(p, "p");
        write_strip(job, in.examples, in.count);
    }
}

static void write_links(report_job *job, const char *title, const int32_t *atoms, const double *values,
                        int64_t count) {
    page *p = &job->page;
    if (count == 0)
        return;
    page_element(p, "h3", title, NULL);
    page_open(p, "ul", "class", "bars", NULL);
    for (int64_t i = 0; i < count; i++) {
        page_open(p, "li", NULL);
        report_atom_link(job, atoms[i]);
        report_bar(p, values[i], false);
        page_open(p, "span", "class", "value", NULL);
        page_format(p, "%.3g", values[i]);
        page_close(p, "span");
        page_close(p, "li");
    }
    page_close(p, "ul");
}

static void write_related(report_job *job, int64_t atom) {
    int32_t atoms[REPORT_LINKS];
    double values[REPORT_LINKS];
    int64_t count = 0;
    if (dltf_top_correlated(job->study.top, atom, REPORT_LINKS, atoms, values, &count) != DLTF_OK)
        output_lost();
    write_links(job, "Correlated atoms (Pearson's r of the values)", atoms, values, count);
    if (dl_top_together(job->study.top, atom, REPORT_LINKS, atoms, values, &count) != DLTF_OK)
        output_lost();
    write_links(job, "Atoms in the same codes (share of the codes that use this atom)", atoms, values, count);
}

static void write_labels(report_job *job, int64_t atom, const dltf_top_atom *found) {
    page *p = &job->page;
    const int64_t *counts = job->study.by_class + atom * job->classes.count;
    page_element(p, "h3", "Labels of the samples that use the atom", NULL);
    page_open(p, "ul", "class", "bars", NULL);
    for (int64_t c = 0; c < job->classes.count; c++) {
        double share = (double)counts[c] / (double)found->uses;
        if (counts[c] == 0)
            continue;
        page_open(p, "li", NULL);
        page_open(p, "span", NULL);
        page_format(p, "label %lld", (long long)job->classes.labels[c]);
        page_close(p, "span");
        report_bar(p, share, false);
        page_open(p, "span", "class", "value", NULL);
        page_format(p, "%.3g%%", 100 * share);
        page_close(p, "span");
        page_close(p, "li");
    }
    page_close(p, "ul");
}

static void write_figure(report_job *job, const float *values, const char *caption) {
    page_open(&job->page, "figure", NULL);
    report_atom_tile(job, values, NULL, caption);
    page_element(&job->page, "figcaption", caption, NULL);
    page_close(&job->page, "figure");
}

static void write_vectors(report_job *job, int64_t atom) {
    const dltf_model_view *v = &job->view;
    if (job->kind == REPORT_WORDS)
        report_words(job, atom);
    if (job->kind != REPORT_WORDS)
        write_figure(job, v->dictionary + atom * v->n, "atom");
    if (v->encoder && job->kind != REPORT_WORDS)
        write_figure(job, v->encoder + atom * v->n, "encoder row");
}

static void write_numbers(report_job *job, int64_t atom, const dltf_top_atom *found) {
    facts f = facts_new();
    if (job->reader) {
        facts_line(&f, "codes that use it", "%s, %.4g%% of all", grouped(found->uses),
                   100 * use_share(job, found));
        facts_real(&f, NULL, "mean magnitude", found->mean);
        facts_real(&f, NULL, "largest magnitude", found->largest);
        facts_real(&f, NULL, "energy (sum of squares)", job->study.energy[atom]);
    }
    facts_line(&f, "coherence", "%.4g with the most similar atom", (double)job->coherence[atom]);
    page_pairs(&job->page, f.lines);
    facts_free(&f);
}

static void write_article(report_job *job, int64_t atom) {
    page *p = &job->page;
    char id[40], title[40];
    dltf_top_atom found = atom_of(job, atom);
    snprintf(id, sizeof id, "atom-%lld", (long long)atom);
    snprintf(title, sizeof title, "Atom %lld", (long long)atom);
    page_open(p, "article", "class", "atom", "id", id, "data-back", "atoms", NULL);
    page_element(p, "a", "Back to all atoms", "href", "#atoms", NULL);
    page_element(p, "h2", title, "tabindex", "-1", NULL);
    page_open(p, "div", "class", "pair", NULL);
    write_vectors(job, atom);
    write_numbers(job, atom, &found);
    page_close(p, "div");
    if (found.uses > 0) {
        write_histogram(p, &found);
        if (job->classes.count > 0)
            write_labels(job, atom, &found);
        write_samples(job, atom, &found);
        write_related(job, atom);
    }
    page_close(p, "article");
}

int report_atoms(report_job *job) {
    page *p = &job->page;
    page_section(p, "atoms", "Atoms");
    page_open(p, "p", NULL);
    if (job->shown_count < job->view.m)
        page_format(p, "%lld of %s%s; --atoms shows more. ", (long long)job->shown_count,
                    counted(job->view.m, "atom"), job->reader ? ", those that most codes use" : "");
    page_text(p, "A click on an atom shows its samples; Escape, or going back, closes it.");
    page_close(p, "p");
    write_cards(job);
    page_section_end(p);
    return EXIT_OK;
}

int report_articles(report_job *job) {
    for (int64_t i = 0; i < job->shown_count; i++)
        write_article(job, job->order[i]);
    return EXIT_OK;
}
