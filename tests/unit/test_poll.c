/* Polls within iterations. This program has a clock of its own, which advances with every look at it: all
 * polls report, however fast the machine is. Cancelled at any of them, a training resumes with the same
 * bytes; and no call, whatever its sizes, computes for long between two of them. */
#define _GNU_SOURCE
#include "dltf.h"

#include "base/meter.h"
#include "learning/learner_facts.h"

#include "test_learning.h"
#include "test_path.h"

#include <sys/resource.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
    static _Atomic long looks;
    long tenths = ++looks;
    (void)clock;
    *now = (struct timespec){.tv_sec = tenths / 10, .tv_nsec = tenths % 10 * 100000000};
    return 0;
}

enum { N = 240, n = 12 };

static float X[N * n];

static dltf_matrix samples(void) {
    if (X[0] == 0)
        fill_normal(X, N * n);
    return dltf_matrix_f32(X, N, n);
}

/* Cancels at report number `at`; saves the state of a task that is one call. */
typedef struct stop {
    int64_t at, seen;
    bool saved;
} stop;

static int count_or_stop(void *context, const dltf_progress *progress) {
    stop *s = context;
    if (s->seen++ != s->at)
        return 0;
    s->saved = progress->state && dltf_state_save(progress->state, path) == DLTF_OK;
    return 1;
}

/* ---- Training ---- */

static dltf_train_options training(dltf_method method, dltf_encoder_kind encoder) {
    dltf_train_options o = dltf_train_options_default();
    o.m = 16;
    o.k = 3;
    o.method = method;
    o.encoder = encoder;
    o.tolerance = 0;
    o.threads = 1;
    if (method != DLTF_METHOD_KSVD && encoder != DLTF_ENCODER_LEARNED) {
        o.steps = 3;
        o.batch = 200;
    }
    if (encoder == DLTF_ENCODER_TIED)
        o.iterations = 4;
    else if (encoder != DLTF_ENCODER_LEARNED)
        o.polish = 2;
    if (encoder == DLTF_ENCODER_DISTILLED || encoder == DLTF_ENCODER_BEST)
        o.finetune = 40;
    if (encoder == DLTF_ENCODER_LEARNED || encoder == DLTF_ENCODER_BEST)
        o.epochs = 20;
    return o;
}

static dltf_learner *learner_of(const dltf_train_options *o, int64_t at, stop *s) {
    dltf_learner *l = NULL;
    dltf_outcome outcome;
    *s = (stop){.at = at};
    assert_int_equal(dltf_learner_new(samples(), NULL, o, &l), DLTF_OK);
    assert_int_equal(dltf_learner_run(l, count_or_stop, s, &outcome), DLTF_OK);
    assert_true((outcome == DLTF_INTERRUPTED) == (s->seen > at && at >= 0));
    return l;
}

static void assert_same_training(const dltf_learner *a, const dltf_learner *b) {
    dltf_model *left = NULL, *right = NULL;
    int64_t many = 0, count = 0;
    assert_int_equal(dltf_learner_model(a, &left), DLTF_OK);
    assert_int_equal(dltf_learner_model(b, &right), DLTF_OK);
    dltf_model_view x = dltf_model_get(left), y = dltf_model_get(right);
    assert_memory_equal(x.dictionary, y.dictionary, (size_t)(x.m * x.n) * sizeof(float));
    assert_true(!x.encoder == !y.encoder && !x.bias == !y.bias);
    if (x.encoder)
        assert_memory_equal(x.encoder, y.encoder, (size_t)(x.m * x.n) * sizeof(float));
    if (x.bias)
        assert_memory_equal(x.bias, y.bias, (size_t)x.m * sizeof(float));
    const dltf_iteration *h = dl_learner_history(a, &many), *g = dl_learner_history(b, &count);
    assert_int_equal(many, count);
    for (int64_t i = 0; i < count; i++) {
        assert_string_equal(h[i].stage, g[i].stage);
        assert_memory_equal(&h[i].relative_error, &g[i].relative_error, sizeof h[i].relative_error);
        assert_memory_equal(&h[i].refit_error, &g[i].refit_error, sizeof h[i].refit_error);
    }
    dltf_model_free(left);
    dltf_model_free(right);
}

