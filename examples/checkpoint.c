/* Stops a training half-way, saves a checkpoint, resumes it, and compares the model with that of an
 * uninterrupted training: the bytes are the same.
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

typedef struct watch {
    int64_t stop_at; /* percentage of the work; above 100: never */
    int64_t percent; /* done so far */
} watch;

/* Called several times a second; a non-zero return value stops the training. Work is counted in units roughly
 * proportional to time, so done / total is a fraction of the time, not of the iterations. */
static int report(void *context, const dltf_progress *progress) {
    watch *w = context;
    int64_t percent = 100 * progress->done / progress->total;
    if (progress->iteration && percent / 10 > w->percent / 10)
        printf("%4d%%  relative error %.3f\n", (int)percent, progress->iteration->relative_error);
    w->percent = percent;
    return percent >= w->stop_at;
}

static int64_t iterations(const dltf_learner *learner) {
    return dltf_learner_history(learner, 0, NULL);
}

static bool same_bytes(const char *name, const float *a, const float *b, int64_t count) {
    bool same = a && b && memcmp(a, b, (size_t)count * sizeof *a) == 0;
    printf("%-10s  %s\n", name, same ? "same bytes" : "different");
    return same;
}

int main(void) {
    dltf_synthetic_options synthetic = dltf_synthetic_options_default();
    synthetic.n = 16;
    synthetic.m = 24;
    synthetic.k = 3;
    synthetic.samples = 1000;
    synthetic.noise = 0.05;
    synthetic.seed = 1;
    dltf_synthetic *problem = NULL;
    check(dltf_synthetic_new(&synthetic, NULL, NULL, &problem));
    dltf_matrix X = dltf_synthetic_samples(problem, false);

    dltf_train_options options = dltf_train_options_default();
    options.m = synthetic.m;
    options.k = synthetic.k;
    options.steps = 40;
    options.batch = 200;

    dltf_learner *learner = NULL;
    dltf_outcome outcome;
    watch w = {.stop_at = 50};
    check(dltf_learner_new(X, NULL, &options, &learner));
    check(dltf_learner_run(learner, report, &w, &outcome));
    bool half = outcome == DLTF_INTERRUPTED && w.percent >= 50 && w.percent < 60;
    check(dltf_learner_save(learner, path));
    printf("stopped after %d iterations, saved %s\n", (int)iterations(learner), path);
    dltf_learner_free(learner);

    /* The checkpoint contains the options but not the samples, which must be passed again. */
    dltf_model *resumed = NULL, *whole = NULL;
    w.stop_at = 101;
    check(dltf_learner_resume(path, X, 0, &learner));
    printf("resumed at iteration %d\n", (int)iterations(learner));
    check(dltf_learner_run(learner, report, &w, &outcome));
    check(dltf_learner_model(learner, &resumed));
    printf("finished after %d iterations\n", (int)iterations(learner));
    dltf_learner_free(learner);
    remove(path);

    check(dltf_train(X, &options, NULL, NULL, &whole));
    dltf_model_view a = dltf_model_get(resumed), b = dltf_model_get(whole);
    printf("compared with an uninterrupted training:\n");
    bool same = same_bytes("dictionary", a.dictionary, b.dictionary, a.m * a.n);
    same = same_bytes("encoder", a.encoder, b.encoder, a.m * a.n) && same;
    same = same_bytes("bias", a.bias, b.bias, a.m) && same;

    dltf_model_free(whole);
    dltf_model_free(resumed);
    dltf_synthetic_free(problem);
    return half && same ? EXIT_SUCCESS : EXIT_FAILURE;
}
