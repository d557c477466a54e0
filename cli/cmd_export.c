/* dltf export: a model as C source, for programs without a file system or a JSON parser, and for firmware, or
 * as the files of another program. */
#include "cli/arguments.h"
#include "cli/export_micro.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/prefix.h"

#include <stdlib.h>
#include <string.h>

typedef struct export_flags {
    bool c, micro;
    micro_flags micro_options;
    const char *format, *output, *name;
    int64_t atoms;
} export_flags;

typedef struct export_job {
    arguments args;
    export_flags flags;
    char *output;
    dltf_model *model;
    micro_export micro;
    char *text;
} export_job;

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "c", .kind = DL_OPTION_FLAG, .offset = offsetof(export_flags, c), .default_text = "false", .help = "write C source"},
    {.name = "micro", .kind = DL_OPTION_FLAG, .offset = offsetof(export_flags, micro), .default_text = "false", .help = "write C source for firmware, that is for micro/dltf_micro.c"},
    MICRO_OPTIONS(export_flags, micro_options),
    {.name = "format", .kind = DL_OPTION_TEXT, .offset = offsetof(export_flags, format), .choices = "saelens|sparsify|gemma-scope", .argument = "NAME", .help = "write the files of another program instead: those of SAELens (saelens), of sparsify (sparsify), or Gemma Scope's params.npz (gemma-scope)"},
    {.name = "output", .letter = 'o', .kind = DL_OPTION_TEXT, .offset = offsetof(export_flags, output), .argument = "FILE", .help = "output file: .h for a header with static constants, .c for a source file that defines the model (default: NAME.h); with --format, a folder, which is created if it does not exist"},
    {.name = "name", .kind = DL_OPTION_TEXT, .offset = offsetof(export_flags, name), .default_text = "model", .argument = "NAME", .help = "C name of the model, and prefix of the names of its arrays"},
    PREFIX_OPTION(export_flags, "write"),
};
/* clang-format on */