/* Cancels at some of all reports, resumes from the file, and goes on with the same learner. */
static void check_training(dltf_method method, dltf_encoder_kind encoder, int64_t admm) {
    dltf_train_options o = training(method, encoder);
    stop all, s;
    dltf_outcome outcome;
    o.admm = admm;
    dltf_learner *whole = learner_of(&o, -1, &all);
    int64_t every = 1 + all.seen / 12, iterations = 0;
    dl_learner_history(whole, &iterations);
    assert_true(all.seen > iterations); /* there are polls within iterations */
    for (int64_t at = 0; at < all.seen; at += every) {
        dltf_learner *part = learner_of(&o, at, &s), *resumed = NULL;
        assert_int_equal(dltf_learner_save(part, path), DLTF_OK);
        if (dltf_learner_resume(path, samples(), 1, &resumed) != DLTF_OK)
            fail_msg("%s", dltf_message());
        assert_int_equal(dltf_learner_run(resumed, NULL, NULL, &outcome), DLTF_OK);
        assert_int_equal(dltf_learner_run(part, NULL, NULL, &outcome), DLTF_OK);
        assert_same_training(whole, resumed);
        assert_same_training(whole, part);
        dltf_learner_free(resumed);
        dltf_learner_free(part);
    }
    dltf_learner_free(whole);
}

static void trainings(void **state) {
    (void)state;
    check_training(DLTF_METHOD_DLTF, DLTF_ENCODER_TIED, 0);
    check_training(DLTF_METHOD_DLTF, DLTF_ENCODER_TIED, 3);
    check_training(DLTF_METHOD_DLTF, DLTF_ENCODER_DUAL, 0);
    check_training(DLTF_METHOD_DLTF, DLTF_ENCODER_DISTILLED, 0);
    check_training(DLTF_METHOD_DLTF, DLTF_ENCODER_LEARNED, 0);
    check_training(DLTF_METHOD_DLTF, DLTF_ENCODER_BEST, 0);
    check_training(DLTF_METHOD_KSVD, DLTF_ENCODER_TIED, 0);
    check_training(DLTF_METHOD_OMP, DLTF_ENCODER_TIED, 0);
}

/* Checkpoints that are saved at polls of a training that goes on. */
typedef struct saver {
    dltf_learner *learner;
    int64_t at, seen;
} saver;

static int save_and_go_on(void *context, const dltf_progress *progress) {
    (void)progress;
    saver *s = context;
    if (s->seen++ == s->at)
        assert_int_equal(dltf_learner_save(s->learner, path), DLTF_OK);
    return 0;
}

static void saved_on_the_way(void **state) {
    (void)state;
    dltf_train_options o = training(DLTF_METHOD_DLTF, DLTF_ENCODER_DISTILLED);
    for (int64_t at = 0;; at += 29) {
        saver s = {.at = at};
        dltf_outcome outcome;
        dltf_learner *resumed = NULL;
        assert_int_equal(dltf_learner_new(samples(), NULL, &o, &s.learner), DLTF_OK);
        assert_int_equal(dltf_learner_run(s.learner, save_and_go_on, &s, &outcome), DLTF_OK);
        bool saved = s.seen > at;
        if (saved) {
            assert_int_equal(dltf_learner_resume(path, samples(), 1, &resumed), DLTF_OK);
            assert_int_equal(dltf_learner_run(resumed, NULL, NULL, &outcome), DLTF_OK);
            assert_same_training(s.learner, resumed);
        }
        dltf_learner_free(resumed);
        dltf_learner_free(s.learner);
        if (!saved)
            break;
    }
}

/* ---- Tasks that are one call ---- */

static void clustering(void **state) {
    (void)state;
    dltf_cluster_options o = dltf_cluster_options_default();
    o.clusters = 7;
    o.restarts = 2;
    o.tolerance = 0;
    o.threads = 1;
    dltf_clusters *whole = NULL, *part = NULL;
    stop all = {.at = -1};
    assert_int_equal(dltf_clusters_train(samples(), &o, count_or_stop, &all, &whole), DLTF_OK);
    dltf_clusters_view x = dltf_clusters_get(whole);
    int resumed = 0;
    for (int64_t at = 0; at < all.seen - 1; at++) {
        stop s = {.at = at};
        assert_int_equal(dltf_clusters_train(samples(), &o, count_or_stop, &s, &part), DLTF_CANCELLED);
        if (!s.saved) /* before there was anything to save */
            continue;
        resumed++;
        assert_int_equal(dltf_clusters_resume(path, samples(), 1, NULL, NULL, &part), DLTF_OK);
        dltf_clusters_view y = dltf_clusters_get(part);
        assert_memory_equal(x.assignment, y.assignment, N * sizeof *x.assignment);
        assert_memory_equal(x.centers, y.centers, (size_t)(x.clusters * x.cols) * sizeof *x.centers);
        assert_true(x.restart == y.restart && x.iterations == y.iterations);
        dltf_clusters_free(part);
    }
    assert_true(resumed > 10);
    dltf_clusters_free(whole);
}

