/* dltf hash search: the nearest binary codes, or all within a radius. */
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/progress.h"

typedef struct search_flags {
    const char *output, *distances;
} search_flags;

typedef struct search_job {
    arguments args;
    search_flags flags;
    dltf_search_options options;
    dltf_index *index;
    dltf_array *queries;
    dltf_neighbours *neighbours;
    double seconds;
} search_job;

/* Queries and neighbours shown on the terminal. */
enum { SHOWN_QUERIES = 5, SHOWN_NEIGHBOURS = 8 };

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "output", .letter = 'o', .kind = DL_OPTION_TEXT, .offset = offsetof(search_flags, output), .argument = "FILE", .help = "write the rows of the neighbours in DATABASE, from 0: .npy with one row per query, for -k, or .npz, a sparse matrix of distances as SciPy reads it"},
    {.name = "distances", .kind = DL_OPTION_TEXT, .offset = offsetof(search_flags, distances), .argument = "FILE.npy", .help = "with -k: write the distances of the neighbours"},
};
/* clang-format on */

/* ---- Checks and input ---- */

static int check_neighbours_name(const char *name) {
    if (!name || dl_format_extension(DL_CONTENT_NEIGHBOURS, DL_WRITE, name))
        return EXIT_OK;
    return usage_error("%s: unsupported extension: neighbours can be written as %s", name,
                       dl_format_list(DL_CONTENT_NEIGHBOURS, DL_WRITE, "or"));
}

static int check_flags(search_job *job) {
    const search_flags *f = &job->flags;
    bool nearest = arguments_given(&job->args, "k"), within = arguments_given(&job->args, "radius");
    const char *outputs[] = {f->output, f->distances};
    if (nearest == within)
        return nearest ? usage_error("-k and --radius exclude each other")
                       : usage_error("-k K or --radius R is missing: how many neighbours, or how far?");
    if (within && f->output && files_has_ending(f->output, ".npy"))
        return usage_error("%s: the number of neighbours within a radius differs from query to query: write "
                           "them as .npz",
                           f->output);
    if (within && f->distances)
        return usage_error("--distances needs -k; the .npz of --output contains the distances");
    if (f->distances && !files_has_ending(f->distances, ".npy"))
        return usage_error("%s: unsupported extension: distances can be written as .npy", f->distances);
    int code = check_neighbours_name(f->output);
    return code == EXIT_OK ? files_check(2, job->args.operands, 2, outputs) : code;
}

