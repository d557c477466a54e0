/* The constants of a model: sizes, scales, bias. */
#include "firmware/firmware.h"

#include "base/memory.h"
#include "data/model.h"

#include <math.h>
#include <stdlib.h>

static int bits_of(const dl_firmware *f) {
    return f->options.bits == DL_FIRMWARE_8 ? 8 : 16;
}

static dltf_status refuse_size(const char *what, int64_t value, int64_t most) {
    return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_MODEL, "%lld %s: dltf_micro supports at most %lld",
                         (long long)value, what, (long long)most);
}

static dltf_status check(const dltf_model_view *view, const dl_firmware_options *options) {
    if (view->m > DLTF_MICRO_MAX_SIZE)
        return refuse_size("atoms", view->m, DLTF_MICRO_MAX_SIZE);
    if (view->n > DLTF_MICRO_MAX_SIZE)
        return refuse_size("entries of a sample", view->n, DLTF_MICRO_MAX_SIZE);
    if (view->k > DLTF_MICRO_MAX_K)
        return refuse_size("entries of a code", view->k, DLTF_MICRO_MAX_K);
    if (options->refit && view->k > DLTF_MICRO_MAX_REFIT)
        return refuse_size("entries of a code that is refitted", view->k, DLTF_MICRO_MAX_REFIT);
    if (view->unit_norm && options->bits != DL_FIRMWARE_32)
        return dl_fail_about(
            DLTF_ARGUMENT, DLTF_SUBJECT_MODEL,
            "it scales samples to norm 1, which needs floating point: use --bits 32, or train "
            "without --unit-norm");
    return DLTF_OK;
}

/* An array that the result frees. */
static void *own(dl_firmware *f, int64_t count, size_t size) {
    void *made = dl_alloc(count, size);
    if (made)
        f->owned[f->owned_count++] = made;
    return made;
}

void dl_firmware_free(dl_firmware *firmware) {
    for (int i = 0; firmware && i < firmware->owned_count; i++)
        dl_free(firmware->owned[i]);
    dl_free(firmware);
}

/* ---- Samples ---- */

static dl_firmware_input input_of(const dl_firmware_options *options) {
    static const dl_firmware_input same[] = {DL_FIRMWARE_INPUT_I8, DL_FIRMWARE_INPUT_I16,
                                             DL_FIRMWARE_INPUT_F32};
    return options->input == DL_FIRMWARE_INPUT_DEFAULT ? same[options->bits] : options->input;
}

/* The largest entry becomes the largest integer. */
static dltf_status scale_of_data(dltf_matrix X, double limit, double *scale) {
    float *row = DL_NEW(float, X.cols);
    double largest = 0;
    if (!row)
        return DLTF_MEMORY;
    for (int64_t i = 0; i < X.rows; i++) {
        dltf_matrix_row(X, i, row);
        for (int64_t j = 0; j < X.cols; j++)
            largest = fmax(largest, fabs((double)row[j]));
    }
    dl_free(row);
    if (!isfinite(largest))
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_DATA, "it has values that are not finite");
    *scale = largest > 0 ? largest / limit : 1;
    return DLTF_OK;
}

static dltf_status choose_input(dl_firmware *f, const dltf_matrix *X, double *scale) {
    dl_firmware_input input = input_of(&f->options);
    bool fixed = f->options.bits != DL_FIRMWARE_32;
    f->converts = fixed && input == DL_FIRMWARE_INPUT_F32;
    f->fixed.input_bits = input == DL_FIRMWARE_INPUT_I8 ? 8 : 16;
    f->real.input = (uint8_t)(input == DL_FIRMWARE_INPUT_I8    ? DLTF_MICRO_I8
                              : input == DL_FIRMWARE_INPUT_I16 ? DLTF_MICRO_I16
                                                               : DLTF_MICRO_F32);
    *scale = f->options.input_scale > 0 ? f->options.input_scale : 1;
    if (f->options.input_scale > 0 || (!fixed && input == DL_FIRMWARE_INPUT_F32))
        return DLTF_OK;
    if (X)
        return scale_of_data(*X, f->fixed.input_bits == 8 ? 127 : 32767, scale);
    if (f->converts)
        return dl_fail_option(
            DLTF_ARGUMENT, "input-scale",
            "float32 samples need a scale for the conversion to integers; give it, or --data");
    return DLTF_OK;
}

/* ---- Fixed point ---- */