static int check_options(export_job *job) {
    static const char first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char later[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    const char *name = job->flags.name;
    if (job->flags.c + job->flags.micro + (job->flags.format != NULL) != 1)
        return usage_error("choose a format: --c, --micro or --format NAME");
    if (job->flags.format && !job->flags.output)
        return usage_error("--format writes several files: name a folder with -o");
    if (*name == '\0' || !strchr(first, *name) || name[strspn(name, later)] != '\0')
        return usage_error("--name: \"%s\" is not a C identifier", name);
    return micro_check_options(&job->args, job->flags.micro);
}

static int choose_files(export_job *job) {
    const char *inputs[] = {job->args.operands[0], job->flags.micro_options.data};
    if (job->flags.format)
        return EXIT_OK;
    job->output = job->flags.output ? files_join(job->flags.output, "") : files_join(job->flags.name, ".h");
    if (!job->output)
        return EXIT_FAILED;
    if (!files_has_ending(job->output, ".h") && !files_has_ending(job->output, ".c"))
        return usage_error("%s: unsupported extension: C source can be written as .h or .c", job->output);
    return files_check(2, inputs, 1, (const char *const[]){job->output});
}

static int load(export_job *job) {
    return prefix_load_model(job->args.operands[0], job->flags.atoms, &job->model);
}

static int quantise(export_job *job) {
    return job->flags.micro
               ? micro_prepare(&job->micro, &job->flags.micro_options, job->args.operands[0], job->model)
               : EXIT_OK;
}

/* Hexadecimal constants: exact, whatever the compiler's rounding. */
static void write_array(FILE *out, const char *model, const char *part, const float *values, int64_t rows,
                        int64_t cols) {
    enum { PER_LINE = 8 };
    if (!values)
        return;
    fprintf(out, "static const float %s_%s[%lld] = {", model, part, (long long)(rows * cols));
    for (int64_t i = 0; i < rows * cols; i++)
        fprintf(out, "%s%af,", i % cols % PER_LINE == 0 ? "\n    " : " ", (double)values[i]);
    fprintf(out, "\n};\n\n");
}

static void write_pointer(FILE *out, const char *model, const char *part, const float *values) {
    if (values)
        fprintf(out, "    .%s = %s_%s,\n", part, model, part);
}

static void write_model(FILE *out, const char *name, dltf_model_view view, bool header) {
    fprintf(
        out,
        "/* %lld atoms of %lld entries, codes of at most %lld: for dltf_model_new. Made by dltf export. */\n",
        (long long)view.m, (long long)view.n, (long long)view.k);
    if (header)
        fprintf(out, "#ifndef %s_H\n#define %s_H\n\n", name, name);
    fprintf(out, "#include <dltf.h>\n\nenum { %s_m = %lld, %s_n = %lld, %s_k = %lld };\n\n", name,
            (long long)view.m, name, (long long)view.n, name, (long long)view.k);
    write_array(out, name, "dictionary", view.dictionary, view.m, view.n);
    write_array(out, name, "encoder", view.encoder, view.m, view.n);
    write_array(out, name, "bias", view.bias, 1, view.m);
    write_array(out, name, "mean", view.mean, 1, view.n);
    write_array(out, name, "deviation", view.deviation, 1, view.n);
    write_array(out, name, "offset", view.offset, 1, view.n);
    write_array(out, name, "scale", view.scale, 1, view.m);
    write_array(out, name, "threshold", view.threshold, 1, view.m);
    if (!header)
        fprintf(out, "extern const dltf_model_view %s;\n", name);
    fprintf(out, "%sconst dltf_model_view %s = {\n    .m = %s_m,\n    .n = %s_n,\n    .k = %s_k,\n",
            header ? "static " : "", name, name, name, name);
    write_pointer(out, name, "dictionary", view.dictionary);
    write_pointer(out, name, "encoder", view.encoder);
    write_pointer(out, name, "bias", view.bias);
    write_pointer(out, name, "mean", view.mean);
    write_pointer(out, name, "deviation", view.deviation);
    write_pointer(out, name, "offset", view.offset);
    write_pointer(out, name, "scale", view.scale);
    write_pointer(out, name, "threshold", view.threshold);
    fprintf(out, "    .unit_norm = %s,\n    .select = %s,\n    .remove_mean = %s,\n",
            view.unit_norm ? "true" : "false",
            view.select == DLTF_SELECT_POSITIVE ? "DLTF_SELECT_POSITIVE" : "DLTF_SELECT_ABS",
            view.remove_mean ? "true" : "false");
    if (view.layer_norm)
        fprintf(out, "    .layer_norm = true,\n");
    if (view.factor != 1)
        fprintf(out, "    .factor = %a,\n", view.factor);
    fprintf(out, "};\n");
    if (header)
        fprintf(out, "\n#endif\n");
}

static int save_source(export_job *job) {
    size_t size = 0;
    FILE *out = open_memstream(&job->text, &size);
    bool whole = out != NULL, header = files_has_ending(job->output, ".h");
    if (out) {
        if (job->flags.micro)
            dl_firmware_write(job->micro.firmware, out, job->flags.name, header);
        else
            write_model(out, job->flags.name, dltf_model_get(job->model), header);
        whole = !ferror(out);
        whole = fclose(out) == 0 && whole;
    }
    if (interrupted())
        return interrupted_exit();
    return files_save_text(job->output, whole ? job->text : NULL);
}

static int save_foreign(export_job *job) {
    dltf_status status = dltf_model_export(job->model, job->flags.format, job->flags.output);
    return status == DLTF_OK
               ? EXIT_OK
               : library_failure_in(status, (sources){[DLTF_SUBJECT_MODEL] = job->args.operands[0]});
}

static int save(export_job *job) {
    return job->flags.format ? save_foreign(job) : save_source(job);
}

static int print_report(export_job *job) {
    dltf_model_view view = dltf_model_get(job->model);
    int64_t floats = view.m * view.n * (view.encoder ? 2 : 1) + (view.bias ? view.m : 0) +
                     (view.mean ? view.n : 0) + (view.deviation ? view.n : 0) + (view.offset ? view.n : 0) +
                     (view.scale ? view.m : 0) + (view.threshold ? view.m : 0);
    facts f = facts_new();
    facts_integer(&f, "m", "atoms", view.m);
    prefix_report(&f, job->model);
    facts_integer(&f, "n", "entries of an atom", view.n);
    facts_integer(&f, "k", "entries of a code", view.k);
    if (job->flags.format)
        facts_text(&f, "format", "format", job->flags.format);
    else if (job->flags.micro)
        micro_facts(&job->micro, &f);
    else
        facts_integer(&f, "bytes", "bytes of constants", floats * (int64_t)sizeof(float));
    if (!job->flags.format)
        facts_text(&f, "name", "name", job->flags.name);
    facts_text(&f, "output", "written to", job->output ? job->output : job->flags.output);
    output_facts(&f, true);
    return EXIT_OK;
}

static int run(const command *self, int count, char **words) {
    static int (*const steps[])(export_job *) = {check_options, choose_files, load,
                                                 quantise,      save,         print_report};
    export_job job = {.output = NULL};
    if (!arguments_parse(self, count, words, &job.flags, NULL, &job.args))
        return job.args.exit_code;
    int code = EXIT_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && code == EXIT_OK; i++)
        code = steps[i](&job);
    micro_free(&job.micro);
    dltf_model_free(job.model);
    free(job.text);
    free(job.output);
    return code;
}

const command command_export = {
    .name = "export",
    .summary = "write a model as C source, or as the files of another program",
    .operands = "MODEL",
    .details =
        "Writes a model as exact C constants, so that a program needs neither a file system nor a JSON "
        "parser: dltf_model_new(&model, ...) makes the same model as dltf_model_load. Notes are omitted. "
        "With --micro the constants are those of micro/dltf_micro.h, which needs no C library: weights "
        "in "
        "8 or 16 bits or float32. See docs/embedded.md. With --format, writes a folder that SAELens or "
        "sparsify loads, or Gemma "
        "Scope's params.npz; it computes the same codes, as docs/formats.md states. A model that selects "
        "scores "
        "by magnitude, or removes the own mean of samples, has no counterpart there and is rejected.",
    .own = DL_OPTION_TABLE(own_options, export_flags),
    .json =
        "sizes, the name and the file written; with --micro also bytes of flash and RAM and, with --data, "
        "wrong atoms per code and relative errors, against those of the library",
    .examples = {"dltf export X.model.safetensors --c -o model.h",
                 "dltf export X.model.safetensors --c --name digits -o digits.c",
                 "dltf export X.model.safetensors --micro --bits 8 --data X.npy -o model.h",
                 "dltf export X.model.safetensors --format saelens -o sae", NULL},
    .run = run,
};
