/* dltf certify: evaluates the theorems for a model and for samples with known codes, and proves supports from
 * samples and a bound on their noise. */
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/relabel.h"
#include "experiments/support.h"
#include "report/json.h"
#include "report/rows.h"

#include <stdlib.h>

typedef struct certify_flags {
    const char *codes, *truth, *supports, *flags;
    double sigma, quantile;
} certify_flags;

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "codes", .kind = DL_OPTION_TEXT, .offset = offsetof(certify_flags, codes), .argument = "FILE.npz", .help = "true codes of DATA over the atoms of MODEL; evaluate the theorems for each sample"},
    {.name = "truth", .kind = DL_OPTION_TEXT, .offset = offsetof(certify_flags, truth), .argument = "DIR", .help = "folder written by 'dltf synth': codes are over its atoms, which are matched with those of a learned MODEL (codes default to DIR/codes_test.npz)"},
    {.name = "supports", .kind = DL_OPTION_TEXT, .offset = offsetof(certify_flags, supports), .argument = "FILE.npz", .help = "codes whose supports to prove (default: the model's features)"},
    {.name = "sigma", .kind = DL_OPTION_REAL, .offset = offsetof(certify_flags, sigma), .default_text = "0", .max = 1e30, .argument = "S", .help = "standard deviation of Gaussian noise, from which --noise is derived"},
    {.name = "quantile", .kind = DL_OPTION_REAL, .offset = offsetof(certify_flags, quantile), .default_text = "0.99", .min = 1e-9, .max = 0.999999999999, .argument = "Q", .help = "with --sigma: probability that the noise stays below the bound"},
    {.name = "flags", .kind = DL_OPTION_TEXT, .offset = offsetof(certify_flags, flags), .argument = "FILE.npy", .help = "write one row of 0/1 flags per sample"},
};
/* clang-format on */

typedef struct certify_job {
    certify_flags flags;
    dltf_certify_options options;
    arguments args;
    bool noise_given;
    char *truth_atoms, *truth_codes; /* files of --truth */
    dltf_model *model;
    dltf_array *data;
    dltf_codes *known, *supports;
    dltf_model_certificate found;
    double *babel; /* mu_1(1 .. orders) */
    int64_t orders, samples;
    uint8_t *rows;
} certify_job;

/* ---- Reading ---- */

static int check(certify_job *job) {
    const char *data = job->args.operands[1];
    bool sigma = arguments_given(&job->args, "sigma"), noise = arguments_given(&job->args, "noise");
    job->noise_given = sigma || noise;
    if (sigma && noise)
        return usage_error("--noise and --sigma are mutually exclusive: both bound the noise");
    if (job->flags.truth) {
        job->truth_atoms = files_join(job->flags.truth, "/dictionary.npy");
        job->truth_codes = job->truth_atoms ? files_join(job->flags.truth, "/codes_test.npz") : NULL;
        if (!job->truth_codes)
            return EXIT_FAILED;
        job->flags.codes = job->flags.codes ? job->flags.codes : job->truth_codes;
    }
    if (!data && (job->flags.codes || job->flags.supports || job->flags.flags))
        return usage_error("--codes, --truth, --supports and --flags require DATA");
    if (data && !job->noise_given && !job->flags.codes)
        return usage_error(
            "nothing to certify for DATA: give --noise or --sigma to prove supports, or --codes "
            "to evaluate the theorems");
    const char *inputs[] = {job->args.operands[0], data, job->flags.codes, job->truth_atoms,
                            job->flags.supports};
    int code = files_check(5, inputs, 1, &job->flags.flags);
    return code == EXIT_OK ? files_check_matrix("flags", job->flags.flags) : code;
}

/* Loads a model file, or a bare dictionary as a tied model. */
static int load_model(certify_job *job) {
    const char *path = job->args.operands[0];
    if (!files_has_ending(path, ".npy"))
        return files_load_model(path, &job->model);
    if (job->options.k == 0)
        return usage_error("%s: is a bare dictionary; -k is required", path);
    dltf_array *dictionary = NULL;
    int code = files_load_data(path, &dictionary);
    if (code != EXIT_OK)
        return code;
    dltf_status status = support_tied_model(dltf_array_matrix(dictionary), job->options.k, &job->model);
    dltf_array_free(dictionary);
    return status == DLTF_OK ? EXIT_OK : library_failure_in(status, (sources){[DLTF_SUBJECT_MODEL] = path});
}

