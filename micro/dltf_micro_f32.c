/* Floating point: float32 models, refit for both kinds of models, and quantisation of samples: see
 * dltf_micro.h. Firmware that does without floating point does not need this file. */
#include "dltf_micro_parts.h"

/* ---- Encoding and decoding ---- */

/* A number, or its bits: those of the magnitude have the order of the magnitude. */
typedef union word {
    float number;
    uint32_t bits;
} word;

static float magnitude(float a) {
    return a < 0 ? -a : a;
}

/* Newton's method from above, where it descends until it is exact to rounding; for 1 <= a. */
static float square_root(float a) {
    for (float root = a;;) {
        float next = (root + a / root) * 0.5f;
        if (!(next < root))
            return root;
        root = next;
    }
}

static void remove_mean(float *x, int n) {
    float sum = 0;
    for (int d = 1; d < n; d++)
        sum += x[d] - x[0];
    float mean = x[0] + sum / (float)n;
    for (int d = 0; d < n; d++)
        x[d] -= mean;
}

/* Divided by the largest entry first: no square over- or underflows. */
static void scale_to_norm_1(float *x, int n) {
    float largest = 0, sum = 0;
    for (int d = 0; d < n; d++)
        largest = magnitude(x[d]) > largest ? magnitude(x[d]) : largest;
    if (largest == 0)
        return;
    for (int d = 0; d < n; d++) {
        x[d] /= largest;
        sum += x[d] * x[d];
    }
    float norm = square_root(sum);
    for (int d = 0; d < n; d++)
        x[d] /= norm;
}

static void preprocess(const dltf_micro_model_f32 *model, const void *x, float *out) {
    int n = model->n;
    for (int d = 0; d < n; d++)
        out[d] = model->input == DLTF_MICRO_F32   ? ((const float *)x)[d]
                 : model->input == DLTF_MICRO_I16 ? (float)((const int16_t *)x)[d] * model->input_scale
                                                  : (float)((const int8_t *)x)[d] * model->input_scale;
    for (int d = 0; d < n && model->mean; d++)
        out[d] -= model->mean[d];
    if (model->flags & DLTF_MICRO_REMOVE_MEAN)
        remove_mean(out, n);
    if (model->flags & DLTF_MICRO_UNIT_NORM)
        scale_to_norm_1(out, n);
    for (int d = 0; d < n && model->offset; d++)
        out[d] -= model->offset[d];
}

/* Products of four rows. The last rows may be the same one: `rows` is how many differ. */
static void products_f32(const float *w, const float *x, int n, int rows, float *product) {
    const float *w1 = rows > 1 ? w + n : w, *w2 = rows > 2 ? w1 + n : w1, *w3 = rows > 3 ? w2 + n : w2;
    float a = 0, b = 0, c = 0, d = 0;
    for (int j = 0; j < n; j++) {
        float u = x[j];
        a += w[j] * u;
        b += w1[j] * u;
        c += w2[j] * u;
        d += w3[j] * u;
    }
    product[0] = a, product[1] = b, product[2] = c, product[3] = d;
}

uint8_t dltf_micro_encode_f32(const dltf_micro_model_f32 *model, const void *x, uint64_t *work, float *sample,
                              uint16_t *index, float *value) {
    best b = nothing(work, model->k, model->flags);
    const float *w = model->encoder;
    preprocess(model, x, sample);
    for (int row = 0; row < model->m; row += DLTF_MICRO_ROWS, w += DLTF_MICRO_ROWS * model->n) {
        float product[DLTF_MICRO_ROWS];
        int rows = model->m - row < DLTF_MICRO_ROWS ? model->m - row : DLTF_MICRO_ROWS;
        products_f32(w, sample, model->n, rows, product);
        for (int r = 0; r < rows; r++) {
            word score = {product[r] - (model->bias ? model->bias[row + r] : 0)};
            offer(&b, row + r, score.bits & 0x7fffffff, score.bits >> 31);
        }
    }
    sort_by_row(&b);
    for (int p = 0; p < b.count; p++) {
        word score = {.bits = (uint32_t)(b.entry[p] >> 32) | (uint32_t)is_negative(b.entry[p]) << 31};
        index[p] = row_of(b.entry[p]);
        value[p] = score.number;
    }
    return (uint8_t)b.count;
}

