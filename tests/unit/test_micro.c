/* dltf_micro on the host: fixed point within the bounds proven at the head of micro/dltf_micro.c, float32
 * with the supports of the library, refit and decoding, ties, extreme samples. */
#include "firmware/firmware.h"

#include "test_util.h"

#include <math.h>

enum { MOST_M = 300, MOST_N = 1100, MOST_K = 12 };

static float W[MOST_M * MOST_N], E[MOST_M * MOST_N], bias[MOST_M], mean[MOST_N], offset[MOST_N];
static int16_t x16[MOST_N];
static int8_t x8[MOST_N];
static float x32[MOST_N], sample[MOST_N];
static double centered[MOST_N], scores[MOST_M], bounds[MOST_M];
static uint64_t work[DLTF_MICRO_WORK(MOST_N, MOST_K)];
static uint16_t atoms[MOST_K];
static int32_t value[MOST_K];
static float real[MOST_K], refit_work[DLTF_MICRO_WORK_REFIT(MOST_K)];

/* A model and its constants. */
typedef struct problem {
    dltf_model *model;
    dltf_model_view view;
    dl_firmware *firmware;
} problem;

static problem make(dltf_model_view view, dl_firmware_options options) {
    problem p = {.firmware = NULL};
    assert_int_equal(dltf_model_new(&view, &p.model), DLTF_OK);
    p.view = dltf_model_get(p.model);
    assert_int_equal(dl_firmware_new(p.model, NULL, &options, &p.firmware), DLTF_OK);
    return p;
}

static void discard(problem *p) {
    dl_firmware_free(p->firmware);
    dltf_model_free(p->model);
}

static dltf_model_view draw(int64_t m, int64_t n, int64_t k, bool untied) {
    fill_normal(W, m * n);
    fill_normal(E, m * n);
    for (int64_t i = 0; i < m && untied; i++) /* rows of different norms */
        for (int64_t j = 0; j < n; j++)
            E[i * n + j] *= (float)(1 + (double)(i % 5)) / 8;
    fill_normal(bias, m);
    fill_normal(mean, n);
    fill_normal(offset, n);
    return (dltf_model_view){.m = m, .n = n, .k = k, .dictionary = W, .encoder = untied ? E : NULL};
}

/* The preprocessed sample of integers x, in double; returns the sum of magnitudes of what the model
 * subtracts. */
static double preprocess(const dltf_model_view *view, double scale, const int16_t *x) {
    double own = 0, shift = 0;
    for (int64_t j = 0; j < view->n; j++) {
        double taken = view->mean ? (double)view->mean[j] : 0;
        centered[j] = scale * x[j] - taken;
        own += centered[j] / (double)view->n;
        shift += fabs(taken) + (view->offset ? fabs((double)view->offset[j]) : 0);
    }
    for (int64_t j = 0; j < view->n; j++)
        centered[j] -= (view->remove_mean ? own : 0) + (view->offset ? (double)view->offset[j] : 0);
    return view->remove_mean ? 2 * shift : shift;
}

/* The scores in double, and how far those of fixed point may be from them. */
static void find_bounds(const problem *p, const int16_t *x, int exponent) {
    const dltf_micro_model *fixed = &p->firmware->fixed;
    const float *weights = p->view.encoder ? p->view.encoder : p->view.dictionary;
    double step = ldexp((double)fixed->input_scale, exponent),
           shift = preprocess(&p->view, (double)fixed->input_scale, x);
    double h = 0.5 + (p->view.remove_mean ? ldexp(0.5, -(exponent + 8)) : 0), size = 0, own = 0;
    int64_t n = p->view.n;
    for (int64_t j = 0; j < n; j++)
        own += p->view.remove_mean ? (double)x[j] / (double)n : 0;
    for (int64_t j = 0; j < n; j++)
        size += fabs(ldexp(x[j] - own, -exponent)) + h;
    for (int64_t i = 0; i < p->view.m; i++) {
        double s = (double)fixed->encoder.scale * fixed->encoder.factor[i], sum = 0, score = 0;
        for (int64_t j = 0; j < n; j++) {
            sum += abs(dl_firmware_weight(fixed->encoder.words, n, fixed->bits, i, j));
            score += (double)weights[i * n + j] * centered[j];
        }
        scores[i] = score - (p->view.bias ? (double)p->view.bias[i] : 0);
        bounds[i] = s * step * (size / 2 + sum * h + (double)n * h / 2) + s * shift / 2 +
                    2.25 * ldexp((double)fixed->value_scale, exponent);
        bounds[i] += 1e-6 * (fabs(scores[i]) + s * step * size * sum / (double)n); /* scales are floats */
    }
}

