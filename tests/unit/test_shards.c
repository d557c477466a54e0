/* Checkpoints whose samples are in shards, as several ranks write them: they are made here from the
 * checkpoint of one process. Damaged ones are rejected with the name of the file; files of older ones are
 * removed. */
#include "dltf.h"

#include "base/memory.h"
#include "data/kind.h"
#include "io/files/shard_files.h"
#include "io/files/temporary.h"
#include "io/formats/safetensors.h"
#include "learning/learner.h"
#include "program/program.h"

#include "test_learning.h"
#include "test_path.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { N = 90, n = 6, m = 8, k = 2, SHARDS = 3 };

static const char GENERATION[] = "0123456789abcdef", OTHER[] = "fedcba9876543210";
static const int64_t places[SHARDS + 1] = {0, 20, 70, N};

static float X[N * n];

static dltf_matrix samples(void) {
    if (X[0] == 0)
        fill_normal(X, N * n);
    return dltf_matrix_f32(X, N, n);
}

/* A learner in stage admm. */
static dltf_learner *new_learner(void) {
    dltf_train_options options = dltf_train_options_default();
    dltf_learner *learner = NULL;
    test_brake b = {.left = 3};
    dltf_outcome outcome;
    options.m = m;
    options.k = k;
    options.encoder = DLTF_ENCODER_TIED;
    options.steps = options.iterations = 0;
    options.admm = 6;
    options.tolerance = 0;
    options.threads = 1;
    assert_int_equal(dltf_learner_new(samples(), NULL, &options, &learner), DLTF_OK);
    assert_int_equal(dltf_learner_run(learner, brake, &b, &outcome), DLTF_OK);
    return learner;
}

/* ---- making shards ---- */

static char *name_of(const char *generation, int number) {
    char *name = dl_shard_path(path, generation, number, SHARDS);
    assert_non_null(name);
    return name;
}

static bool exists(const char *name) {
    return access(name, F_OK) == 0;
}

static bool of_samples(const dl_tensor *t) {
    return strncmp(t->name, "admm.", 5) == 0 && strcmp(t->name, "admm.A") != 0;
}

static void add_rows(dl_bundle *to, const dl_tensor *t, int64_t first, int64_t rows) {
    int64_t row = t->cols * dl_tensor_type_size(t->type);
    assert_int_equal(dl_bundle_add_copy(to, t->name, t->type, rows, t->rank == 2 ? t->cols : 0,
                                        (const char *)t->data + first * row),
                     DLTF_OK);
}

/* The rows of a shard, which it says begin and end as `told`. */
static void write_shard(const dl_bundle *whole, int number, const char *generation, const int64_t *told) {
    dl_bundle shard = {0};
    int64_t first = places[number], rows = places[number + 1] - first;
    assert_int_equal(dl_kind_mark(&shard, DL_KIND_SHARD), DLTF_OK);
    assert_int_equal(dl_notes_set(&shard.notes, "shards.generation", generation), DLTF_OK);
    assert_int_equal(dl_bundle_add_copy(&shard, "shard.samples", DL_TENSOR_I64, 2, 0, told), DLTF_OK);
    for (int i = 0; i < whole->count; i++)
        if (of_samples(&whole->tensors[i]))
            add_rows(&shard, &whole->tensors[i], first, rows);
    char *name = name_of(GENERATION, number);
    assert_int_equal(dl_safetensors_save(&shard, name), DLTF_OK);
    dl_free(name);
    dl_bundle_free(&shard);
}

