/* dltf top: the samples that each atom stands for, in one pass over the data. */
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/lists.h"
#include "cli/output.h"
#include "cli/picture.h"
#include "cli/progress.h"
#include "cli/top.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "atoms", .kind = DL_OPTION_TEXT, .offset = offsetof(top_flags, atoms), .argument = "LIST", .help = "atoms to show, numbered from 0, as in 3,17"},
    {.name = "most-used", .kind = DL_OPTION_INTEGER, .offset = offsetof(top_flags, most_used), .default_text = "20", .min = 1, .max = DL_OPTION_MAX_COUNT, .argument = "N", .help = "show the atoms that most codes use, instead of --atoms"},
    DL_TOP_ROWS(top_flags, keep.),
    {.name = "names", .kind = DL_OPTION_TEXT, .offset = offsetof(top_flags, names), .argument = "FILE", .help = "text file with a name on each line: one for each sample or, if there are as many as columns, the words of a text collection: atoms then show their words"},
    {.name = "output", .letter = 'o', .kind = DL_OPTION_TEXT, .offset = offsetof(top_flags, output), .argument = "FILE.npz", .help = "write the top samples of all atoms as a sparse matrix: a row for each atom, a column for each sample"},
    {.name = "picture", .kind = DL_OPTION_TEXT, .offset = offsetof(top_flags, picture), .argument = "FILE.png", .help = "draw the atoms as gray images in a row, and below each its top samples"},
    {.name = "shape", .kind = DL_OPTION_TEXT, .offset = offsetof(top_flags, shape), .argument = "WxH", .help = "width and height of an atom as an image (default: square)"},
    {.name = "raw", .kind = DL_OPTION_FLAG, .offset = offsetof(top_flags, raw), .default_text = "false", .help = "read DATA as raw rows: little-endian float32 without a header, as many columns as the model expects"},
};
/* clang-format on */

/* ---- Input ---- */

static int check_request(top_job *job) {
    const top_flags *f = &job->flags;
    const char *data = job->args.operands[1];
    int code = arguments_check(&job->args, dl_encode_option_table(), &job->encoding);
    if (code == EXIT_OK && f->atoms && arguments_given(&job->args, "most-used"))
        code = usage_error("--atoms and --most-used exclude each other");
    if (code == EXIT_OK && f->picture && files_is_standard(data))
        code = usage_error("--picture: DATA must be a file: its samples are read again");
    if (code == EXIT_OK)
        code = files_check(
            3, (const char *const[]){job->args.operands[0], files_is_standard(data) ? NULL : data, f->names},
            2, (const char *const[]){f->picture, f->output});
    if (code == EXIT_OK)
        code = files_check_picture(f->picture);
    if (code == EXIT_OK && f->output && !files_has_ending(f->output, ".npz"))
        code = usage_error("%s: unsupported extension: a sparse matrix is written as .npz", f->output);
    return code;
}

static int list_given(top_job *job, int64_t m) {
    list_of_integers list;
    int code = lists_read("atoms", job->flags.atoms, 0, &list);
    for (int i = 0; code == EXIT_OK && i < list.count; i++) {
        if (list.values[i] >= m)
            return usage_error("--atoms: %lld: the model has %lld atoms, numbered from 0",
                               (long long)list.values[i], (long long)m);
        job->listed[i] = (int32_t)list.values[i];
    }
    job->listed_count = list.count;
    return code;
}

static int open_files(top_job *job) {
    int code = files_load_model(job->args.operands[0], &job->model);
    if (code != EXIT_OK)
        return code;
    dltf_model_view model = dltf_model_get(job->model);
    job->listed = calloc((size_t)(model.m > LISTS_MOST ? model.m : LISTS_MOST), sizeof *job->listed);
    if (!job->listed)
        return failure("not enough memory for %s", counted(model.m, "atom"));
    if (job->flags.atoms)
        code = list_given(job, model.m);
    picture_shape shape;
    if (code == EXIT_OK && job->flags.picture)
        code = picture_find_shape(job->flags.shape, model.n, &shape);
    if (code == EXIT_OK && job->flags.names)
        code = names_load(job->flags.names, &job->names);
    return code == EXIT_OK ? files_open_data(job->args.operands[1], job->flags.raw ? model.n : 0, &job->data)
                           : code;
}

/* ---- Search ---- */

/* Whether names are those of samples or of columns shows once the samples have been counted. */
static int check_names(top_job *job) {
    int64_t samples = dltf_top_samples(job->found), n = dltf_model_get(job->model).n;
    if (!job->flags.names)
        return EXIT_OK;
    job->words = job->names.count == n && job->names.count != samples;
    if (job->names.count == samples || job->words)
        return EXIT_OK;
    return failure("%s: %s, but DATA has %lld samples of %lld columns", job->flags.names,
                   counted(job->names.count, "line"), (long long)samples, (long long)n);
}

