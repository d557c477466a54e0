/* The option tables: name, type, default, bounds and help of every option, once. Command-line flags,
 * validation, manual page, completion and the provenance in model files all come from here. */
#include "options.h"

#include "base/number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INTEGER DLTF_OPTION_INTEGER
#define REAL DLTF_OPTION_REAL
#define FLAG DLTF_OPTION_FLAG
#define CHOICE DLTF_OPTION_CHOICE
#define TRAIN(field) offsetof(dltf_options, field)
#define ENCODE(field) offsetof(dltf_encoding, field)
#define CERTIFY(field) offsetof(dltf_certification, field)
#define DENOISE(field) offsetof(dltf_denoising, field)

static const double MOST_COUNT = 2147483647.0;
#define SELECT_CHOICES "model|abs|positive"

/* clang-format off */
static const dltf_option train_table[] = {
    {"m", 'm', INTEGER, TRAIN(m), NULL, 1, MOST_COUNT, NULL, "M", "number of atoms (default: twice the columns of the data, at most 512 and a tenth of the samples)"},
    {"k", 'k', INTEGER, TRAIN(k), NULL, 1, MOST_COUNT, NULL, "K", "entries kept per code (default: an eighth of the columns, at most 30 and a quarter of m)"},
    {"seed", 0, INTEGER, TRAIN(seed), "0", 0, 9.0e18, NULL, "S", "seed of all random choices"},
    {"threads", 0, INTEGER, TRAIN(threads), "0", 0, 1024, NULL, "T", "threads to use; 0: all cores. The result does not depend on it"},
    {"method", 0, CHOICE, TRAIN(method), "dltf", 0, 0, "dltf|ksvd", "METHOD", "learn for thresholded features, in stages (dltf), or for sparse codes in general (ksvd)"},
    {"select", 0, CHOICE, TRAIN(select), "abs", 0, 0, SELECT_CHOICES, "RULE", "which scores a code keeps: the largest magnitudes (abs) or the largest positive ones (positive)"},
    {"init", 0, CHOICE, TRAIN(init), "samples", 0, 0, "samples|gaussian", "START", "first dictionary: random samples or Gaussian atoms"},
    {"center", 0, FLAG, TRAIN(center), "false", 0, 0, NULL, NULL, "subtract the mean of the samples first; the model remembers it"},
    {"unit-norm", 0, FLAG, TRAIN(unit_norm), "false", 0, 0, NULL, NULL, "scale every sample to norm 1 first; the model remembers it"},
    {"steps", 0, INTEGER, TRAIN(steps), "200", 0, MOST_COUNT, NULL, "T1", "stage 1: minibatch steps with dual codes; 0 skips it"},
    {"batch", 0, INTEGER, TRAIN(batch), "2000", 1, MOST_COUNT, NULL, "B", "stage 1: samples per minibatch"},
    {"ridge", 0, REAL, TRAIN(ridge), "0.1", 0, 1e6, NULL, "R", "stage 1: regularisation of the dual encoder (W W^T + R I)^-1 W"},
    {"iterations", 0, INTEGER, TRAIN(iterations), "40", 0, MOST_COUNT, NULL, "T2", "stage 2: iterations of the paper's model without its noise term; 0 skips it. ksvd: its iterations"},
    {"theta-start", 0, REAL, TRAIN(theta_start), "0.2", 0, 1e12, NULL, "THETA", "stage 2: weight of the data term at the start"},
    {"theta", 0, REAL, TRAIN(theta), "0.003", 0, 1e12, NULL, "THETA", "weight of the data term at the end of stage 2 and in stage 3; smaller: less coherent atoms"},
    {"admm", 0, INTEGER, TRAIN(admm), "0", 0, MOST_COUNT, NULL, "T3", "stage 3: ADMM iterations of the whole model (Z, Q, W, Y steps); 0 skips it"},
    {"lambda", 0, REAL, TRAIN(lambda), "0.05", 0, 1e12, NULL, "LAMBDA", "stage 3: weight of the noise term"},
    {"beta", 0, REAL, TRAIN(beta), "0.5", 1e-12, 1e12, NULL, "BETA", "stage 3: penalty of the constraint Q = W^T(X - WZ); keep it >= 10 lambda"},
    {"encoder", 0, CHOICE, TRAIN(encoder), "auto", 0, 0, "auto|tied|tight|dual|distilled", "KIND", "scores by the dictionary itself (tied: the paper's feature, after stages 2 and 3), or by an encoder made for the dictionary of stage 1; auto: distilled; tied with fewer than 20 samples per atom, ksvd, or options of stages 2 and 3"},
    {"polish", 0, INTEGER, TRAIN(polish), "5", 0, MOST_COUNT, NULL, "T4", "untied encoders: iterations that sharpen the dictionary of stage 1 with codes of several passes"},
    {"update", 0, CHOICE, TRAIN(update), "exact", 0, 0, "exact|approximate", "HOW", "ksvd: atoms by the whole rank-one fit, or by one step towards it"},
    {"error", 0, REAL, TRAIN(error), "0", 0, 1e300, NULL, "E", "ksvd: codes end when ||x - Wz||^2 of the preprocessed sample is at most E, with K entries at most; 0: always K entries"},
    {"tolerance", 0, REAL, TRAIN(tolerance), "1e-6", 0, 1, NULL, "TOL", "stop a stage when the objective (stage 3: the residuals) changes by less than this share; 0: never"},
};

