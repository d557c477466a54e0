/* K-SVD on one thread: samples times iterations per second, with both atom updates. For comparison, KSVD-Box
 * (C MEX) reaches about 17,000 on a comparable core. */
#include "bench.h"
#include "learning/learner_facts.h"

#include <math.h>

enum { n = 64, m = 128, k = 8, N = 10000, ITERATIONS = 5, SOME_ROUNDS = 3 };

/* Best CPU seconds of the iterations only. */
static dltf_status measure(dltf_matrix X, dltf_update update, double *best, double *error) {
    dltf_train_options options = dltf_train_options_default();
    options.method = DLTF_METHOD_KSVD;
    options.update = update;
    options.m = m;
    options.k = k;
    options.iterations = ITERATIONS;
    options.threads = 1;
    dltf_learner *learner = NULL;
    dltf_outcome outcome;
    dltf_status status = dltf_learner_new(X, NULL, &options, &learner);
    if (status != DLTF_OK)
        return status;
    double start = bench_cpu_seconds();
    status = dltf_learner_run(learner, NULL, NULL, &outcome);
    *best = fmin(*best, bench_cpu_seconds() - start);
    int64_t count = 0;
    const dltf_iteration *history = dl_learner_history(learner, &count);
    *error = count > 0 ? history[count - 1].relative_error : 0;
    dltf_learner_free(learner);
    return status;
}

static dltf_status run(json_t *rows) {
    static const char *const names[] = {"exact", "approximate"};
    dltf_synthetic_options spec = {sizeof(dltf_synthetic_options), n, m, k, N, 0.1, 0, DLTF_ENTRIES_ONES};
    dltf_synthetic *problem = NULL;
    double best[2] = {INFINITY, INFINITY}, error[2] = {0, 0};
    dltf_status status = dltf_synthetic_new(&spec, NULL, NULL, &problem);
    for (int round = 0; round < SOME_ROUNDS; round++)
        for (int update = 0; update < 2 && status == DLTF_OK; update++)
            status = measure(dltf_synthetic_samples(problem, false), (dltf_update)update, &best[update],
                             &error[update]);
    dltf_synthetic_free(problem);
    if (status != DLTF_OK)
        return status;
    for (int update = 0; update < 2; update++) {
        double rate = (double)N * ITERATIONS / best[update], ms = 1e3 * best[update] / ITERATIONS;
        json_t *row = json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:f, s:f, s:f}", "update", names[update], "n",
                                n, "m", m, "k", k, "samples", N, "iterations", ITERATIONS, "ms_per_iteration",
                                ms, "samples_iterations_per_second", rate, "relative_error", error[update]);
        status = bench_append(rows, row);
        if (status != DLTF_OK)
            return status;
    }
    return DLTF_OK;
}

const benchmark benchmark_ksvd = {
    .name = "ksvd",
    .summary = "K-SVD: samples times iterations per second, one thread",
    .caption = "CPU of one thread, and the relative error after the iterations.",
    .rounds = SOME_ROUNDS,
    .run = run,
};