/* Codes over the true atoms to codes over those of the model. */
static int match_truth(certify_job *job) {
    dltf_array *atoms = NULL;
    int64_t n = dltf_model_get(job->model).n, known = dltf_codes_csr(job->known).cols;
    int code = files_load_data(job->truth_atoms, &atoms);
    if (code != EXIT_OK)
        return code;
    dltf_matrix truth = dltf_array_matrix(atoms);
    if (truth.cols != n)
        code = failure("%s: atoms of %s, but those of the model have %lld", job->truth_atoms,
                       counted(truth.cols, "entry"), (long long)n);
    else if (truth.rows != known)
        code = failure("%s: codes over %s, but %s has %lld", job->flags.codes, counted(known, "atom"),
                       job->truth_atoms, (long long)truth.rows);
    dltf_status status = code == EXIT_OK ? relabel_codes(truth, job->model, &job->known) : DLTF_OK;
    dltf_array_free(atoms);
    return status == DLTF_OK ? code : library_failure(status);
}

/* Codes that are worse than none belong to other atoms, such as the true ones of a learned model. */
static int check_codes(const certify_job *job) {
    dltf_matrix X = dltf_array_matrix(job->data);
    dltf_csr known = dltf_codes_csr(job->known);
    double error = 0;
    if (known.rows != X.rows || known.cols != dltf_model_get(job->model).m ||
        X.cols != dltf_model_get(job->model).n)
        return EXIT_OK; /* the library says what is wrong */
    dltf_status status = dltf_reconstruction_error(job->model, X, job->known, &error);
    if (status != DLTF_OK)
        return library_failure_in(status, (sources){[DLTF_SUBJECT_DATA] = job->args.operands[1]});
    if (error < 1)
        return EXIT_OK;
    return failure("%s: not codes of %s over the atoms of the model: the relative error is %.3g%s",
                   job->flags.codes, job->args.operands[1], error,
                   job->flags.truth ? ""
                                    : "; if they are over the true atoms of 'dltf synth', give --truth DIR");
}

static int load(certify_job *job) {
    int code = load_model(job);
    if (code == EXIT_OK && job->args.operands[1])
        code = files_load_data(job->args.operands[1], &job->data);
    dltf_status status = DLTF_OK;
    if (code == EXIT_OK && job->flags.codes)
        status = dltf_codes_load(job->flags.codes, &job->known);
    if (code == EXIT_OK && status == DLTF_OK && job->flags.supports)
        status = dltf_codes_load(job->flags.supports, &job->supports);
    if (code == EXIT_OK && status == DLTF_OK && job->flags.sigma > 0)
        status = dltf_noise_bound(dltf_model_get(job->model).n, job->flags.sigma, job->flags.quantile,
                                  &job->options.noise);
    if (status != DLTF_OK)
        return library_failure(status);
    if (code == EXIT_OK && job->flags.truth)
        code = match_truth(job);
    return code == EXIT_OK && job->known ? check_codes(job) : code;
}

/* ---- Computing ---- */

static int certify(certify_job *job) {
    int64_t m = dltf_model_get(job->model).m;
    dltf_status status = dltf_model_certify(job->model, &job->options, &job->found);
    if (status != DLTF_OK)
        return library_failure(status);
    job->orders = 2 * job->found.k < m - 1 ? 2 * job->found.k : m - 1;
    job->babel = malloc((size_t)(job->orders + 1) * sizeof *job->babel);
    if (!job->babel)
        return library_failure(DLTF_MEMORY);
    if (job->orders > 0)
        status = dltf_model_babel(job->model, job->orders, job->babel);
    if (status == DLTF_OK && job->data) {
        dltf_matrix X = dltf_array_matrix(job->data);
        job->samples = X.rows;
        job->rows = malloc((size_t)X.rows * DLTF_FLAG_COUNT);
        status = !job->rows ? DLTF_MEMORY
                            : dltf_samples_certify(job->model, X, job->known, job->supports, &job->options,
                                                   progress_step, NULL, job->rows);
        progress_erase();
    }
    if (status != DLTF_OK)
        return library_failure_in(status, (sources){[DLTF_SUBJECT_DATA] = job->args.operands[1],
                                                    [DLTF_SUBJECT_TRUE_CODES] = job->flags.codes,
                                                    [DLTF_SUBJECT_CANDIDATES] = job->flags.supports});
    return EXIT_OK;
}

