/* Lines and JSON of the errors of codes, the same in every command. */
#include "cli/quality.h"

#include <math.h>

static const char UNDEFINED[] = "undefined: all samples are equal";

void quality_explained(facts *f, double explained) {
    facts_real(f, "explained_variance", NULL, explained);
    if (isnan(explained))
        facts_line(f, "explained variance", "%s", UNDEFINED);
    else
        facts_line(f, "explained variance", "%.4g", explained);
}

void quality_entries(facts *f, double entries) {
    facts_real(f, "entries_per_sample", "entries per code", entries);
}

/* In no code of the samples. */
static void report_unused(facts *f, double share, const char *samples) {
    facts_real(f, "unused_share", NULL, share);
    facts_line(f, "unused atoms", "%.3g%%, in no code of %s", 100 * share, samples);
}

static void add_values(facts *f, const dltf_quality *q) {
    facts_real(f, "raw_error", NULL, q->raw_error);
    facts_real(f, "refit_error", NULL, q->refit_error);
    facts_real(f, "explained_variance", NULL, q->raw_explained);
    facts_real(f, "refit_explained_variance", NULL, q->refit_explained);
    if (isnan(q->omp_error))
        return;
    facts_real(f, "omp_error", NULL, q->omp_error);
    facts_real(f, "omp_explained_variance", NULL, q->omp_explained);
}

static void add_lines(facts *f, const dltf_quality *q, const char *samples, const char *remark) {
    bool defined = !isnan(q->raw_explained);
    facts_line(f, "relative error", "%.4g, after refit %.4g, of %s%s", q->raw_error, q->refit_error, samples,
               remark);
    if (defined)
        facts_line(f, "explained variance", "%.4g, after refit %.4g", q->raw_explained, q->refit_explained);
    else
        facts_line(f, "explained variance", "%s", UNDEFINED);
    if (!isnan(q->omp_error) && defined)
        facts_line(f, "by --coder omp", "relative error %.4g, explained variance %.4g", q->omp_error,
                   q->omp_explained);
    else if (!isnan(q->omp_error))
        facts_line(f, "by --coder omp", "relative error %.4g", q->omp_error);
}

void quality_report(facts *f, const dltf_quality *q, const char *samples, const char *remark) {
    add_values(f, q);
    if (q->samples == 0) {
        facts_real(f, "entries_per_sample", NULL, q->entries);
        facts_real(f, "unused_share", NULL, q->unused_share);
        return;
    }
    add_lines(f, q, samples, remark);
    quality_entries(f, q->entries);
    report_unused(f, q->unused_share, samples);
}
