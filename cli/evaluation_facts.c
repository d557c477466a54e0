/* The measures of `dltf evaluate` as facts. */
#include "cli/evaluation_facts.h"

#include "cli/output.h"
#include "report/json.h"

#include <math.h>
#include <stdlib.h>

static int by_count(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* How often atoms are used, as a share of the samples. Sorts the uses. */
static void add_densities(facts *f, int64_t samples, int64_t *uses, int64_t m) {
    static const double quantiles[] = {0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1};
    enum { QUANTILES = sizeof quantiles / sizeof *quantiles };
    int64_t frequent = 0;
    double all = (double)samples, density[QUANTILES];
    json_t *list = json_object();
    qsort(uses, (size_t)m, sizeof *uses, by_count);
    for (int i = 0; i < QUANTILES; i++) {
        char name[16];
        snprintf(name, sizeof name, "%g", quantiles[i]);
        density[i] = (double)uses[(int64_t)(quantiles[i] * (double)(m - 1))] / all;
        json_object_set_new(list, name, json_number(density[i]));
    }
    for (int64_t j = 0; j < m; j++)
        frequent += (double)uses[j] > 0.1 * all;
    facts_json(f, "feature_density_quantiles", list);
    facts_real(f, "freq_over_10_percent", NULL, (double)frequent / (double)m);
    facts_line(f, "density of atoms",
               "%.3g%% of the samples (median), %.3g%% (a tenth below), %.3g%% (a tenth above)",
               100 * density[4], 100 * density[2], 100 * density[6]);
}

static void add_errors(facts *f, const dltf_evaluation *e) {
    facts_real(f, "explained_variance", NULL, e->explained_variance);
    facts_real(f, "refit_explained_variance", NULL, e->refit_explained_variance);
    facts_real(f, "relative_error", NULL, e->relative_error);
    facts_real(f, "refit_relative_error", NULL, e->refit_relative_error);
    facts_integer(f, "refit_samples", NULL, e->refit_samples);
    if (isnan(e->explained_variance))
        facts_line(f, "explained variance", "undefined: all samples are equal");
    else
        facts_line(f, "explained variance", "%.4g, after refit %.4g", e->explained_variance,
                   e->refit_explained_variance);
    if (!isfinite(e->relative_error))
        facts_line(f, "relative error", "undefined: all samples are zero");
    else
        facts_line(f, "relative error", "%.4g, after refit %.4g", e->relative_error, e->refit_relative_error);
    if (e->refit_samples < e->samples)
        facts_line(f, "", "(refit: of %s samples, evenly spread)", grouped(e->refit_samples));
}

static void add_sizes(facts *f, const dltf_evaluation *e) {
    facts_real(f, "mse", "squared error (mse)", e->mse);
    facts_real(f, "cossim", "cosine similarity", e->cossim);
    facts_real(f, "l2_norm_in", NULL, e->l2_norm_in);
    facts_real(f, "l2_norm_out", NULL, e->l2_norm_out);
    facts_real(f, "l2_ratio", NULL, e->l2_ratio);
    facts_real(f, "relative_reconstruction_bias", NULL, e->relative_reconstruction_bias);
    facts_line(f, "norms", "out / in %.4g; relative reconstruction bias %.4g", e->l2_ratio,
               e->relative_reconstruction_bias);
    facts_real(f, "l0", "entries per code (l0)", e->l0);
    facts_real(f, "l1", NULL, e->l1);
    facts_real(f, "frac_alive", NULL, e->frac_alive);
    facts_line(f, "atoms in use", "%.4g%%", 100 * e->frac_alive);
}

void evaluation_facts(facts *f, const dltf_evaluation *e, int64_t *uses, int64_t m) {
    add_errors(f, e);
    add_sizes(f, e);
    add_densities(f, e->samples, uses, m);
}
