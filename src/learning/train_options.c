/* The options of training. */
#include "learning/train_options.h"

#include "base/options.h"

#include <string.h>

#define FIELD(field) .offset = offsetof(dltf_train_options, field)

/* clang-format off */
static const dltf_option options[] = {
    {.name = "m", .letter = 'm', .kind = DLTF_OPTION_INTEGER, FIELD(m), .min = 1, .max = DL_OPTION_MAX_COUNT, .argument = "M", .help = "number of atoms (default: twice the columns of the data, at most 512 and a tenth of the samples)"},
    {.name = "k", .letter = 'k', .kind = DLTF_OPTION_INTEGER, FIELD(k), .min = 1, .max = DL_OPTION_MAX_COUNT, .argument = "K", .help = "entries kept per code (default: an eighth of the columns, at most 30 and a quarter of m)"},
    {.name = "seed", .kind = DLTF_OPTION_INTEGER, FIELD(seed), .default_text = "0", .max = 9.0e18, .argument = "S", .help = "seed of all random choices"},
    {.name = "threads", .kind = DLTF_OPTION_INTEGER, FIELD(threads), .default_text = "0", .max = 1024, .argument = "T", .help = "threads to use; 0: all cores. The result does not depend on it"},
    {.name = "method", .kind = DLTF_OPTION_CHOICE, FIELD(method), .default_text = "dltf", .choices = "dltf|ksvd", .argument = "METHOD", .help = "learn for thresholded features, in stages (dltf), or for sparse codes in general (ksvd)"},
    {.name = "select", .kind = DLTF_OPTION_CHOICE, FIELD(select), .default_text = "abs", .choices = DL_SELECT_CHOICES, .argument = "RULE", .help = "which scores a code keeps: the largest magnitudes (abs) or the largest positive ones (positive)"},
    {.name = "init", .kind = DLTF_OPTION_CHOICE, FIELD(init), .default_text = "samples", .choices = "samples|gaussian", .argument = "START", .help = "first dictionary: random samples or Gaussian atoms"},
    {.name = "center", .kind = DLTF_OPTION_FLAG, FIELD(center), .default_text = "false", .help = "subtract the mean of the samples first; the model remembers it"},
    {.name = "unit-norm", .kind = DLTF_OPTION_FLAG, FIELD(unit_norm), .default_text = "false", .help = "scale every sample to norm 1 first; the model remembers it"},
    {.name = "steps", .kind = DLTF_OPTION_INTEGER, FIELD(steps), .default_text = "200", .max = DL_OPTION_MAX_COUNT, .argument = "T1", .help = "stage 1: minibatch steps with dual codes; 0 skips it"},
    {.name = "batch", .kind = DLTF_OPTION_INTEGER, FIELD(batch), .default_text = "2000", .min = 1, .max = DL_OPTION_MAX_COUNT, .argument = "B", .help = "stage 1: samples per minibatch"},
    {.name = "ridge", .kind = DLTF_OPTION_REAL, FIELD(ridge), .default_text = "0.1", .max = 1e6, .argument = "R", .help = "stage 1: regularisation of the dual encoder (W W^T + R I)^-1 W"},
    {.name = "iterations", .kind = DLTF_OPTION_INTEGER, FIELD(iterations), .default_text = "40", .max = DL_OPTION_MAX_COUNT, .argument = "T2", .help = "stage 2: iterations of the paper's model without its noise term; 0 skips it. ksvd: its iterations"},
    {.name = "theta-start", .kind = DLTF_OPTION_REAL, FIELD(theta_start), .default_text = "0.2", .max = 1e12, .argument = "THETA", .help = "stage 2: weight of the data term at the start"},
    {.name = "theta", .kind = DLTF_OPTION_REAL, FIELD(theta), .default_text = "0.003", .max = 1e12, .argument = "THETA", .help = "weight of the data term at the end of stage 2 and in stage 3; smaller: less coherent atoms"},
    {.name = "admm", .kind = DLTF_OPTION_INTEGER, FIELD(admm), .default_text = "0", .max = DL_OPTION_MAX_COUNT, .argument = "T3", .help = "stage 3: ADMM iterations of the whole model (Z, Q, W, Y steps); 0 skips it"},
    {.name = "lambda", .kind = DLTF_OPTION_REAL, FIELD(lambda), .default_text = "0.05", .max = 1e12, .argument = "LAMBDA", .help = "stage 3: weight of the noise term"},
    {.name = "beta", .kind = DLTF_OPTION_REAL, FIELD(beta), .default_text = "0.5", .min = 1e-12, .max = 1e12, .argument = "BETA", .help = "stage 3: penalty of the constraint Q = W^T(X - WZ); keep it >= 10 lambda"},
    {.name = "encoder", .kind = DLTF_OPTION_CHOICE, FIELD(encoder), .default_text = "auto", .choices = "auto|tied|tight|dual|distilled", .argument = "KIND", .help = "scores by the dictionary itself (tied: the paper's feature, after stages 2 and 3), or by an encoder made for the dictionary of stage 1; auto: distilled; tied with fewer than 20 samples per atom, ksvd, or options of stages 2 and 3"},
    {.name = "polish", .kind = DLTF_OPTION_INTEGER, FIELD(polish), .default_text = "5", .max = DL_OPTION_MAX_COUNT, .argument = "T4", .help = "untied encoders: iterations that sharpen the dictionary of stage 1 with codes of several passes"},
    {.name = "update", .kind = DLTF_OPTION_CHOICE, FIELD(update), .default_text = "exact", .choices = "exact|approximate", .argument = "HOW", .help = "ksvd: atoms by the whole rank-one fit, or by one step towards it"},
    {.name = "error", .kind = DLTF_OPTION_REAL, FIELD(error), .default_text = "0", .max = 1e300, .argument = "E", .help = "ksvd: codes end when ||x - Wz||^2 of the preprocessed sample is at most E, with K entries at most; 0: always K entries"},
    {.name = "tolerance", .kind = DLTF_OPTION_REAL, FIELD(tolerance), .default_text = "1e-6", .max = 1, .argument = "TOL", .help = "stop a stage when the objective (stage 3: the residuals) changes by less than this share; 0: never"},
};
/* clang-format on */

