/* The options of training. */
#include "learning/train_options.h"

#include "base/integer.h"
#include "base/sized.h"

#include <stdio.h>
#include <string.h>

/* The encoders, in the order of dltf_encoder_kind after auto; the last two variants are methods without. */
#define ENCODERS "tied|tight|dual|distilled|learned|best"
#define STAGED "tied|tight|dual|distilled|best|omp" /* those that begin with minibatches */
#define VARIANTS ENCODERS "|ksvd|omp"

#define FIELD(field) .offset = offsetof(dltf_train_options, field)

/* clang-format off */
static const dl_option options[] = {
    {.name = "m", .letter = 'm', .kind = DL_OPTION_INTEGER, FIELD(m), .min = 1, .max = DL_OPTION_MAX_COUNT, .argument = "M", .help = "number of atoms (default: twice the columns of the data, at most 512 and a tenth of the samples)"},
    {.name = "k", .letter = 'k', .kind = DL_OPTION_INTEGER, FIELD(k), .min = 1, .max = DL_OPTION_MAX_COUNT, .argument = "K", .help = "entries kept per code (default: an eighth of the columns, at most 30 and a quarter of m)"},
    DL_SEED_OPTION(dltf_train_options, seed, "seed of all random choices"),
    DL_THREADS_OPTION(dltf_train_options, threads),
    {.name = "method", .kind = DL_OPTION_CHOICE, FIELD(method), .default_text = "dltf", .choices = "dltf|ksvd|omp", .argument = "METHOD", .help = "learn for thresholded features, in stages (dltf), by K-SVD (ksvd), or for OMP codes: minibatches, then K-SVD from there (omp)"},
    {.name = "select", .kind = DL_OPTION_CHOICE, FIELD(select), .default_text = "abs", .choices = DL_SELECT_CHOICES, .argument = "RULE", .help = DL_SELECT_HELP},
    {.name = "init", .kind = DL_OPTION_CHOICE, FIELD(init), .default_text = "samples", .choices = DL_INIT_CHOICES, .argument = "START", .help = DL_INIT_HELP},
    {.name = "center", .kind = DL_OPTION_SWITCH, FIELD(center), .default_text = "auto", .help = "subtract the mean of the samples first, or do not; the model remembers it. auto: with encoder learned or best, if the mean holds more than a tenth of the energy of the samples; with --unit-norm, the mean of the scaled samples"},
    {.name = "standardise", .kind = DL_OPTION_FLAG, FIELD(standardise), .default_text = "false", .help = "subtract the mean of every column and divide the column by its standard deviation first, as is usual for tables whose columns have different units; constant columns become 0. The model remembers both, and decoding undoes it"},
    {.name = "remove-mean", .kind = DL_OPTION_FLAG, FIELD(remove_mean), .default_text = "false", .help = "subtract the mean of its own entries from every sample first, as is usual for patches of images; the model remembers it"},
    {.name = "unit-norm", .kind = DL_OPTION_FLAG, FIELD(unit_norm), .default_text = "false", .help = "scale every sample to norm 1 first; the model remembers it"},
    {.name = "steps", .kind = DL_OPTION_INTEGER, FIELD(steps), .default_text = "200", .max = DL_OPTION_MAX_COUNT, .applies = STAGED, .argument = "T1", .help = "minibatch steps with dual codes, the first stage; 0 skips it"},
    {.name = "batch", .kind = DL_OPTION_INTEGER, FIELD(batch), .default_text = "2000", .min = 1, .max = DL_OPTION_MAX_COUNT, .applies = STAGED, .argument = "B", .help = "samples per minibatch"},
    {.name = "ridge", .kind = DL_OPTION_REAL, FIELD(ridge), .default_text = "0.1", .max = 1e6, .applies = STAGED, .argument = "R", .help = "regularisation of the dual encoder of minibatches, (W W^T + R I)^-1 W"},
    {.name = "iterations", .kind = DL_OPTION_INTEGER, FIELD(iterations), .default_text = "40", .max = DL_OPTION_MAX_COUNT, .applies = "tied|ksvd|omp", .argument = "T2", .help = "iterations of K-SVD, or of the tied stage, the paper's model without its noise term; 0 skips it"},
    {.name = "theta-start", .kind = DL_OPTION_REAL, FIELD(theta_start), .default_text = "0.2", .max = 1e12, .applies = "tied", .argument = "THETA", .help = "weight of the data term at the start of the tied stage"},
    {.name = "theta", .kind = DL_OPTION_REAL, FIELD(theta), .default_text = "0.003", .max = 1e12, .applies = "tied", .argument = "THETA", .help = "weight of the data term at the end of the tied stage and in ADMM; smaller: less coherent atoms"},
    {.name = "admm", .kind = DL_OPTION_INTEGER, FIELD(admm), .default_text = "0", .max = DL_OPTION_MAX_COUNT, .applies = "tied", .argument = "T3", .help = "ADMM iterations of the paper's whole model (Z, Q, W, Y steps); 0 skips them"},
    {.name = "lambda", .kind = DL_OPTION_REAL, FIELD(lambda), .default_text = "0.05", .max = 1e12, .applies = "tied", .argument = "LAMBDA", .help = "ADMM: weight of the noise term"},
    {.name = "beta", .kind = DL_OPTION_REAL, FIELD(beta), .default_text = "0.5", .min = 1e-12, .max = 1e12, .applies = "tied", .argument = "BETA", .help = "ADMM: penalty of the constraint Q = W^T(X - WZ); keep it >= 10 lambda"},
    {.name = "incoherence", .kind = DL_OPTION_CHOICE, FIELD(incoherence), .default_text = "2", .choices = "2|inf", .applies = "tied", .argument = "NORM", .help = "which norm of W^T W - I is small: the sum of squares of the paper's model (2), or in a last stage also the largest entry, the coherence of the atoms (inf)"},
    {.name = "keep", .kind = DL_OPTION_REAL, FIELD(keep), .default_text = "3", .max = 1e12, .applies = "tied", .argument = "WEIGHT", .help = "incoherence inf: how strongly the atoms are kept where the stages before have left them; smaller: less coherent atoms, farther from the data"},
    {.name = "encoder", .kind = DL_OPTION_CHOICE, FIELD(encoder), .default_text = "auto", .choices = "auto|" ENCODERS, .argument = "KIND", .help = "scores by the dictionary itself (tied: the paper's feature, after the tied stage and ADMM), by an encoder made for the dictionary of the minibatches (tight, dual, distilled), or by one learned together with the dictionary (learned); best: distilled or learned, whichever has the smaller error on held-out samples; auto: the encoder that the other options apply to; if they leave it open, tied with ksvd and omp, learned for more than 512 atoms or 4,096 columns, otherwise best"},
    {.name = "polish", .kind = DL_OPTION_INTEGER, FIELD(polish), .default_text = "5", .max = DL_OPTION_MAX_COUNT, .applies = "tight|dual|distilled|best", .argument = "T4", .help = "iterations that refine the dictionary of the minibatches with multi-pass codes"},
    {.name = "finetune", .kind = DL_OPTION_INTEGER, FIELD(finetune), .default_text = "800", .max = DL_OPTION_MAX_COUNT, .applies = "distilled|best", .argument = "T5", .help = "gradient steps that refine dictionary and distilled encoder; 0 skips them"},
    {.name = "epochs", .kind = DL_OPTION_REAL, FIELD(epochs), .default_text = "0", .max = 1e6, .applies = "learned|best", .argument = "N", .help = "passes over the samples of learned; 0: 10, up to 25 for large dictionaries (200 samples and 5,000 uses per atom), at least 600,000 and at most 20 million samples in total"},
    {.name = "seconds", .kind = DL_OPTION_REAL, FIELD(seconds), .default_text = "0", .max = 1e9, .applies = "learned", .argument = "S", .help = "end by then even if not all passes are done; 0: no limit. The result then depends on the speed of the machine"},
    {.name = "nested", .kind = DL_OPTION_FLAG, FIELD(nested), .default_text = "false", .applies = "learned", .help = "a dictionary in which the first m/16, m/8, m/4 and m/2 atoms (rounded up to multiples of 16, if above K) are dictionaries of their own, for encode --atoms and export --atoms; takes up to twice as long, less for large dictionaries"},
    {.name = "update", .kind = DL_OPTION_CHOICE, FIELD(update), .default_text = "approximate", .choices = "exact|approximate", .applies = "ksvd|omp", .argument = "HOW", .help = "update of an atom: one power iteration (approximate), or the full rank-one fit (exact), which takes many times as long for large samples and gains little"},
    {.name = "error", .kind = DL_OPTION_REAL, FIELD(error), .default_text = "0", .max = 1e300, .applies = "ksvd|omp", .argument = "E", .help = "a code is complete when ||x - Wz||^2 of the preprocessed sample is at most E, or at K entries; 0: always K entries"},
    {.name = "validation", .kind = DL_OPTION_REAL, FIELD(validation), .default_text = "0", .max = 0.5, .argument = "SHARE", .help = "share of the samples that is held out from training, to measure errors on; 0: a tenth, at most 2,000, for encoder learned or best, and none otherwise: errors are then those of training samples"},
    {.name = "tolerance", .kind = DL_OPTION_REAL, FIELD(tolerance), .default_text = "1e-6", .max = 1, .argument = "TOL", .help = "stop a stage when the relative change of the objective (ADMM: the relative residuals) is at most this; 0: never"},
    {.name = "memory", .kind = DL_OPTION_BYTES, FIELD(memory), .default_text = "0", .max = 9.0e18, .argument = "SIZE", .help = "memory limit for training, such as 500M or 2G: files are read row by row, and ADMM keeps its state of every sample in a temporary file; 0: that of the machine. The result does not depend on it"},
};
/* clang-format on */

