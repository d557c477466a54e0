/* The mean that is subtracted before learning.
 *
 * A code spends entries on a mean that all samples share, and a learned dictionary spends atoms on it. Option
 * `center` subtracts it before samples are scaled to norm 1; auto, which decides by the share of the mean in
 * the energy, subtracts that of the scaled samples, since these are what the codes describe. */
#include "learning/center.h"

#include "base/memory.h"
#include "learning/ranks/summary.h"

#include <stdio.h>

/* auto subtracts a mean that holds more than this share of the energy, unless less than ROUNDING remains. */
static const double DOMINANT = 0.1, ROUNDING = 1e-12;

static bool is_automatic(const dltf_train_options *o) {
    return o->center == DLTF_AUTO && !o->standardise && o->method == DLTF_METHOD_DLTF &&
           (o->encoder == DLTF_ENCODER_LEARNED || o->encoder == DLTF_ENCODER_BEST);
}

static dltf_status subtract_mean(dltf_learner *l) {
    dltf_status status = DLTF_OK;
    bool last = is_automatic(&l->options) && l->options.unit_norm;
    dl_samples rows = {.X = l->samples.X};
    float **mean = last ? &l->offset : &l->mean;
    DL_TRY_NEW(*mean, l->n);
    DL_TRY(dl_ranks_mean(last ? &l->samples : &rows, *mean));
    l->samples.mean = l->mean;
    l->samples.offset = l->offset;
done:
    return status;
}

/* Mean 0 and variance 1 for every column. */
static dltf_status standardise(dltf_learner *l) {
    dltf_status status = DLTF_OK;
    DL_TRY(subtract_mean(l));
    DL_TRY_NEW(l->deviation, l->n);
    DL_TRY(dl_ranks_deviation(&(dl_samples){.X = l->samples.X, .mean = l->mean}, l->deviation));
    l->samples.deviation = l->deviation;
done:
    return status;
}

static void keep_mean(dltf_learner *l) {
    dl_free(l->mean);
    dl_free(l->offset);
    l->mean = l->offset = NULL;
    l->samples.mean = l->samples.offset = NULL;
}

/* The share in `energy` of what centring subtracts. */
static dltf_status measure_share(const dltf_learner *l, double energy, double *share) {
    double sum = 0, *shift = DL_NEW(double, l->n);
    if (!shift)
        return DLTF_MEMORY;
    dl_samples_shift(&l->samples, shift);
    for (int64_t j = 0; j < l->n; j++)
        sum += shift[j] * shift[j];
    *share = energy > 0 ? sum / energy : 0;
    dl_free(shift);
    return DLTF_OK;
}

static void describe(dltf_learner *l, double share) {
    bool subtracted = l->mean || l->offset;
    if (!subtracted && share > DOMINANT)
        snprintf(l->center_choice, sizeof l->center_choice,
                 "not centered: the samples equal their mean up to rounding");
    else
        snprintf(l->center_choice, sizeof l->center_choice, "%s: the mean %s %.0f%% of the energy",
                 subtracted ? "centered" : "not centered", subtracted ? "held" : "holds", 100 * share);
}

static dltf_status decide(dltf_learner *l) {
    dltf_status status = DLTF_OK;
    double share = 0;
    dl_summary after = {0};
    DL_TRY(dl_ranks_summarise(&l->samples, &l->summary));
    DL_TRY(subtract_mean(l));
    DL_TRY(measure_share(l, l->summary.mean_square, &share));
    if (share > DOMINANT)
        DL_TRY(dl_ranks_summarise(&l->samples, &after));
    if (after.mean_square > ROUNDING * l->summary.mean_square)
        l->summary = after;
    else
        keep_mean(l);
    describe(l, share);
done:
    return status;
}

dltf_status dl_learner_center(dltf_learner *l) {
    dltf_status status = DLTF_OK;
    if (is_automatic(&l->options))
        DL_TRY(decide(l));
    else {
        if (l->options.standardise)
            DL_TRY(standardise(l));
        else if (l->options.center == DLTF_YES)
            DL_TRY(subtract_mean(l));
        DL_TRY(dl_ranks_summarise(&l->samples, &l->summary));
    }
    status = dl_summary_check(&l->samples, &l->summary);
done:
    return status;
}