static int save(certify_job *job) {
    if (!job->flags.flags)
        return EXIT_OK;
    dltf_status status =
        dltf_matrix_save(dltf_matrix_u8(job->rows, job->samples, DLTF_FLAG_COUNT), job->flags.flags);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

/* ---- Printing ---- */

static json_t *certified_json(dltf_certified_k found) {
    return json_pack("{sIsIsI}", "theorem1", (json_int_t)found.theorem1, "coherence",
                     (json_int_t)found.coherence, "babel", (json_int_t)found.babel);
}

static json_t *isometry_json(const dltf_isometry *found) {
    return json_pack("{sIsfsfsfsb}", "order", (json_int_t)found->order, "by_coherence", found->by_coherence,
                     "by_babel", found->by_babel, "delta", found->delta, "exact", (int)found->exact);
}

static void report_certified(facts *f, const char *key, const char *label, dltf_certified_k found) {
    facts_json(f, key, certified_json(found));
    facts_line(f, label, "%lld by Theorem 1, %lld by coherence, %lld by the Babel function",
               (long long)found.theorem1, (long long)found.coherence, (long long)found.babel);
}

static void report_isometry(facts *f, const char *key, const dltf_isometry *found) {
    char label[64];
    snprintf(label, sizeof label, "RIP constant of order %lld", (long long)found->order);
    facts_json(f, key, isometry_json(found));
    if (found->exact)
        facts_line(f, label, "%.4g (exact: all supports tried)", found->delta);
    else if (found->by_babel < 1) /* never larger than the other */
        facts_line(f, label, "at most %.4g by the Babel function, %.4g by coherence", found->by_babel,
                   found->by_coherence);
    else
        facts_line(f, label, "no bound below 1");
}

static void report_babel(facts *f, const certify_job *job) {
    json_t *values = json_array();
    for (int64_t s = 0; s < job->orders; s++)
        json_array_append_new(values, json_number(job->babel[s]));
    facts_json(f, "babel", values);
    int64_t k = job->found.k;
    if (k <= job->orders)
        facts_line(f, "Babel function", "mu_1(%lld) + mu_1(%lld) = %.4g", (long long)k - 1, (long long)k,
                   (k > 1 ? job->babel[k - 2] : 0) + job->babel[k - 1]);
}

static void report_model(facts *f, const certify_job *job) {
    const dltf_model_certificate *found = &job->found;
    dltf_model_view view = dltf_model_get(job->model);
    facts_text(f, "model", "model", job->args.operands[0]);
    facts_integer(f, "m", "atoms (m)", view.m);
    facts_integer(f, "n", "entries of an atom (n)", view.n);
    facts_integer(f, "k", "entries of a code (k)", found->k);
    facts_real(f, "mu", "coherence of W", found->mu);
    facts_json(f, "tied", json_boolean(!view.encoder && !view.bias));
    bool untied = view.encoder || view.bias;
    facts_real(f, "mu_encoder", untied ? "coherence of E and W" : NULL, found->mu_encoder);
    facts_real(f, "least_gain", NULL, found->least_gain);
    facts_real(f, "most_gain", NULL, found->most_gain);
    facts_real(f, "most_bias", NULL, found->most_bias);
    if (untied)
        facts_line(f, "gains", "%.4g .. %.4g, bias at most %.4g", found->least_gain, found->most_gain,
                   found->most_bias);
    report_babel(f, job);
    report_certified(f, "certified", "certified k, no noise", found->without_noise);
    if (job->noise_given || job->options.mu_e > 0) {
        facts_real(f, "noise", "noise: norm at most", job->options.noise);
        facts_real(f, "mu_e", "noise: correlation at most", found->mu_e);
        report_certified(f, "certified_with_noise", "certified k, noise", found->with_noise);
    }
    report_isometry(f, "rip_2k", &found->twice);
    report_isometry(f, "rip_k1", &found->next);
    facts_integer(f, "equation4_k", NULL, found->equation4);
}

static int64_t count_flags(const certify_job *job, dltf_flag flag, dltf_flag without) {
    int64_t count = 0;
    for (int64_t i = 0; i < job->samples; i++)
        count += job->rows[i * DLTF_FLAG_COUNT + flag] &&
                 (without == flag || !job->rows[i * DLTF_FLAG_COUNT + without]);
    return count;
}

/* One row per requested flag: theorems with --codes, proofs with a bound on the noise. */
static json_t *flag_rows(const certify_job *job) {
    json_t *rows = json_array();
    for (dltf_flag f = 0; f < DLTF_FLAG_COUNT; f++) {
        bool proof = f >= DLTF_FLAG_FITS;
        if (proof ? !job->noise_given : !job->known)
            continue;
        int64_t count = count_flags(job, f, f);
        json_array_append_new(rows,
                              json_pack("{sssIsf}", "flag", dltf_flag_name(f), "samples", (json_int_t)count,
                                        "share", (double)count / (double)job->samples));
    }
    return rows;
}

static int print_report(certify_job *job) {
    facts f = facts_new();
    report_model(&f, job);
    json_t *rows = job->data ? flag_rows(job) : NULL;
    int64_t wrong = 0;
    if (rows) {
        facts_integer(&f, "samples", "samples", job->samples);
        facts_json(&f, "flags", json_incref(rows));
    }
    if (rows && job->known && job->noise_given) {
        wrong = count_flags(job, DLTF_FLAG_PROVEN, DLTF_FLAG_CANDIDATE);
        facts_integer(&f, "wrong_proofs", NULL, wrong);
    }
    if (job->flags.flags)
        facts_text(&f, "flags_file", "flags", job->flags.flags);
    output_facts(&f, false);
    if (rows && !job->args.common.json) {
        putchar('\n');
        output_rows(rows);
    }
    json_decref(rows);
    if (!job->found.twice.exact && !job->args.common.json) {
        remark("%s", "");
        remark("The RIP constant is NP-hard to compute: the values shown are bounds.");
    }
    if (wrong > 0)
        remark("%s of wrong supports: the assumptions on noise, amplitude or signs do not hold for these "
               "samples.",
               counted(wrong, "proof"));
    return EXIT_OK;
}

static int run(const command *self, int count, char **words) {
    static int (*const steps[])(certify_job *) = {check, load, certify, save, print_report};
    certify_job job = {.model = NULL};
    if (!arguments_parse(self, count, words, &job.flags, &job.options, &job.args))
        return job.args.exit_code;
    int code = EXIT_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && code == EXIT_OK; i++)
        code = steps[i](&job);
    free(job.rows);
    free(job.babel);
    free(job.truth_atoms);
    free(job.truth_codes);
    dltf_codes_free(job.known);
    dltf_codes_free(job.supports);
    dltf_array_free(job.data);
    dltf_model_free(job.model);
    return code;
}