void dltf_micro_decode_f32(const dltf_micro_model_f32 *model, uint8_t count, const uint16_t *index,
                           const float *value, float *out) {
    for (int d = 0; d < model->n; d++) {
        float sum = 0;
        for (int p = 0; p < count; p++)
            sum += value[p] * model->dictionary[(size_t)index[p] * model->n + (size_t)d];
        out[d] = sum;
    }
}

/* ---- Refit ---- */

/* Solves G z = b, of unit-norm atoms, by the factorisation L D L^T. G is the lower triangle by rows, and is
 * overwritten; b becomes z. A pivot is the squared distance of an atom from the span of the earlier ones. */
static void solve(float *G, float *b, int count) {
    const float smallest_pivot = 1e-4f; /* well above the rounding errors of G, and its quantisation */
    for (int i = 0; i < count; i++) {
        float *row = G + i * (i + 1) / 2, pivot = row[i];
        for (int j = 0; j < i; j++) {
            const float *other = G + j * (j + 1) / 2;
            float sum = row[j]; /* becomes L(i, j) D(j) */
            for (int l = 0; l < j; l++)
                sum -= row[l] * other[l];
            row[j] = sum;
        }
        for (int j = 0; j < i; j++) {
            float inverse = G[j * (j + 1) / 2 + j], scaled_entry = row[j] * inverse;
            pivot -= scaled_entry * row[j];
            row[j] = scaled_entry;
            b[i] -= scaled_entry * b[j];
        }
        row[i] = pivot > smallest_pivot ? 1 / pivot : 0; /* the inverse of D(i); 0: dependent, left out */
    }
    for (int i = 0; i < count; i++)
        b[i] *= G[i * (i + 1) / 2 + i];
    for (int i = count - 1; i >= 0; i--)
        for (int j = 0; j < i; j++)
            b[j] -= G[i * (i + 1) / 2 + j] * b[i];
}

void dltf_micro_refit_f32(const dltf_micro_model_f32 *model, const float *sample, uint8_t count,
                          const uint16_t *index, float *value, float *refit_work) {
    float *G = refit_work;
    for (int i = 0; i < count; i++) {
        const float *w = model->dictionary + (size_t)index[i] * model->n;
        value[i] = 0;
        for (int d = 0; d < model->n; d++)
            value[i] += w[d] * sample[d];
        for (int j = 0; j <= i; j++, G++) {
            const float *other = model->dictionary + (size_t)index[j] * model->n;
            *G = 0;
            for (int d = 0; d < model->n; d++)
                *G += w[d] * other[d];
        }
    }
    solve(refit_work, value, count);
}

/* The product of atom `row` with the preprocessed sample. */
static float correlation(const sample *s, int row) {
    const dltf_micro_model *model = s->model;
    int64_t sum = 0;
    float shift = 0;
    for (int d = 0; d < model->n; d++) {
        int32_t w = weight(model, &model->dictionary, row, d);
        sum += (int64_t)w * entry(s, d);
        if (model->center)
            shift += (float)w * model->center[d];
    }
    int removed = model->flags & DLTF_MICRO_REMOVE_MEAN ? 1 << MEAN_BITS : 1;
    return (float)sum * (model->input_scale / (float)removed) - shift;
}

void dltf_micro_refit(const dltf_micro_model *model, const void *x, uint8_t count, const uint16_t *index,
                      float *value, float *refit_work) {
    const dltf_micro_rows *rows = &model->dictionary;
    sample s = look_at(model, x);
    float *G = refit_work;
    for (int i = 0; i < count; i++) {
        float scale = rows->scale * (float)rows->factor[index[i]];
        value[i] = correlation(&s, index[i]) * scale;
        for (int j = 0; j <= i; j++) {
            int64_t sum = 0;
            for (int d = 0; d < model->n; d++)
                sum += weight(model, rows, index[i], d) * weight(model, rows, index[j], d);
            *G++ = (float)sum * scale * (rows->scale * (float)rows->factor[index[j]]);
        }
    }
    solve(refit_work, value, count);
}

void dltf_micro_quantise(const float *x, uint16_t n, float input_scale, int16_t *out) {
    for (int d = 0; d < n; d++) {
        float steps = x[d] / input_scale;
        float rounded_away = steps < 0 ? steps - 0.5f : steps + 0.5f;
        out[d] = rounded_away >= 32767    ? 32767
                 : rounded_away <= -32768 ? -32768
                 : steps == steps         ? (int16_t)rounded_away
                                          : 0;
    }
}