static void write_main(const dl_bundle *whole, const char *generation, const int64_t *ends, int64_t count) {
    dl_bundle bundle = {0};
    for (int i = 0; i < whole->count; i++)
        if (!of_samples(&whole->tensors[i]))
            add_rows(&bundle, &whole->tensors[i], 0, whole->tensors[i].rows);
    for (int i = 0; i < whole->notes.count; i++)
        assert_int_equal(dl_notes_set(&bundle.notes, whole->notes.list[i].name, whole->notes.list[i].value),
                         DLTF_OK);
    assert_int_equal(dl_notes_set(&bundle.notes, "shards.generation", generation), DLTF_OK);
    assert_int_equal(dl_bundle_add_copy(&bundle, "shards.first", DL_TENSOR_I64, count, 0, ends), DLTF_OK);
    assert_int_equal(dl_safetensors_save(&bundle, path), DLTF_OK);
    dl_bundle_free(&bundle);
}

/* Writes a checkpoint with shards; the bundle has all of it. */
static dl_bundle divide(void) {
    dl_bundle whole = {0};
    dltf_learner *learner = new_learner();
    assert_int_equal(dltf_learner_save(learner, path), DLTF_OK);
    assert_int_equal(dl_safetensors_load(path, &whole), DLTF_OK);
    dltf_learner_free(learner);
    for (int i = 0; i < SHARDS; i++)
        write_shard(&whole, i, GENERATION, places + i);
    write_main(&whole, GENERATION, places, SHARDS + 1);
    return whole;
}

/* ---- reading ---- */

static void assert_resumes(const dl_bundle *whole) {
    dltf_learner *learner = NULL;
    dl_bundle again = {0};
    if (dltf_learner_resume(path, samples(), 1, &learner) != DLTF_OK)
        fail_msg("%s", dltf_message());
    assert_int_equal(dltf_learner_save(learner, path), DLTF_OK);
    assert_int_equal(dl_safetensors_load(path, &again), DLTF_OK);
    assert_int_equal(again.count, whole->count);
    for (int i = 0; i < whole->count; i++) {
        const dl_tensor *t = &whole->tensors[i], *other = dl_bundle_find(&again, t->name);
        assert_non_null(other);
        assert_int_equal(dl_tensor_bytes(other), dl_tensor_bytes(t));
        assert_memory_equal(other->data, t->data, (size_t)dl_tensor_bytes(t));
    }
    dl_bundle_free(&again);
    dltf_learner_free(learner);
}

static void assert_rejected(dltf_status status, const char *generation, int number, const char *text) {
    dltf_learner *learner = NULL;
    assert_fails(dltf_learner_resume(path, samples(), 1, &learner), status, text);
    assert_null(learner);
    char *name = number < 0 ? NULL : name_of(generation, number);
    assert_message_has(name ? name : path);
    if (name)
        assert_message_has("the checkpoint needs all its shards, 3 files, beside it");
    dl_free(name);
}

/* Resumed by one process, which saves a checkpoint without shards and removes them. */
static void resumed(void **state) {
    (void)state;
    dl_bundle whole = divide();
    assert_resumes(&whole);
    for (int i = 0; i < SHARDS; i++) {
        char *name = name_of(GENERATION, i);
        assert_false(exists(name));
        dl_free(name);
    }
    dl_bundle_free(&whole);
}

static void missing_or_truncated(void **state) {
    (void)state;
    for (int i = 0; i < SHARDS; i++) {
        dl_bundle whole = divide();
        char *name = name_of(GENERATION, i);
        assert_int_equal(truncate(name, 1000), 0);
        assert_rejected(DLTF_FORMAT, GENERATION, i, "truncated");
        assert_int_equal(truncate(name, 0), 0);
        assert_rejected(DLTF_FORMAT, GENERATION, i, "is empty");
        assert_int_equal(unlink(name), 0);
        assert_rejected(DLTF_FILE, GENERATION, i, "cannot open");
        dl_free(name);
        dl_bundle_free(&whole);
    }
}

