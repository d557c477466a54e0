/* Support recovery on synthetic data. */
#include "experiments/recovery.h"

#include "experiments/support.h"

#include <math.h>
#include <string.h>

enum { ADMM_AFTER = 20, ADMM_ALONE = 200, KSVD_ITERATIONS = 80 };

/* Parameters of the paper's ADMM: its theta and lambda; it gives no beta. */
static const double ADMM_THETA = 0.01, ADMM_LAMBDA = 0.05, ADMM_BETA = 0.5;

const char *const recovery_metrics[] = {"ave_dif", "exact", "recovered_99", "recovered_90", "seconds", NULL};

/* Methods with an untied encoder, and the coder of their test samples; all others are tied and use the
 * feature. */
static const struct variant {
    const char *method;
    dltf_encoder_kind encoder;
    dltf_select select;
    dltf_coder coder;
    int64_t passes, lists; /* 0: as the coder chooses */
    bool plain;            /* without fine-tuning, which costs positive features a few percent here */
} variants[] = {
    {.method = "dltf-tight", .encoder = DLTF_ENCODER_TIGHT},
    {.method = "dltf-dual", .encoder = DLTF_ENCODER_DUAL},
    {.method = "dltf-distilled", .encoder = DLTF_ENCODER_DISTILLED},
    {.method = "dltf-default", .encoder = DLTF_ENCODER_AUTO},
    {.method = "dltf-dual-positive", .encoder = DLTF_ENCODER_DUAL, .select = DLTF_SELECT_POSITIVE},
    {.method = "dltf-distilled-positive",
     .encoder = DLTF_ENCODER_DISTILLED,
     .select = DLTF_SELECT_POSITIVE,
     .plain = true},
    {.method = "dltf-2-passes", .encoder = DLTF_ENCODER_DISTILLED, .coder = DLTF_CODER_HTP, .passes = 2},
    {.method = "dltf-omp", .encoder = DLTF_ENCODER_DISTILLED, .coder = DLTF_CODER_OMP},
    {.method = "dltf-shortlist", .encoder = DLTF_ENCODER_DISTILLED, .coder = DLTF_CODER_SHORTLIST},
    {.method = "dltf-shortlist-2",
     .encoder = DLTF_ENCODER_DISTILLED,
     .coder = DLTF_CODER_SHORTLIST,
     .lists = 2},
};

static struct variant variant_of(const char *method) {
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        if (strcmp(variants[i].method, method) == 0)
            return variants[i];
    return (struct variant){.method = method, .encoder = DLTF_ENCODER_TIED};
}

dltf_synthetic_options recovery_problem(bool quick, int64_t k, int64_t seed) {
    return (dltf_synthetic_options){.size = sizeof(dltf_synthetic_options),
                                    .n = 64,
                                    .m = 128,
                                    .k = k,
                                    .samples = quick ? 2000 : 10000,
                                    .noise = 0.1,
                                    .seed = seed,
                                    .entries = DLTF_ENTRIES_ONES};
}

bool recovery_is_learned(const char *method) {
    return strcmp(method, "original") != 0 && strcmp(method, "random") != 0;
}

dltf_train_options recovery_options(const experiment_cell *cell, const dltf_synthetic_options *spec) {
    dltf_train_options options = dltf_train_options_default();
    options.m = spec->m;
    options.k = spec->k;
    options.seed = cell->seed;
    options.threads = cell->request->threads;
    options.center = DLTF_NO; /* codes of ones have a mean, which belongs to the problem */
    options.encoder = variant_of(cell->method).encoder;
    options.select = variant_of(cell->method).select;
    if (variant_of(cell->method).plain)
        options.finetune = 0;
    if (strcmp(cell->method, "dltf-admm") == 0)
        options.admm = ADMM_AFTER;
    if (strcmp(cell->method, "admm-as-written") == 0) {
        options.init = DLTF_INIT_GAUSSIAN;
        options.steps = 0;
        options.iterations = 0;
        options.admm = ADMM_ALONE;
        options.theta = ADMM_THETA;
        options.lambda = ADMM_LAMBDA;
        options.beta = ADMM_BETA;
    }
    if (strcmp(cell->method, "ksvd") == 0) {
        options.method = DLTF_METHOD_KSVD;
        options.update = DLTF_UPDATE_EXACT;
        options.iterations = KSVD_ITERATIONS;
    }
    return options;
}

