/* dltf export --micro: options, quantisation and report. */
#ifndef CLI_EXPORT_MICRO_H
#define CLI_EXPORT_MICRO_H

#include "cli/arguments.h"
#include "program/program.h"
#include "report/facts.h"

typedef struct micro_flags {
    dl_firmware_options options;
    const char *data;
} micro_flags;

/* clang-format off */
/* Rows of an option table; `member` is the micro_flags in the struct `type`. */
#define MICRO_OPTIONS(type, member)                                                                                                                                                             \
    {.name = "bits", .kind = DL_OPTION_CHOICE, .offset = offsetof(type, member.options.bits), .default_text = "8", .choices = DL_FIRMWARE_BITS_CHOICES, .argument = "BITS", .help = "with --micro: bits of a weight; 32: float32"}, \
    {.name = "input", .kind = DL_OPTION_CHOICE, .offset = offsetof(type, member.options.input), .default_text = "default", .choices = DL_FIRMWARE_INPUT_CHOICES, .argument = "TYPE", .help = "with --micro: type of the entries of a sample (default: of as many bits as the weights)"}, \
    {.name = "input-scale", .kind = DL_OPTION_REAL, .offset = offsetof(type, member.options.input_scale), .default_text = "0", .max = 1e30, .argument = "S", .help = "with --micro: a sample is S times its integers; 0: the largest entry of --data is the largest integer, without --data 1"}, \
    {.name = "refit", .kind = DL_OPTION_FLAG, .offset = offsetof(type, member.options.refit), .default_text = "false", .help = "with --micro: add the dictionary, for refit and decoding; a tied model has it anyway"}, \
    {.name = "data", .kind = DL_OPTION_TEXT, .offset = offsetof(type, member.data), .argument = "DATA", .help = "with --micro: samples for the scale of integer samples, and to report what quantisation costs"}
/* clang-format on */

/* Rejects these options without --micro. Returns an exit code. */
int micro_check_options(const arguments *args, bool micro);

typedef struct micro_export {
    dltf_array *data;
    dl_firmware *firmware;
    dl_firmware_cost cost; /* no samples without data */
} micro_export;

/* Loads the data, quantises the model and measures the cost. Returns an exit code. */
int micro_prepare(micro_export *micro, const micro_flags *flags, const char *model_path,
                  const dltf_model *model);
void micro_facts(const micro_export *micro, facts *f);
void micro_free(micro_export *micro);

#endif
