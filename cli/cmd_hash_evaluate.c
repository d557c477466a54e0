/* dltf hash evaluate: how well binary codes find samples of the same label, or neighbours. */
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/progress.h"

#include <stdlib.h>

typedef struct evaluate_flags {
    const char *labels, *query_labels, *data, *query_data;
    int64_t nearest, radius;
} evaluate_flags;

typedef struct evaluation {
    arguments args;
    evaluate_flags flags;
    dltf_hash_evaluate_options options;
    dltf_array *codes, *queries;
    dltf_relevance *relevance;
    dltf_retrieval found;
    double seconds;
} evaluation;

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "labels", .kind = DL_OPTION_TEXT, .offset = offsetof(evaluate_flags, labels), .argument = "FILE", .help = "labels of the database, one integer per code: samples with the label of a query are relevant to it"},
    {.name = "query-labels", .kind = DL_OPTION_TEXT, .offset = offsetof(evaluate_flags, query_labels), .argument = "FILE", .help = "labels of the queries"},
    {.name = "data", .kind = DL_OPTION_TEXT, .offset = offsetof(evaluate_flags, data), .argument = "FILE", .help = "samples of the database: the nearest ones to a query are relevant to it"},
    {.name = "query-data", .kind = DL_OPTION_TEXT, .offset = offsetof(evaluate_flags, query_data), .argument = "FILE", .help = "samples of the queries"},
    {.name = "nearest", .kind = DL_OPTION_INTEGER, .offset = offsetof(evaluate_flags, nearest), .min = 1, .max = 2147483647, .argument = "N", .help = "with --data: the N samples with the smallest Euclidean distance are relevant (default: 100)"},
    {.name = "radius", .kind = DL_OPTION_INTEGER, .offset = offsetof(evaluate_flags, radius), .min = 1, .max = 2147483647, .argument = "N", .help = "with --data: samples within the mean distance of the queries to their N-th nearest sample are relevant; queries without any do not count"},
};
/* clang-format on */

enum { DEFAULT_NEAREST = 100 };
static const char TIES[] = "expected value over random orders of equal distances";

static int check(evaluation *e) {
    const evaluate_flags *f = &e->flags;
    if (!f->labels == !f->data)
        return usage_error("either --labels and --query-labels or --data and --query-data must say what is "
                           "relevant to a query");
    if (f->labels && !f->query_labels)
        return usage_error("--query-labels is missing: --labels needs both");
    if (f->data && !f->query_data)
        return usage_error("--query-data is missing: --data needs both");
    if (f->labels ? f->query_data != NULL : f->query_labels != NULL)
        return usage_error("labels and data exclude each other: give the same for database and queries");
    if (f->nearest && f->radius)
        return usage_error("--nearest and --radius exclude each other");
    if (!f->data && (f->nearest || f->radius))
        return usage_error("--%s needs --data and --query-data", f->nearest ? "nearest" : "radius");
    return EXIT_OK;
}

static int load_codes(evaluation *e) {
    int code = files_load_data(e->args.operands[0], &e->codes);
    return code == EXIT_OK ? files_load_data(e->args.operands[1], &e->queries) : code;
}

/* ---- Relevance ---- */

/* Rejects labels or samples whose number is not that of the codes. */
static int check_count(const char *path, int64_t count, const char *noun, const char *codes_path,
                       const dltf_array *codes) {
    int64_t expected = dltf_array_matrix(codes).rows;
    if (count == expected)
        return EXIT_OK;
    return failure("%s: %s, but %s has %s", path, counted(count, noun), codes_path,
                   counted(expected, "code"));
}

static int relate_labels(evaluation *e) {
    const evaluate_flags *f = &e->flags;
    dltf_labels *labels = NULL, *query_labels = NULL;
    int64_t count = 0, query_count = 0;
    dltf_status status = dltf_labels_load(f->labels, &labels);
    if (status == DLTF_OK)
        status = dltf_labels_load(f->query_labels, &query_labels);
    int code = status == DLTF_OK ? EXIT_OK : library_failure(status);
    const int64_t *values = code == EXIT_OK ? dltf_labels_get(labels, &count) : NULL;
    const int64_t *query_values = code == EXIT_OK ? dltf_labels_get(query_labels, &query_count) : NULL;
    if (code == EXIT_OK)
        code = check_count(f->labels, count, "label", e->args.operands[0], e->codes);
    if (code == EXIT_OK)
        code = check_count(f->query_labels, query_count, "label", e->args.operands[1], e->queries);
    if (code == EXIT_OK) {
        status = dltf_relevance_by_labels(values, count, query_values, query_count, &e->relevance);
        code = status == DLTF_OK ? EXIT_OK : library_failure(status);
    }
    dltf_labels_free(labels);
    dltf_labels_free(query_labels);
    return code;
}

static int find_neighbours(evaluation *e, dltf_matrix X, dltf_matrix Q) {
    const evaluate_flags *f = &e->flags;
    int64_t nearest = f->nearest ? f->nearest : DEFAULT_NEAREST, threads = e->options.threads;
    dltf_status status =
        f->radius ? dltf_relevance_by_radius(X, Q, f->radius, threads, progress_step, NULL, &e->relevance)
                  : dltf_relevance_by_nearest(X, Q, nearest, threads, progress_step, NULL, &e->relevance);
    progress_erase();
    if (status == DLTF_OK)
        return EXIT_OK;
    return library_failure_in(
        status, (sources){[DLTF_SUBJECT_DATABASE] = f->data, [DLTF_SUBJECT_QUERIES] = f->query_data});
}

