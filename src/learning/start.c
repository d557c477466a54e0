/* The initial dictionary: random samples, Gaussian atoms, or a given model. */
#include "base/integer.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "data/model.h"
#include "learning/order.h"

#include <string.h>

/* Atom j, one of this rank. */
static void gaussian_atom(const dltf_learner *l, int64_t j) {
    dl_random random = {(uint64_t)l->options.seed, DL_STREAM_INIT};
    double *w = l->W + (j - l->first_atom) * l->n;
    /* The first N indices of the stream are used by the permutation of the samples. */
    uint64_t first = (uint64_t)l->N + (uint64_t)(j * l->n);
    do {
        for (int64_t i = 0; i < l->n; i++)
            w[i] = dl_random_normal(random, first + (uint64_t)i);
        first += (uint64_t)(l->m * l->n);
    } while (!dl_normalise(w, l->n));
}

static int64_t end_of_atoms(const dltf_learner *l) {
    return l->first_atom + l->atoms;
}

/* m random non-zero samples, filled up with Gaussian atoms if there are fewer. Those before the atoms of this
 * rank are read as well, since some may be zero. */
static dltf_status start_from_samples(dltf_learner *l) {
    dltf_status status = DLTF_OK;
    dl_order many = dl_order_new(l, DL_STREAM_INIT);
    bool whole = many.whole;
    int64_t *order = NULL, j = 0;
    double *row = NULL, *other = NULL;
    float *x = NULL;
    DL_TRY_NEW(order, whole ? l->N : 0);
    DL_TRY_NEW(row, l->n);
    DL_TRY_NEW(other, l->n);
    DL_TRY_NEW(x, l->n);
    if (whole)
        dl_random_permutation(many.random, 0, l->N, order);
    for (int64_t i = 0; i < l->N && j < end_of_atoms(l); i++) {
        double *w = j < l->first_atom ? other : l->W + (j - l->first_atom) * l->n;
        int64_t sample = whole ? order[i] : dl_random_place(many.random, 0, l->N, i);
        dl_samples_row(&l->samples, dl_holdout_training(&l->holdout, sample), row, x);
        for (int64_t e = 0; e < l->n; e++)
            w[e] = (double)x[e];
        j += dl_normalise(w, l->n);
    }
    for (j = dl_max(j, l->first_atom); j < end_of_atoms(l); j++)
        gaussian_atom(l, j);
done:
    dl_free(order);
    dl_free(row);
    dl_free(other);
    dl_free(x);
    return status;
}

static bool same_deviations(const float *a, const float *b, int64_t n) {
    return a && b ? memcmp(a, b, (size_t)n * sizeof *a) == 0 : a == b;
}

/* What the model subtracts from samples more than this training does: its scores stay the same if the bias
 * takes it in. Zero if the two preprocess samples differently, which nothing can make up for. */
static void find_shift(const dltf_learner *l, const dltf_model *start, double *shift, double *own) {
    dl_samples before = dl_model_samples(start, l->samples.X);
    bool alike = before.remove_mean == l->samples.remove_mean && before.unit_norm == l->samples.unit_norm &&
                 same_deviations(before.deviation, l->samples.deviation, l->n);
    dl_samples_shift(&before, shift);
    dl_samples_shift(&l->samples, own);
    for (int64_t i = 0; i < l->n; i++)
        shift[i] = alike ? shift[i] / start->parts.factor - own[i] : 0;
}

dltf_status dl_start_check(const dltf_model *start, int64_t k) {
    if (!start)
        return DLTF_OK;
    if (start->parts.layer_norm)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_MODEL,
                             "applies layer norm to samples, which training does not");
    if (start->threshold && k == 0)
        return dl_fail_option(DLTF_ARGUMENT, "k",
                              "is needed: the model to start from has thresholds instead of a k");
    return DLTF_OK;
}

/* Copies the encoder, with the bias in the units of the scaled samples. Codes become coefficients of
 * unit-norm atoms for samples without a factor: rows are multiplied by the scale of their atom, the bias by
 * scale / factor. */
static dltf_status copy_encoder(dltf_learner *l, const dltf_model *start) {
    dltf_status status = DLTF_OK;
    double *shift = NULL;
    DL_TRY_NEW(shift, 2 * l->n);
    DL_TRY(dl_learner_make_encoder(l));
    find_shift(l, start, shift, shift + l->n);
    for (int64_t j = 0; j < l->atoms; j++) {
        int64_t atom = l->first_atom + j;
        double scale = start->scale ? (double)start->scale[atom] : 1;
        double bias = start->bias ? scale / start->parts.factor * (double)start->bias[atom] : 0;
        const float *e = start->encoder + atom * l->n;
        for (int64_t i = 0; i < l->n; i++) {
            l->E[j * l->n + i] = scale * (double)e[i];
            bias += l->E[j * l->n + i] * shift[i];
        }
        l->bias[j] = bias * l->samples.scale;
    }
done:
    dl_free(shift);
    return status;
}

static dltf_status start_from_model(dltf_learner *l, const dltf_model *start) {
    if (start->parts.n != l->n || start->parts.m != l->m)
        return dl_fail_about(
            DLTF_ARGUMENT, DLTF_SUBJECT_MODEL, "%lld atoms of %lld entries, but training needs %lld of %lld",
            (long long)start->parts.m, (long long)start->parts.n, (long long)l->m, (long long)l->n);
    for (int64_t i = 0; i < l->atoms * l->n; i++)
        l->W[i] = (double)start->dictionary[l->first_atom * l->n + i];
    for (int64_t j = 0; j < l->atoms; j++)
        dl_normalise(l->W + j * l->n, l->n);
    l->warm = true;
    l->warm_encoder = start->encoder != NULL;
    return l->warm_encoder ? copy_encoder(l, start) : DLTF_OK;
}

dltf_status dl_start_dictionary(dltf_learner *l, const dltf_model *start) {
    dltf_status status = DLTF_OK;
    if (start)
        status = start_from_model(l, start);
    else if (l->options.init == DLTF_INIT_SAMPLES)
        status = start_from_samples(l);
    else
        for (int64_t j = l->first_atom; j < end_of_atoms(l); j++)
            gaussian_atom(l, j);
    if (status == DLTF_OK)
        status = dl_matrix_status(l->samples.X);
    if (status == DLTF_OK)
        dl_learner_refresh(l);
    return status;
}