static int find(top_job *job) {
    const char *data = job->args.operands[1];
    double begin = dl_seconds();
    job->flags.keep.size = sizeof job->flags.keep;
    dltf_status status = dltf_top_find_stream(job->model, job->data, &job->encoding, &job->flags.keep,
                                              progress_step, NULL, &job->found);
    progress_erase();
    job->seconds = dl_seconds() - begin;
    if (interrupted())
        return interrupted_exit();
    if (status != DLTF_OK)
        return library_failure_in(
            status, (sources){[DLTF_SUBJECT_DATA] = files_is_standard(data) ? "standard input" : data});
    if (!job->flags.atoms) {
        int64_t m = dltf_top_atoms(job->found);
        status = dltf_top_by_use(job->found, job->listed);
        job->listed_count = job->flags.most_used < m ? job->flags.most_used : m;
    }
    return status == DLTF_OK ? check_names(job) : library_failure(status);
}

/* ---- Output ---- */

static int save(top_job *job) {
    dltf_codes *codes = NULL;
    if (!job->flags.output)
        return EXIT_OK;
    dltf_status status = dltf_top_codes(job->found, &codes);
    if (status == DLTF_OK)
        status = dltf_codes_save(codes, job->flags.output);
    dltf_codes_free(codes);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

static int draw(top_job *job) {
    return job->flags.picture ? top_draw(job) : EXIT_OK;
}

static int print_report(top_job *job) {
    facts f = facts_new();
    int64_t samples = dltf_top_samples(job->found);
    facts_text(&f, "model_id", NULL, job->args.operands[0]);
    facts_text(&f, "dataset", NULL, job->args.operands[1]);
    facts_integer(&f, "samples", NULL, samples);
    facts_real(&f, "seconds", NULL, job->seconds);
    facts_line(&f, "samples", "%s in %.3g s", grouped(samples), job->seconds);
    if (job->args.common.json) {
        facts_json(&f, "atoms", top_atoms_json(job));
        facts_json(&f, "features", top_features_json(job));
    } else {
        top_report(job, &f);
    }
    if (job->flags.output)
        facts_text(&f, "output", "top samples", job->flags.output);
    if (job->flags.picture)
        facts_text(&f, "picture", "picture", job->flags.picture);
    output_facts(&f, false);
    return EXIT_OK;
}

static int run(const command *self, int count, char **words) {
    static int (*const steps[])(top_job *) = {check_request, open_files, find, save, draw, print_report};
    top_job job = {.listed = NULL};
    if (!arguments_parse(self, count, words, &job.flags, &job.encoding, &job.args))
        return job.args.exit_code;
    int code = EXIT_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && code == EXIT_OK; i++)
        code = steps[i](&job);
    dltf_top_free(job.found);
    dltf_reader_free(job.data);
    dltf_model_free(job.model);
    names_free(&job.names);
    free(job.listed);
    return code;
}

const command command_top = {
    .name = "top",
    .summary = "show the samples that each atom stands for",
    .operands = "MODEL DATA",
    .details =
        "Codes every sample (row) of DATA as 'dltf encode' does and shows for each atom how many codes use "
        "it, "
        "the mean and the largest of its values, the samples with the largest values, random samples that "
        "use "
        "it, random samples by intervals of values, and the atoms that correlate most with it. Values are "
        "ordered by magnitude. Intervals have the same width, a power of two. Correlations are Pearson's "
        "over "
        "codes, zeros included: of all samples if their codes fit in 32 MiB, otherwise of a random sample. "
        "One pass; DATA may be larger than memory. If DATA is -, reads standard input: a .npy in C order or, "
        "with --raw, rows of float32.",
    .input = "DATA",
    .content = DL_CONTENT_MATRIX,
    .reads_data = true,
    .own = DL_OPTION_TABLE(own_options, top_flags),
    .library = dl_encode_option_table,
    .library_title = "Encoding",
    .json = "the atoms (atoms) and the same in the layout of Neuronpedia (features)",
    .examples = {"dltf top X.model.safetensors X.npy --most-used 5",
                 "dltf top digits.model.safetensors t10k-images-idx3-ubyte.gz --atoms 3,17 --picture top.png",
                 "dltf top news.model.safetensors tfidf.npz --names words.txt",
                 "dltf top X.model.safetensors X.npy --json -o top.npz", NULL},
    .run = run,
};