const command command_certify = {
    .name = "certify",
    .summary = "compute recovery guarantees for a model and for samples",
    .operands = "MODEL [DATA]",
    .details =
        "Prints the coherence and the Babel function of a model, or of a bare dictionary (.npy, with -k), "
        "and "
        "the largest k for which the feature recovers the support of every code of k equal entries. With "
        "DATA and --codes, evaluates the theorems for each sample. With DATA and a bound on the noise, "
        "proves "
        "supports: a support is proven if no other k atoms come within the noise bound of the sample. All "
        "guarantees are for codes of exactly k entries over the dictionary of MODEL. See docs/guarantees.md "
        "for statements, proofs and the columns of --flags.",
    .own = DL_OPTION_TABLE(own_options, certify_flags),
    .library = dl_certify_option_table,
    .library_title = "Assumptions",
    .json =
        "coherence, Babel function, certified k, bounds on the RIP constant, and for each flag the number "
        "and share of samples",
    .examples = {"dltf certify X.model.safetensors",
                 "dltf certify toy/dictionary.npy toy/Xtest.npy -k 8 --sigma 0.01 --codes toy/codes_test.npz",
                 "dltf certify toy.model.safetensors toy/Xtest.npy --truth toy", NULL},
    .reads_data = true,
    .run = run,
};
