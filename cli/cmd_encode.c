/* dltf encode: the thresholded features of data, as SciPy's sparse .npz or as a dense matrix. Data and codes
 * are streamed, so both may be larger than memory. */
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/prefix.h"
#include "cli/progress.h"
#include "cli/quality.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct encode_flags {
    const char *output;
    bool dense, raw;
    enum { DIVIDE_SAMPLES, DIVIDE_ATOMS } divide;
    int64_t atoms;
} encode_flags;

typedef struct encode_job {
    arguments args;
    encode_flags flags;
    dltf_encode_options encoding;
    char *output;
    dltf_layout layout;
    dl_model_part part; /* of the model, or all of it */
    dltf_reader *data;
    dltf_codes_writer *codes;
    dltf_stream_totals totals;
    double seconds;
} encode_job;

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "output", .letter = 'o', .kind = DL_OPTION_TEXT, .offset = offsetof(encode_flags, output), .argument = "CODES", .help = "output file, or - for standard output (default: named after DATA, in the current directory)"},
    {.name = "dense", .kind = DL_OPTION_FLAG, .offset = offsetof(encode_flags, dense), .default_text = "false", .help = "write all N x m values as .npy, .csv, .fvecs or .f32 (raw rows) instead of a sparse .npz; standard output gets .npy or, with --raw, raw rows"},
    {.name = "raw", .kind = DL_OPTION_FLAG, .offset = offsetof(encode_flags, raw), .default_text = "false", .help = "read DATA as raw rows: little-endian float32 without a header, as many columns as the model expects"},
    {.name = "divide", .kind = DL_OPTION_CHOICE, .offset = offsetof(encode_flags, divide), .default_text = "samples", .choices = "samples|atoms", .argument = "WHAT", .help = "what the ranks of dltf-mpi divide: samples, each with the whole model, or atoms, so that none needs memory for the whole model"},
    PREFIX_OPTION(encode_flags, "encode with"),
};
/* clang-format on */

static int check_options(encode_job *job) {
    return arguments_check(&job->args, dl_encode_option_table(), &job->encoding);
}

static int check_ending(const encode_job *job) {
    if (job->flags.dense) {
        if (job->layout == DLTF_LAYOUT_RAW)
            return EXIT_OK;
        return files_check_matrix("dense codes", job->output);
    }
    if (files_has_ending(job->output, ".npz"))
        return EXIT_OK;
    return usage_error("%s: unsupported extension: sparse codes are written as .npz; use --dense for .npy",
                       job->output);
}

static int choose_files(encode_job *job) {
    const char *data = job->args.operands[1], *ending = job->flags.dense ? ".codes.npy" : ".codes.npz";
    bool from_input = files_is_standard(data);
    job->output = job->flags.output ? files_join(job->flags.output, "")
                                    : files_default_name(from_input ? "stdin" : data, ending);
    if (!job->output)
        return EXIT_FAILED;
    bool to_output = files_is_standard(job->output);
    if (job->flags.dense)
        job->layout = files_has_ending(job->output, ".f32") || (to_output && job->flags.raw)
                          ? DLTF_LAYOUT_RAW
                          : DLTF_LAYOUT_DENSE;
    int code = to_output ? output_take_stdout() : EXIT_OK;
    if (code == EXIT_OK)
        code = files_check(2, (const char *const[]){job->args.operands[0], from_input ? NULL : data},
                           to_output ? 0 : 1, (const char *const[]){job->output});
    return code == EXIT_OK && !to_output ? check_ending(job) : code;
}

static bool divides_atoms(const encode_job *job) {
    return job->flags.divide == DIVIDE_ATOMS && dltf_ranks() > 1;
}