/* Bits of VARIANTS. */
static const unsigned TIED = 1u << 0, UNTIED = 1u << 1 | 1u << 2 | 1u << 3, LEARNED = 1u << 4, BEST = 1u << 5,
                      KSVD = 1u << 6, OMP = 1u << 7;

static unsigned possible(const void *target) {
    const dltf_train_options *o = target;
    if (o->method != DLTF_METHOD_DLTF)
        return o->method == DLTF_METHOD_KSVD ? KSVD : OMP;
    return o->encoder == DLTF_ENCODER_AUTO ? TIED | UNTIED | LEARNED | BEST
                                           : TIED << (o->encoder - DLTF_ENCODER_TIED);
}

dl_option_table dl_train_option_table(void) {
    dl_option_table table = DL_SIZED_TABLE(options, dltf_train_options);
    table.variants = VARIANTS;
    table.possible = possible;
    return table;
}

void dltf_train_options_init(dltf_train_options *options, size_t size) {
    dl_options_init(dl_train_option_table(), options, size);
}

dltf_status dl_train_options_settle(dltf_train_options *options, const char *const *given,
                                    const char **reason) {
    DL_CLEAR(reason);
    DL_REQUIRE(options, reason);
    dl_option_table table = dl_train_option_table();
    const dl_option *decisive = NULL;
    unsigned left = 0;
    dltf_status status = dl_option_check(table, options, given);
    if (status != DLTF_OK)
        return status;
    dl_variants_left(table, options, given, &left, &decisive);
    if (!decisive)
        return DLTF_OK;
    if (left != BEST)
        left &= ~BEST; /* options of one candidate mean that candidate */
    if (left == BEST)
        options->encoder = DLTF_ENCODER_BEST;
    else if (left == TIED)
        options->encoder = DLTF_ENCODER_TIED;
    else if (left == LEARNED)
        options->encoder = DLTF_ENCODER_LEARNED;
    else if (!(left & TIED))
        options->encoder = DLTF_ENCODER_DISTILLED;
    else
        return DLTF_OK; /* still open */
    *reason = decisive->name;
    return DLTF_OK;
}

