/* dltf decode: reconstructs samples from codes, as a matrix and optionally as a picture next to the
 * originals. */
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/picture.h"
#include "cli/prefix.h"
#include "cli/quality.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct decode_flags {
    const char *output, *picture, *original, *shape;
    int64_t atoms;
} decode_flags;

typedef struct decode_job {
    arguments args;
    decode_flags flags;
    char *output;
    dltf_model *model;
    dltf_codes *codes;
    dltf_array *original;
    picture_shape shape;
    float *samples;
    dltf_reconstruction found; /* with the original */
} decode_job;

/* Maximum number of samples in a picture, and samples per row. */
enum { PICTURE_SAMPLES = 64, PICTURE_COLUMNS = 16 };

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "output", .letter = 'o', .kind = DL_OPTION_TEXT, .offset = offsetof(decode_flags, output), .argument = "X.npy", .help = "output file, .npy, .csv or .fvecs (default: named after CODES, in the current directory)"},
    {.name = "picture", .kind = DL_OPTION_TEXT, .offset = offsetof(decode_flags, picture), .argument = "FILE.png", .help = "draw the first 64 samples as gray images"},
    {.name = "original", .kind = DL_OPTION_TEXT, .offset = offsetof(decode_flags, original), .argument = "DATA", .help = "the data that was encoded; print relative error and explained variance, and show each original above its reconstruction in the picture, on the same gray scale"},
    {.name = "shape", .kind = DL_OPTION_TEXT, .offset = offsetof(decode_flags, shape), .argument = "WxH", .help = "width and height of a sample as an image (default: square)"},
    PREFIX_OPTION(decode_flags, "decode codes of"),
};
/* clang-format on */

static int choose_files(decode_job *job) {
    const char *codes = job->args.operands[1];
    job->output =
        job->flags.output ? files_join(job->flags.output, "") : files_default_name(codes, ".decoded.npy");
    if (!job->output)
        return EXIT_FAILED;
    const char *inputs[] = {job->args.operands[0], codes, job->flags.original};
    const char *outputs[] = {job->output, job->flags.picture};
    int code = files_check(3, inputs, 2, outputs);
    if (code == EXIT_OK)
        code = files_check_matrix("samples", job->output);
    if (code == EXIT_OK)
        code = files_check_picture(job->flags.picture);
    return code;
}

static int load(decode_job *job) {
    int code = prefix_load_model(job->args.operands[0], job->flags.atoms, &job->model);
    if (code != EXIT_OK)
        return code;
    dltf_status status = dltf_codes_load(job->args.operands[1], &job->codes);
    if (status != DLTF_OK)
        return library_failure(status);
    if (job->flags.original)
        code = files_load_data(job->flags.original, &job->original);
    if (code == EXIT_OK && job->flags.picture)
        code = picture_find_shape(job->flags.shape, dltf_model_get(job->model).n, &job->shape);
    return code;
}