static int load_part(encode_job *job, const char *path) {
    if (job->flags.atoms > 0)
        return usage_error("--atoms and --divide atoms cannot be combined: omit one");
    int code = files_check_model(path);
    if (code != EXIT_OK)
        return code;
    dltf_status status = dl_model_part_load(path, dltf_rank(), dltf_ranks(), &job->part);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

static int load_model(encode_job *job) {
    const char *path = job->args.operands[0];
    if (divides_atoms(job))
        return load_part(job, path);
    int code = prefix_load_model(path, job->flags.atoms, &job->part.model);
    job->part.m = dltf_model_get(job->part.model).m;
    return code;
}

static int open_files(encode_job *job) {
    int code = load_model(job);
    if (code != EXIT_OK)
        return code;
    dltf_model_view model = dltf_model_get(job->part.model);
    code = files_open_data(job->args.operands[1], job->flags.raw ? model.n : 0, &job->data);
    if (code != EXIT_OK || dltf_rank() > 0) /* rank 0 writes */
        return code;
    dltf_status status = dltf_codes_writer_open(job->output, job->layout, dltf_reader_rows(job->data),
                                                job->part.m, &job->codes);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

static int encode(encode_job *job) {
    const char *data = job->args.operands[1];
    double begin = dl_seconds();
    dltf_status status = divides_atoms(job)
                             ? dl_encode_stream_parts(&job->part, job->data, &job->encoding, progress_step,
                                                      NULL, job->codes, &job->totals)
                             : dltf_encode_stream(job->part.model, job->data, &job->encoding, progress_step,
                                                  NULL, job->codes, &job->totals);
    progress_erase();
    if (dltf_rank() > 0 && status == DLTF_OK)
        return EXIT_OK;
    if (status == DLTF_OK && !interrupted()) {
        status = dltf_codes_writer_finish(job->codes);
        if (status == DLTF_OK) {
            job->seconds = dl_seconds() - begin;
            return EXIT_OK;
        }
    }
    if (interrupted())
        return interrupted_exit_of(job->output);
    return library_failure_in(
        status, (sources){[DLTF_SUBJECT_DATA] = files_is_standard(data) ? "standard input" : data});
}

/* Whether a coder stores scores, not least-squares values. */
static bool values_are_scores(dltf_coder coder) {
    return coder == DLTF_CODER_THRESHOLD || coder == DLTF_CODER_INCOHERENT;
}

static void add_error(facts *f, const encode_job *job) {
    double error = job->totals.relative_error;
    facts_real(f, "relative_error", NULL, error);
    if (!isfinite(error))
        facts_line(f, "relative error", "undefined: all samples are zero");
    else
        facts_line(f, "relative error", "%.4g%s", error,
                   job->encoding.refit || !values_are_scores(job->encoding.coder)
                       ? ""
                       : " (values are correlations; use --refit for coefficients)");
    quality_explained(f, job->totals.explained_variance);
}

static int print_report(encode_job *job) {
    if (dltf_rank() > 0)
        return EXIT_OK;
    const dltf_stream_totals *totals = &job->totals;
    double entries = (double)totals->entries / (double)totals->samples;
    double rate = job->seconds > 0 ? (double)totals->samples / job->seconds : 0;
    bool to_output = files_is_standard(job->output);
    char atoms[32] = "";
    if (job->flags.atoms > 0)
        snprintf(atoms, sizeof atoms, " --atoms %lld", (long long)job->flags.atoms);
    facts f = facts_new();
    facts_integer(&f, "samples", NULL, totals->samples);
    facts_integer(&f, "m", NULL, job->part.m);
    prefix_report(&f, job->part.model);
    facts_real(&f, "seconds", NULL, job->seconds);
    facts_real(&f, "samples_per_second", NULL, rate);
    facts_line(&f, "samples", "%lld in %.3g s (%.0f per second)", (long long)totals->samples, job->seconds,
               rate);
    quality_entries(&f, entries);
    facts_json(&f, "refit", json_boolean(job->encoding.refit));
    if (!job->encoding.no_error)
        add_error(&f, job);
    if (dltf_ranks() > 1)
        output_ranks(&f);
    facts_text(&f, "codes", "codes", to_output ? "standard output" : job->output);
    if (!job->flags.dense && !to_output)
        facts_line(&f, "next", "dltf decode %s %s%s", files_quoted(job->args.operands[0]),
                   files_quoted(job->output), atoms);
    output_facts(&f, true);
    return EXIT_OK;
}

static int run(const command *self, int count, char **words) {
    static int (*const steps[])(encode_job *) = {check_options, choose_files, open_files, encode,
                                                 print_report};
    encode_job job = {.output = NULL};
    if (!arguments_parse(self, count, words, &job.flags, &job.encoding, &job.args))
        return job.args.exit_code;
    interrupt_catch_termination(); /* so that the temporary file is removed */
    int code = EXIT_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && code == EXIT_OK; i++)
        code = steps[i](&job);
    dltf_codes_writer_free(job.codes);
    dltf_reader_free(job.data);
    dltf_model_free(job.part.model);
    free(job.output);
    return code;
}

const command command_encode = {
    .name = "encode",
    .summary = "compute the thresholded features of data",
    .operands = "MODEL DATA",
    .details =
        "Computes max_k(W^T x) for every sample (row) of DATA with a model from 'dltf train': the k largest "
        "scores, all others zero. --coder selects slower methods that find better supports. Writes a sparse "
        ".npz for scipy.sparse.load_npz. DATA and codes may be larger than memory. If DATA is -, reads "
        "standard input: a .npy in C order or, with --raw, rows of float32.",
    .input = "DATA",
    .content = DL_CONTENT_MATRIX,
    .reads_data = true,
    .own = DL_OPTION_TABLE(own_options, encode_flags),
    .library = dl_encode_option_table,
    .library_title = "Encoding",
    .ranks = true,
    .json = "sizes, speed, entries per sample, the relative reconstruction error and the explained variance",
    .examples = {"dltf encode X.model.safetensors Xtest.npy -o Xtest.codes.npz --refit",
                 "dltf encode X.model.safetensors Xtest.npy --dense -o features.npy",
                 "dltf encode nested.safetensors Xtest.npy --atoms 256",
                 "make-rows | dltf encode X.model.safetensors - --raw -o codes.npz", NULL},
    .run = run,
};