static int relate_samples(evaluation *e) {
    const evaluate_flags *f = &e->flags;
    dltf_array *data = NULL, *query_data = NULL;
    int code = files_load_data(f->data, &data);
    if (code == EXIT_OK)
        code = files_load_data(f->query_data, &query_data);
    if (code == EXIT_OK)
        code = check_count(f->data, dltf_array_matrix(data).rows, "sample", e->args.operands[0], e->codes);
    if (code == EXIT_OK)
        code = check_count(f->query_data, dltf_array_matrix(query_data).rows, "sample", e->args.operands[1],
                           e->queries);
    if (code == EXIT_OK)
        code = find_neighbours(e, dltf_array_matrix(data), dltf_array_matrix(query_data));
    dltf_array_free(data);
    dltf_array_free(query_data);
    return code;
}

static int relate(evaluation *e) {
    return e->flags.labels ? relate_labels(e) : relate_samples(e);
}

/* ---- Measures ---- */

static int evaluate(evaluation *e) {
    double begin = dl_seconds();
    dltf_status status = dltf_hashes_evaluate(dltf_array_matrix(e->codes), dltf_array_matrix(e->queries),
                                              e->relevance, &e->options, progress_step, NULL, &e->found);
    e->seconds = dl_seconds() - begin;
    progress_erase();
    if (status == DLTF_OK)
        return EXIT_OK;
    return library_failure_in(
        status,
        (sources){
            [DLTF_SUBJECT_DATABASE] = e->args.operands[0], [DLTF_SUBJECT_QUERIES] = e->args.operands[1]});
}

static void report_relevance(const evaluation *e, facts *f) {
    const evaluate_flags *flags = &e->flags;
    if (flags->labels) {
        facts_text(f, "relevance", NULL, "label");
        facts_line(f, "relevant", "codes with the label of the query");
    } else if (flags->radius) {
        double radius = dltf_relevance_radius(e->relevance);
        facts_text(f, "relevance", NULL, "radius");
        facts_real(f, "radius", NULL, radius);
        facts_line(f, "relevant", "samples within %.6g, the mean distance to neighbour %lld", radius,
                   (long long)flags->radius);
    } else {
        int64_t nearest = flags->nearest ? flags->nearest : DEFAULT_NEAREST;
        facts_text(f, "relevance", NULL, "nearest");
        facts_integer(f, "nearest", NULL, nearest);
        facts_line(f, "relevant", "the %lld nearest samples", (long long)nearest);
    }
}

static int print_report(evaluation *e) {
    const dltf_retrieval *found = &e->found;
    dltf_matrix codes = dltf_array_matrix(e->codes), queries = dltf_array_matrix(e->queries);
    bool whole = found->depth == codes.rows;
    facts f = facts_new();
    facts_integer(&f, "bits", "bits", 8 * codes.cols);
    facts_integer(&f, "database", "codes of the database", codes.rows);
    facts_integer(&f, "queries", NULL, found->queries);
    facts_line(&f, "queries", "%lld of %lld, with %.1f relevant codes each", (long long)found->queries,
               (long long)queries.rows, found->relevant);
    facts_real(&f, "relevant_per_query", NULL, found->relevant);
    report_relevance(e, &f);
    facts_text(&f, "distance", "distance", e->options.distance ? "spherical" : "hamming");
    facts_text(&f, "ties", "ties", TIES);
    facts_real(&f, "map", NULL, found->map);
    facts_integer(&f, "depth", NULL, found->depth);
    facts_line(&f, "mAP", "%.4f (depth %lld%s, ties by expectation)", found->map, (long long)found->depth,
               whole ? ", the whole database" : "");
    facts_real(&f, "precision", NULL, found->precision);
    facts_real(&f, "recall", NULL, found->recall);
    facts_integer(&f, "k", NULL, found->k);
    facts_line(&f, "precision", "%.4f (first %lld, ties by expectation)", found->precision,
               (long long)found->k);
    facts_line(&f, "recall", "%.4f (first %lld, ties by expectation)", found->recall, (long long)found->k);
    facts_real(&f, "seconds", NULL, e->seconds);
    output_facts(&f, false);
    return EXIT_OK;
}

static int run(const command *self, int count, char **words) {
    static int (*const steps[])(evaluation *) = {check, load_codes, relate, evaluate, print_report};
    evaluation e = {.codes = NULL};
    if (!arguments_parse(self, count, words, &e.flags, &e.options, &e.args))
        return e.args.exit_code;
    int code = EXIT_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && code == EXIT_OK; i++)
        code = steps[i](&e);
    dltf_relevance_free(e.relevance);
    dltf_array_free(e.codes);
    dltf_array_free(e.queries);
    return code;
}

const command command_hash_evaluate = {
    .name = "hash evaluate",
    .summary = "measure how well codes find neighbours or labels",
    .operands = "CODES QUERIES",
    .details =
        "Ranks CODES by their distance to each of the codes in QUERIES and prints mean average precision, "
        "precision and recall. The codes relevant to a query are those with its label (--labels, "
        "--query-labels) or those of its nearest samples (--data, --query-data). Codes at equal distances "
        "are in random order; all figures are exact expected values over these orders.",
    .own = DL_OPTION_TABLE(own_options, evaluate_flags),
    .library = dl_hash_evaluate_option_table,
    .library_title = "Evaluation",
    .json = "map, precision, recall with depth, k and the rule for ties",
    .examples = {"dltf hash evaluate codes.npy queries.npy --labels y.npy --query-labels yq.npy",
                 "dltf hash evaluate codes.npy queries.npy --data X.npy --query-data Q.npy --nearest 1000",
                 NULL},
    .run = run,
};