static double rank(const dltf_model_view *view, double score) {
    return view->select == DLTF_SELECT_POSITIVE ? score : fabs(score);
}

/* Values within their bounds, no unselected row better than a selected one by more than both bounds. */
static void check_code(const problem *p, const int16_t *x, dltf_micro_code code) {
    const dltf_model_view *view = &p->view;
    double worst = INFINITY, unit = (double)p->firmware->fixed.value_scale;
    bool selected[MOST_M] = {false};
    find_bounds(p, x, code.exponent);
    assert_true(code.count <= view->k);
    for (int e = 0; e < code.count; e++) {
        int row = atoms[e];
        assert_true(row < view->m && (e == 0 || atoms[e - 1] < row) && value[e] != 0);
        double found = ldexp(value[e] * unit, code.exponent);
        if (fabs(found - scores[row]) > bounds[row])
            fail_msg("row %d: %g instead of %g, bound %g", row, found, scores[row], bounds[row]);
        selected[row] = true;
        worst = fmin(worst, rank(view, scores[row]) + bounds[row]);
    }
    if (code.count < view->k)
        worst = 0; /* what was not selected was 0 or negative */
    for (int64_t i = 0; i < view->m; i++)
        if (!selected[i] && rank(view, scores[i]) - bounds[i] > worst)
            fail_msg("row %d is missing: score %g, bound %g", (int)i, scores[i], bounds[i]);
}

static void encode_and_check(const problem *p) {
    const dltf_micro_model *fixed = &p->firmware->fixed;
    int64_t n = p->view.n;
    for (int64_t j = 0; j < n; j++)
        x8[j] = (int8_t)x16[j];
    dltf_micro_code code =
        dltf_micro_encode(fixed, fixed->input_bits == 8 ? (const void *)x8 : x16, work, atoms, value);
    check_code(p, x16, code);
}

/* Normal entries, of a size that is different in every sample; below `most`. */
static void draw_integers(int64_t n, int most) {
    double size = most / pow(2, (double)below(8));
    for (int64_t j = 0; j < n; j++)
        x16[j] = (int16_t)fmax(-most, fmin(most, rint(normal() * size / 3)));
}

static void fixed_point_is_within_its_bounds(void **state) {
    (void)state;
    static const int64_t sizes[][3] = {{1, 1, 1},     {3, 2, 2},     {4, 4, 4},     {5, 7, 3},
                                       {8, 8, 1},     {13, 9, 12},   {64, 64, 8},   {130, 17, 5},
                                       {40, 511, 12}, {30, 513, 12}, {20, 1100, 3}, {300, 33, 8}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int variant = 0; variant < 32; variant++) {
            dltf_model_view view = draw(sizes[s][0], sizes[s][1], sizes[s][2], variant & 1);
            bool wide = variant & 4;
            view.bias = variant & 2 ? bias : NULL;
            view.mean = variant & 8 ? mean : NULL;
            view.offset = variant & 8 ? offset : NULL;
            view.remove_mean = variant & 16 && view.n > 1;
            view.select = (variant ^ variant >> 2) & 1 ? DLTF_SELECT_POSITIVE : DLTF_SELECT_ABS;
            for (int bits = DL_FIRMWARE_8; bits <= DL_FIRMWARE_16; bits++) {
                problem p = make(
                    view, (dl_firmware_options){.bits = (dl_firmware_bits)bits,
                                                .input = wide ? DL_FIRMWARE_INPUT_I16 : DL_FIRMWARE_INPUT_I8,
                                                .input_scale = wide ? 0.001 : 0.1});
                for (int i = 0; i < 3; i++) {
                    draw_integers(view.n, wide ? 32767 : 127);
                    encode_and_check(&p);
                }
                discard(&p);
            }
        }
}