static void assert_same_hasher(const dltf_hasher *a, const dltf_hasher *b) {
    uint8_t left[N * 2], right[N * 2];
    assert_int_equal(dltf_hasher_apply(a, samples(), 1, NULL, NULL, left), DLTF_OK);
    assert_int_equal(dltf_hasher_apply(b, samples(), 1, NULL, NULL, right), DLTF_OK);
    assert_memory_equal(left, right, (size_t)(N * dltf_hasher_get(a).bits / 8));
}

static void hashing(void **state) {
    (void)state;
    const dltf_hash_method methods[] = {DLTF_HASH_ITQ, DLTF_HASH_SPH, DLTF_HASH_NEIGHBOUR};
    for (int i = 0; i < 3; i++) {
        dltf_hash_options o = dltf_hash_options_default();
        o.method = methods[i];
        o.bits = 8;
        o.iterations = 6;
        o.threads = 1;
        dltf_hasher *whole = NULL, *part = NULL;
        stop all = {.at = -1};
        int resumed = 0;
        assert_int_equal(dltf_hasher_train(samples(), &o, count_or_stop, &all, &whole), DLTF_OK);
        for (int64_t at = 0; at < all.seen; at += 1 + all.seen / 12) {
            stop s = {.at = at};
            assert_int_equal(dltf_hasher_train(samples(), &o, count_or_stop, &s, &part), DLTF_CANCELLED);
            if (!s.saved)
                continue;
            resumed++;
            assert_int_equal(dltf_hasher_resume(path, samples(), 1, NULL, NULL, &part), DLTF_OK);
            assert_same_hasher(whole, part);
            dltf_hasher_free(part);
        }
        assert_true(resumed > 0);
        dltf_hasher_free(whole);
    }
}

/* ---- The longest silence ---- */

/* CPU seconds; clock_gettime is not the system's here. */
static double cpu_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

typedef struct listener {
    double begin, last, longest;
} listener;

/* The promise is 0.2 s; sanitizers are slow. */
static const double LIMIT = 2, ENOUGH = 0.2;

static int listen(void *context, const dltf_progress *progress) {
    (void)progress;
    listener *l = context;
    double now = cpu_seconds();
    l->longest = now - l->last > l->longest ? now - l->last : l->longest;
    l->last = now;
    return now - l->begin > ENOUGH;
}

static listener listen_now(void) {
    double now = cpu_seconds();
    return (listener){now, now, 0};
}

static void assert_short(listener l, const char *what) {
    listen(&l, NULL);
    if (l.longest > LIMIT)
        fail_msg("%s: %.1f s of CPU time without a poll", what, l.longest);
}

enum { LARGE_N = 4000, LARGE_n = 64 };

static dltf_matrix large(void) {
    static float values[LARGE_N * LARGE_n];
    if (values[0] == 0)
        fill_normal(values, LARGE_N * LARGE_n);
    return dltf_matrix_f32(values, LARGE_N, LARGE_n);
}

static void listen_to_training(const char *what, dltf_train_options o) {
    dltf_learner *l = NULL;
    dltf_outcome outcome;
    if (dltf_learner_new(large(), NULL, &o, &l) != DLTF_OK)
        fail_msg("%s: %s", what, dltf_message());
    listener ear = listen_now();
    assert_int_equal(dltf_learner_run(l, listen, &ear, &outcome), DLTF_OK);
    assert_short(ear, what);
    assert_int_equal(outcome, DLTF_INTERRUPTED);
    dltf_learner_free(l);
}

static dltf_train_options large_training(dltf_method method, dltf_encoder_kind encoder, int64_t m,
                                         int64_t k) {
    dltf_train_options o = dltf_train_options_default();
    o.m = m;
    o.k = k;
    o.threads = 1;
    o.method = method;
    o.encoder = encoder;
    return o;
}

static void silence_of_training(void **state) {
    (void)state;
    dltf_train_options o = large_training(DLTF_METHOD_DLTF, DLTF_ENCODER_DISTILLED, 64, 8);
    o.steps = 1;
    o.polish = 0;
    o.finetune = 1000000;
    listen_to_training("finetune", o);
    o.m = 256;
    o.k = 64;
    listen_to_training("encoder", o);
    o = large_training(DLTF_METHOD_DLTF, DLTF_ENCODER_DUAL, 256, 64);
    o.steps = 1;
    o.polish = 1000;
    listen_to_training("polish", o);
    o = large_training(DLTF_METHOD_DLTF, DLTF_ENCODER_LEARNED, 512, 32);
    o.epochs = 1e5;
    listen_to_training("gradient", o);
    o = large_training(DLTF_METHOD_DLTF, DLTF_ENCODER_TIED, 256, 32);
    o.steps = 0;
    o.iterations = 100000;
    listen_to_training("tied", o);
    o = large_training(DLTF_METHOD_KSVD, DLTF_ENCODER_TIED, 256, 32);
    o.iterations = 100000;
    listen_to_training("ksvd", o);
}