static const dltf_option encode_table[] = {
    {"k", 'k', INTEGER, ENCODE(k), NULL, 1, MOST_COUNT, NULL, "K", "entries kept per code (default: as the model was trained)"},
    {"select", 0, CHOICE, ENCODE(select), "model", 0, 0, SELECT_CHOICES, "RULE", "which scores a code keeps: as the model was trained, the largest magnitudes, or the largest positive ones"},
    {"coder", 0, CHOICE, ENCODE(coder), "threshold", 0, 0, "threshold|omp|iht|niht|htp", "CODER", "one product and a selection (threshold), orthogonal matching pursuit (omp), iterative hard thresholding with fixed or adaptive step (iht, niht), hard-thresholding pursuit (htp)"},
    {"passes", 0, INTEGER, ENCODE(passes), NULL, 1, MOST_COUNT, NULL, "P", "iht, niht, htp: passes at most (default: 100, of htp 8); they end when nothing changes any more"},
    {"error", 0, REAL, ENCODE(error), "0", 0, 1e300, NULL, "E", "omp: stop when ||x - Wz||^2 of the preprocessed sample is at most E, with K entries at most; 0: always K entries"},
    {"refit", 0, FLAG, ENCODE(refit), "false", 0, 0, NULL, NULL, "values by least squares on the support instead of correlations"},
    {"threads", 0, INTEGER, ENCODE(threads), "0", 0, 1024, NULL, "T", "threads to use; 0: all cores. The result does not depend on it"},
};

static const dltf_option certify_table[] = {
    {"k", 'k', INTEGER, CERTIFY(k), NULL, 1, MOST_COUNT, NULL, "K", "entries of a code, exactly (default: as the model was trained)"},
    {"noise", 0, REAL, CERTIFY(noise), "0", 0, 1e30, NULL, "EPS", "a bound on the norm of the noise of a sample"},
    {"mu-e", 0, REAL, CERTIFY(mu_e), "0", 0, 1e30, NULL, "MU", "a bound on the inner products of noise and encoder rows; 0: what follows from the bound on its norm"},
    {"amplitude", 0, REAL, CERTIFY(amplitude), "1", 1e-30, 1e30, NULL, "A", "size of the entries of a code, all the same"},
    {"signs", 0, FLAG, CERTIFY(signs), "false", 0, 0, NULL, NULL, "entries may be A or -A; otherwise they are A"},
    {"threads", 0, INTEGER, CERTIFY(threads), "0", 0, 1024, NULL, "T", "threads to use; 0: all cores. The result does not depend on it"},
};