/* All entries as large as they can be, with the signs of a row: the largest products there are. */
static void extreme_samples_do_not_overflow(void **state) {
    (void)state;
    static const int64_t lengths[] = {1, 8, 512, 520, 1100};
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
        for (int variant = 0; variant < 8; variant++) {
            dltf_model_view view = draw(9, lengths[l], 4, true);
            bool wide = variant & 1;
            for (int64_t i = 0; i < view.m * view.n && variant & 4; i++)
                E[i] = i % 3 ? 1 : -1; /* all weights extreme, too */
            view.remove_mean = variant & 2 && view.n > 1;
            for (int bits = DL_FIRMWARE_8; bits <= DL_FIRMWARE_16; bits++) {
                problem p = make(view, (dl_firmware_options){.bits = (dl_firmware_bits)bits,
                                                             .input = wide ? DL_FIRMWARE_INPUT_I16
                                                                           : DL_FIRMWARE_INPUT_I8});
                for (int64_t j = 0; j < view.n; j++)
                    x16[j] = (int16_t)((E[3 * view.n + j] < 0 ? -1 : 1) * (wide ? 32767 : 127));
                encode_and_check(&p);
                for (int64_t j = 0; j < view.n; j++)
                    x16[j] = wide ? -32768 : -127;
                encode_and_check(&p);
                discard(&p);
            }
        }
}

static void minus_128_counts_as_minus_127(void **state) {
    (void)state;
    problem p = make(draw(8, 6, 8, false), (dl_firmware_options){.bits = DL_FIRMWARE_8});
    int32_t other[MOST_K];
    uint16_t others[MOST_K];
    static const int8_t a[6] = {-128, 100, -128, -128, 3, -128}, b[6] = {-127, 100, -127, -127, 3, -127};
    dltf_micro_code first = dltf_micro_encode(&p.firmware->fixed, a, work, atoms, value);
    dltf_micro_code second = dltf_micro_encode(&p.firmware->fixed, b, work, others, other);
    assert_int_equal(first.count, second.count);
    assert_memory_equal(atoms, others, first.count * sizeof *atoms);
    assert_memory_equal(value, other, first.count * sizeof *value);
    discard(&p);
}

/* Equal rows tie exactly: the lowest ones win. A zero sample has an empty code. */
static void ties_and_zeros(void **state) {
    (void)state;
    for (int bits = DL_FIRMWARE_8; bits <= DL_FIRMWARE_32; bits++) {
        dltf_model_view view = draw(11, 5, 4, false);
        for (int64_t i = 1; i < view.m; i++)
            memcpy(W + i * view.n, W, (size_t)view.n * sizeof *W);
        problem p =
            make(view, (dl_firmware_options){.bits = (dl_firmware_bits)bits, .input = DL_FIRMWARE_INPUT_I8});
        for (int zero = 0; zero < 2; zero++) {
            for (int64_t j = 0; j < view.n; j++)
                x8[j] = (int8_t)(zero ? 0 : 7 * j - 9);
            int count = bits == DL_FIRMWARE_32
                            ? dltf_micro_encode_f32(&p.firmware->real, x8, work, sample, atoms, real)
                            : dltf_micro_encode(&p.firmware->fixed, x8, work, atoms, value).count;
            assert_int_equal(count, zero ? 0 : 4);
            for (int e = 0; e < count; e++)
                assert_int_equal(atoms[e], e);
        }
        discard(&p);
    }
}

/* A larger score replaces the last of equal ones. */
static void the_last_of_equal_scores_is_dropped(void **state) {
    (void)state;
    for (int bits = DL_FIRMWARE_8; bits <= DL_FIRMWARE_32; bits++) {
        dltf_model_view view = draw(7, 5, 3, true);
        for (int64_t i = 0; i < view.m * view.n; i++)
            E[i] = i < 6 * view.n ? 1 : 2;
        problem p =
            make(view, (dl_firmware_options){.bits = (dl_firmware_bits)bits, .input = DL_FIRMWARE_INPUT_I8});
        memset(x8, 5, (size_t)view.n);
        int count = bits == DL_FIRMWARE_32
                        ? dltf_micro_encode_f32(&p.firmware->real, x8, work, sample, atoms, real)
                        : dltf_micro_encode(&p.firmware->fixed, x8, work, atoms, value).count;
        assert_true(count == 3 && atoms[0] == 0 && atoms[1] == 1 && atoms[2] == 6);
        discard(&p);
    }
}

