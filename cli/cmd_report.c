/* dltf report: a page about a model and what it does on data, in one pass over the data. */
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "output", .letter = 'o', .kind = DL_OPTION_TEXT, .offset = offsetof(report_flags, output), .default_text = "report.html", .argument = "FILE.html", .help = "the page to write"},
    {.name = "names", .kind = DL_OPTION_TEXT, .offset = offsetof(report_flags, names), .argument = "FILE", .help = "text file with a name on each line: one for each sample or, if there are as many as columns, the words of a text collection: atoms then show their words"},
    {.name = "labels", .kind = DL_OPTION_TEXT, .offset = offsetof(report_flags, labels), .argument = "FILE", .help = "label of each sample, an integer: atoms then show the labels of their samples"},
    {.name = "shape", .kind = DL_OPTION_TEXT, .offset = offsetof(report_flags, shape), .argument = "WxH", .help = "width and height of samples and atoms as images; none: draw them as lines (default: square if that fits and there are no names)"},
    {.name = "atoms", .kind = DL_OPTION_INTEGER, .offset = offsetof(report_flags, atoms), .min = 0, .max = DL_OPTION_MAX_COUNT, .argument = "N", .default_text = "0", .help = "atoms to show, those that most codes use; 0: at most 256, and no more than fit in 8 MB"},
    {.name = "samples", .kind = DL_OPTION_INTEGER, .offset = offsetof(report_flags, samples), .min = 0, .max = 10000, .argument = "N", .default_text = "24", .help = "samples to show beside their reconstructions, and as many of those with the largest errors"},
    DL_TOP_ROWS(report_flags, keep.),
    {.name = "raw", .kind = DL_OPTION_FLAG, .offset = offsetof(report_flags, raw), .default_text = "false", .help = "read DATA as raw rows: little-endian float32 without a header, as many columns as the model expects"},
};
/* clang-format on */

/* ---- Input ---- */

static int check_request(report_job *job) {
    const report_flags *f = &job->flags;
    const char *data = job->args.operands[1];
    int code = arguments_check(&job->args, dl_encode_option_table(), &job->encoding);
    if (code == EXIT_OK && data && files_is_standard(data))
        code = usage_error("DATA must be a file: the samples that the page shows are read again");
    if (code == EXIT_OK && !data && f->labels)
        code = usage_error("--labels needs DATA: labels are those of samples");
    if (code == EXIT_OK && !files_has_ending(f->output, ".html"))
        code = usage_error("%s: unsupported extension: a page is written as .html", f->output);
    if (code == EXIT_OK)
        code = files_check(4, (const char *const[]){job->args.operands[0], data, f->names, f->labels}, 1,
                           &f->output);
    return code;
}

static int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Labels as classes. */
static int classify(const int64_t *labels, int64_t count, report_classes *c) {
    enum { MOST = 1000 };
    *c = (report_classes){.samples = count};
    c->labels = malloc((size_t)(count + 1) * sizeof *c->labels);
    c->of = malloc((size_t)(count + 1) * sizeof *c->of);
    if (!c->labels || !c->of)
        return failure("not enough memory for %s", counted(count, "label"));
    memcpy(c->labels, labels, (size_t)count * sizeof *labels);
    qsort(c->labels, (size_t)count, sizeof *c->labels, by_value);
    for (int64_t i = 0; i < count; i++)
        if (i == 0 || c->labels[i] != c->labels[c->count - 1])
            c->labels[c->count++] = c->labels[i];
    if (c->count > MOST)
        return failure("%s: %s are too many for a page, which has room for %d", "--labels",
                       counted(c->count, "different label"), MOST);
    for (int64_t i = 0; i < count; i++) {
        int64_t *found = bsearch(&labels[i], c->labels, (size_t)c->count, sizeof *c->labels, by_value);
        c->of[i] = (int32_t)(found - c->labels);
    }
    return EXIT_OK;
}

