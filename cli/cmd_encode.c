/* dltf encode: the thresholded features of data, as SciPy's sparse .npz or as a dense matrix. */
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "experiments/clock.h"

#include <stdlib.h>
#include <string.h>

typedef struct encode_flags {
    const char *output;
    bool dense;
} encode_flags;

typedef struct encode_job {
    arguments args;
    encode_flags flags;
    dltf_encoding encoding;
    char *output;
    dltf_model *model;
    dltf_array *data;
    dltf_codes *codes;
    double seconds, error;
} encode_job;

/* Dense codes are built in memory: this many bytes at most. */
static const double DENSE_LIMIT = 4.0 * 1024 * 1024 * 1024;

/* clang-format off */
static const dltf_option own_options[] = {
    {"output", 'o', DLTF_OPTION_TEXT, offsetof(encode_flags, output), NULL, 0, 0, NULL, "CODES", "where the codes go; default: named after DATA, in the current directory"},
    {"dense", 0, DLTF_OPTION_FLAG, offsetof(encode_flags, dense), "false", 0, 0, NULL, NULL, "write all N x m values as .npy (or .csv) instead of a sparse .npz"},
};
/* clang-format on */

static int choose_files(encode_job *job) {
    const char *data = job->args.operands[1];
    const char *ending = job->flags.dense ? ".codes.npy" : ".codes.npz";
    job->output = job->flags.output ? files_join(job->flags.output, "") : files_default_name(data, ending);
    if (!job->output)
        return EXIT_FAILED;
    int code = files_check(2, job->args.operands, 1, (const char *const[]){job->output});
    if (code == EXIT_OK && job->flags.dense)
        code = files_check_ending("dense codes are", job->output, ".npy", ".csv");
    else if (code == EXIT_OK && !files_has_ending(job->output, ".npz"))
        code = usage_error("%s: codes are a sparse .npz; give such a name, or --dense for .npy", job->output);
    return code;
}

static int load(encode_job *job) {
    int code = files_load_model(job->args.operands[0], &job->model);
    if (code == EXIT_OK)
        code = files_load_data(job->args.operands[1], &job->data);
    if (code != EXIT_OK || !job->flags.dense)
        return code;
    double bytes =
        (double)dltf_array_matrix(job->data).rows * (double)dltf_model_get(job->model).m * sizeof(float);
    if (bytes > DENSE_LIMIT)
        return failure("dense codes would take %.1f GiB, more than 4; leave --dense out",
                       bytes / (1024.0 * 1024 * 1024));
    return EXIT_OK;
}

static int encode(encode_job *job) {
    dltf_matrix X = dltf_array_matrix(job->data);
    double begin = clock_seconds();
    dltf_status status = dltf_encode(job->model, X, &job->encoding, progress_step, NULL, &job->codes);
    job->seconds = clock_seconds() - begin;
    progress_erase();
    if (status == DLTF_OK)
        status = dltf_reconstruction_error(job->model, X, job->codes, &job->error);
    if (status != DLTF_OK)
        return library_failure_in(status, (sources){.data = job->args.operands[1]});
    return EXIT_OK;
}

static dltf_status save_dense(const dltf_codes *codes, const char *path) {
    dltf_csr csr = dltf_codes_csr(codes);
    float *values = calloc((size_t)(csr.rows * csr.cols), sizeof *values);
    if (!values)
        return DLTF_MEMORY;
    for (int64_t i = 0; i < csr.rows; i++)
        for (int64_t e = csr.indptr[i]; e < csr.indptr[i + 1]; e++)
            values[i * csr.cols + csr.indices[e]] = csr.values[e];
    dltf_status status = dltf_matrix_save(dltf_matrix_f32(values, csr.rows, csr.cols), path);
    free(values);
    return status;
}

static int save(encode_job *job) {
    if (interrupted())
        return interrupted_exit();
    dltf_status status =
        job->flags.dense ? save_dense(job->codes, job->output) : dltf_codes_save(job->codes, job->output);
    if (status == DLTF_MEMORY && job->flags.dense)
        return failure("there is not enough memory for dense codes; leave --dense out");
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

static int print_report(encode_job *job) {
    dltf_csr csr = dltf_codes_csr(job->codes);
    double entries = (double)csr.indptr[csr.rows] / (double)csr.rows;
    double rate = job->seconds > 0 ? (double)csr.rows / job->seconds : 0;
    report r = report_new();
    report_integer(&r, "samples", NULL, csr.rows);
    report_integer(&r, "m", NULL, csr.cols);
    report_real(&r, "seconds", NULL, job->seconds);
    report_real(&r, "samples_per_second", NULL, rate);
    report_line(&r, "samples", "%lld in %.3g s (%.0f per second)", (long long)csr.rows, job->seconds, rate);
    report_real(&r, "entries_per_sample", "entries per sample", entries);
    report_real(&r, "relative_error", NULL, job->error);
    report_json(&r, "refit", json_boolean(job->encoding.refit));
    report_line(&r, "relative error", "%.4g%s", job->error,
                job->encoding.refit ? "" : " (values are correlations; --refit makes them coefficients)");
    report_text(&r, "codes", "codes", job->output);
    if (!job->flags.dense)
        report_line(&r, "next", "dltf decode %s %s", files_quoted(job->args.operands[0]),
                    files_quoted(job->output));
    report_print(&r, true);
    return EXIT_OK;
}

static int run(const command *self, int count, char **words) {
    static int (*const steps[])(encode_job *) = {choose_files, load, encode, save, print_report};
    encode_job job = {.output = NULL};
    if (!arguments_parse(self, count, words, &job.flags, &job.encoding, &job.args))
        return job.args.exit_code;
    int code = EXIT_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && code == EXIT_OK; i++)
        code = steps[i](&job);
    dltf_codes_free(job.codes);
    dltf_model_free(job.model);
    dltf_array_free(job.data);
    free(job.output);
    return code;
}

const command command_encode = {
    .name = "encode",
    .summary = "compute the thresholded features of data",
    .operands = "MODEL DATA",
    .details =
        "Computes max_k(W^T x) for every sample (row) of DATA with a model made by 'dltf train': the k "
        "largest scores, all others zero. The codes are written as a sparse .npz that "
        "scipy.sparse.load_npz reads.",
    .own = {own_options, sizeof own_options / sizeof *own_options},
    .library = dltf_encode_options,
    .library_title = "Encoding",
    .json = "sizes, speed, entries per sample and the relative reconstruction error",
    .examples = {"dltf encode X.model.safetensors Xtest.npy -o Xtest.codes.npz --refit",
                 "dltf encode X.model.safetensors Xtest.npy --dense -o features.npy", NULL},
    .run = run,
};
