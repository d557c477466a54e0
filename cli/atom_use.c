/* Codes data, measures the errors of the codes and sorts the atoms by use. */
#include "cli/atom_use.h"

#include "cli/files.h"
#include "cli/progress.h"
#include "cli/quality.h"

#include <math.h>
#include <stdlib.h>

/* Most used first; at equal use in the order of the model. */
static int compare_use(const void *a, const void *b) {
    const atom_use *one = a, *two = b;
    if (one->codes != two->codes)
        return one->codes < two->codes ? 1 : -1;
    return one->atom < two->atom ? -1 : one->atom > two->atom;
}

static void count_use(const dltf_codes *codes, atom_use *use) {
    dltf_csr Z = dltf_codes_csr(codes);
    for (int64_t e = 0; e < Z.indptr[Z.rows]; e++)
        use[Z.indices[e]].codes++;
    qsort(use, (size_t)Z.cols, sizeof *use, compare_use);
}

static dltf_status measure_errors(const dltf_model *model, dltf_matrix X, const dltf_codes *codes,
                                  atom_use_errors *found) {
    dltf_codes *refitted = NULL;
    found->samples = X.rows;
    dltf_status status = dltf_reconstruction_measure(model, X, codes, 0, &found->raw);
    if (status == DLTF_OK)
        status = dltf_refit(model, X, codes, 0, &refitted);
    if (status == DLTF_OK)
        status = dltf_reconstruction_measure(model, X, refitted, 0, &found->refitted);
    dltf_codes_free(refitted);
    return status;
}

int atom_use_measure(const char *path, const dltf_model *model, atom_use *use, atom_use_errors *found) {
    dltf_array *data = NULL;
    dltf_codes *codes = NULL;
    int code = files_load_data(path, &data);
    if (code != EXIT_OK)
        return code;
    dltf_matrix X = dltf_array_matrix(data);
    dltf_encode_options encoding = dltf_encode_options_default();
    dltf_status status = dltf_encode(model, X, &encoding, progress_step, NULL, &codes);
    if (status == DLTF_OK)
        status = measure_errors(model, X, codes, found);
    if (status == DLTF_OK)
        status = prefix_list_measure(&found->prefixes, model, X);
    progress_erase();
    if (status == DLTF_OK)
        count_use(codes, use);
    else
        code = library_failure_in(status, (sources){[DLTF_SUBJECT_DATA] = path});
    dltf_codes_free(codes);
    dltf_array_free(data);
    return code;
}

static void report_errors(facts *f, const atom_use_errors *found, int64_t m, int64_t unused) {
    char samples[64];
    dltf_quality quality = {.samples = found->samples,
                            .raw_error = found->raw.relative_error,
                            .refit_error = found->refitted.relative_error,
                            .omp_error = NAN,
                            .raw_explained = found->raw.explained_variance,
                            .refit_explained = found->refitted.explained_variance,
                            .entries = found->raw.entries,
                            .unused_share = (double)unused / (double)m};
    snprintf(samples, sizeof samples, "%s sample%s", grouped(found->samples), found->samples == 1 ? "" : "s");
    quality_report(f, &quality, samples, "");
}

void atom_use_report(facts *f, const atom_use *use, int64_t m, const atom_use_errors *found) {
    int64_t unused = 0;
    json_t *list = json_array();
    for (int64_t j = 0; j < m; j++) {
        unused += use[j].codes == 0;
        json_array_append_new(list, json_pack("{s:I, s:I}", "atom", (json_int_t)use[j].atom, "codes",
                                              (json_int_t)use[j].codes));
    }
    facts_json(f, "use", list);
    facts_integer(f, "unused", NULL, unused);
    report_errors(f, found, m, unused);
    double all = (double)found->samples / 100;
    facts_line(f, "use of atoms", "in %.3g%% of the codes (most used), %.3g%% (median)",
               (double)use[0].codes / all, (double)use[m / 2].codes / all);
}
