/* dltf score: how well a model recovers a synthetic dictionary, next to the true one and a random one. */
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "experiments/support.h"
#include "report/json.h"
#include "report/rows.h"

#include <stdlib.h>

typedef struct score_flags {
    const char *truth;
    int64_t k, threads;
} score_flags;

typedef struct score_job {
    score_flags flags;
    char *dictionary_path, *samples_path, *codes_path;
    dltf_model *model;
    dltf_array *dictionary, *samples;
    dltf_codes *codes;
    support_truth truth;
    int64_t k;
    json_t *rows;
} score_job;

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "truth", .kind = DL_OPTION_TEXT, .offset = offsetof(score_flags, truth), .argument = "DIR", .help = "folder written by 'dltf synth'"},
    {.name = "k", .letter = 'k', .kind = DL_OPTION_INTEGER, .offset = offsetof(score_flags, k), .min = 1, .max = 1e9, .argument = "K", .help = "entries kept per code (default: as the model was trained)"},
    DL_THREADS_OPTION(score_flags, threads),
};
/* clang-format on */

static int name_files(score_job *job) {
    bool named = (job->dictionary_path = files_join(job->flags.truth, "/dictionary.npy")) &&
                 (job->samples_path = files_join(job->flags.truth, "/Xtest.npy")) &&
                 (job->codes_path = files_join(job->flags.truth, "/codes_test.npz"));
    return named ? EXIT_OK : EXIT_FAILED;
}

static int load(score_job *job, const char *model) {
    int code = files_load_model(model, &job->model);
    if (code == EXIT_OK)
        code = name_files(job);
    if (code == EXIT_OK)
        code = files_load_data(job->dictionary_path, &job->dictionary);
    if (code == EXIT_OK)
        code = files_load_data(job->samples_path, &job->samples);
    if (code != EXIT_OK)
        return code;
    dltf_status status = dltf_codes_load(job->codes_path, &job->codes);
    if (status != DLTF_OK)
        return library_failure(status);
    job->truth =
        (support_truth){dltf_array_matrix(job->dictionary), dltf_array_matrix(job->samples), job->codes};
    dltf_model_view view = dltf_model_get(job->model);
    job->k = job->flags.k > 0 ? job->flags.k : view.k;
    if (view.n != job->truth.dictionary.cols)
        return failure("the model has atoms of %s, but the true atoms in %s have %lld",
                       counted(view.n, "entry"), job->flags.truth, (long long)job->truth.dictionary.cols);
    if (job->k > view.m || job->k > job->truth.dictionary.rows)
        return usage_error("-k %lld exceeds the number of atoms (%lld in the model, %lld in the truth)",
                           (long long)job->k, (long long)view.m, (long long)job->truth.dictionary.rows);
    return EXIT_OK;
}

/* Measures one dictionary, with the selection rule of the scored model, and adds its row. */
static dltf_status add_row(score_job *job, const char *name, const dltf_model *model, bool matched) {
    dltf_encode_options encoding = dltf_encode_options_default();
    encoding.k = job->k;
    encoding.select = dltf_model_get(job->model).select;
    encoding.threads = job->flags.threads;
    support_result result;
    dltf_status status =
        support_measure(model, &job->truth, &encoding, matched, progress_step, NULL, &result);
    progress_erase();
    if (status != DLTF_OK)
        return status;
    json_t *row = json_object();
    json_object_set_new(row, "method", json_string(name));
    json_object_set_new(row, "ave_dif", json_number(result.ave_dif));
    json_object_set_new(row, "exact", json_number(result.exact));
    json_object_set_new(row, "recovered_99", json_number(result.recovered_99));
    json_object_set_new(row, "recovered_90", json_number(result.recovered_90));
    json_object_set_new(row, "median_cosine", json_number(result.median_cosine));
    json_array_append_new(job->rows, row);
    return DLTF_OK;
}

static int measure(score_job *job) {
    dltf_matrix W0 = job->truth.dictionary;
    dltf_model *original = NULL, *chance = NULL;
    job->rows = json_array();
    dltf_status status = add_row(job, "model", job->model, true);
    if (status == DLTF_OK)
        status = support_tied_model(W0, job->k, &original);
    if (status == DLTF_OK)
        status = add_row(job, "original", original, false);
    if (status == DLTF_OK)
        status = support_random_model(W0.cols, W0.rows, job->k, 0, &chance);
    if (status == DLTF_OK)
        status = add_row(job, "random", chance, false);
    dltf_model_free(original);
    dltf_model_free(chance);
    if (status != DLTF_OK)
        return library_failure_in(status, (sources){[DLTF_SUBJECT_DATA] = job->samples_path,
                                                    [DLTF_SUBJECT_TRUE_CODES] = job->codes_path,
                                                    [DLTF_SUBJECT_TRUE_DICTIONARY] = job->dictionary_path});
    return EXIT_OK;
}

static void print_result(const score_job *job, const char *model, bool json) {
    facts f = facts_new();
    facts_text(&f, "model", "model", model);
    facts_text(&f, "truth", "truth", job->flags.truth);
    facts_integer(&f, "k", "entries of a code (k)", job->k);
    facts_integer(&f, "test_samples", "test samples", job->truth.samples.rows);
    facts_json(&f, "rows", json_incref(job->rows));
    output_facts(&f, false);
    if (json)
        return;
    putchar('\n');
    output_rows(job->rows);
    remark("%s", "");
    remark("ave_dif: wrong atoms per sample; exact: share of samples without wrong atoms;");
    remark("recovered_99, _90: share of the true atoms recovered with |cos| above .99, .9.");
    remark("original: the true dictionary; random: a random dictionary.");
}

static int run(const command *self, int count, char **words) {
    score_job job = {.rows = NULL};
    arguments args;
    if (!arguments_parse(self, count, words, &job.flags, NULL, &args))
        return args.exit_code;
    if (!job.flags.truth)
        return usage_error("--truth DIR is missing: give a folder written by 'dltf synth'");
    int code = load(&job, args.operands[0]);
    if (code == EXIT_OK)
        code = measure(&job);
    if (code == EXIT_OK)
        print_result(&job, args.operands[0], args.common.json);
    json_decref(job.rows);
    dltf_codes_free(job.codes);
    dltf_array_free(job.dictionary);
    dltf_array_free(job.samples);
    dltf_model_free(job.model);
    free(job.dictionary_path);
    free(job.samples_path);
    free(job.codes_path);
    return code;
}

const command command_score = {
    .name = "score",
    .summary = "compare a model with the true dictionary",
    .operands = "MODEL",
    .details =
        "Matches the atoms of MODEL one to one with the true atoms in a folder written by 'dltf synth', "
        "encodes its test set and counts wrong atoms. Prints the same figures for the true dictionary "
        "(original) and for a random one.",
    .own = DL_OPTION_TABLE(own_options, score_flags),
    .json = "rows for the model, the true dictionary and a random one",
    .examples = {"dltf score toy.model.safetensors --truth toy", NULL},
    .run = run,
};