static dltf_status pack(dl_firmware *f, const dltf_model_view *view, const float *weights,
                        dltf_micro_rows *rows) {
    uint64_t *words = own(f, f->words, sizeof *words);
    int16_t *factor = own(f, dl_firmware_rows(view->m), sizeof *factor);
    if (!words || !factor)
        return DLTF_MEMORY;
    *rows = (dltf_micro_rows){.words = words, .factor = factor};
    return dl_firmware_pack(weights, view->m, view->n, bits_of(f), words, factor, &rows->scale);
}

/* The smallest shift with which products fit 31 bits: see the head of dltf_micro.c. */
static uint8_t product_shift(const dl_firmware *f, const dltf_model_view *view) {
    int shift = 0;
    if (bits_of(f) == 8) {
        while (view->n > (int64_t)512 << shift)
            shift++;
        return (uint8_t)shift;
    }
    double largest = 0;
    for (int64_t i = 0; i < view->m; i++) {
        double sum = 0;
        for (int64_t j = 0; j < view->n; j++)
            sum += abs(dl_firmware_weight(f->fixed.encoder.words, view->n, 16, i, j));
        largest = fmax(largest, sum * 32768);
    }
    while (largest >= ldexp(1, 31 + shift))
        shift++;
    return (uint8_t)shift;
}

/* b + E c, with the quantised E: then E x - E c is exact for samples near c. In units of value_scale, and
 * with remove_mean of 1/256 of it, times 2^bias_shift. */
static dltf_status make_bias(dl_firmware *f, const dltf_model_view *view, const double *shift, bool shifted) {
    dltf_micro_model *fixed = &f->fixed;
    if (!view->bias && !shifted)
        return DLTF_OK;
    double *b = DL_NEW(double, view->m);
    int32_t *bias = own(f, dl_firmware_rows(view->m), sizeof *bias);
    double unit = (double)fixed->value_scale / (view->remove_mean ? 256 : 1), largest = 0;
    if (!b || !bias) {
        dl_free(b);
        return DLTF_MEMORY;
    }
    for (int64_t i = 0; i < view->m; i++) {
        double row_scale = (double)fixed->encoder.scale * fixed->encoder.factor[i];
        b[i] = view->bias ? (double)view->bias[i] : 0;
        for (int64_t j = 0; j < view->n; j++)
            b[i] +=
                row_scale * dl_firmware_weight(fixed->encoder.words, view->n, bits_of(f), i, j) * shift[j];
        largest = fmax(largest, fabs(b[i] / unit));
    }
    while (ldexp(largest, -fixed->bias_shift) >= ldexp(1, 29) && fixed->bias_shift < 255)
        fixed->bias_shift++;
    for (int64_t i = 0; i < view->m; i++)
        bias[i] = (int32_t)lrint(ldexp(b[i] / unit, -fixed->bias_shift));
    dl_free(b);
    fixed->bias = bias;
    if (fixed->bias_shift <= 24)
        return DLTF_OK;
    return dl_fail_option(
        DLTF_ARGUMENT, "input-scale",
        "%g: a sample of the largest integers would be negligible beside the bias of the model; "
        "give a larger scale, or --data",
        (double)fixed->input_scale);
}

static dltf_status make_center(dl_firmware *f, const dltf_model_view *view, const double *shift) {
    float *center = own(f, view->n, sizeof *center);
    if (!center)
        return DLTF_MEMORY;
    for (int64_t j = 0; j < view->n; j++)
        center[j] = (float)shift[j];
    f->fixed.center = center;
    return DLTF_OK;
}

/* Decoded entries are sums of scaled values times weights, in units of `product` steps of the sample. */
static void choose_decoding(dltf_micro_model *fixed) {
    double product =
        ldexp((double)fixed->value_scale, 16) * (double)fixed->dictionary.scale / (double)fixed->input_scale;
    int exponent = 0;
    double mantissa = frexp(product, &exponent);
    fixed->decode_factor = (uint16_t)fmin(65535, floor(ldexp(mantissa, 16)));
    fixed->decode_shift = (int8_t)(16 - exponent);
}

