/* dltf hash encode: the binary codes of data, as packed bits. */
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/progress.h"

#include <stdlib.h>

typedef struct hash_encode_flags {
    const char *output;
    int64_t threads;
} hash_encode_flags;

typedef struct hash_encoding {
    arguments args;
    hash_encode_flags flags;
    char *output;
    dltf_hasher *hasher;
    dltf_array *data;
    uint8_t *codes;
    double seconds;
} hash_encoding;

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "output", .letter = 'o', .kind = DL_OPTION_TEXT, .offset = offsetof(hash_encode_flags, output), .argument = "CODES.npy", .help = "output file (default: named after DATA, in the current directory)"},
    {.name = "threads", .kind = DL_OPTION_INTEGER, .offset = offsetof(hash_encode_flags, threads), .default_text = "0", .max = 1024, .argument = "T", .help = "threads to use; 0: all cores. The result does not depend on it"},
};
/* clang-format on */

static int check(hash_encoding *job) {
    const char *data = job->args.operands[1];
    job->output =
        job->flags.output ? files_join(job->flags.output, "") : files_default_name(data, ".hash.npy");
    if (!job->output)
        return EXIT_FAILED;
    int code = files_check(2, job->args.operands, 1, (const char *const[]){job->output});
    return code == EXIT_OK ? files_check_matrix("binary codes", job->output) : code;
}

static int load(hash_encoding *job) {
    dltf_status status = dltf_hasher_load(job->args.operands[0], &job->hasher);
    return status == DLTF_OK ? files_load_data(job->args.operands[1], &job->data) : library_failure(status);
}

static int encode(hash_encoding *job) {
    dltf_matrix X = dltf_array_matrix(job->data);
    int64_t width = dltf_hasher_get(job->hasher).bits / 8;
    job->codes = calloc((size_t)X.rows, (size_t)width);
    if (!job->codes)
        return failure("not enough memory for %s of %lld bytes", counted(X.rows, "code"), (long long)width);
    double begin = dltf_seconds();
    dltf_status status =
        dltf_hasher_encode(job->hasher, X, job->flags.threads, progress_step, NULL, job->codes);
    job->seconds = dltf_seconds() - begin;
    progress_erase();
    if (status == DLTF_OK)
        status = dltf_matrix_save(dltf_matrix_u8(job->codes, X.rows, width), job->output);
    if (status != DLTF_OK)
        return library_failure_in(status, (sources){[DLTF_SUBJECT_DATA] = job->args.operands[1]});
    return EXIT_OK;
}

static int print_report(hash_encoding *job) {
    int64_t samples = dltf_array_matrix(job->data).rows;
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
    facts_text(&f, "codes", "codes", job->output);
    output_facts(&f, true);
    return EXIT_OK;
}

static int run(const command *self, int count, char **words) {
    static int (*const steps[])(hash_encoding *) = {check, load, encode, print_report};
    hash_encoding job = {.output = NULL};
    if (!arguments_parse(self, count, words, &job.flags, NULL, &job.args))
        return job.args.exit_code;
    int code = EXIT_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && code == EXIT_OK; i++)
        code = steps[i](&job);
    dltf_hasher_free(job.hasher);
    dltf_array_free(job.data);
    free(job.output);
    free(job.codes);
    return code;
}

const command command_hash_encode = {
    .name = "hash encode",
    .summary = "compute the binary codes of data",
    .operands = "HASHER DATA",
    .details =
        "Computes the codes of all samples (rows) of DATA with a hasher from 'dltf hash train', and writes "
        "one row of M/8 bytes for each. Bit j of a code is bit j % 8 of byte j / 8, counted from the least "
        "significant one: numpy.unpackbits(codes, axis=1, bitorder=\"little\") has one column for each bit.",
    .input = "DATA",
    .content = DL_CONTENT_MATRIX,
    .own = DL_OPTION_TABLE(own_options, hash_encode_flags),
    .json = "sizes, bit order and speed",
    .examples = {"dltf hash encode X.hasher.safetensors X.npy -o codes.npy", NULL},
    .run = run,
};