static int load(search_job *job) {
    dltf_status status = dltf_index_load(job->args.operands[0], &job->index);
    if (status == DLTF_OK)
        status = dltf_array_load(job->args.operands[1], &job->queries);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

/* ---- Work ---- */

static int search(search_job *job) {
    double begin = dl_seconds();
    dltf_status status = dltf_search(job->index, dltf_array_matrix(job->queries), &job->options,
                                     progress_step, NULL, &job->neighbours);
    job->seconds = dl_seconds() - begin;
    progress_erase();
    if (status != DLTF_OK)
        return library_failure_in(status, (sources){[DLTF_SUBJECT_DATABASE] = job->args.operands[0],
                                                    [DLTF_SUBJECT_QUERIES] = job->args.operands[1]});
    return EXIT_OK;
}

static int save(search_job *job) {
    if (dltf_rank() > 0)
        return EXIT_OK;
    dltf_status status = DLTF_OK;
    if (job->flags.output)
        status = dltf_neighbours_save(job->neighbours, job->flags.output);
    if (status == DLTF_OK && job->flags.distances)
        status = dl_neighbours_save_distances(job->neighbours, job->flags.distances);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

/* ---- Output ---- */

/* Rows and distances of a query's first neighbours. */
static json_t *first_of(dltf_neighbours_view v, int64_t query) {
    json_t *rows = json_array(), *distances = json_array();
    int64_t begin = v.indptr[query], count = v.indptr[query + 1] - begin;
    for (int64_t i = begin; i < begin + count && i < begin + SHOWN_NEIGHBOURS; i++) {
        json_array_append_new(rows, json_integer(v.indices[i]));
        json_array_append_new(distances, json_integer(v.distances[i]));
    }
    return json_pack("{s:I, s:I, s:o, s:o}", "query", (json_int_t)query, "neighbours", (json_int_t)count,
                     "rows", rows, "distances", distances);
}

/* "17 (0), 203 (2), ...": rows and distances. */
static void line_of(dltf_neighbours_view v, int64_t query, facts *f) {
    char text[64 * SHOWN_NEIGHBOURS] = "", label[64];
    int64_t begin = v.indptr[query], end = v.indptr[query + 1];
    size_t used = 0;
    for (int64_t i = begin; i < end && i < begin + SHOWN_NEIGHBOURS; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%lld (%d)", i > begin ? ", " : "",
                                 (long long)v.indices[i], (int)v.distances[i]);
    snprintf(label, sizeof label, "query %lld", (long long)query);
    facts_line(f, label, "%s%s", begin < end ? text : "none", end - begin > SHOWN_NEIGHBOURS ? ", ..." : "");
}

static void report_first(dltf_neighbours_view v, bool text, facts *f) {
    json_t *first = json_array();
    for (int64_t q = 0; q < v.queries && q < SHOWN_QUERIES; q++) {
        json_array_append_new(first, first_of(v, q));
        if (text)
            line_of(v, q, f);
    }
    facts_json(f, "first", first);
}

static int print_report(search_job *job) {
    if (dltf_rank() > 0)
        return EXIT_OK;
    static const char *const methods[] = {
        [DLTF_SEARCH_FLAT] = "flat", [DLTF_SEARCH_MULTI_INDEX] = "multi-index"};
    dltf_neighbours_view v = dltf_neighbours_get(job->neighbours);
    dltf_index_view database = dltf_index_get(job->index);
    facts f = facts_new();
    facts_integer(&f, "codes", "codes", database.rows);
    facts_integer(&f, "bits", "bits", 8 * database.bytes);
    facts_integer(&f, "queries", "queries", v.queries);
    if (v.k > 0)
        facts_integer(&f, "k", "neighbours of each query", v.k);
    else
        facts_integer(&f, "radius", "radius", job->options.radius);
    facts_integer(&f, "neighbours", v.k > 0 ? NULL : "neighbours", v.indptr[v.queries]);
    facts_text(&f, "method", "method", methods[v.method]);
    facts_real(&f, "seconds", NULL, job->seconds);
    if (dltf_ranks() > 1)
        output_ranks(&f);
    facts_line(&f, "seconds", "%.3f (%.1f us per query)", job->seconds,
               1e6 * job->seconds / (double)v.queries);
    report_first(v, !job->flags.output, &f);
    if (job->flags.output)
        facts_text(&f, "output", "written", job->flags.output);
    if (job->flags.distances)
        facts_text(&f, "distances", "distances", job->flags.distances);
    output_facts(&f, job->flags.output != NULL);
    return EXIT_OK;
}

static int run(const command *self, int count, char **words) {
    static int (*const steps[])(search_job *) = {check_flags, load, search, save, print_report};
    search_job job = {.index = NULL};
    if (!arguments_parse(self, count, words, &job.flags, &job.options, &job.args))
        return job.args.exit_code;
    int code = EXIT_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && code == EXIT_OK; i++)
        code = steps[i](&job);
    dltf_neighbours_free(job.neighbours);
    dltf_array_free(job.queries);
    dltf_index_free(job.index);
    return code;
}

const command command_hash_search = {
    .name = "hash search",
    .summary = "find the nearest binary codes",
    .operands = "DATABASE QUERIES",
    .details =
        "Finds the K codes of DATABASE that are nearest to each row of QUERIES, or all within radius R, in "
        "Hamming distance, exactly. Neighbours are listed by ascending distance and, at equal distance, in "
        "the "
        "order of DATABASE. DATABASE may be a file written by 'dltf hash index'. Without --output, prints "
        "the "
        "neighbours of the first queries as 'row (distance)'.",
    .input = "DATABASE and QUERIES",
    .content = DL_CONTENT_MATRIX,
    .own = DL_OPTION_TABLE(own_options, search_flags),
    .library = dl_search_option_table,
    .library_title = "Search",
    .ranks = true,
    .json = "sizes, method and seconds, and the neighbours of the first queries",
    .examples =
        {"dltf hash search database.npy queries.npy -k 10",
         "dltf hash search database.npy queries.npy -k 100 -o neighbours.npy --distances distances.npy",
         "dltf hash search database.index queries.npy --radius 4 -o neighbours.npz", NULL},
    .run = run,
};