/* The stages before a distilled encoder cost O(m^3 + n^3), and find worse dictionaries with many atoms than
 * with few. */
static dltf_encoder_kind choose_encoder(const dltf_train_options *options, int64_t n, const char **reason) {
    const int64_t many_atoms = 512, many_columns = 4096;
    unsigned left = 0;
    const dl_option *decisive = NULL;
    dl_variants_left(dl_train_option_table(), options, NULL, &left, &decisive);
    *reason = "learned: more than 512 atoms";
    if (options->m > many_atoms && (left & LEARNED))
        return DLTF_ENCODER_LEARNED;
    *reason = "learned: more than 4,096 columns";
    if (n > many_columns && (left & LEARNED))
        return DLTF_ENCODER_LEARNED;
    *reason = "best: errors on held-out samples will decide";
    return DLTF_ENCODER_BEST;
}

static void complete_encoder(dltf_train_options *options, int64_t n, char *choice, size_t size) {
    const char *reason = NULL;
    dl_train_options_settle(options, NULL, &reason);
    if (reason) {
        char kind[16];
        dl_option_format(dl_option_find(dl_train_option_table(), "encoder"), options, kind, sizeof kind);
        snprintf(choice, size, "%s: option %s applies to it", kind, reason);
    }
    if (options->encoder != DLTF_ENCODER_AUTO)
        return;
    if (options->method != DLTF_METHOD_DLTF) {
        options->encoder = DLTF_ENCODER_TIED;
        snprintf(choice, size, "tied: K-SVD learns no encoder");
        return;
    }
    options->encoder = choose_encoder(options, n, &reason);
    snprintf(choice, size, "%s", reason);
}

