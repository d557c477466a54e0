/* dltf denoise: removes Gaussian noise from an image, with a dictionary learned from the image itself. */
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/images.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "report/json.h"

#include <math.h>

typedef struct denoise_flags {
    const char *output, *reference, *model, *strip;
} denoise_flags;

typedef struct denoise_job {
    arguments args;
    denoise_flags flags;
    dltf_denoise_options options;
    dltf_image *noisy, *reference, *clean;
    dltf_model *model;
    dltf_denoise_info info;
} denoise_job;

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "output", .letter = 'o', .kind = DL_OPTION_TEXT, .offset = offsetof(denoise_flags, output), .argument = "OUT", .help = "output image; .npy stores floats, other formats use the bit depth of IN"},
    {.name = "reference", .kind = DL_OPTION_TEXT, .offset = offsetof(denoise_flags, reference), .argument = "CLEAN", .help = "noise-free image; print PSNR and SSIM against it"},
    {.name = "model", .kind = DL_OPTION_TEXT, .offset = offsetof(denoise_flags, model), .argument = "MODEL", .help = "use this patch dictionary instead of learning one"},
    {.name = "strip", .kind = DL_OPTION_TEXT, .offset = offsetof(denoise_flags, strip), .argument = "FILE.png", .help = "also draw, side by side: the image of --reference if given, IN, OUT, and the noise that was removed (gray is none, black and white are 3 sigma)"},
};
/* clang-format on */

