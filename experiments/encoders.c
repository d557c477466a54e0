/* Comparison of encoders on synthetic data: codes with values other than 1, and k off by 2 in learning and
 * coding. Not in the paper. A code with k' != k entries cannot be exact: it misses at least k - k' atoms or
 * has k' - k too many, so missing and wrong atoms are counted separately. */
#include "experiments/recovery.h"

enum { TRUE_K = 8, KINDS = 4, OFFSETS = 3 };

static const char *const methods[] = {
    "original",     "dltf",           "dltf-tight",       "dltf-dual", "dltf-distilled",
    "dltf-default", "dltf-shortlist", "dltf-shortlist-2", NULL};

enum { AVE_DIF, MISSING, WRONG, RECOVERED, SECONDS };
static const char *const metrics[] = {"ave_dif", "missing", "wrong", "recovered_99", "seconds", NULL};

static const char *const kinds[KINDS] = {"ones", "signs", "uniform",
                                         "gaussian"}; /* in the order of dltf_entries */
static const int offsets[OFFSETS] = {0, -2, 2};

static int assumed_k(int setting) {
    return TRUE_K + offsets[setting / KINDS];
}

static bool in_quick(int setting) {
    return assumed_k(setting) == TRUE_K;
}

static void describe(bool quick, int setting, json_t *row) {
    (void)quick;
    json_object_set_new(row, "codes", json_string(kinds[setting % KINDS]));
    json_object_set_new(row, "k", json_integer(TRUE_K));
    json_object_set_new(row, "assumed_k", json_integer(assumed_k(setting)));
}

static void protocol(bool quick, json_t *object) {
    dltf_synthetic_options spec = recovery_problem(quick, TRUE_K, 0);
    json_object_set_new(object, "codes",
                        json_string("ones: 1; signs: 1 or -1; uniform: in [0.5, 1.5]; gaussian: normal"));
    json_object_set_new(object, "assumed_k", json_string("k of learning and coding"));
    recovery_protocol(&spec, object);
}

static dltf_status measure(const experiment_cell *cell, double *values) {
    dltf_synthetic_options spec = recovery_problem(cell->request->quick, TRUE_K, cell->seed);
    spec.entries = (dltf_entries)(cell->setting % KINDS);
    dltf_train_options options = recovery_options(cell, &spec);
    options.k = assumed_k(cell->setting);
    double found[RECOVERY_METRICS];
    dltf_status status = recovery_measure(cell, &spec, &options, found);
    if (status != DLTF_OK)
        return status;
    /* wrong + missing = 2 ave_dif, wrong - missing = entries of a code - entries of a true one */
    double more = (double)(options.k - spec.k);
    values[AVE_DIF] = found[RECOVERY_AVE_DIF];
    values[MISSING] = found[RECOVERY_AVE_DIF] - more / 2;
    values[WRONG] = found[RECOVERY_AVE_DIF] + more / 2;
    values[RECOVERED] = found[RECOVERY_99];
    values[SECONDS] = found[RECOVERY_SECONDS];
    return DLTF_OK;
}

const experiment experiment_encoders = {
    .name = "encoders",
    .summary = "encoders on several kinds of codes, and with a wrong k (ave_dif)",
    .details = "Not in the paper.",
    .methods = methods,
    .metrics = metrics,
    .settings = KINDS * OFFSETS,
    .in_quick = in_quick,
    .describe = describe,
    .protocol = protocol,
    .measure = measure,
};
