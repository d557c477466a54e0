/* Watches a training, stops it half-way, saves a checkpoint, resumes it, and finds that the dictionary is the
 * same as without the stop.
 *
 *     cc checkpoint.c $(pkg-config --cflags --libs dltf) && ./a.out
 */
#include <dltf.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char path[] = "example.checkpoint";

static void check(dltf_status status) {
    if (status == DLTF_OK)
        return;
    fprintf(stderr, "%s error: %s\n", dltf_status_name(status), dltf_message());
    exit(EXIT_FAILURE);
}

/* Called after every iteration; a non-zero return stops the training. */
static int report(void *context, const dltf_progress *progress) {
    const int64_t *stop = context;
    if (progress->iteration && progress->done % 10 == 0)
        printf("%s: %2d of %d, relative error %.3f\n", progress->task, (int)progress->done,
               (int)progress->total, progress->iteration->relative_error);
    return progress->done >= *stop;
}

int main(void) {
    dltf_synthetic_spec spec = {.n = 16, .m = 24, .k = 3, .samples = 1000, .noise = 0.05, .seed = 1};
    dltf_synthetic *problem = NULL;
    check(dltf_synthetic_new(&spec, &problem));
    dltf_matrix X = dltf_synthetic_samples(problem, false);

    dltf_train_options options = dltf_train_options_default();
    options.m = spec.m;
    options.k = spec.k;
    options.steps = 40;
    options.batch = 200;
    options.iterations = 10;

    dltf_learner *learner = NULL;
    dltf_outcome outcome;
    int64_t half = 25, never = INT64_MAX;
    check(dltf_learner_new(X, &options, NULL, &learner));
    check(dltf_learner_run(learner, report, &half, &outcome));
    printf("stopped: %s\n", outcome == DLTF_INTERRUPTED ? "yes" : "no");
    check(dltf_learner_save(learner, path));
    dltf_learner_free(learner);

    dltf_model *resumed = NULL, *whole = NULL;
    check(dltf_learner_resume(path, X, 0, &learner));
    check(dltf_learner_run(learner, report, &never, &outcome));
    check(dltf_learner_model(learner, &resumed));
    dltf_learner_free(learner);
    remove(path);

    check(dltf_train(X, &options, NULL, NULL, &whole));
    const float *a = dltf_model_get(resumed).dictionary, *b = dltf_model_get(whole).dictionary;
    int same = memcmp(a, b, (size_t)(spec.m * spec.n) * sizeof *a) == 0;
    printf("resumed and uninterrupted training give %s dictionary\n", same ? "the same" : "another");

    dltf_model_free(whole);
    dltf_model_free(resumed);
    dltf_synthetic_free(problem);
    return same ? EXIT_SUCCESS : EXIT_FAILURE;
}