dltf_option_table dltf_train_option_table(void) {
    return (dltf_option_table)DLTF_OPTION_TABLE(options, dltf_train_options);
}

dltf_train_options dltf_train_options_default(void) {
    dltf_train_options options;
    memset(&options, 0, sizeof options);
    dltf_option_defaults(dltf_train_option_table(), &options);
    return options;
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* What was left to us. m and k: twice overcomplete, but not more atoms than a tenth of the samples can
 * support or than pictures need; an eighth of the dimensions active, but at most a quarter of the atoms. */
void dl_train_options_complete(dltf_train_options *options, int64_t N, int64_t n) {
    if (options->m == 0)
        options->m = most(most(1, options->k), least(least(2 * n, 512), most(N / 10, 2)));
    if (options->k == 0)
        options->k = most(1, least(least(n / 8, 30), options->m / 4));
    if (options->select == DLTF_SELECT_MODEL)
        options->select = DLTF_SELECT_ABS;
    const int64_t enough = 20; /* samples per atom: with fewer, an encoder may learn them by heart */
    bool tied = options->method == DLTF_METHOD_KSVD || options->admm > 0 || N / enough < options->m;
    if (options->encoder == DLTF_ENCODER_AUTO)
        options->encoder = tied ? DLTF_ENCODER_TIED : DLTF_ENCODER_DISTILLED;
}

dltf_status dl_train_options_check(const dltf_train_options *options) {
    dltf_status status = dl_options_check(dltf_train_option_table(), options);
    if (status != DLTF_OK)
        return status;
    if (options->m > 0 && options->k > options->m)
        return dl_fail_option(DLTF_ARGUMENT, "k", "%lld is more than m = %lld atoms: lower k or raise m",
                              (long long)options->k, (long long)options->m);
    bool ksvd = options->method == DLTF_METHOD_KSVD;
    if (ksvd && options->select == DLTF_SELECT_POSITIVE)
        return dl_fail_option(DLTF_ARGUMENT, "select",
                              "ksvd codes by omp, which chooses atoms by magnitude: select abs");
    bool untied = options->encoder != DLTF_ENCODER_AUTO && options->encoder != DLTF_ENCODER_TIED;
    if (ksvd && untied)
        return dl_fail_option(DLTF_ARGUMENT, "encoder",
                              "ksvd learns a dictionary and no encoder; leave it tied");
    if (untied && options->admm > 0)
        return dl_fail_option(DLTF_ARGUMENT, "admm",
                              "its iterations are for the tied feature; leave them out or the encoder tied");
    if (!ksvd && (options->error > 0 || options->update != DLTF_UPDATE_EXACT))
        return dl_fail_option(DLTF_ARGUMENT, options->error > 0 ? "error" : "update",
                              "belongs to the method ksvd");
    if (options->m > 46340)
        return dl_fail_option(DLTF_ARGUMENT, "m",
                              "%lld: the Gram matrix of more than 46,340 atoms is not supported",
                              (long long)options->m);
    return DLTF_OK;
}
