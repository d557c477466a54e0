/* The overview of a report: what the model is, how well it codes the data, charts, and what is good and what
 * deserves attention in words. */
#include "cli/evaluation_facts.h"
#include "cli/model_facts.h"
#include "cli/output.h"
#include "cli/report.h"
#include "report/chart.h"
#include "report/histogram.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

enum { MEASURED = 1000 };

/* ---- Verdicts ---- */

/* Above these an atom, or the model, deserves attention. */
static const double MANY_UNUSED = 0.1, RAW_BY_REFIT = 1.5, SAME_ATOM = 0.95, ALWAYS = 0.5,
                    GOOD_VARIANCE = 0.8, POOR_VARIANCE = 0.5, APART = 0.5;

typedef struct verdicts {
    json_t *good, *attention;
} verdicts;

static void add(json_t *list, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(json_t *list, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    json_array_append_new(list, json_vsprintf(format, arguments));
    va_end(arguments);
}

static void judge_codes(verdicts *v, const dltf_evaluation *e) {
    if (e->explained_variance >= GOOD_VARIANCE)
        add(v->good, "The codes explain %.1f%% of the variance of the data.", 100 * e->explained_variance);
    else if (e->explained_variance < POOR_VARIANCE)
        add(v->attention,
            "The codes explain only %.1f%% of the variance of the data: raise k or m, train longer, or check "
            "that the data are of the kind the model was trained on.",
            100 * e->explained_variance);
    if (e->relative_error > RAW_BY_REFIT * e->refit_relative_error)
        add(v->attention, "The error of raw codes is %.1f times that after refit: encode with --refit.",
            e->relative_error / e->refit_relative_error);
    else if (e->refit_relative_error > 0)
        add(v->good, "Raw codes are nearly as good as refitted ones: relative error %.4g against %.4g.",
            e->relative_error, e->refit_relative_error);
    if (1 - e->frac_alive > MANY_UNUSED)
        add(v->attention, "%.0f%% of the atoms are in no code: lower m, train longer, or use more data here.",
            100 * (1 - e->frac_alive));
    else
        add(v->good, "%.4g%% of the atoms are in use.", 100 * e->frac_alive);
}

static void judge_use(verdicts *v, const int64_t *uses, const report_job *job) {
    const dltf_model_view *view = &job->view;
    int64_t always = 0;
    for (int64_t j = 0; j < view->m; j++)
        always += (double)uses[j] > ALWAYS * (double)job->study.evaluation.samples;
    if (always > 0)
        add(v->attention, "In more than half of the codes: %s. What most samples share takes up entries.%s",
            counted(always, "atom"),
            view->mean || view->offset ? "" : " Centring the data (train --center) may free them.");
}

static void judge_atoms(verdicts *v, const double *coherence, int64_t m) {
    int64_t same = 0;
    for (int64_t j = 0; j < m; j++)
        same += coherence[j] > SAME_ATOM;
    if (same > 0)
        add(v->attention, "Near duplicates: %s with a cosine above %.2f with another atom.",
            counted(same, "atom"), SAME_ATOM);
    else
        add(v->good, "No two atoms are near duplicates.");
}

static double encoder_cosine(const dltf_model_view *view, int64_t atom) {
    const float *a = view->dictionary + atom * view->n, *b = view->encoder + atom * view->n;
    double ab = 0, aa = 0, bb = 0;
    for (int64_t j = 0; j < view->n; j++) {
        ab += (double)a[j] * (double)b[j];
        aa += (double)a[j] * (double)a[j];
        bb += (double)b[j] * (double)b[j];
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

static void judge_encoder(verdicts *v, const dltf_model_view *view) {
    double sum = 0;
    for (int64_t j = 0; j < view->m; j++)
        sum += encoder_cosine(view, j);
    if (sum / (double)view->m < APART)
        add(v->attention,
            "Encoder rows differ from their atoms: the mean cosine is %.2f. The encoder row says when an "
            "atom "
            "is used, the atom what it adds.",
            sum / (double)view->m);
}

static void judge(const report_job *job, const int64_t *uses, const double *coherence, verdicts *v) {
    if (job->reader) {
        judge_codes(v, &job->study.evaluation);
        judge_use(v, uses, job);
    }
    judge_atoms(v, coherence, job->view.m);
    if (job->view.encoder)
        judge_encoder(v, &job->view);
}

static void write_list(page *p, const char *title, const char *kind, const json_t *list) {
    if (json_array_size(list) == 0)
        return;
    page_element(p, "h3", title, NULL);
    page_open(p, "ul", "class", kind, NULL);
    for (size_t i = 0; i < json_array_size(list); i++)
        page_element(p, "li", json_string_value(json_array_get(list, i)), NULL);
    page_close(p, "ul");
}

/* ---- Charts ---- */

static void draw_density(report_job *job, const int64_t *uses) {
    double *logs = malloc((size_t)job->view.m * sizeof *logs), low = -1;
    int64_t count = 0;
    for (int64_t j = 0; logs && j < job->view.m; j++)
        if (uses[j] > 0) {
            logs[count] = log10((double)uses[j] / (double)job->study.evaluation.samples);
            low = fmin(low, floor(logs[count++]));
        }
    histogram h = {"Density of atoms", "log10 of the share of codes that use an atom", "atoms", 40, low, 0};
    page_figure(&job->page, logs ? histogram_svg(&h, logs, count) : NULL,
                "histogram of the share of codes that use an atom", NULL);
    free(logs);
}

static void draw_coherence(report_job *job, const double *coherence) {
    histogram h = {"Coherence of atoms", "cosine with the most similar other atom", "atoms", 40, 0, 1};
    page_figure(&job->page, histogram_svg(&h, coherence, job->view.m),
                "histogram of the largest cosine of each atom with another one", NULL);
}

static void draw_encoder(report_job *job) {
    const dltf_model_view *view = &job->view;
    double *cosines = malloc((size_t)view->m * sizeof *cosines);
    for (int64_t j = 0; cosines && j < view->m; j++)
        cosines[j] = encoder_cosine(view, j);
    histogram h = {"Encoder and dictionary", "cosine of an encoder row and its atom", "atoms", 40, -1, 1};
    page_figure(&job->page, cosines ? histogram_svg(&h, cosines, view->m) : NULL,
                "histogram of the cosine of each encoder row with its atom", NULL);
    free(cosines);
}

/* Evenly spaced samples, allocated; NULL if out of memory. */
static float *spread_rows(const report_job *job, int64_t count) {
    int64_t n = job->view.n, N = job->X.rows;
    float *rows = malloc((size_t)(count * n) * sizeof *rows);
    for (int64_t i = 0; rows && i < count; i++)
        dltf_matrix_row(job->X, N * i / count, rows + i * n);
    return rows;
}

static dltf_status measure_size(report_job *job, dltf_matrix X, int64_t k, double errors[2]) {
    dltf_codes *codes = NULL, *fitted = NULL;
    dltf_encode_options options = job->encoding;
    options.k = k;
    options.size = sizeof options;
    dltf_status status = dltf_encode(job->model, X, &options, NULL, NULL, &codes);
    if (status == DLTF_OK)
        status = dltf_reconstruction_error(job->model, X, codes, &errors[0]);
    if (status == DLTF_OK)
        status = dltf_refit(job->model, X, codes, options.threads, &fitted);
    if (status == DLTF_OK)
        status = dltf_reconstruction_error(job->model, X, fitted, &errors[1]);
    dltf_codes_free(codes);
    dltf_codes_free(fitted);
    return status;
}

static int draw_sizes(report_job *job) {
    int64_t count = job->X.rows < MEASURED ? job->X.rows : MEASURED, k = job->encoding.k, tried = 0;
    float *rows = spread_rows(job, count);
    chart_panel panel = {.x_label = "entries of a code (k)", .y_label = "relative error", .log_x = true};
    dltf_status status = rows ? DLTF_OK : DLTF_MEMORY;
    k = k > 0 ? k : job->view.k;
    for (int64_t i = 1; i <= 2 * k && i <= job->view.m && i <= job->view.n && status == DLTF_OK; i *= 2) {
        double errors[2];
        int64_t size = tried < k && i >= k ? k : i; /* the model's own k is one of the sizes */
        status = measure_size(job, dltf_matrix_f32(rows, count, job->view.n), size, errors);
        bool added = chart_add_point(chart_find_line(&panel, "raw", false), (double)size, errors[0]) &&
                     chart_add_point(chart_find_line(&panel, "after refit", true), (double)size, errors[1]);
        if (status == DLTF_OK && !added)
            status = DLTF_MEMORY;
        tried = i = size;
    }
    chart c = {.title = "Error against k",
               .width = CHART_WIDTH,
               .height = CHART_HEIGHT,
               .columns = 1,
               .count = 1,
               .panels = &panel};
    char caption[80];
    snprintf(caption, sizeof caption, "Of %s evenly spaced samples.", grouped(count));
    if (status == DLTF_OK)
        page_figure(&job->page, chart_svg(&c), "relative error of codes with more and fewer entries",
                    caption);
    chart_clear(&panel, 1);
    free(rows);
    return status == DLTF_OK || status == DLTF_MEMORY ? EXIT_OK : library_failure(status);
}

/* ---- Facts ---- */

static void write_facts(report_job *job, const int64_t *uses) {
    facts f = facts_new();
    model_facts(&f, job->args.operands[0], job->view);
    facts_text(&f, "version", NULL, dltf_version());
    facts_line(&f, "made by", "dltf %s", dltf_version());
    if (job->reader) {
        const dltf_evaluation *e = &job->study.evaluation;
        facts_text(&f, "data", "data", job->args.operands[1]);
        facts_integer(&f, "samples", NULL, e->samples);
        facts_line(&f, "samples", "%s", grouped(e->samples));
        int64_t *sorted = malloc((size_t)job->view.m * sizeof *sorted);
        if (!sorted)
            output_lost();
        else
            memcpy(sorted, uses, (size_t)job->view.m * sizeof *sorted);
        if (sorted)
            evaluation_facts(&f, e, sorted, job->view.m);
        free(sorted);
    }
    page_pairs(&job->page, f.lines);
    page_data(&job->page, "facts", f.object);
    facts_free(&f);
    page_open(&job->page, "details", NULL);
    page_element(&job->page, "summary", "How the model was trained", NULL);
    facts notes = facts_new();
    model_notes(&notes, job->model);
    if (json_array_size(notes.lines) > 0)
        page_pairs(&job->page, notes.lines);
    else
        page_element(&job->page, "p", "The model has no notes.", NULL);
    page_close(&job->page, "details");
    facts_free(&notes);
}

static int draw_charts(report_job *job, const int64_t *uses, const double *coherence) {
    int code = EXIT_OK;
    page_open(&job->page, "div", "class", "figures", NULL);
    if (job->reader)
        draw_density(job, uses);
    if (job->reader && !job->view.threshold)
        code = draw_sizes(job);
    draw_coherence(job, coherence);
    if (job->view.encoder)
        draw_encoder(job);
    page_close(&job->page, "div");
    return code;
}

int report_overview(report_job *job) {
    int64_t m = job->view.m;
    verdicts v = {json_array(), json_array()};
    int64_t *uses = job->reader ? report_uses(job) : NULL;
    double *coherence = malloc((size_t)m * sizeof *coherence);
    int code = EXIT_OK;
    if (!coherence || (job->reader && !uses))
        code = failure("not enough memory for %s", counted(m, "atom"));
    for (int64_t j = 0; code == EXIT_OK && j < m; j++)
        coherence[j] = (double)job->coherence[j];
    page_section(&job->page, "overview", "Overview");
    if (code == EXIT_OK) {
        judge(job, uses, coherence, &v);
        page_open(&job->page, "div", "class", "columns", NULL);
        page_open(&job->page, "div", NULL);
        write_facts(job, uses);
        page_close(&job->page, "div");
        page_open(&job->page, "div", NULL);
        write_list(&job->page, "What is good", "good", v.good);
        write_list(&job->page, "What deserves attention", "attention", v.attention);
        page_close(&job->page, "div");
        page_close(&job->page, "div");
        code = draw_charts(job, uses, coherence);
    }
    page_section_end(&job->page);
    json_decref(v.good);
    json_decref(v.attention);
    free(uses);
    free(coherence);
    return code;
}