static int load_labels(report_job *job) {
    dltf_labels *labels = NULL;
    int64_t count = 0, rows = dltf_reader_rows(job->reader);
    dltf_status status = dltf_labels_load(job->flags.labels, &labels);
    if (status != DLTF_OK)
        return library_failure(status);
    const int64_t *values = dltf_labels_get(labels, &count);
    int code = rows >= 0 && count != rows ? failure("%s: %s, but DATA has %s", job->flags.labels,
                                                    counted(count, "label"), counted(rows, "sample"))
                                          : classify(values, count, &job->classes);
    dltf_labels_free(labels);
    return code;
}

static int open_data(report_job *job) {
    const char *data = job->args.operands[1];
    int64_t raw = job->flags.raw ? job->view.n : 0;
    if (!data)
        return EXIT_OK;
    int code = files_open_data(data, raw, &job->reader);
    if (code == EXIT_OK)
        code = files_open_rows(data, raw, &job->array);
    if (code == EXIT_OK) {
        job->X = dltf_array_matrix(job->array);
        if (job->X.cols != job->view.n)
            code = failure("%s: has %s, the model expects %lld", data, counted(job->X.cols, "column"),
                           (long long)job->view.n);
    }
    return code == EXIT_OK && job->flags.labels ? load_labels(job) : code;
}

/* Names are those of samples or, if there are as many as columns and not as samples, of columns. */
static int load_names(report_job *job) {
    const char *path = job->flags.names;
    int code = path ? names_load(path, &job->names) : EXIT_OK;
    if (!path || code != EXIT_OK)
        return code;
    if (job->reader && job->names.count == job->X.rows)
        return EXIT_OK;
    if (job->names.count == job->view.n) {
        job->kind = REPORT_WORDS;
        return EXIT_OK;
    }
    if (!job->reader)
        return failure("%s: %s, but atoms have %s", path, counted(job->names.count, "line"),
                       counted(job->view.n, "entry"));
    return failure("%s: %s, but DATA has %lld samples of %lld columns", path,
                   counted(job->names.count, "line"), (long long)job->X.rows, (long long)job->view.n);
}

static int find_shape(report_job *job) {
    const char *text = job->flags.shape;
    int64_t side = (int64_t)llround(sqrt((double)job->view.n));
    bool square = side * side == job->view.n && side > 1;
    if (job->kind == REPORT_WORDS || (text && strcmp(text, "none") == 0))
        return EXIT_OK;
    if (!text && (!square || job->names.count > 0))
        return EXIT_OK;
    job->kind = REPORT_PICTURES;
    return picture_find_shape(text, job->view.n, &job->shape);
}

static int open_files(report_job *job) {
    int code = files_load_model(job->args.operands[0], &job->model);
    if (code != EXIT_OK)
        return code;
    job->view = dltf_model_get(job->model);
    code = open_data(job);
    if (code == EXIT_OK)
        code = load_names(job);
    return code == EXIT_OK ? find_shape(job) : code;
}

/* ---- Measurement ---- */

static int study_data(report_job *job) {
    dl_study_request request = {.keep = job->flags.keep,
                                .worst = job->flags.samples,
                                .classes = job->classes.of,
                                .labelled = job->classes.samples,
                                .class_count = job->classes.count};
    request.keep.size = sizeof request.keep;
    dltf_status status =
        dl_study_stream(job->model, job->reader, &job->encoding, &request, progress_step, NULL, &job->study);
    progress_erase();
    if (interrupted())
        return interrupted_exit();
    return status == DLTF_OK
               ? EXIT_OK
               : library_failure_in(status, (sources){[DLTF_SUBJECT_DATA] = job->args.operands[1]});
}

static int measure(report_job *job) {
    int64_t m = job->view.m;
    double begin = dl_seconds();
    job->coherence = malloc((size_t)m * sizeof *job->coherence);
    job->order = malloc((size_t)m * sizeof *job->order);
    job->shown = calloc((size_t)m, sizeof *job->shown);
    if (!job->coherence || !job->order || !job->shown)
        return failure("not enough memory for %s", counted(m, "atom"));
    for (int64_t j = 0; j < m; j++)
        job->order[j] = (int32_t)j;
    int code = job->reader ? study_data(job) : EXIT_OK;
    dltf_status status = DLTF_OK;
    if (code == EXIT_OK && job->reader)
        status = dltf_top_by_use(job->study.top, job->order);
    if (code == EXIT_OK && status == DLTF_OK)
        status = dl_atom_coherence(job->view.dictionary, m, job->view.n, (int)job->encoding.threads,
                                   job->coherence);
    job->seconds = dl_seconds() - begin;
    return code == EXIT_OK && status != DLTF_OK ? library_failure(status) : code;
}