/* The supports and values of dltf_encode, with all preprocessing. */
static void float32_gives_the_codes_of_the_library(void **state) {
    (void)state;
    static const int64_t sizes[][3] = {{1, 1, 1},   {3, 2, 2},    {5, 7, 3},
                                       {64, 64, 8}, {130, 17, 5}, {301 - 1, 33, 12}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int variant = 0; variant < 32; variant++) {
            dltf_model_view view = draw(sizes[s][0], sizes[s][1], sizes[s][2], variant & 1);
            view.bias = variant & 2 ? bias : NULL;
            view.mean = variant & 4 ? mean : NULL;
            view.offset = variant & 4 ? offset : NULL;
            view.remove_mean = variant & 8 && view.n > 1;
            view.unit_norm = variant & 16;
            view.select = (variant ^ variant >> 2) & 1 ? DLTF_SELECT_POSITIVE : DLTF_SELECT_ABS;
            problem p = make(view, (dl_firmware_options){.bits = DL_FIRMWARE_32});
            for (int i = 0; i < 4; i++) {
                dltf_codes *codes = NULL;
                fill_normal(x32, view.n);
                assert_int_equal(
                    dltf_encode(p.model, dltf_matrix_f32(x32, 1, view.n), NULL, NULL, NULL, &codes), DLTF_OK);
                dltf_csr csr = dltf_codes_csr(codes);
                uint8_t count = dltf_micro_encode_f32(&p.firmware->real, x32, work, sample, atoms, real);
                assert_int_equal(count, csr.indptr[1]);
                for (int e = 0; e < count; e++) {
                    assert_int_equal(atoms[e], csr.indices[e]);
                    assert_true(fabs((double)real[e] - (double)csr.values[e]) <=
                                1e-4 * (1 + fabs((double)real[e])));
                }
                dltf_codes_free(codes);
            }
            discard(&p);
        }
}

/* ||x - W z||^2 with the model's dictionary, x as preprocessed. */
static double residual(const problem *p, int count) {
    double square = 0;
    for (int64_t j = 0; j < p->view.n; j++) {
        double rest = centered[j];
        for (int e = 0; e < count; e++)
            rest -= (double)real[e] * (double)p->view.dictionary[atoms[e] * p->view.n + j];
        square += rest * rest;
    }
    return square;
}

