/* The C source of a model for dltf_micro. */
#include "firmware/firmware.h"

static void begin_array(FILE *out, const char *type, const char *name, const char *part, int64_t count) {
    fprintf(out, "static const %s %s_%s[%lld] = {", type, name, part, (long long)count);
}

static void separate(FILE *out, int64_t i, int per_line) {
    fputs(i % per_line == 0 ? "\n    " : " ", out);
}

/* Hexadecimal: exact, whatever the compiler's rounding. */
static void write_floats(FILE *out, const char *name, const char *part, const float *values, int64_t count) {
    if (!values)
        return;
    begin_array(out, "float", name, part, count);
    for (int64_t i = 0; i < count; i++) {
        separate(out, i, 8);
        fprintf(out, "%af,", (double)values[i]);
    }
    fprintf(out, "\n};\n\n");
}

static void write_rows(FILE *out, const char *name, const char *part, const dltf_micro_rows *rows,
                       int64_t words, int64_t count) {
    char factor[32];
    begin_array(out, "uint64_t", name, part, words);
    for (int64_t i = 0; i < words; i++) {
        separate(out, i, 4);
        fprintf(out, "0x%016llx,", (unsigned long long)rows->words[i]);
    }
    fprintf(out, "\n};\n\n");
    snprintf(factor, sizeof factor, "%s_factor", part);
    begin_array(out, "int16_t", name, factor, count);
    for (int64_t i = 0; i < count; i++) {
        separate(out, i, 12);
        fprintf(out, "%d,", rows->factor[i]);
    }
    fprintf(out, "\n};\n\n");
}

static void write_bias(FILE *out, const char *name, const dltf_micro_model *model) {
    if (!model->bias)
        return;
    int64_t rows = dl_firmware_rows(model->m);
    begin_array(out, "int32_t", name, "bias", rows);
    for (int64_t i = 0; i < rows; i++) {
        separate(out, i, 8);
        fprintf(out, "%ld,", (long)model->bias[i]);
    }
    fprintf(out, "\n};\n\n");
}

static void write_flags(FILE *out, uint8_t flags) {
    fprintf(out, "    .flags = 0%s%s%s,\n", flags & DLTF_MICRO_POSITIVE ? " | DLTF_MICRO_POSITIVE" : "",
            flags & DLTF_MICRO_REMOVE_MEAN ? " | DLTF_MICRO_REMOVE_MEAN" : "",
            flags & DLTF_MICRO_UNIT_NORM ? " | DLTF_MICRO_UNIT_NORM" : "");
}

static void write_pointer(FILE *out, const char *name, const char *field, const char *part,
                          const void *values) {
    if (values)
        fprintf(out, "    .%s = %s_%s,\n", field, name, part);
}

static void write_rows_pointer(FILE *out, const char *name, const char *field, const char *part,
                               const dltf_micro_rows *rows) {
    if (rows->words)
        fprintf(out, "    .%s = {%s_%s, %s_%s_factor, %af},\n", field, name, part, name, part,
                (double)rows->scale);
}

static void begin_model(FILE *out, const char *type, const char *name, bool header) {
    if (!header)
        fprintf(out, "extern const %s %s;\n", type, name);
    fprintf(out, "%sconst %s %s = {\n    .m = %s_m,\n    .n = %s_n,\n    .k = %s_k,\n",
            header ? "static " : "", type, name, name, name, name);
}

static void write_fixed(const dl_firmware *f, FILE *out, const char *name, bool header) {
    const dltf_micro_model *model = &f->fixed;
    bool tied = model->dictionary.words == model->encoder.words;
    write_rows(out, name, "encoder", &model->encoder, f->words, dl_firmware_rows(model->m));
    if (model->dictionary.words && !tied)
        write_rows(out, name, "dictionary", &model->dictionary, f->words, dl_firmware_rows(model->m));
    write_bias(out, name, model);
    write_floats(out, name, "center", model->center, model->n);
    begin_model(out, "dltf_micro_model", name, header);
    fprintf(out, "    .bits = %d,\n    .input_bits = %d,\n", model->bits, model->input_bits);
    write_flags(out, model->flags);
    fprintf(out, "    .shift = %d,\n    .bias_shift = %d,\n", model->shift, model->bias_shift);
    write_rows_pointer(out, name, "encoder", "encoder", &model->encoder);
    write_pointer(out, name, "bias", "bias", model->bias);
    fprintf(out, "    .value_scale = %af,\n    .input_scale = %af,\n", (double)model->value_scale,
            (double)model->input_scale);
    write_rows_pointer(out, name, "dictionary", tied ? "encoder" : "dictionary", &model->dictionary);
    write_pointer(out, name, "center", "center", model->center);
    fprintf(out, "    .decode_factor = %u,\n    .decode_shift = %d,\n};\n", model->decode_factor,
            model->decode_shift);
}

static void write_real(const dl_firmware *f, FILE *out, const char *name, bool header) {
    static const char *const types[] = {"DLTF_MICRO_I8", "DLTF_MICRO_I16", "DLTF_MICRO_F32"};
    const dltf_micro_model_f32 *model = &f->real;
    int64_t size = (int64_t)model->m * model->n;
    bool tied = model->dictionary == model->encoder;
    write_floats(out, name, "encoder", model->encoder, size);
    write_floats(out, name, "dictionary", tied ? NULL : model->dictionary, size);
    write_floats(out, name, "bias", model->bias, model->m);
    write_floats(out, name, "mean", model->mean, model->n);
    write_floats(out, name, "offset", model->offset, model->n);
    begin_model(out, "dltf_micro_model_f32", name, header);
    fprintf(out, "    .input = %s,\n", types[model->input]);
    write_flags(out, model->flags);
    write_pointer(out, name, "encoder", "encoder", model->encoder);
    write_pointer(out, name, "bias", "bias", model->bias);
    write_pointer(out, name, "mean", "mean", model->mean);
    write_pointer(out, name, "offset", "offset", model->offset);
    write_pointer(out, name, "dictionary", tied ? "encoder" : "dictionary", model->dictionary);
    fprintf(out, "    .input_scale = %af,\n};\n", (double)model->input_scale);
}

void dl_firmware_write(const dl_firmware *f, FILE *out, const char *name, bool header) {
    int m = f->fixed.m, n = f->fixed.n, k = f->fixed.k;
    bool real = f->options.bits == DL_FIRMWARE_32;
    fprintf(
        out,
        "/* %d atoms of %d entries, codes of at most %d, for dltf_micro. Made by dltf export --micro. */\n",
        m, n, k);
    if (header)
        fprintf(out, "#ifndef %s_H\n#define %s_H\n\n", name, name);
    fprintf(out, "#include \"dltf_micro.h\"\n\n");
    fprintf(out, "enum { %s_m = %d, %s_n = %d, %s_k = %d };\n", name, m, name, n, name, k);
    if (real)
        fprintf(out, "enum { %s_work = DLTF_MICRO_WORK_F32(%s_k) };\n", name, name);
    else
        fprintf(out, "enum { %s_work = DLTF_MICRO_WORK(%s_n, %s_k) };\n", name, name, name);
    fprintf(out, "DLTF_MICRO_CHECK(%s, %s_m, %s_n, %s_k);\n\n", name, name, name, name);
    (real ? write_real : write_fixed)(f, out, name, header);
    if (header)
        fprintf(out, "\n#endif\n");
}