static const dltf_option denoise_table[] = {
    {"method", 0, CHOICE, DENOISE(method), "dltf", 0, 0, "dltf|ksvd|paper", "METHOD", "dltf: incoherent thresholded features, one product per patch; ksvd: K-SVD with orthogonal matching pursuit; paper: the k largest scores, plain averages"},
    {"sigma", 0, REAL, DENOISE(sigma), NULL, 0, 1000, NULL, "SIGMA", "standard deviation of the noise on the scale 0 .. 255 (default: estimated)"},
    {"m", 'm', INTEGER, DENOISE(m), NULL, 1, 16384, NULL, "M", "number of atoms (default: 528; ksvd and paper: 256)"},
    {"k", 'k', INTEGER, DENOISE(k), NULL, 1, 1024, NULL, "K", "most atoms of a patch (default: 16; ksvd: 32; paper: 1)"},
    {"patch", 0, INTEGER, DENOISE(patch), "8", 4, 32, NULL, "P", "side of the patches in pixels"},
    {"stride", 0, INTEGER, DENOISE(stride), "1", 1, 32, NULL, "S", "pixels from one patch to the next; at most the side"},
    {"stages", 0, INTEGER, DENOISE(stages), NULL, 1, 2, NULL, "N", "2: denoise once more, with bases learned from the first result (default: 2; ksvd and paper: 1)"},
    {"seed", 0, INTEGER, DENOISE(seed), "0", 0, 9.0e18, NULL, "S", "seed of the choice of patches to learn from"},
    {"threads", 0, INTEGER, DENOISE(threads), "0", 0, 1024, NULL, "T", "threads to use; 0: all cores. The result does not depend on it"},
};
/* clang-format on */

#define TABLE(rows) ((dltf_option_table){rows, (int)(sizeof rows / sizeof *rows)})

dltf_option_table dltf_train_options(void) {
    return TABLE(train_table);
}

dltf_option_table dltf_encode_options(void) {
    return TABLE(encode_table);
}

dltf_option_table dltf_certify_options(void) {
    return TABLE(certify_table);
}

dltf_option_table dltf_denoise_options(void) {
    return TABLE(denoise_table);
}

dltf_denoising dltf_denoising_default(void) {
    dltf_denoising options;
    memset(&options, 0, sizeof options);
    dltf_option_defaults(dltf_denoise_options(), &options);
    options.sigma = DLTF_SIGMA_UNKNOWN;
    return options;
}

dltf_options dltf_options_default(void) {
    dltf_options options;
    memset(&options, 0, sizeof options);
    dltf_option_defaults(dltf_train_options(), &options);
    return options;
}

dltf_encoding dltf_encoding_default(void) {
    dltf_encoding encoding;
    memset(&encoding, 0, sizeof encoding);
    dltf_option_defaults(dltf_encode_options(), &encoding);
    return encoding;
}

dltf_certification dltf_certification_default(void) {
    dltf_certification certification;
    memset(&certification, 0, sizeof certification);
    dltf_option_defaults(dltf_certify_options(), &certification);
    return certification;
}

static dltf_status check_bounds(const dltf_option *option, double value, const char *text) {
    if (value >= option->least && value <= option->most)
        return DLTF_OK;
    return dl_fail(DLTF_ARGUMENT, "%s: %s is outside %.12g .. %.12g", option->name, text, option->least,
                   option->most);
}

static dltf_status set_integer(const dltf_option *option, void *field, const char *text) {
    char *end = NULL;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end != '\0')
        return dl_fail(DLTF_ARGUMENT, "%s: '%s' is not a whole number", option->name, text);
    if (errno == ERANGE)
        return dl_fail(DLTF_ARGUMENT, "%s: %s is outside %.12g .. %.12g", option->name, text, option->least,
                       option->most);
    dltf_status status = check_bounds(option, (double)value, text);
    if (status != DLTF_OK)
        return status;
    int64_t stored = value;
    memcpy(field, &stored, sizeof stored);
    return DLTF_OK;
}

static dltf_status set_real(const dltf_option *option, void *field, const char *text) {
    double value = 0;
    dl_decimal_point point;
    if (dl_decimal_point_open(&point) != DLTF_OK)
        return DLTF_MEMORY;
    bool is_number = dl_number_parse(text, (int64_t)strlen(text), &value);
    dl_decimal_point_close(&point);
    if (!is_number || !isfinite(value))
        return dl_fail(DLTF_ARGUMENT, "%s: '%s' is not a number", option->name, text);
    dltf_status status = check_bounds(option, value, text);
    if (status != DLTF_OK)
        return status;
    memcpy(field, &value, sizeof value);
    return DLTF_OK;
}

static dltf_status set_flag(const dltf_option *option, void *field, const char *text) {
    bool value = strcmp(text, "true") == 0;
    if (!value && strcmp(text, "false") != 0)
        return dl_fail(DLTF_ARGUMENT, "%s: '%s' is neither true nor false", option->name, text);
    memcpy(field, &value, sizeof value);
    return DLTF_OK;
}