void recovery_protocol(const dltf_synthetic_options *spec, json_t *protocol) {
    json_object_set_new(protocol, "n", json_integer(spec->n));
    json_object_set_new(protocol, "m", json_integer(spec->m));
    json_object_set_new(protocol, "samples", json_integer(spec->samples));
    json_object_set_new(protocol, "noise", json_real(spec->noise));
    json_object_set_new(protocol, "feature",
                        json_string("k largest magnitudes of one product, tied unless the method names an "
                                    "encoder; dltf-default: as trained without options; "
                                    "dltf-distilled-positive: without fine-tuning; dltf-2-passes: "
                                    "distilled, then one pass of htp; dltf-omp, "
                                    "dltf-shortlist, dltf-shortlist-2: distilled, coders omp and shortlist "
                                    "(one list of 3k, two lists)"));
    json_object_set_new(protocol, "matching",
                        json_string("learned atoms: Hungarian on |cosine|; original, random: none"));
    json_t *admm = json_object();
    json_object_set_new(admm, "iterations", json_integer(ADMM_ALONE));
    json_object_set_new(admm, "theta", json_real(ADMM_THETA));
    json_object_set_new(admm, "lambda", json_real(ADMM_LAMBDA));
    json_object_set_new(admm, "beta", json_real(ADMM_BETA));
    json_object_set_new(admm, "beta_source", json_string("ours: the paper gives none"));
    json_object_set_new(protocol, "admm-as-written", admm);
    json_object_set_new(protocol, "ksvd_iterations", json_integer(KSVD_ITERATIONS));
}

static dltf_status make_model(const experiment_cell *cell, const dltf_synthetic *problem,
                              const dltf_synthetic_options *spec, const dltf_train_options *options,
                              dltf_model **model) {
    if (strcmp(cell->method, "original") == 0)
        return support_tied_model(dltf_synthetic_dictionary(problem), options->k, model);
    if (!recovery_is_learned(cell->method))
        return support_random_model(spec->n, options->m, options->k, cell->seed, model);
    return dltf_train(dltf_synthetic_samples(problem, false), options, cell->progress, cell->context, model);
}

dltf_status recovery_measure(const experiment_cell *cell, const dltf_synthetic_options *spec,
                             const dltf_train_options *options, double *values) {
    bool learned = recovery_is_learned(cell->method);
    dltf_synthetic *problem = NULL;
    dltf_model *model = NULL;
    support_result result;
    dltf_status status = dltf_synthetic_new(spec, NULL, NULL, &problem);
    double begin = dl_seconds();
    if (status == DLTF_OK)
        status = make_model(cell, problem, spec, options, &model);
    double seconds = dl_seconds() - begin;
    if (status == DLTF_OK) {
        dltf_encode_options encoding = dltf_encode_options_default();
        encoding.threads = cell->request->threads;
        struct variant variant = variant_of(cell->method);
        encoding.coder = variant.coder;
        encoding.passes = variant.passes;
        encoding.lists = variant.lists;
        support_truth truth = {dltf_synthetic_dictionary(problem), dltf_synthetic_samples(problem, true),
                               dltf_synthetic_codes(problem, true)};
        /* No progress: encoding the test set is too short to show. */
        status = support_measure(model, &truth, &encoding, learned, NULL, NULL, &result);
    }
    if (status == DLTF_OK) {
        values[RECOVERY_AVE_DIF] = result.ave_dif;
        values[RECOVERY_EXACT] = result.exact;
        values[RECOVERY_99] = result.recovered_99;
        values[RECOVERY_90] = result.recovered_90;
        values[RECOVERY_SECONDS] = learned ? seconds : NAN;
    }
    dltf_model_free(model);
    dltf_synthetic_free(problem);
    return status;
}
