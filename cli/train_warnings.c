/* Warnings about a doubtful training result, each with a remedy. */
#include "cli/output.h"
#include "cli/train.h"

#include <math.h>
#include <stdarg.h>

static const double FEW_SAMPLES = 5, MANY_UNUSED = 0.1, RAW_BY_REFIT = 2, EXACT = 1e-4, DOMINANT_MEAN = 0.5;

static void add(json_t *list, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(json_t *list, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    json_array_append_new(list, json_vsprintf(format, arguments));
    va_end(arguments);
}

/* These encoders are trained for the error of raw codes; codes of the others need a refit. */
static bool learns_values(const dltf_train_options *o) {
    return o->method == DLTF_METHOD_DLTF &&
           (o->encoder == DLTF_ENCODER_LEARNED || o->encoder == DLTF_ENCODER_BEST);
}

static void doubt_samples(json_t *list, const dltf_train_options *o, int64_t samples) {
    if (o->m > samples)
        add(list, "more atoms than training samples (%lld > %lld): lower -m", (long long)o->m,
            (long long)samples);
    else if ((double)samples < FEW_SAMPLES * (double)o->m)
        add(list, "only %.1f training samples per atom: lower -m, or add samples",
            (double)samples / (double)o->m);
}

/* by_chance: probability that an atom is unused in q->samples codes if all atoms are equally likely. */
static void doubt_unused(json_t *list, const dltf_train_options *o, const dltf_quality *q,
                         const char *measured) {
    double by_chance = exp(-(double)o->k * (double)q->samples / (double)o->m);
    if (o->method == DLTF_METHOD_DLTF && q->unused_share - by_chance > MANY_UNUSED)
        add(list, "%.0f%% of the atoms are in no code of %s: lower -m, or train longer",
            100 * q->unused_share, measured);
}

json_t *train_warnings(const dltf_train_options *o, int64_t samples, dltf_outcome outcome,
                       const dltf_quality *q, const char *measured) {
    json_t *list = json_array();
    doubt_samples(list, o, samples);
    if (outcome == DLTF_ERROR_GREW)
        add(list, "the held-out error grew after its minimum (overfitting); the best state was kept: lower "
                  "-m or --epochs, or "
                  "add samples");
    doubt_unused(list, o, q, measured);
    if (learns_values(o) && q->raw_error > EXACT && q->raw_error > RAW_BY_REFIT * q->refit_error &&
        q->refit_error > 0)
        add(list,
            "the error of raw codes is %.1f times that after refit: encode with --refit, or train longer",
            q->raw_error / q->refit_error);
    if (o->center != DLTF_YES && q->mean_share > DOMINANT_MEAN)
        add(list, "%.0f%% of the energy of the samples is in their mean: --center subtracts it",
            100 * q->mean_share);
    for (size_t i = 0; i < json_array_size(list); i++)
        remark("warning: %s", json_string_value(json_array_get(list, i)));
    return list;
}

int train_verdict(const dltf_train_options *o, const dltf_quality *q) {
    if (!learns_values(o) || !(q->raw_error > 1))
        return EXIT_OK;
    return failure("the model is worse than all-zero codes: relative error %.4g; train longer, or rescale "
                   "the data",
                   q->raw_error);
}
