/* dltf synth: writes the paper's synthetic problem to a folder, for training and for `dltf score`. */
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "report/json.h"

#include <stdlib.h>

typedef struct synth_flags {
    const char *output;
} synth_flags;

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "output", .letter = 'o', .kind = DL_OPTION_TEXT, .offset = offsetof(synth_flags, output), .default_text = "synth", .argument = "DIR", .help = "output folder, created if missing"},
};
/* clang-format on */

/* The kind of codes as given on the command line. */
static const char *codes_name(const dltf_synthetic_options *options) {
    static char name[16];
    dl_option_format(dl_option_find(dl_synthetic_option_table(), "codes"), options, name, sizeof name);
    return name;
}

typedef struct saver {
    const char *folder;
    int code;
} saver;

/* The path of a file in the folder; NULL after any failure. */
static char *name_in(saver *s, const char *name) {
    char *start = s->code == EXIT_OK ? files_join(s->folder, "/") : NULL;
    char *path = start ? files_join(start, name) : NULL;
    free(start);
    if (!path && s->code == EXIT_OK)
        s->code = EXIT_FAILED;
    return path;
}

static void save_matrix(saver *s, const char *name, dltf_matrix matrix) {
    char *path = name_in(s, name);
    dltf_status status = path ? dltf_matrix_save(matrix, path) : DLTF_OK;
    if (status != DLTF_OK)
        s->code = library_failure(status);
    free(path);
}

static void save_codes(saver *s, const char *name, const dltf_codes *codes) {
    char *path = name_in(s, name);
    dltf_status status = path ? dltf_codes_save(codes, path) : DLTF_OK;
    if (status != DLTF_OK)
        s->code = library_failure(status);
    free(path);
}

/* Saves the parameters beside the data. */
static void save_options(saver *s, const dltf_synthetic_options *o) {
    json_t *object = json_pack("{sIsIsIsIsfsssI}", "n", (json_int_t)o->n, "m", (json_int_t)o->m, "k",
                               (json_int_t)o->k, "samples", (json_int_t)o->samples, "noise", o->noise,
                               "codes", codes_name(o), "seed", (json_int_t)o->seed);
    char *path = name_in(s, "synth.json");
    char *text = object ? json_format(object, JSON_DIGITS) : NULL;
    if (path)
        s->code = files_save_text(path, text);
    free(text);
    free(path);
    json_decref(object);
}

static int save_all(const char *folder, const dltf_synthetic_options *options,
                    const dltf_synthetic *problem) {
    saver s = {folder, EXIT_OK};
    save_matrix(&s, "X.npy", dltf_synthetic_samples(problem, false));
    save_matrix(&s, "Xtest.npy", dltf_synthetic_samples(problem, true));
    save_matrix(&s, "dictionary.npy", dltf_synthetic_dictionary(problem));
    save_codes(&s, "codes.npz", dltf_synthetic_codes(problem, false));
    save_codes(&s, "codes_test.npz", dltf_synthetic_codes(problem, true));
    save_options(&s, options);
    return s.code;
}

static void print_report(const char *output, const dltf_synthetic_options *o) {
    const char *folder = files_quoted(output);
    facts f = facts_new();
    facts_text(&f, "output", "folder", output);
    facts_integer(&f, "n", NULL, o->n);
    facts_integer(&f, "m", NULL, o->m);
    facts_integer(&f, "k", NULL, o->k);
    facts_integer(&f, "samples", NULL, o->samples);
    facts_real(&f, "noise", NULL, o->noise);
    facts_text(&f, "codes", NULL, codes_name(o));
    facts_integer(&f, "seed", NULL, o->seed);
    facts_line(&f, "truth", "%s of %s: dictionary.npy", counted(o->m, "atom"), counted(o->n, "entry"));
    facts_line(&f, "samples", "%lld in X.npy, %lld in Xtest.npy, each %s plus noise of %g",
               (long long)o->samples, (long long)o->samples, counted(o->k, "atom"), o->noise);
    facts_line(&f, "true codes", "codes.npz, codes_test.npz");
    facts_line(&f, "next", "dltf train %s/X.npy -m %lld -k %lld -o %s.model.safetensors", folder,
               (long long)o->m, (long long)o->k, folder);
    output_facts(&f, true);
}

static int run(const command *self, int count, char **words) {
    synth_flags flags = {.output = NULL};
    dltf_synthetic_options options;
    arguments args;
    if (!arguments_parse(self, count, words, &flags, &options, &args))
        return args.exit_code;
    dltf_synthetic *problem = NULL;
    dltf_status status = dltf_synthetic_new(&options, progress_step, NULL, &problem);
    progress_erase();
    int code = status == DLTF_OK ? EXIT_OK : library_failure(status);
    if (code == EXIT_OK && interrupted())
        code = interrupted_exit();
    if (code == EXIT_OK)
        code = files_make_folder(flags.output);
    if (code == EXIT_OK)
        code = save_all(flags.output, &options, problem);
    if (code == EXIT_OK)
        print_report(flags.output, &options);
    dltf_synthetic_free(problem);
    return code;
}

const command command_synth = {
    .name = "synth",
    .summary = "generate a synthetic problem with a known answer",
    .details =
        "Draws a Gaussian dictionary of unit-norm atoms, and samples that are each the sum of k atoms "
        "(weighted with --codes) plus noise, as in the paper's Table 1. Writes X.npy, dictionary.npy and "
        "codes.npz, a separate test set Xtest.npy and codes_test.npz, and the parameters in "
        "synth.json.",
    .own = DL_OPTION_TABLE(own_options, synth_flags),
    .library = dl_synthetic_option_table,
    .library_title = "Problem",
    .json = "the parameters and the folder",
    .examples = {"dltf synth -n 64 -m 128 -k 8 -N 10000 --noise 0.1 --seed 0 -o toy", NULL},
    .run = run,
};
