/* dltf export --micro: a model for micro/dltf_micro.c, and what its quantisation costs. */
#include "cli/export_micro.h"

#include "cli/files.h"
#include "cli/output.h"

int micro_check_options(const arguments *args, bool micro) {
    static const char *const names[] = {"bits", "input", "input-scale", "refit", "data"};
    for (size_t i = 0; i < sizeof names / sizeof *names && !micro; i++)
        if (arguments_given(args, names[i]))
            return usage_error("--%s requires --micro", names[i]);
    return EXIT_OK;
}

int micro_prepare(micro_export *micro, const micro_flags *flags, const char *model_path,
                  const dltf_model *model) {
    dltf_matrix X;
    if (flags->data) {
        int code = files_load_data(flags->data, &micro->data);
        if (code != EXIT_OK)
            return code;
        X = dltf_array_matrix(micro->data);
    }
    dltf_status status = dl_firmware_new(model, flags->data ? &X : NULL, &flags->options, &micro->firmware);
    if (status == DLTF_OK && flags->data)
        status = dl_firmware_measure(micro->firmware, model, X, &micro->cost);
    if (status == DLTF_OK)
        return EXIT_OK;
    return library_failure_in(
        status, (sources){[DLTF_SUBJECT_DATA] = flags->data, [DLTF_SUBJECT_MODEL] = model_path});
}

void micro_facts(const micro_export *micro, facts *f) {
    const dl_firmware *firmware = micro->firmware;
    bool real = firmware->options.bits == DL_FIRMWARE_32;
    facts_integer(f, "bits", "bits of a weight", real ? 32 : firmware->fixed.bits);
    facts_integer(f, "bytes", "bytes of constants", dl_firmware_flash(firmware));
    facts_integer(f, "ram", "bytes of RAM without stack", dl_firmware_ram(firmware));
    facts_real(f, "input_scale", "step of an integer sample",
               (double)(real ? firmware->real.input_scale : firmware->fixed.input_scale));
    if (firmware->converts)
        facts_line(f, "samples", "int16, made of float32 by dltf_micro_quantise");
    if (micro->cost.samples == 0)
        return;
    facts_integer(f, "samples", "samples", micro->cost.samples);
    facts_real(f, "wrong_atoms", "wrong atoms per code", micro->cost.wrong_atoms);
    facts_real(f, "relative_error", "relative error", micro->cost.error);
    facts_real(f, "relative_error_float", "  of the library's codes", micro->cost.error_float);
    facts_real(f, "refit_error", "relative error after refit", micro->cost.refit);
    facts_real(f, "refit_error_float", "  of the library's codes", micro->cost.refit_float);
}

void micro_free(micro_export *micro) {
    dl_firmware_free(micro->firmware);
    dltf_array_free(micro->data);
}