/* ---- Output ---- */

static int write_page(report_job *job) {
    static int (*const parts[])(report_job *) = {report_overview, report_atoms, report_samples,
                                                 report_articles};
    char title[400], lead[200];
    snprintf(title, sizeof title, "What %.300s has learned", job->args.operands[0]);
    snprintf(lead, sizeof lead, "A dictionary of %s with %s each, for codes of %s.",
             counted(job->view.m, "atom"), counted(job->view.n, "entry"), counted(job->view.k, "entry"));
    report_choose_atoms(job);
    page_begin(&job->page, title, job->view.threshold ? NULL : lead);
    int code = EXIT_OK;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && code == EXIT_OK; i++)
        code = parts[i](job);
    char *text = page_end(&job->page);
    if (code == EXIT_OK)
        code = output_finish(EXIT_OK);
    if (code == EXIT_OK)
        code = files_save_text(job->flags.output, text);
    if (code == EXIT_OK)
        job->page.size = strlen(text);
    free(text);
    return code;
}

static int print_report(report_job *job) {
    facts f = facts_new();
    facts_text(&f, "page", "page", job->flags.output);
    facts_integer(&f, "bytes", NULL, (int64_t)job->page.size);
    facts_line(&f, "size", "%.3g MB", (double)job->page.size / 1e6);
    facts_integer(&f, "atoms", "atoms shown", job->shown_count);
    if (job->reader) {
        facts_integer(&f, "samples", NULL, job->study.evaluation.samples);
        facts_line(&f, "samples", "%s in %.3g s", grouped(job->study.evaluation.samples), job->seconds);
    }
    facts_real(&f, "seconds", NULL, job->seconds);
    output_facts(&f, true);
    return EXIT_OK;
}

static int run(const command *self, int count, char **words) {
    static int (*const steps[])(report_job *) = {check_request, open_files, measure, write_page,
                                                 print_report};
    report_job job = {.kind = REPORT_LINES};
    if (!arguments_parse(self, count, words, &job.flags, &job.encoding, &job.args))
        return job.args.exit_code;
    int code = EXIT_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && code == EXIT_OK; i++)
        code = steps[i](&job);
    dl_study_free(&job.study);
    dltf_reader_free(job.reader);
    dltf_array_free(job.array);
    dltf_model_free(job.model);
    names_free(&job.names);
    free(job.classes.labels);
    free(job.classes.of);
    free(job.coherence);
    free(job.order);
    free(job.shown);
    return code;
}

const command command_report = {
    .name = "report",
    .summary = "write a page about a model and what it does on data",
    .operands = "MODEL [DATA]",
    .details =
        "Codes every sample (row) of DATA as 'dltf encode' does and writes one HTML file, for any browser, "
        "without network: an overview with the measures of 'dltf evaluate' and charts; samples beside their "
        "reconstructions, with their codes; the atoms that most codes use, to sort, filter and open, with "
        "what 'dltf top' finds of them. One pass codes the data, and the samples that the page shows are "
        "read again: DATA is a file. By default the page is smaller than 10 MB. Without DATA it shows what "
        "the model alone can show.",
    .input = "DATA",
    .content = DL_CONTENT_MATRIX,
    .reads_data = true,
    .own = DL_OPTION_TABLE(own_options, report_flags),
    .library = dl_encode_option_table,
    .library_title = "Encoding",
    .json = "the name and size of the page (page, bytes), the numbers of atoms shown and of samples coded",
    .examples = {"dltf report X.model.safetensors X.npy -o report.html",
                 "dltf report digits.model.safetensors t10k-images-idx3-ubyte.gz --labels "
                 "t10k-labels-idx1-ubyte.gz",
                 "dltf report news.model.safetensors tfidf.npz --names words.txt",
                 "dltf report X.model.safetensors -o model.html", NULL},
    .run = run,
};
