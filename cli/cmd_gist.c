/* dltf gist: GIST descriptors of images, one row per image. */
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"

#include <stdlib.h>

typedef struct gist_flags {
    const char *output, *labels;
} gist_flags;

typedef struct gist_job {
    arguments args;
    gist_flags flags;
    dltf_gist_options options;
    dltf_image_set *images;
    int64_t count;
    float *values;
    int64_t *labels;
    double seconds;
} gist_job;

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "output", .letter = 'o', .kind = DL_OPTION_TEXT, .offset = offsetof(gist_flags, output), .argument = "OUT", .help = "output file, .npy, .csv or .fvecs: 512 values per image, in the order of the images; required"},
    {.name = "labels", .kind = DL_OPTION_TEXT, .offset = offsetof(gist_flags, labels), .argument = "FILE", .help = "write the labels of the images as .npy, .csv or .ivecs; only CIFAR-10 files have labels"},
};
/* clang-format on */

static int check_flags(gist_job *job) {
    const char *outputs[] = {job->flags.output, job->flags.labels};
    if (!job->flags.output)
        return usage_error("-o OUT is missing: give an output file (%s)",
                           dl_format_list(DL_CONTENT_MATRIX, DL_WRITE, "or"));
    int code = files_check_matrix("descriptors", job->flags.output);
    if (code == EXIT_OK)
        code = files_check_integers("labels", job->flags.labels);
    if (code == EXIT_OK)
        code = files_check(job->args.operand_count, (const char *const *)job->args.list, 2, outputs);
    return code;
}

static int open_images(gist_job *job) {
    dltf_status status =
        dltf_image_set_open((const char *const *)job->args.list, job->args.operand_count, &job->images);
    if (status != DLTF_OK)
        return library_failure(status);
    job->count = dltf_image_set_count(job->images);
    job->values = calloc((size_t)job->count, DLTF_GIST_SIZE * sizeof *job->values);
    job->labels = calloc((size_t)job->count, sizeof *job->labels);
    if (!job->values || !job->labels)
        return failure("not enough memory for %s", counted(job->count, "descriptor"));
    if (job->flags.labels)
        status = dltf_image_set_labels(job->images, job->labels);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

static int compute(gist_job *job) {
    double begin = dl_seconds();
    dltf_status status = dltf_image_set_gist(job->images, &job->options, progress_step, NULL, job->values);
    job->seconds = dl_seconds() - begin;
    progress_erase();
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

static int save(gist_job *job) {
    if (interrupted())
        return interrupted_exit();
    dltf_status status =
        dltf_matrix_save(dltf_matrix_f32(job->values, job->count, DLTF_GIST_SIZE), job->flags.output);
    if (status == DLTF_OK && job->flags.labels)
        status = dltf_labels_save(job->labels, job->count, job->flags.labels);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

static int print_report(gist_job *job) {
    double rate = job->seconds > 0 ? (double)job->count / job->seconds : 0;
    facts f = facts_new();
    facts_integer(&f, "images", NULL, job->count);
    facts_integer(&f, "values", NULL, DLTF_GIST_SIZE);
    facts_integer(&f, "side", NULL, job->options.side);
    facts_real(&f, "seconds", NULL, job->seconds);
    facts_real(&f, "images_per_second", NULL, rate);
    facts_line(&f, "images", "%lld in %.3g s (%.0f per second)", (long long)job->count, job->seconds, rate);
    facts_text(&f, "output", "written", job->flags.output);
    if (job->flags.labels)
        facts_text(&f, "labels", "labels", job->flags.labels);
    output_facts(&f, true);
    return EXIT_OK;
}

static int run(const command *self, int count, char **words) {
    static int (*const steps[])(gist_job *) = {check_flags, open_images, compute, save, print_report};
    gist_job job = {.images = NULL};
    if (!arguments_parse(self, count, words, &job.flags, &job.options, &job.args))
        return job.args.exit_code;
    int code = EXIT_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && code == EXIT_OK; i++)
        code = steps[i](&job);
    dltf_image_set_free(job.images);
    free(job.values);
    free(job.labels);
    return code;
}

const command command_gist = {
    .name = "gist",
    .summary = "compute GIST descriptors of images",
    .operands = "IMAGES...",
    .details =
        "Computes 512 values per image: the mean response of 4 x 4 blocks to Gabor filters of 4 scales and 8 "
        "orientations. Each of IMAGES is an image (.png, .pgm, .ppm, .jpg, or .npy with values from 0 to "
        "255), a folder, a CIFAR-10 file (.bin) or an IDX file of images, gzipped or not. In a folder, all "
        ".png, .pgm, .ppm and .jpg files are read, in bytewise order of their names; subfolders are ignored. "
        "Colours become gray, and the middle square of an image is averaged over areas to S x S pixels.",
    .own = DL_OPTION_TABLE(own_options, gist_flags),
    .library = dl_gist_option_table,
    .library_title = "Descriptors",
    .json = "number of images, time and file names",
    .examples = {"dltf gist photos -o photos.gist.npy",
                 "dltf gist cifar10/data_batch_*.bin cifar10/test_batch.bin -o gist.npy --labels labels.npy",
                 "dltf gist train-images-idx3-ubyte.gz -o gist.npy",
                 "dltf gist photos/*.png --side 128 -o large.csv", NULL},
    .run = run,
};