static int load(denoise_job *job) {
    const char *in = job->args.operands[0];
    const char *inputs[] = {in, job->flags.reference, job->flags.model};
    int code = arguments_check(&job->args, dl_denoise_option_table(), &job->options);
    if (code == EXIT_OK)
        code = images_check_output(job->flags.output);
    if (code == EXIT_OK)
        code = files_check_picture(job->flags.strip);
    if (code == EXIT_OK)
        code = files_check(3, inputs, 2, (const char *const[]){job->flags.output, job->flags.strip});
    if (code == EXIT_OK)
        code = images_load(in, job->flags.output, &job->noisy);
    if (code == EXIT_OK && job->flags.reference)
        code = images_load(job->flags.reference, NULL, &job->reference);
    if (code == EXIT_OK && job->flags.model)
        code = files_load_model(job->flags.model, &job->model);
    if (code != EXIT_OK || !job->reference)
        return code;
    double psnr = 0; /* computed now to fail early if the sizes differ */
    dltf_status status = dltf_image_psnr(job->noisy, job->reference, &psnr);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

/* What the user may not expect of the file. */
static void remark_on_file(const denoise_job *job, bool estimates) {
    const char *in = job->args.operands[0];
    if (dl_image_dropped_alpha(job->noisy))
        remark("%s: the alpha channel is dropped: all pixels are opaque", in);
    if (dl_image_is_jpeg(job->noisy))
        remark("%s: JPEG noise is not white%s", in,
               estimates ? ": the estimate of sigma is too small; give a larger --sigma if noise remains"
                         : "");
}

static int denoise(denoise_job *job) {
    bool estimates = !arguments_given(&job->args, "sigma");
    if (estimates)
        job->options.sigma = DLTF_SIGMA_UNKNOWN;
    dltf_status status =
        dltf_denoise(job->noisy, job->model, &job->options, progress_step, NULL, &job->clean, &job->info);
    progress_erase();
    if (status != DLTF_OK)
        return library_failure_in(
            status,
            (sources){[DLTF_SUBJECT_IMAGE] = job->args.operands[0], [DLTF_SUBJECT_MODEL] = job->flags.model});
    remark_on_file(job, estimates);
    return EXIT_OK;
}

/* ---- Strip ---- */

enum { GAP = 4 }; /* pixels between panels */

/* Draws a panel: scale * (a - b) + shift. `b` may be NULL. */
static void draw_panel(dltf_image *sheet, int panel, const dltf_image *a, const dltf_image *b, double scale,
                       double shift) {
    dltf_image_view from = dltf_image_get(a), whole = dltf_image_get(sheet);
    const float *minus = b ? dltf_image_get(b).planes : NULL;
    float *to = dltf_image_pixels(sheet);
    for (int64_t c = 0; c < whole.channels; c++)
        for (int64_t y = 0; y < from.height; y++)
            for (int64_t x = 0; x < from.width; x++) {
                int64_t i = ((c < from.channels ? c : 0) * from.height + y) * from.width + x;
                int64_t column = panel * (from.width + GAP) + x;
                double value = scale * (from.planes[i] - (minus ? minus[i] : 0)) + shift;
                to[(c * whole.height + y) * whole.width + column] = (float)fmin(fmax(value, 0), 255);
            }
}

static dltf_status save_strip(const denoise_job *job) {
    const double middle = 127.5;
    dltf_image_view view = dltf_image_get(job->noisy);
    int panels = job->reference ? 4 : 3, panel = 0;
    dltf_image *sheet = NULL;
    int64_t width = panels * (view.width + GAP) - GAP;
    dltf_status status = dltf_image_new(width, view.height, view.channels, 8, &sheet);
    if (status != DLTF_OK)
        return status;
    float *pixels = dltf_image_pixels(sheet);
    for (int64_t i = 0; i < width * view.height * view.channels; i++)
        pixels[i] = 255;
    if (job->reference)
        draw_panel(sheet, panel++, job->reference, NULL, 1, 0);
    draw_panel(sheet, panel++, job->noisy, NULL, 1, 0);
    draw_panel(sheet, panel++, job->clean, NULL, 1, 0);
    draw_panel(sheet, panel, job->noisy, job->clean, middle / (3 * fmax(job->info.sigma, 1e-3)), middle);
    status = dltf_image_save(sheet, job->flags.strip);
    dltf_image_free(sheet);
    return status;
}

static int save(denoise_job *job) {
    if (interrupted())
        return interrupted_exit();
    dltf_status status = dltf_image_save(job->clean, job->flags.output);
    if (status == DLTF_OK && job->flags.strip)
        status = save_strip(job);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

static dltf_status report_quality(const denoise_job *job, facts *f) {
    double before = 0, psnr = 0, ssim = 0;
    dltf_status status = dltf_image_psnr(job->noisy, job->reference, &before);
    if (status == DLTF_OK)
        status = dltf_image_psnr(job->clean, job->reference, &psnr);
    if (status == DLTF_OK)
        status = dltf_image_ssim(job->clean, job->reference, &ssim);
    if (status != DLTF_OK)
        return status;
    facts_json(f, "psnr_noisy", json_number(before));
    facts_json(f, "psnr", json_number(psnr));
    facts_real(f, "ssim", NULL, ssim);
    facts_line(f, "PSNR", "%.2f dB (noisy %.2f)", psnr, before);
    facts_line(f, "SSIM", "%.4f", ssim);
    return DLTF_OK;
}

static int print_report(denoise_job *job) {
    const dltf_denoise_info *info = &job->info;
    dltf_image_view view = dltf_image_get(job->noisy);
    facts f = facts_new();
    facts_integer(&f, "width", NULL, view.width);
    facts_integer(&f, "height", NULL, view.height);
    facts_integer(&f, "channels", NULL, view.channels);
    facts_integer(&f, "bits", NULL, view.bits);
    facts_line(&f, "image", "%lld x %lld, %s, %d bits", (long long)view.width, (long long)view.height,
               view.channels == 1 ? "gray" : "colour", view.bits);
    facts_real(&f, "sigma", NULL, info->sigma);
    facts_json(&f, "sigma_estimated", json_boolean(info->estimated));
    facts_line(&f, "sigma", "%.2f (%s)", info->sigma, info->estimated ? "estimated" : "given");
    facts_integer(&f, "patches", NULL, info->patches);
    facts_integer(&f, "m", NULL, info->m);
    facts_real(&f, "entries_per_patch", NULL, info->entries_per_patch);
    facts_line(&f, "patches", "%lld, on average %.2f of %lld atoms each", (long long)info->patches,
               info->entries_per_patch, (long long)info->m);
    facts_real(&f, "seconds", NULL, info->seconds);
    facts_real(&f, "learning_seconds", NULL, info->learning_seconds);
    facts_real(&f, "coding_seconds", NULL, info->coding_seconds);
    facts_real(&f, "second_stage_seconds", NULL, info->second_seconds);
    facts_line(&f, "seconds", "%.2f (learning %.2f, coding %.2f, second stage %.2f)", info->seconds,
               info->learning_seconds, info->coding_seconds, info->second_seconds);
    dltf_status status = job->reference ? report_quality(job, &f) : DLTF_OK;
    facts_text(&f, "output", "written", job->flags.output);
    if (job->flags.strip)
        facts_text(&f, "strip", "strip", job->flags.strip);
    output_facts(&f, true);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

static int run(const command *self, int count, char **words) {
    static int (*const steps[])(denoise_job *) = {load, denoise, save, print_report};
    denoise_job job = {.noisy = NULL};
    if (!arguments_parse(self, count, words, &job.flags, &job.options, &job.args))
        return job.args.exit_code;
    int code = EXIT_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && code == EXIT_OK; i++)
        code = steps[i](&job);
    dltf_image_free(job.noisy);
    dltf_image_free(job.reference);
    dltf_image_free(job.clean);
    dltf_model_free(job.model);
    return code;
}

const command command_denoise = {
    .name = "denoise",
    .summary = "remove Gaussian noise from an image",
    .operands = "IN",
    .details =
        "Learns a dictionary from the patches of IN (gray or colour), codes every patch with a few atoms and "
        "averages the estimates. The default method codes a patch with one matrix product; a second stage "
        "then filters in bases learned from the first result.",
    .input = "IN",
    .content = DL_CONTENT_IMAGE,
    .own = DL_OPTION_TABLE(own_options, denoise_flags),
    .library = dl_denoise_option_table,
    .library_title = "Denoising",
    .json = "sigma, sizes, times and, with --reference, PSNR and SSIM",
    .examples = {"dltf denoise noisy.png -o clean.png",
                 "dltf denoise noisy.npy --sigma 20 --reference house.png --strip strip.png -o clean.png",
                 "dltf denoise noisy.png --method ksvd -o clean.png", NULL},
    .run = run,
};
