/* dltf hash encode: the binary codes of data, as packed bits. Data and codes are streamed, so both may be
 * larger than memory. */
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"

#include <stdlib.h>

typedef struct hash_encode_flags {
    const char *output;
    bool raw;
    int64_t threads;
} hash_encode_flags;

typedef struct hash_encoding {
    arguments args;
    hash_encode_flags flags;
    char *output;
    dltf_layout layout;
    dltf_hasher *hasher;
    dltf_reader *data;
    int64_t samples;
    double seconds;
} hash_encoding;

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "output", .letter = 'o', .kind = DL_OPTION_TEXT, .offset = offsetof(hash_encode_flags, output), .argument = "CODES.npy", .help = "output file, or - for standard output, which gets .npy or, with --raw, the bytes alone (default: named after DATA, in the current directory)"},
    {.name = "raw", .kind = DL_OPTION_FLAG, .offset = offsetof(hash_encode_flags, raw), .default_text = "false", .help = "read DATA as raw rows: little-endian float32 without a header, as many columns as the hasher expects"},
    DL_THREADS_OPTION(hash_encode_flags, threads),
};
/* clang-format on */

static int check(hash_encoding *job) {
    const char *data = job->args.operands[1];
    bool from_input = files_is_standard(data);
    job->output = job->flags.output ? files_join(job->flags.output, "")
                                    : files_default_name(from_input ? "stdin" : data, ".hash.npy");
    if (!job->output)
        return EXIT_FAILED;
    bool to_output = files_is_standard(job->output);
    job->layout = to_output && job->flags.raw ? DLTF_LAYOUT_RAW : DLTF_LAYOUT_DENSE;
    int code = to_output ? output_take_stdout() : EXIT_OK;
    if (code == EXIT_OK)
        code = files_check(2, (const char *const[]){job->args.operands[0], from_input ? NULL : data},
                           to_output ? 0 : 1, (const char *const[]){job->output});
    return code == EXIT_OK && !to_output ? files_check_matrix("binary codes", job->output) : code;
}

static int open_files(hash_encoding *job) {
    dltf_status status = dltf_hasher_load(job->args.operands[0], &job->hasher);
    if (status != DLTF_OK)
        return library_failure(status);
    return files_open_data(job->args.operands[1], job->flags.raw ? dltf_hasher_get(job->hasher).n : 0,
                           &job->data);
}

static int encode(hash_encoding *job) {
    const char *data = job->args.operands[1];
    double begin = dl_seconds();
    dltf_status status = dltf_hasher_apply_stream(job->hasher, job->data, job->flags.threads, progress_step,
                                                  NULL, job->output, job->layout, &job->samples);
    job->seconds = dl_seconds() - begin;
    progress_erase();
    if (status == DLTF_OK)
        return EXIT_OK;
    if (interrupted())
        return interrupted_exit_of(job->output);
    return library_failure_in(
        status, (sources){[DLTF_SUBJECT_DATA] = files_is_standard(data) ? "standard input" : data});
}

static int print_report(hash_encoding *job) {
    int64_t samples = job->samples;
    dltf_hasher_view view = dltf_hasher_get(job->hasher);
    double rate = job->seconds > 0 ? (double)samples / job->seconds : 0;
    facts f = facts_new();
    facts_text(&f, "method", "method", view.name);
    facts_integer(&f, "bits", "bits", view.bits);
    facts_text(&f, "bitorder", "bit order", "little");
    facts_integer(&f, "samples", NULL, samples);
    facts_real(&f, "seconds", NULL, job->seconds);
    facts_real(&f, "samples_per_second", NULL, rate);
    facts_line(&f, "samples", "%lld in %.3g s (%.0f per second)", (long long)samples, job->seconds, rate);
    facts_text(&f, "codes", "codes", files_is_standard(job->output) ? "standard output" : job->output);
    output_facts(&f, true);
    return EXIT_OK;
}

static int run(const command *self, int count, char **words) {
    static int (*const steps[])(hash_encoding *) = {check, open_files, encode, print_report};
    hash_encoding job = {.output = NULL};
    if (!arguments_parse(self, count, words, &job.flags, NULL, &job.args))
        return job.args.exit_code;
    interrupt_catch_termination(); /* so that the temporary file is removed */
    int code = EXIT_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && code == EXIT_OK; i++)
        code = steps[i](&job);
    dltf_hasher_free(job.hasher);
    dltf_reader_free(job.data);
    free(job.output);
    return code;
}

const command command_hash_encode = {
    .name = "hash encode",
    .summary = "compute the binary codes of data",
    .operands = "HASHER DATA",
    .details =
        "Computes the codes of all samples (rows) of DATA with a hasher from 'dltf hash train', and writes "
        "one row of M/8 bytes for each. Bit j of a code is bit j % 8 of byte j / 8, counted from the least "
        "significant one: numpy.unpackbits(codes, axis=1, bitorder=\"little\") has one column for each bit. "
        "DATA and codes may be larger than memory. If DATA is -, reads standard input: a .npy in C order or, "
        "with --raw, rows of float32.",
    .input = "DATA",
    .content = DL_CONTENT_MATRIX,
    .reads_data = true,
    .own = DL_OPTION_TABLE(own_options, hash_encode_flags),
    .json = "sizes, bit order and speed",
    .examples = {"dltf hash encode X.hasher.safetensors X.npy -o codes.npy",
                 "make-rows | dltf hash encode X.hasher.safetensors - --raw -o codes.npy", NULL},
    .run = run,
};
