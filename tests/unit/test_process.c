/* Processes with little memory, and children: an error or a correct result, never a wait without end. Every
 * attempt is a child of its own, which an alarm ends. */
#include "base/parallel.h"
#include "test_learning.h"

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 300, n = 12, m = 16, THREADS = 4, PATIENCE = 60, MEGABYTE = 1 << 20 };

static float X[N * n], dictionary[m * n];

static dltf_status learn(int threads, float *W) {
    dltf_train_options options = dltf_train_options_default();
    dltf_model *model = NULL;
    options.m = m;
    options.k = 2;
    options.encoder = DLTF_ENCODER_TIED;
    options.steps = options.iterations = 3;
    options.threads = threads;
    dltf_status status = dltf_train(dltf_matrix_f32(X, N, n), &options, NULL, NULL, &model);
    if (status == DLTF_OK)
        memcpy(W, dltf_model_get(model).dictionary, sizeof dictionary);
    dltf_model_free(model);
    return status;
}

/* The exit code of a child that runs `body`; -1 if a signal ended it. */
static int in_child(int (*body)(void)) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(PATIENCE);
        _exit(body());
    }
    int result = 0;
    assert_int_equal(waitpid(child, &result, 0), child);
    return WIFEXITED(result) ? WEXITSTATUS(result) : -1;
}

/* Limits the address space to what is in use and some more. A sanitizer needs more than any limit. */
static bool limit_memory(int64_t more) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    bool known = file && fscanf(file, "%ld", &pages) == 1;
    if (file)
        fclose(file);
    rlim_t bytes = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (rlim_t)more;
    return known && setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes}) == 0;
}

static void skip_under_a_sanitizer(void) {
    if (test_small())
        skip();
}

/* ---- Memory ---- */

static void note(void *context, int64_t task, int worker) {
    (void)worker;
    ((char *)context)[task] = 1;
}

/* There is memory for the stacks of a few threads. */
static int run_many_tasks(void) {
    char done[200] = {0};
    if (!limit_memory(40 * MEGABYTE))
        return 2;
    for (int threads = 2; threads <= 64; threads *= 2) {
        memset(done, 0, sizeof done);
        dl_parallel(threads, sizeof done, note, done);
        if (memchr(done, 0, sizeof done))
            return 1;
    }
    return 0;
}

static void threads_that_cannot_be_created(void **state) {
    (void)state;
    skip_under_a_sanitizer();
    assert_int_equal(in_child(run_many_tasks), 0);
}

/* Not enough for a buffer of OpenBLAS. */
static int learn_without_memory(void) {
    float W[m * n];
    if (!limit_memory(60 * MEGABYTE))
        return 2;
    return learn(THREADS, W) == DLTF_MEMORY && strstr(dltf_message(), "not enough memory for linear algebra")
               ? 0
               : 1;
}

/* Enough for one: threads share it. */
static int learn_with_one_buffer(void) {
    float W[m * n];
    if (!limit_memory(240 * MEGABYTE))
        return 2;
    if (learn(THREADS, W) == DLTF_OK)
        return memcmp(W, dictionary, sizeof W) == 0 ? 0 : 3;
    fprintf(stderr, "%s\n", dltf_message());
    return 1;
}

static void linear_algebra_needs_memory(void **state) {
    (void)state;
    skip_under_a_sanitizer();
    assert_int_equal(in_child(learn_without_memory), 0);
}

static void threads_share_buffers(void **state) {
    (void)state;
    skip_under_a_sanitizer();
    assert_int_equal(in_child(learn_with_one_buffer), 0);
}

/* ---- Children ---- */

static int learn_again(void) {
    float W[m * n];
    if (learn(THREADS, W) != DLTF_OK)
        return 1;
    return memcmp(W, dictionary, sizeof W) == 0 ? 0 : 3;
}

/* A child of a process with a team of threads has none of them. */
static void a_child_computes_the_same(void **state) {
    (void)state;
    assert_int_equal(learn(THREADS, dictionary), DLTF_OK);
    assert_int_equal(in_child(learn_again), 0);
    assert_int_equal(learn(THREADS, dictionary), DLTF_OK); /* the parent goes on */
}

/* ---- A model of the parent ---- */

static dltf_model *shared_model;

static dltf_status encode_shared(dltf_coder coder, dltf_codes **codes) {
    dltf_encode_options options = dltf_encode_options_default();
    options.coder = coder;
    options.threads = THREADS;
    return dltf_encode(shared_model, dltf_matrix_f32(X, N, n), &options, NULL, NULL, codes);
}

/* With what the parent derived from the model, and what only the child derives; frees both. */
static int encode_in_child(void) {
    dltf_codes *again = NULL, *more = NULL;
    if (encode_shared(DLTF_CODER_OMP, &again) != DLTF_OK || encode_shared(DLTF_CODER_HTP, &more) != DLTF_OK)
        return 1;
    dltf_codes_free(again);
    dltf_codes_free(more);
    dltf_model_free(shared_model);
    return 0;
}

static void a_child_uses_the_model_of_its_parent(void **state) {
    (void)state;
    dltf_model_view parts = {.m = m, .n = n, .k = 2, .dictionary = dictionary};
    dltf_codes *codes = NULL;
    assert_int_equal(dltf_model_new(&parts, &shared_model), DLTF_OK);
    assert_int_equal(encode_shared(DLTF_CODER_OMP, &codes), DLTF_OK);
    assert_int_equal(in_child(encode_in_child), 0);
    dltf_codes_free(codes);
    assert_int_equal(encode_shared(DLTF_CODER_HTP, &codes), DLTF_OK); /* the parent goes on */
    dltf_codes_free(codes);
    dltf_model_free(shared_model);
}

/* The result that the others must have, computed by a child, so that this process has no buffers and no team
 * yet. */
static int expected(void **state) {
    (void)state;
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    fill_normal(X, N * n);
    pid_t child = fork();
    if (child == 0) {
        bool written = learn(1, dictionary) == DLTF_OK &&
                       write(ends[1], dictionary, sizeof dictionary) == (ssize_t)sizeof dictionary;
        _exit(written ? 0 : 1);
    }
    close(ends[1]);
    bool got = read(ends[0], dictionary, sizeof dictionary) == (ssize_t)sizeof dictionary;
    close(ends[0]);
    waitpid(child, NULL, 0);
    return got ? 0 : -1;
}

/* In this order: the last tests make threads and buffers, which their children would have, too. */
int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_cannot_be_created), cmocka_unit_test(linear_algebra_needs_memory),
        cmocka_unit_test(threads_share_buffers), cmocka_unit_test(a_child_computes_the_same),
        cmocka_unit_test(a_child_uses_the_model_of_its_parent)};
    return cmocka_run_group_tests(tests, expected, NULL);
}