static void of_another_checkpoint(void **state) {
    (void)state;
    const int64_t wrong[] = {20, 71};
    dl_bundle whole = divide();
    write_shard(&whole, 1, OTHER, places + 1);
    assert_rejected(DLTF_FORMAT, GENERATION, 1,
                    "expected generation 0123456789abcdef but found fedcba9876543210");
    write_shard(&whole, 1, GENERATION, wrong);
    assert_rejected(DLTF_FORMAT, GENERATION, 1, "expected samples 20 to 70 but found 20 to 71");
    char *from = name_of(GENERATION, 0), *to = name_of(GENERATION, 1);
    write_shard(&whole, 1, GENERATION, places + 1);
    assert_int_equal(rename(to, from), 0);
    assert_rejected(DLTF_FORMAT, GENERATION, 0, "expected samples 0 to 20 but found 20 to 70");
    dl_free(from);
    dl_free(to);
    dl_bundle_free(&whole);
}

/* A whole checkpoint or anything else under the name of a shard. */
static void of_another_kind(void **state) {
    (void)state;
    dl_bundle whole = divide();
    char *name = name_of(GENERATION, 2);
    assert_int_equal(dl_safetensors_save(&whole, name), DLTF_OK);
    assert_rejected(DLTF_FORMAT, GENERATION, 2, "is a checkpoint of an unfinished training run");
    dl_free(name);
    dl_bundle_free(&whole);
}

/* Each tensor of samples missing, with a wrong number of rows, or with a NaN. */
static void changed_tensors(void **state) {
    (void)state;
    dl_bundle whole = divide();
    char *name = name_of(GENERATION, 1);
    for (int change = 0; change < 3; change++)
        for (int i = 0; i < 6; i++) {
            dl_bundle shard = {0};
            write_shard(&whole, 1, GENERATION, places + 1);
            assert_int_equal(dl_safetensors_load(name, &shard), DLTF_OK);
            assert_int_equal(shard.count, 6);
            dl_tensor *t = &shard.tensors[i];
            const char *text = change == 2 ? "non-finite" : t->name;
            if (change == 2 && t->type != DL_TENSOR_F32)
                text = NULL;
            else if (change == 2)
                ((float *)t->data)[t->rows * t->cols - 1] = NAN;
            else if (change == 1)
                t->rows--;
            else {
                text = "is missing";
                memset(t->name, 'x', 3);
            }
            assert_int_equal(dl_safetensors_save(&shard, name), DLTF_OK);
            if (text)
                assert_rejected(DLTF_FORMAT, GENERATION, 1, text);
            dl_bundle_free(&shard);
        }
    write_shard(&whole, 1, GENERATION, places + 1);
    assert_resumes(&whole);
    dl_free(name);
    dl_bundle_free(&whole);
}

static void changed_main(void **state) {
    (void)state;
    dl_bundle whole = divide();
    const int64_t wrong[][4] = {
        {1, 20, 70, N}, {0, 70, 20, N}, {0, 20, 70, N + 1}, {0, -5, 70, N}, {INT64_MIN, 0, 0, N},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        write_main(&whole, GENERATION, wrong[i], 4);
        assert_rejected(DLTF_FORMAT, NULL, -1, "does not describe shards of 90 samples");
    }
    write_main(&whole, GENERATION, places, 1);
    assert_rejected(DLTF_FORMAT, NULL, -1, "does not describe shards");
    write_main(&whole, GENERATION, (int64_t[]){0, 30, 60, 70, N}, 5); /* as many shards, other names */
    dltf_learner *learner = NULL;
    assert_fails(dltf_learner_resume(path, samples(), 1, &learner), DLTF_FILE, "-1-of-4: cannot open");
    write_main(&whole, GENERATION, (int64_t[]){0, 20, 20, N}, 4); /* a rank may have none, but this one has */
    assert_fails(dltf_learner_resume(path, samples(), 1, &learner), DLTF_FORMAT, "expected samples");
    write_main(&whole, OTHER, places, 4);
    assert_rejected(DLTF_FILE, OTHER, 0, "cannot open");
    /* Generations are part of file names. */
    const char *const hostile[] = {"../../etc/passwd", "0123456789ABCDEF", "", "0123456789abcdef0", "/"};
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        write_main(&whole, hostile[i], places, 4);
        assert_rejected(DLTF_FORMAT, NULL, -1, "does not describe shards");
    }
    write_main(&whole, GENERATION, places, 4);
    assert_resumes(&whole);
    dl_bundle_free(&whole);
}