static dltf_status make_fixed(dl_firmware *f, const dltf_model *model, double input_scale) {
    const dltf_model_view view = model->parts;
    dltf_micro_model *fixed = &f->fixed;
    bool shifted = view.mean || view.offset, dictionary = f->options.refit || !view.encoder;
    double *shift = NULL;
    dltf_status status = DLTF_OK;
    f->words = dl_firmware_words(view.m, view.n, bits_of(f));
    fixed->bits = (uint8_t)bits_of(f);
    fixed->input_scale = (float)input_scale;
    DL_TRY_NEW(shift, view.n);
    dl_samples samples = dl_model_samples(model, dltf_matrix_f32(NULL, 0, view.n));
    dl_samples_shift(&samples, shift);
    DL_TRY(pack(f, &view, view.encoder ? view.encoder : view.dictionary, &fixed->encoder));
    fixed->shift = product_shift(f, &view);
    fixed->value_scale =
        (float)(ldexp((double)fixed->encoder.scale, fixed->shift + (fixed->bits == 8 ? 8 : 16)) *
                input_scale);
    if (!(fixed->value_scale > 0) || !isfinite(fixed->value_scale))
        DL_TRY(dl_fail_option(DLTF_ARGUMENT, "input-scale", "%g: scores would be out of range of float32",
                              input_scale));
    DL_TRY(make_bias(f, &view, shift, shifted));
    if (!view.encoder)
        fixed->dictionary = fixed->encoder;
    else if (f->options.refit)
        DL_TRY(pack(f, &view, view.dictionary, &fixed->dictionary));
    if (dictionary)
        choose_decoding(fixed);
    if (shifted && f->options.refit)
        DL_TRY(make_center(f, &view, shift));
done:
    dl_free(shift);
    return status;
}

/* ---- Floating point ---- */

static void make_real(dl_firmware *f, const dltf_model_view *view, double input_scale) {
    dltf_micro_model_f32 *real = &f->real;
    real->encoder = view->encoder ? view->encoder : view->dictionary;
    real->dictionary = f->options.refit || !view->encoder ? view->dictionary : NULL;
    real->bias = view->bias;
    real->mean = view->mean;
    real->offset = view->offset;
    real->input_scale = (float)input_scale;
}

dltf_status dl_firmware_new(const dltf_model *model, const dltf_matrix *X, const dl_firmware_options *options,
                            dl_firmware **made) {
    const dltf_model_view view = model->parts;
    double input_scale = 1;
    dltf_status status = check(&view, options);
    if (status == DLTF_OK &&
        (view.deviation || view.scale || view.threshold || view.layer_norm || view.factor != 1))
        status = dl_fail_about(
            DLTF_ARGUMENT, DLTF_SUBJECT_MODEL,
            "has deviations, scales, thresholds, layer norm or a factor, which firmware does not");
    if (status != DLTF_OK)
        return status;
    dl_firmware *f = DL_NEW(dl_firmware, 1);
    if (!f)
        return DLTF_MEMORY;
    f->options = *options;
    DL_TRY(choose_input(f, X, &input_scale));
    f->fixed.m = f->real.m = (uint16_t)view.m;
    f->fixed.n = f->real.n = (uint16_t)view.n;
    f->fixed.k = f->real.k = (uint8_t)view.k;
    f->fixed.flags = f->real.flags =
        (uint8_t)((view.select == DLTF_SELECT_POSITIVE ? DLTF_MICRO_POSITIVE : 0) |
                  (view.remove_mean ? DLTF_MICRO_REMOVE_MEAN : 0) |
                  (view.unit_norm ? DLTF_MICRO_UNIT_NORM : 0));
    if (options->bits == DL_FIRMWARE_32)
        make_real(f, &view, input_scale);
    else
        DL_TRY(make_fixed(f, model, input_scale));
    *made = f;
    f = NULL;
done:
    dl_firmware_free(f);
    return status;
}

/* ---- Sizes ---- */

int64_t dl_firmware_flash(const dl_firmware *f) {
    int64_t m = f->fixed.m, n = f->fixed.n;
    if (f->options.bits == DL_FIRMWARE_32) {
        const dltf_micro_model_f32 *real = &f->real;
        int64_t matrices = real->dictionary && real->dictionary != real->encoder ? 2 : 1;
        return 4 * (matrices * m * n + (real->bias ? m : 0) + (real->mean ? n : 0) + (real->offset ? n : 0));
    }
    int64_t matrices =
        f->fixed.dictionary.words && f->fixed.dictionary.words != f->fixed.encoder.words ? 2 : 1;
    return matrices * (8 * f->words + 2 * dl_firmware_rows(m)) +
           (f->fixed.bias ? 4 * dl_firmware_rows(m) : 0) + (f->fixed.center ? 4 * n : 0);
}

int64_t dl_firmware_ram(const dl_firmware *f) {
    int64_t n = f->fixed.n, k = f->fixed.k;
    return 6 * k + (f->options.bits == DL_FIRMWARE_32 ? 8 * DLTF_MICRO_WORK_F32(k) + 4 * n
                                                      : 8 * DLTF_MICRO_WORK(n, k));
}
