/* The samples of a report: originals beside reconstructions, and their codes. */
#include "cli/output.h"
#include "cli/report.h"

#include <math.h>
#include <stdlib.h>

/* The samples to show: evenly spaced ones, then those with the largest errors. */
typedef struct selection {
    int64_t count, n;
    int64_t *rows;
    float *X, *decoded;
    dltf_codes *codes;
} selection;

static bool contains(const selection *s, int64_t row) {
    for (int64_t i = 0; i < s->count; i++)
        if (s->rows[i] == row)
            return true;
    return false;
}

static void select_rows(const report_job *job, selection *s) {
    int64_t all = job->X.rows, wanted = job->flags.samples < all ? job->flags.samples : all;
    for (int64_t i = 0; i < wanted; i++)
        s->rows[s->count++] = all * i / wanted;
    for (int32_t i = 0; i < job->study.worst_count; i++)
        if (!contains(s, job->study.worst[i].row) && job->study.worst[i].row < all)
            s->rows[s->count++] = job->study.worst[i].row;
    for (int64_t i = 0; i < s->count; i++)
        dltf_matrix_row(job->X, s->rows[i], s->X + i * s->n);
}

static int open_selection(const report_job *job, selection *s) {
    size_t most = (size_t)(2 * job->flags.samples) + 1, n = (size_t)job->view.n;
    *s = (selection){.n = job->view.n};
    s->rows = calloc(most, sizeof *s->rows);
    s->X = malloc(most * n * sizeof *s->X);
    s->decoded = malloc(most * n * sizeof *s->decoded);
    if (!s->rows || !s->X || !s->decoded)
        return failure("not enough memory for %s", counted((int64_t)most, "sample"));
    select_rows(job, s);
    dltf_encode_options options = job->encoding;
    options.size = sizeof options;
    dltf_status status =
        dltf_encode(job->model, dltf_matrix_f32(s->X, s->count, s->n), &options, NULL, NULL, &s->codes);
    if (status == DLTF_OK)
        status = dltf_decode(job->model, s->codes, s->decoded);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

static void close_selection(selection *s) {
    dltf_codes_free(s->codes);
    free(s->rows);
    free(s->X);
    free(s->decoded);
}

/* ---- Cards ---- */

typedef struct entry {
    int32_t atom;
    float value;
} entry;

static int larger_first(const void *a, const void *b) {
    const entry *x = a, *y = b;
    float p = fabsf(x->value), q = fabsf(y->value);
    return p != q ? (p < q) - (p > q) : (x->atom > y->atom) - (x->atom < y->atom);
}

static void write_entry(report_job *job, entry e, float largest) {
    page *p = &job->page;
    page_open(p, "li", NULL);
    page_open(p, "span", NULL);
    if (job->kind == REPORT_PICTURES)
        report_atom_tile(job, job->view.dictionary + e.atom * job->view.n, NULL, "");
    page_text(p, " ");
    report_atom_link(job, e.atom);
    page_close(p, "span");
    report_bar(p, (double)(fabsf(e.value) / largest), e.value < 0);
    page_open(p, "span", "class", "value", NULL);
    page_format(p, "%.4g", (double)e.value);
    page_close(p, "span");
    page_close(p, "li");
}

static void write_code(report_job *job, const selection *s, int64_t i) {
    dltf_csr codes = dltf_codes_csr(s->codes);
    int64_t first = codes.indptr[i], count = codes.indptr[i + 1] - first;
    entry *entries = malloc((size_t)(count + 1) * sizeof *entries);
    if (!entries)
        output_lost();
    for (int64_t e = 0; entries && e < count; e++)
        entries[e] = (entry){codes.indices[first + e], codes.values[first + e]};
    if (entries)
        qsort(entries, (size_t)count, sizeof *entries, larger_first);
    page_open(&job->page, "ul", "class", "bars", NULL);
    for (int64_t e = 0; entries && e < count && e < REPORT_CODE_ENTRIES; e++)
        write_entry(job, entries[e], fabsf(entries[0].value));
    page_close(&job->page, "ul");
    if (count > REPORT_CODE_ENTRIES)
        page_format(&job->page, "and %lld smaller entries", (long long)(count - REPORT_CODE_ENTRIES));
    free(entries);
}

/* Original and reconstruction on the same scale. What preprocessing removes from a single sample is in no
 * code: if the model does that, each has a scale of its own. */
static void write_pair(report_job *job, const float *x, const float *decoded) {
    page *p = &job->page;
    bool own = job->view.remove_mean || job->view.unit_norm || job->view.layer_norm;
    float low = x[0], high = x[0];
    for (int64_t j = 1; j < job->view.n; j++) {
        low = fminf(low, x[j]);
        high = fmaxf(high, x[j]);
    }
    page_open(p, "div", "class", "sample-pair", NULL);
    page_open(p, "figure", NULL);
    report_tile(job, x, low, high, NULL, "original");
    page_element(p, "figcaption", "original", NULL);
    page_close(p, "figure");
    page_open(p, "figure", NULL);
    if (own)
        report_sample_tile(job, decoded, NULL, "reconstruction");
    else
        report_tile(job, decoded, low, high, NULL, "reconstruction");
    page_element(p, "figcaption", "reconstruction", NULL);
    page_close(p, "figure");
    page_close(p, "div");
}

static void write_card(report_job *job, const selection *s, int64_t i, double error) {
    page *p = &job->page;
    char row[32], text[32];
    snprintf(row, sizeof row, "%lld", (long long)s->rows[i]);
    snprintf(text, sizeof text, "%.9g", error);
    page_open(p, "li", "data-row", row, "data-error", text, NULL);
    page_open(p, "h3", NULL);
    report_sample_name(job, s->rows[i]);
    page_close(p, "h3");
    page_open(p, "p", "class", "note", NULL);
    page_format(p, "row %s, relative error %.4g", row, error);
    page_close(p, "p");
    if (job->kind != REPORT_WORDS)
        write_pair(job, s->X + i * s->n, s->decoded + i * s->n);
    write_code(job, s, i);
    page_close(p, "li");
}

/* The error of sample i alone. */
static double error_of(const report_job *job, const selection *s, int64_t i) {
    dltf_csr codes = dltf_codes_csr(s->codes);
    int64_t bounds[2] = {0, codes.indptr[i + 1] - codes.indptr[i]};
    dltf_csr one = {1,   codes.cols, bounds, codes.indices + codes.indptr[i], codes.values + codes.indptr[i],
                    NULL};
    dltf_codes *copy = NULL;
    double error = NAN;
    if (dltf_codes_new(one, &copy) != DLTF_OK ||
        dltf_reconstruction_error(job->model, dltf_matrix_f32(s->X + i * s->n, 1, s->n), copy, &error) !=
            DLTF_OK)
        output_lost();
    dltf_codes_free(copy);
    return error;
}

int report_samples(report_job *job) {
    selection s;
    if (!job->reader || job->flags.samples == 0)
        return EXIT_OK;
    int code = open_selection(job, &s);
    if (code == EXIT_OK) {
        page_section(&job->page, "samples", "Samples");
        page_open(&job->page, "p", NULL);
        page_format(&job->page, "%lld of ", (long long)s.count);
        page_format(&job->page,
                    "%s samples: evenly spaced ones and those with the largest errors. Sort by error to see "
                    "the worst first. A code is shown by its largest entries.",
                    grouped(job->X.rows));
        page_close(&job->page, "p");
        page_open(&job->page, "ul", "class", "cards wide", "data-sorts", "row|error", "data-order",
                  "smallest", NULL);
        for (int64_t i = 0; i < s.count; i++)
            write_card(job, &s, i, error_of(job, &s, i));
        page_close(&job->page, "ul");
        page_section_end(&job->page);
    }
    close_selection(&s);
    return code;
}