static void silence_of_others(void **state) {
    (void)state;
    dltf_cluster_options means = dltf_cluster_options_default();
    means.clusters = 2000;
    means.restarts = 1000;
    means.threads = 1;
    dltf_clusters *clusters = NULL;
    listener ear = listen_now();
    assert_int_equal(dltf_clusters_train(large(), &means, listen, &ear, &clusters), DLTF_CANCELLED);
    assert_short(ear, "k-means");
    for (int method = 0; method < 3; method++) {
        dltf_hash_options o = dltf_hash_options_default();
        o.method = (dltf_hash_method[]){DLTF_HASH_ITQ, DLTF_HASH_SPH, DLTF_HASH_NEIGHBOUR}[method];
        o.bits = 64;
        o.iterations = 1000000;
        o.threads = 1;
        dltf_hasher *hasher = NULL;
        ear = listen_now();
        dltf_hasher_train(large(), &o, listen, &ear, &hasher);
        assert_short(ear, "hashing");
        dltf_hasher_free(hasher);
    }
}

static void silence_of_coders(void **state) {
    (void)state;
    enum { ATOMS = 512 };
    static float W[ATOMS * LARGE_n];
    dltf_model *model = NULL;
    fill_normal(W, ATOMS * LARGE_n);
    for (int64_t j = 0; j < ATOMS; j++) {
        double square = 0;
        for (int64_t i = 0; i < LARGE_n; i++)
            square += (double)W[j * LARGE_n + i] * (double)W[j * LARGE_n + i];
        for (int64_t i = 0; i < LARGE_n; i++)
            W[j * LARGE_n + i] /= (float)sqrt(square);
    }
    dltf_model_view parts = {.m = ATOMS, .n = LARGE_n, .k = 60, .dictionary = W};
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    const dltf_coder coders[] = {DLTF_CODER_OMP, DLTF_CODER_IHT, DLTF_CODER_HTP};
    for (int i = 0; i < 3; i++) {
        dltf_encode_options o = dltf_encode_options_default();
        o.coder = coders[i];
        o.passes = o.coder == DLTF_CODER_OMP ? 0 : 1000;
        o.threads = 1;
        dltf_codes *codes = NULL;
        listener ear = listen_now();
        dltf_status status = dltf_encode(model, large(), &o, listen, &ear, &codes);
        assert_true(status == DLTF_CANCELLED || status == DLTF_OK);
        assert_short(ear, "coding");
        dltf_codes_free(codes);
    }
    dltf_model_free(model);
}

/* ---- The meter ---- */

static int poll_within(void *context, const dltf_progress *progress) {
    (void)progress;
    int *calls = context;
    assert_true(dl_poll()); /* not this callback again */
    return ++*calls == 3;
}

static void meters(void **state) {
    (void)state;
    int calls = 0;
    dl_meter meter = dl_meter_new("a", poll_within, &calls, 1), silent = dl_meter_new("b", NULL, NULL, 1);
    assert_true(dl_poll() && calls == 0);
    dl_meter_watch(&meter);
    dl_meter_watch(&silent);
    assert_true(dl_poll() && calls == 1); /* that of the call around it */
    dl_meter_unwatch(&silent);
    assert_true(dl_poll() && calls == 2);
    assert_false(dl_poll());
    assert_false(dl_poll());
    assert_int_equal(calls, 3); /* cancelled once and for all */
    dl_meter_unwatch(&meter);
    assert_true(dl_poll() && calls == 3);
}

/* Reports show the newest record, also within the iterations that make the history move. */
static int check_record(void *context, const dltf_progress *progress) {
    int64_t count = 0;
    const dltf_iteration *records = dl_learner_history(context, &count);
    assert_ptr_equal(progress->iteration, count > 0 ? records + count - 1 : NULL);
    return 0;
}

static void reports_of_long_histories(void **state) {
    (void)state;
    dltf_train_options o = training(DLTF_METHOD_DLTF, DLTF_ENCODER_TIED);
    dltf_learner *l = NULL;
    dltf_outcome outcome;
    o.steps = 300; /* records; room is made for 64, 192, ... of them */
    assert_int_equal(dltf_learner_new(samples(), NULL, &o, &l), DLTF_OK);
    assert_int_equal(dltf_learner_run(l, check_record, l, &outcome), DLTF_OK);
    dltf_learner_free(l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meters),
        cmocka_unit_test(trainings),
        cmocka_unit_test(reports_of_long_histories),
        cmocka_unit_test(saved_on_the_way),
        cmocka_unit_test(clustering),
        cmocka_unit_test(hashing),
        cmocka_unit_test(silence_of_training),
        cmocka_unit_test(silence_of_others),
        cmocka_unit_test(silence_of_coders),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