/* The index-th of the names that '|' separates; false past either end. */
static bool choice_name(const char *choices, int index, const char **name, size_t *length) {
    if (index < 0)
        return false;
    for (; index > 0; index--) {
        choices = strchr(choices, '|');
        if (!choices)
            return false;
        choices++;
    }
    *name = choices;
    *length = strcspn(choices, "|");
    return true;
}

static dltf_status set_choice(const dltf_option *option, void *field, const char *text) {
    const char *name = NULL;
    size_t length = 0;
    for (int value = 0; choice_name(option->choices, value, &name, &length); value++)
        if (strlen(text) == length && memcmp(text, name, length) == 0) {
            memcpy(field, &value, sizeof value);
            return DLTF_OK;
        }
    return dl_fail(DLTF_ARGUMENT, "%s: '%s' is none of %s", option->name, text, option->choices);
}

static dltf_status set_field(const dltf_option *option, void *target, const char *text) {
    void *field = (char *)target + option->offset;
    switch (option->kind) {
    case DLTF_OPTION_INTEGER:
        return set_integer(option, field, text);
    case DLTF_OPTION_REAL:
        return set_real(option, field, text);
    case DLTF_OPTION_FLAG:
        return set_flag(option, field, text);
    case DLTF_OPTION_CHOICE:
        return set_choice(option, field, text);
    case DLTF_OPTION_TEXT:
        memcpy(field, &text, sizeof text);
        return DLTF_OK;
    }
    return dl_fail(DLTF_ARGUMENT, "%s: unknown kind of option", option->name);
}

dltf_status dltf_option_set(dltf_option_table table, void *target, const char *name, const char *text) {
    for (int i = 0; i < table.count; i++)
        if (strcmp(table.options[i].name, name) == 0)
            return set_field(&table.options[i], target, text);
    return dl_fail(DLTF_ARGUMENT, "there is no option '%s'", name);
}

void dltf_option_defaults(dltf_option_table table, void *target) {
    for (int i = 0; i < table.count; i++)
        if (table.options[i].standard)
            set_field(&table.options[i], target, table.options[i].standard);
}

/* The shortest decimal that reads back to the same value. */
static int format_real(double value, char *text, size_t size) {
    int length = 0;
    dl_decimal_point point;
    if (dl_decimal_point_open(&point) != DLTF_OK)
        return -1;
    for (int digits = 6; digits <= 17; digits++) {
        char trial[64];
        snprintf(trial, sizeof trial, "%.*g", digits, value);
        length = snprintf(text, size, "%s", trial);
        if (strtod(trial, NULL) == value)
            break;
    }
    dl_decimal_point_close(&point);
    return length;
}

int dltf_option_format(const dltf_option *option, const void *target, char *text, size_t size) {
    const void *field = (const char *)target + option->offset;
    int64_t integer = 0;
    double real = 0;
    bool flag = false;
    int choice = 0;
    const char *name = "";
    size_t length = 0;
    switch (option->kind) {
    case DLTF_OPTION_INTEGER:
        memcpy(&integer, field, sizeof integer);
        return snprintf(text, size, "%lld", (long long)integer);
    case DLTF_OPTION_REAL:
        memcpy(&real, field, sizeof real);
        return format_real(real, text, size);
    case DLTF_OPTION_FLAG:
        memcpy(&flag, field, sizeof flag);
        return snprintf(text, size, "%s", flag ? "true" : "false");
    case DLTF_OPTION_CHOICE:
        memcpy(&choice, field, sizeof choice);
        if (!choice_name(option->choices, choice, &name, &length))
            length = 0;
        return snprintf(text, size, "%.*s", (int)length, name);
    case DLTF_OPTION_TEXT:
        memcpy(&name, field, sizeof name);
        return snprintf(text, size, "%s", name ? name : "");
    }
    return -1;
}

dltf_status dl_options_check(dltf_option_table table, const void *target) {
    for (int i = 0; i < table.count; i++) {
        const dltf_option *option = &table.options[i];
        if (option->kind == DLTF_OPTION_TEXT || option->kind == DLTF_OPTION_FLAG)
            continue;
        /* Through text and back: one set of checks for fields set by hand and by name. */
        char text[64];
        double scratch = 0;
        dltf_option alone = *option;
        alone.offset = 0;
        dltf_option_format(option, target, text, sizeof text);
        if (!option->standard && strcmp(text, "0") == 0)
            continue; /* left to the library */
        dltf_status status = set_field(&alone, &scratch, text);
        if (status != DLTF_OK)
            return status;
    }
    return DLTF_OK;
}