static int decode(decode_job *job) {
    int64_t rows = dltf_codes_csr(job->codes).rows, n = dltf_model_get(job->model).n;
    dltf_status status = DLTF_OK;
    if (job->original)
        status = dltf_reconstruction_measure(job->model, dltf_array_matrix(job->original), job->codes, 0,
                                             &job->found);
    if (status == DLTF_OK) {
        if ((uint64_t)rows <= SIZE_MAX / sizeof(float) / (uint64_t)n)
            job->samples = malloc((size_t)rows * (size_t)n * sizeof *job->samples + 1);
        if (!job->samples)
            return failure("not enough memory for %s of %s", counted(rows, "sample"), counted(n, "entry"));
        status = dltf_decode(job->model, job->codes, job->samples);
    }
    if (status != DLTF_OK)
        return library_failure_in(
            status,
            (sources){
                [DLTF_SUBJECT_DATA] = job->flags.original, [DLTF_SUBJECT_CODES] = job->args.operands[1]});
    if (interrupted())
        return interrupted_exit();
    status = dltf_matrix_save(dltf_matrix_f32(job->samples, rows, n), job->output);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

/* An entry of a sample after the mean of all samples and the deviation of its column. */
static double standardised(const dltf_model_view *view, const float *original, int64_t i) {
    return (original[i] - (view->mean ? view->mean[i] : 0)) /
           (view->deviation ? (double)view->deviation[i] : 1);
}

/* The number that preprocessing divides a sample by, which is here without its mean. */
static double own_scale(const dltf_model_view *view, const float *original, double own_mean) {
    double norm = 0;
    for (int64_t i = 0; i < view->n; i++)
        norm = hypot(norm, standardised(view, original, i) - own_mean);
    return view->unit_norm ? norm : norm / sqrt(view->n > 1 ? (double)(view->n - 1) : 1) + 1e-5;
}

/* Puts back what a decoded sample lacks, for the eye: the original's own mean and, with unit_norm and
 * layer_norm, its scale, and the deviations and the mean of all samples. */
static void restore(const dltf_model_view *view, const float *original, float *sample) {
    int64_t n = view->n;
    bool rescaled = view->unit_norm || view->layer_norm;
    double own_mean = 0;
    for (int64_t i = 0; i < n && (view->remove_mean || view->layer_norm); i++)
        own_mean += standardised(view, original, i) / (double)n;
    double scale = rescaled ? own_scale(view, original, own_mean) : 1;
    for (int64_t i = 0; i < n; i++) {
        double mean = view->mean ? view->mean[i] : 0, deviation = view->deviation ? view->deviation[i] : 1;
        sample[i] = rescaled ? (float)(mean + deviation * (own_mean + scale * sample[i]))
                             : (float)(sample[i] + deviation * own_mean);
    }
}

/* Scales both to 0 .. 1 by the range of the original. */
static void share_scale(int64_t n, float *original, float *sample) {
    double low = original[0], high = original[0];
    for (int64_t i = 1; i < n; i++) {
        low = fmin(low, original[i]);
        high = fmax(high, original[i]);
    }
    for (int64_t i = 0; i < n; i++) {
        original[i] = high > low ? (float)((original[i] - low) / (high - low)) : 0.5F;
        sample[i] = high > low ? (float)((sample[i] - low) / (high - low)) : (float)(0.5 + sample[i] - low);
    }
}

/* Rows of tiles, originals above their reconstructions. White tiles pad the last row. */
static dltf_status draw_pairs(const decode_job *job, int64_t shown, int64_t n) {
    dltf_matrix X = dltf_array_matrix(job->original);
    dltf_model_view view = dltf_model_get(job->model);
    int64_t columns = shown < PICTURE_COLUMNS ? shown : PICTURE_COLUMNS;
    int64_t bands = (shown + columns - 1) / columns, values = 2 * bands * columns * n;
    float *tiles = malloc((size_t)values * sizeof *tiles);
    if (!tiles)
        return DLTF_MEMORY;
    for (int64_t i = 0; i < values; i++)
        tiles[i] = 1;
    for (int64_t i = 0; i < shown; i++) {
        float *above = tiles + ((i / columns) * 2 * columns + i % columns) * n, *below = above + columns * n;
        dltf_matrix_row(X, i, above);
        memcpy(below, job->samples + i * n, (size_t)n * sizeof *tiles);
        restore(&view, above, below);
        share_scale(n, above, below);
    }
    dltf_status status = dltf_picture_save(dltf_matrix_f32(tiles, 2 * bands * columns, n), job->shape.width,
                                           job->shape.height, columns, DLTF_GRAY_UNIT, job->flags.picture);
    free(tiles);
    return status;
}

static int draw(decode_job *job) {
    if (!job->flags.picture)
        return EXIT_OK;
    int64_t rows = dltf_codes_csr(job->codes).rows, n = dltf_model_get(job->model).n;
    int64_t shown = rows < PICTURE_SAMPLES ? rows : PICTURE_SAMPLES;
    int64_t columns = shown < PICTURE_COLUMNS ? shown : PICTURE_COLUMNS;
    dltf_status status =
        job->original ? draw_pairs(job, shown, n)
                      : dltf_picture_save(dltf_matrix_f32(job->samples, shown, n), job->shape.width,
                                          job->shape.height, columns, DLTF_GRAY_OWN, job->flags.picture);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

static int print_report(decode_job *job) {
    facts f = facts_new();
    facts_integer(&f, "samples", "samples", dltf_codes_csr(job->codes).rows);
    facts_integer(&f, "n", "entries of a sample", dltf_model_get(job->model).n);
    prefix_report(&f, job->model);
    if (job->original) {
        quality_entries(&f, job->found.entries);
        facts_real(&f, "relative_error", "relative error", job->found.relative_error);
        quality_explained(&f, job->found.explained_variance);
    }
    dltf_model_view view = dltf_model_get(job->model);
    bool mean = view.remove_mean || view.layer_norm, norm = view.unit_norm || view.layer_norm;
    if (mean || norm)
        facts_line(&f, "not restored",
                   "%s%s%s of a sample, which preprocessing takes away and codes do not contain",
                   mean ? "mean" : "", mean && norm ? " and " : "",
                   view.layer_norm ? "standard deviation"
                   : norm          ? "norm"
                                   : "");
    facts_text(&f, "output", "written to", job->output);
    if (job->flags.picture)
        facts_text(&f, "picture", "picture", job->flags.picture);
    output_facts(&f, true);
    return EXIT_OK;
}

static int run(const command *self, int count, char **words) {
    static int (*const steps[])(decode_job *) = {choose_files, load, decode, draw, print_report};
    decode_job job = {.output = NULL};
    if (!arguments_parse(self, count, words, &job.flags, NULL, &job.args))
        return job.args.exit_code;
    int code = EXIT_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && code == EXIT_OK; i++)
        code = steps[i](&job);
    dltf_codes_free(job.codes);
    dltf_model_free(job.model);
    dltf_array_free(job.original);
    free(job.samples);
    free(job.output);
    return code;
}

const command command_decode = {
    .name = "decode",
    .summary = "reconstruct samples from codes",
    .operands = "MODEL CODES",
    .details =
        "Computes Wz for every code in the sparse .npz file CODES, and adds the mean if the model "
        "subtracts one. For good reconstructions, encode with --refit: without it, the values of a code "
        "are correlations, not coefficients.",
    .own = DL_OPTION_TABLE(own_options, decode_flags),
    .json = "sizes, the files written and, with --original, relative error, explained variance and entries "
            "per sample",
    .examples = {"dltf decode X.model.safetensors Xtest.codes.npz -o Xhat.npy",
                 "dltf decode X.model.safetensors Xtest.codes.npz --original Xtest.npy --picture pairs.png",
                 NULL},
    .reads_data = true,
    .run = run,
};