/* ---- removing ---- */

static char *touch(const char *ending) {
    char *name = malloc(sizeof path + strlen(ending));
    assert_non_null(name);
    sprintf(name, "%s%s", path, ending);
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    return name;
}

/* Stale shards of any number of ranks go with the next checkpoint, other files stay. */
static void removed(void **state) {
    (void)state;
    const char *const stale[] = {".fedcba9876543210-1-of-2", ".0000000000000000-17-of-100"};
    const char *const other[] = {".fedcba9876543210",         ".fedcba9876543210-1-of-",
                                 ".fedcba9876543210-1-of-2x", ".fedcba987654321-1-of-2",
                                 ".fedcba98765432100-1-of-2", "0.fedcba9876543210-1-of-2",
                                 ".fedcba9876543210-of-2",    ".FEDCBA9876543210-1-of-2"};
    char *names[10];
    for (int i = 0; i < 10; i++)
        names[i] = touch(i < 2 ? stale[i] : other[i - 2]);
    dl_bundle whole = divide(); /* saves a checkpoint of one process, then makes shards */
    for (int i = 0; i < 10; i++)
        assert_true(exists(names[i]) == (i >= 2));
    free(touch(stale[0]));
    dl_shards_remove(path, GENERATION);
    assert_false(exists(names[0]));
    assert_true(dl_checkpoint_remove(path));
    assert_false(dl_checkpoint_remove(path));
    for (int i = 0; i < SHARDS; i++) {
        char *name = name_of(GENERATION, i);
        assert_false(exists(name));
        dl_free(name);
    }
    for (int i = 2; i < 10; i++)
        assert_int_equal(unlink(names[i]), 0);
    for (int i = 0; i < 10; i++)
        free(names[i]);
    dl_bundle_free(&whole);
}

static int remove_all(void **state) {
    (void)state;
    dl_checkpoint_remove(path);
    return 0;
}

/* Where files must have names while they are written, those of a killed process go, and no others. */
static void of_killed_writers(void **state) {
    (void)state;
    char name[DL_TEMPORARY_NAME], target[64];
    int folder = dl_temporary_folder("/tmp");
    snprintf(target, sizeof target, "%s.%s-1-of-2", strrchr(path, '/') + 1, GENERATION);
    int descriptor = dl_temporary_create_named(folder, target, name);
    assert_true(folder >= 0 && descriptor >= 0);
    dl_shards_remove(path, NULL);
    assert_int_equal(faccessat(folder, name, F_OK, 0), 0);
    close(descriptor);
    dl_shards_remove(path, NULL);
    assert_int_equal(faccessat(folder, name, F_OK, 0), -1);
    /* Cleaning leaves shards alone. */
    char *shard = touch(".fedcba9876543210-1-of-2");
    descriptor = dl_temporary_create_named(folder, target, name);
    dl_checkpoint_clean(path);
    assert_int_equal(faccessat(folder, name, F_OK, 0), 0);
    close(descriptor);
    dl_checkpoint_clean(path);
    assert_int_equal(faccessat(folder, name, F_OK, 0), -1);
    assert_true(exists(shard));
    assert_int_equal(unlink(shard), 0);
    free(shard);
    close(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resumed),
        cmocka_unit_test(missing_or_truncated),
        cmocka_unit_test(of_another_checkpoint),
        cmocka_unit_test(of_another_kind),
        cmocka_unit_test(changed_tensors),
        cmocka_unit_test(changed_main),
        cmocka_unit_test(removed),
        cmocka_unit_test(of_killed_writers),
    };
    return cmocka_run_group_tests(tests, make_path, remove_all);
}
