/* dltf noise: adds Gaussian noise to an image, to test denoisers. */
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/images.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "report/json.h"

#include <string.h>

typedef struct noise_flags {
    double sigma;
    int64_t seed;
    const char *output;
} noise_flags;

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "sigma", .kind = DL_OPTION_REAL, .offset = offsetof(noise_flags, sigma), .default_text = "20", .max = 1000, .argument = "SIGMA", .help = "standard deviation of the noise, for pixel values from 0 to 255"},
    DL_SEED_OPTION(noise_flags, seed, "seed of all random choices"),
    {.name = "output", .letter = 'o', .kind = DL_OPTION_TEXT, .offset = offsetof(noise_flags, output), .argument = "OUT", .help = "output image; .npy stores floats, other formats round and clip to the bit depth of IN"},
};
/* clang-format on */

/* Saves the image and reports the PSNR of the file: rounding and clipping change the noise. */
static int save(dltf_image *clean, dltf_image *noisy, const noise_flags *flags) {
    dltf_image *written = NULL;
    double psnr = 0;
    dltf_status status = dltf_image_save(noisy, flags->output);
    if (status == DLTF_OK)
        status = dltf_image_load(flags->output, &written);
    if (status == DLTF_OK)
        status = dltf_image_psnr(clean, written, &psnr);
    dltf_image_free(written);
    if (status != DLTF_OK)
        return library_failure(status);
    facts f = facts_new();
    facts_real(&f, "sigma", "sigma", flags->sigma);
    facts_integer(&f, "seed", "seed", flags->seed);
    facts_json(&f, "psnr", json_number(psnr));
    facts_line(&f, "PSNR", "%.2f dB", psnr);
    facts_text(&f, "output", "written", flags->output);
    output_facts(&f, true);
    return EXIT_OK;
}

static dltf_status copy_image(const dltf_image *image, dltf_image **copy) {
    dltf_image_view view = dltf_image_get(image);
    dltf_status status = dltf_image_new(view.width, view.height, view.channels, view.bits, copy);
    if (status == DLTF_OK)
        memcpy(dltf_image_pixels(*copy), view.planes,
               (size_t)(view.width * view.height * view.channels) * sizeof *view.planes);
    return status;
}

static int run(const command *self, int count, char **words) {
    noise_flags flags = {.output = NULL};
    arguments args;
    if (!arguments_parse(self, count, words, &flags, NULL, &args))
        return args.exit_code;
    dltf_image *clean = NULL, *noisy = NULL;
    int code = images_check_output(flags.output);
    if (code == EXIT_OK)
        code = files_check(1, args.operands, 1, &flags.output);
    if (code == EXIT_OK)
        code = images_load(args.operands[0], flags.output, &clean);
    if (code == EXIT_OK) {
        dltf_status status = copy_image(clean, &noisy);
        if (status == DLTF_OK)
            status = dltf_image_add_noise(noisy, flags.sigma, flags.seed);
        code = status == DLTF_OK ? EXIT_OK : library_failure(status);
    }
    if (code == EXIT_OK && interrupted())
        code = interrupted_exit();
    if (code == EXIT_OK)
        code = save(clean, noisy, &flags);
    dltf_image_free(clean);
    dltf_image_free(noisy);
    return code;
}

const command command_noise = {
    .name = "noise",
    .summary = "add Gaussian noise to an image",
    .operands = "IN",
    .details = "Adds independent Gaussian noise to every value of IN. The same seed gives the same noise.",
    .input = "IN",
    .content = DL_CONTENT_IMAGE,
    .own = DL_OPTION_TABLE(own_options, noise_flags),
    .json = "sigma, seed and PSNR of the image as written",
    .examples = {"dltf noise house.png --sigma 20 --seed 1 -o noisy.npy", NULL},
    .run = run,
};