/* m: twice overcomplete, at most 512 and a tenth of the samples. k: an eighth of the dimensions, at most 30
 * and a quarter of the atoms. */
void dl_train_options_complete(dltf_train_options *options, int64_t N, int64_t n, char *choice, size_t size) {
    if (options->m == 0)
        options->m = dl_max(dl_max(1, options->k), dl_min(dl_min(2 * n, 512), dl_max(N / 10, 2)));
    if (options->k == 0)
        options->k = dl_max(1, dl_min(dl_min(n / 8, 30), options->m / 4));
    if (options->select == DLTF_SELECT_MODEL)
        options->select = DLTF_SELECT_ABS;
    complete_encoder(options, n, choice, size);
}

bool dl_trains_distilled(const dltf_train_options *options) {
    return options->encoder == DLTF_ENCODER_DISTILLED || options->encoder == DLTF_ENCODER_BEST;
}

dltf_status dl_train_options_check(const dltf_train_options *options) {
    dltf_status status = dl_option_check(dl_train_option_table(), options, NULL);
    if (status != DLTF_OK)
        return status;
    if (options->m > 0 && options->k > options->m)
        return dl_fail_option(DLTF_ARGUMENT, "k", "%lld is more than m = %lld atoms: lower k or raise m",
                              (long long)options->k, (long long)options->m);
    if (options->standardise && options->center == DLTF_NO)
        return dl_fail_option(DLTF_ARGUMENT, "standardise",
                              "subtracts the mean of every column: leave out "
                              "--no-center");
    bool learned = options->encoder == DLTF_ENCODER_LEARNED || options->encoder == DLTF_ENCODER_AUTO;
    if (options->m > 46340 && (!learned || options->method != DLTF_METHOD_DLTF))
        return dl_fail_option(DLTF_ARGUMENT, "m",
                              "%lld is out of range: more than 46,340 atoms require encoder learned",
                              (long long)options->m);
    if (options->method == DLTF_METHOD_DLTF)
        return DLTF_OK;
    if (options->select == DLTF_SELECT_POSITIVE)
        return dl_fail_option(DLTF_ARGUMENT, "select",
                              "positive is not supported by K-SVD, which codes by omp: use abs");
    if (options->encoder != DLTF_ENCODER_AUTO && options->encoder != DLTF_ENCODER_TIED)
        return dl_fail_option(DLTF_ARGUMENT, "encoder", "K-SVD learns no encoder: use tied");
    return DLTF_OK;
}