/* Refit reaches the error of the library's refit; decoding gives the sum of atoms, in steps of the sample. */
static void refit_and_decoding(void **state) {
    (void)state;
    for (int variant = 0; variant < 16; variant++) {
        static int16_t decoded[MOST_N];
        dltf_model_view view = draw(40, 33, 6, variant & 1);
        bool wide = variant & 4;
        view.mean = variant & 2 ? mean : NULL;
        view.offset = variant & 2 ? offset : NULL;
        view.remove_mean = variant & 8;
        problem p = make(view, (dl_firmware_options){.bits = wide ? DL_FIRMWARE_16 : DL_FIRMWARE_8,
                                                     .input_scale = wide ? 0.001 : 0.05,
                                                     .refit = true});
        const dltf_micro_model *fixed = &p.firmware->fixed;
        for (int i = 0; i < 5; i++) {
            double scale = (double)fixed->input_scale;
            draw_integers(view.n, wide ? 20000 : 100);
            for (int64_t j = 0; j < view.n; j++)
                x8[j] = (int8_t)x16[j];
            preprocess(&p.view, scale, x16);
            const void *x = wide ? (const void *)x16 : x8;
            dltf_micro_code code = dltf_micro_encode(fixed, x, work, atoms, value);
            dltf_micro_decode(fixed, code, atoms, value, decoded);
            for (int64_t j = 0; j < view.n; j++) {
                double sum = 0, size = 0;
                for (int e = 0; e < code.count; e++) {
                    double part = ldexp(value[e] * (double)fixed->value_scale, code.exponent) / scale;
                    sum += part * (double)p.view.dictionary[atoms[e] * view.n + j];
                    size += fabs(part);
                }
                sum = fmax(-32768, fmin(32767, sum));
                assert_true(fabs(sum - decoded[j]) <= 1 + size * (wide ? 1e-4 : 0.5 / 127));
            }
            dltf_micro_refit(fixed, x, code.count, atoms, real, refit_work);
            double square = residual(&p, code.count), least = 0;
            for (int64_t j = 0; j < view.n; j++) {
                x32[j] = (float)(scale * x16[j]);
                least += centered[j] * centered[j];
            }
            dltf_codes *support = NULL, *best = NULL;
            int32_t indices[MOST_K];
            for (int e = 0; e < code.count; e++)
                indices[e] = atoms[e], real[e] = 1;
            int64_t indptr[] = {0, code.count};
            dltf_csr csr = {.rows = 1, .cols = view.m, .indptr = indptr, .indices = indices, .values = real};
            assert_int_equal(dltf_codes_new(csr, &support), DLTF_OK);
            assert_int_equal(dltf_refit(p.model, dltf_matrix_f32(x32, 1, view.n), support, 1, &best),
                             DLTF_OK);
            csr = dltf_codes_csr(best);
            memcpy(real, csr.values, (size_t)csr.indptr[1] * sizeof *real);
            least = fmin(least, residual(&p, code.count));
            assert_true(square <= least * (wide ? 1.0001 : 1.02) + 1e-9);
            dltf_codes_free(support);
            dltf_codes_free(best);
        }
        discard(&p);
    }
}

static void duplicate_atoms_are_refitted_once(void **state) {
    (void)state;
    dltf_model_view view = draw(4, 9, 4, false);
    memcpy(W + view.n, W, (size_t)view.n * sizeof *W);
    for (int bits = DL_FIRMWARE_8; bits <= DL_FIRMWARE_32; bits++) {
        problem p =
            make(view, (dl_firmware_options){.bits = (dl_firmware_bits)bits, .input = DL_FIRMWARE_INPUT_I16});
        draw_integers(view.n, 30000);
        if (bits == DL_FIRMWARE_32) {
            uint8_t count = dltf_micro_encode_f32(&p.firmware->real, x16, work, sample, atoms, real);
            assert_int_equal(count, 4);
            dltf_micro_refit_f32(&p.firmware->real, sample, count, atoms, real, refit_work);
        } else {
            assert_int_equal(dltf_micro_encode(&p.firmware->fixed, x16, work, atoms, value).count, 4);
            dltf_micro_refit(&p.firmware->fixed, x16, 4, atoms, real, refit_work);
        }
        assert_true(real[1] == 0 && real[0] != 0 && isfinite(real[2]) && isfinite(real[3]));
        discard(&p);
    }
}

static void floats_are_rounded_and_saturated(void **state) {
    (void)state;
    static const float x[] = {0, 1.2F, -1.3F, 1e30F, -1e30F, 16383.6F, -16384.4F, NAN};
    static const int16_t expected[] = {0, 2, -3, 32767, -32768, 32767, -32768, 0};
    int16_t out[8];
    dltf_micro_quantise(x, 8, 0.5F, out);
    assert_memory_equal(out, expected, sizeof out);
}

TESTS_MAIN(cmocka_unit_test(fixed_point_is_within_its_bounds),
           cmocka_unit_test(extreme_samples_do_not_overflow), cmocka_unit_test(minus_128_counts_as_minus_127),
           cmocka_unit_test(ties_and_zeros), cmocka_unit_test(the_last_of_equal_scores_is_dropped),
           cmocka_unit_test(float32_gives_the_codes_of_the_library), cmocka_unit_test(refit_and_decoding),
           cmocka_unit_test(duplicate_atoms_are_refitted_once),
           cmocka_unit_test(floats_are_rounded_and_saturated))
