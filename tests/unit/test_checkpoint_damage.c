/* Checkpoints that are damaged, or of other data, are rejected. */
#include "test_checkpoint.h"

#include "io/formats/safetensors.h"

#include <stdio.h>
#include <unistd.h>

static void save_at(int64_t stop) {
    dltf_train_options options = all_stages();
    dltf_learner *learner = new_learner(&options);
    run(learner, stop);
    assert_int_equal(dltf_learner_save(learner, path), DLTF_OK);
    dltf_learner_free(learner);
}

static void other_data(void **state) {
    (void)state;
    dltf_learner *learner = NULL;
    dltf_matrix data = samples();
    save_at(9);
    float keep = X[33];
    X[33] = nextafterf(keep, 9);
    assert_fails(dltf_learner_resume(path, data, 1, &learner), DLTF_DATA, "made from different data");
    assert_message_has(path);
    X[33] = NAN;
    assert_fails(dltf_learner_resume(path, data, 1, &learner), DLTF_DATA, "NaN");
    X[33] = keep;
    dltf_matrix fewer = dltf_matrix_f32(X, N - 1, n), narrower = dltf_matrix_f32(X, N * 2, n / 2);
    assert_fails(dltf_learner_resume(path, fewer, 1, &learner), DLTF_DATA, "made from different data");
    assert_fails(dltf_learner_resume(path, narrower, 1, &learner), DLTF_DATA, "made from different data");
    assert_fails(dltf_learner_resume(path, dltf_matrix_f32(NULL, N, n), 1, &learner), DLTF_ARGUMENT,
                 "no data");
    assert_fails(dltf_learner_resume(path, data, -1, &learner), DLTF_ARGUMENT, "threads");
    assert_null(learner);
    learner = resume(1);
    dltf_learner_free(learner);
}

static void write_bytes(const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void other_files(void **state) {
    (void)state;
    dltf_learner *learner = NULL;
    assert_fails(dltf_learner_resume("no-such-file", samples(), 1, &learner), DLTF_FILE, "no-such-file");
    write_bytes("garbage, certainly no checkpoint", 32);
    assert_fails(dltf_learner_resume(path, samples(), 1, &learner), DLTF_FORMAT, path);
    write_bytes("", 0);
    assert_fails(dltf_learner_resume(path, samples(), 1, &learner), DLTF_FORMAT, path);
    dltf_train_options options = all_stages();
    dltf_learner *made = new_learner(&options);
    dltf_model *model = model_of(made);
    assert_int_equal(dltf_model_save(model, path), DLTF_OK);
    assert_fails(dltf_learner_resume(path, samples(), 1, &learner), DLTF_FORMAT, "a finished model");
    dltf_learner_save(made, path);
    dltf_model *loaded = NULL;
    assert_fails(dltf_model_load(path, &loaded), DLTF_FORMAT, path); /* nor is a checkpoint a model */
    assert_null(loaded);
    assert_null(learner);
    dltf_model_free(model);
    dltf_learner_free(made);
}

static void truncated(void **state) {
    (void)state;
    static uint8_t bytes[1 << 20];
    dltf_learner *learner = NULL;
    save_at(15);
    FILE *file = fopen(path, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(size > 1000 && size < sizeof bytes);
    for (size_t length = 0; length < size; length += length < 64 ? 1 : 997) {
        write_bytes(bytes, length);
        assert_fails(dltf_learner_resume(path, samples(), 1, &learner), DLTF_FORMAT, path);
        assert_null(learner);
    }
}

/* ---- tampering ---- */

/* The checkpoint of a learner, which is freed, as a bundle that may be changed. */
static void read_back(dltf_learner *learner, dl_bundle *bundle) {
    assert_int_equal(dltf_learner_save(learner, path), DLTF_OK);
    assert_int_equal(dl_safetensors_load(path, bundle), DLTF_OK);
    dltf_learner_free(learner);
}

/* The checkpoint after `stop` iterations: 3 is in stage minibatch, 9 in tied, 15 in admm. */
static dl_bundle bundle_at(int64_t stop) {
    dl_bundle bundle = {0};
    dltf_train_options options = all_stages();
    dltf_learner *learner = new_learner(&options);
    run(learner, stop);
    read_back(learner, &bundle);
    return bundle;
}

/* Restores and, if that succeeds, runs to the end. Whatever was changed, the result has no NaN. */
static dltf_status restore_and_run(const dl_bundle *bundle) {
    dltf_learner *learner = NULL;
    dltf_outcome outcome;
    dltf_model *model = NULL;
    dltf_status status = dl_checkpoint_restore(bundle, samples(), 1, NULL, &learner);
    assert_true((learner != NULL) == (status == DLTF_OK));
    alarm(30); /* a hang is a failure too */
    if (status == DLTF_OK)
        status = dltf_learner_run(learner, NULL, NULL, &outcome);
    if (status == DLTF_OK)
        status = dltf_learner_model(learner, &model);
    alarm(0);
    if (status == DLTF_OK)
        assert_sound_model(model);
    dltf_model_free(model);
    dltf_learner_free(learner);
    return status;
}

static dltf_status with_note(int64_t stop, const char *name, const char *value) {
    dl_bundle bundle = bundle_at(stop);
    assert_non_null(dl_notes_get(&bundle.notes, name));
    assert_int_equal(dl_notes_set(&bundle.notes, name, value), DLTF_OK);
    dltf_status status = restore_and_run(&bundle);
    dl_bundle_free(&bundle);
    return status;
}

static void changed_position(void **state) {
    (void)state;
    const char *stages[] = {
        "0", "2", "ksvd", "encoder", "", "x", "tiedx", "tie", "a stage whose name has no end"};
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        assert_fails(with_note(9, "stage", stages[i]), DLTF_FORMAT, "stage");
    const char *indices[] = {"-1", "7.5", "", "x", "99999999999999999999", "1000000"};
    for (size_t i = 0; i < sizeof indices / sizeof *indices; i++)
        assert_fails(with_note(9, "index", indices[i]), DLTF_FORMAT, "index");
    assert_fails(with_note(9, "outcome", "interrupted"), DLTF_FORMAT, "'interrupted' is unknown");
    assert_fails(with_note(9, "samples_seen", "-1"), DLTF_FORMAT, "'samples_seen': '-1' is not a number");
    assert_fails(with_note(9, "version", "5"), DLTF_FORMAT,
                 "unsupported checkpoint version 5; this program reads version 6");
    assert_fails(with_note(9, "stage", "minibatch"), DLTF_FORMAT,
                 "minibatch"); /* without the state of that stage */
    assert_fails(with_note(9, "stage", "admm"), DLTF_FORMAT, "admm");
    dl_bundle bundle = bundle_at(9); /* in stage `tied`, whose iterations are whole */
    assert_int_equal(dl_notes_set(&bundle.notes, "partway", "1"), DLTF_OK);
    assert_fails(restore_and_run(&bundle), DLTF_FORMAT, "partway through an iteration of stage 'tied'");
    dl_bundle_free(&bundle);
}

static void changed_notes(void **state) {
    (void)state;
    assert_fails(with_note(9, "format", "dltf-model"), DLTF_FORMAT, "finished model");
    assert_fails(with_note(9, "format", "else"), DLTF_FORMAT, "not a dltf checkpoint");
    assert_fails(with_note(9, "version", "2"), DLTF_FORMAT, "version 2");
    assert_fails(with_note(9, "data.checksum", "0123456789abcdef"), DLTF_DATA, "different data");
    assert_true(with_note(9, "option.k", "100") != DLTF_OK);
    assert_true(with_note(9, "option.theta", "nan") != DLTF_OK);
    assert_true(with_note(9, "option.select", "none") != DLTF_OK);
    assert_fails(with_note(9, "option.m", "9"), DLTF_FORMAT, "dictionary");
    assert_fails(with_note(15, "option.admm", "0"), DLTF_FORMAT,
                 "stage"); /* the options exclude this stage */
}

/* History records refer to stages by their position in the note; unknown names are rejected. */
static void changed_stage_names(void **state) {
    (void)state;
    const char *const wrong[] = {"", "x", "minibatch", "minibatch tie admm", "  tied"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_fails(with_note(15, "stages", wrong[i]), DLTF_FORMAT, "history");
    assert_int_equal(with_note(15, "stages", "tied minibatch admm"), DLTF_OK); /* names, not numbers */
}

/* A finished encoder is used as read, so NaN and wrong shapes must be rejected. */
static void changed_encoder(void **state) {
    (void)state;
    const char *const names[] = {"encoder.E", "encoder.bias"};
    for (int i = 0; i < 2; i++)
        for (int change = 0; change < 2; change++) {
            dl_bundle bundle = {0};
            dltf_train_options options = with_encoder(DLTF_ENCODER_DISTILLED);
            dltf_learner *learner = new_learner(&options);
            run(learner, 0);
            read_back(learner, &bundle);
            dl_tensor *tensor = (dl_tensor *)dl_bundle_find(&bundle, names[i]);
            assert_non_null(tensor);
            if (change == 0)
                ((double *)tensor->data)[1] = (double)NAN;
            else
                tensor->rows--;
            assert_fails(restore_and_run(&bundle), DLTF_FORMAT, names[i]);
            dl_bundle_free(&bundle);
        }
}

static dltf_status with_code(const char *name, int32_t value) {
    dl_bundle bundle = bundle_at(15);
    const dl_tensor *tensor = dl_bundle_find(&bundle, name);
    assert_non_null(tensor);
    ((int32_t *)tensor->data)[tensor->cols] = value; /* of the second sample */
    dltf_status status = restore_and_run(&bundle);
    dl_bundle_free(&bundle);
    return status;
}

static void changed_codes(void **state) {
    (void)state;
    const int32_t wrong[] = {-1, INT32_MAX, INT32_MIN, 1000};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_fails(with_code("admm.Z.count", wrong[i]), DLTF_FORMAT, "code 1");
        assert_fails(with_code("admm.Z.index", wrong[i]), DLTF_FORMAT, "code 1");
    }
}

/* The convergence test of K-SVD compares two records and must handle a history with only one. */
static void one_record_of_ksvd(void **state) {
    (void)state;
    dl_bundle bundle = {0};
    dltf_train_options options = dltf_train_options_default();
    options.m = m;
    options.k = k;
    options.method = DLTF_METHOD_KSVD;
    options.iterations = 6;
    options.threads = 1;
    dltf_learner *learner = new_learner(&options);
    run(learner, 3);
    read_back(learner, &bundle);
    for (int i = 0; i < bundle.count; i++)
        if (strcmp(bundle.tensors[i].name, "history") == 0) {
            dl_tensor *history = &bundle.tensors[i];
            size_t row = (size_t)history->cols * sizeof(double);
            memmove(history->data, (double *)history->data + (history->rows - 1) * history->cols, row);
            history->rows = 1;
        }
    assert_int_equal(restore_and_run(&bundle), DLTF_OK);
    dl_bundle_free(&bundle);
}

static void missing_notes(void **state) {
    (void)state;
    dl_bundle bundle = bundle_at(9);
    const char *optional[] = {"data.shape", "made-by"};
    for (int i = 0; i < bundle.notes.count; i++) {
        dl_note hidden = bundle.notes.list[i];
        bool needed = strcmp(hidden.name, optional[0]) != 0 && strcmp(hidden.name, optional[1]) != 0;
        bundle.notes.list[i].name = (char *)"zzz";
        dl_note *list = bundle.notes.list;
        dl_note moved = list[i];
        memmove(list + i, list + i + 1, (size_t)(bundle.notes.count - i - 1) * sizeof *list);
        list[bundle.notes.count - 1] = moved; /* the list stays sorted */
        if (needed)
            assert_fails(restore_and_run(&bundle), DLTF_FORMAT, "checkpoint");
        memmove(list + i + 1, list + i, (size_t)(bundle.notes.count - i - 1) * sizeof *list);
        list[i] = hidden;
    }
    assert_int_equal(restore_and_run(&bundle), DLTF_OK);
    dl_bundle_free(&bundle);
}

/* Every tensor of every stage: absent, of another shape, of another type, full of NaN, infinity or huge
 * values. */
static void check_tensor(int64_t stop, int which) {
    dl_bundle bundle = bundle_at(stop);
    dl_tensor *t = &bundle.tensors[which], keep = *t;
    memset(t->name, 'x', 3);
    assert_fails(restore_and_run(&bundle), DLTF_FORMAT,
                 strcmp(keep.name, "history") == 0 ? "history" : "missing");
    *t = keep;
    t->rows--;
    if (strcmp(keep.name, "history") != 0) /* any number of records is valid; see shortened_history */
        assert_fails(restore_and_run(&bundle), DLTF_FORMAT, keep.name);
    *t = keep;
    t->cols--;
    assert_fails(restore_and_run(&bundle), DLTF_FORMAT, keep.name);
    *t = keep;
    t->rank = 3 - t->rank;
    assert_fails(restore_and_run(&bundle), DLTF_FORMAT, keep.name);
    *t = keep;
    t->type = t->type == DL_TENSOR_F32 ? DL_TENSOR_F64 : DL_TENSOR_F32;
    assert_fails(restore_and_run(&bundle), DLTF_FORMAT, keep.name);
    *t = keep;
    const double values[] = {NAN, INFINITY, -1e30, 0};
    for (int v = 0; t->type != DL_TENSOR_I32 && v < 4; v++) { /* for integers see changed_codes */
        for (int64_t i = 0; i < t->rows * t->cols; i += 1 + (v < 2) * t->cols)
            if (t->type == DL_TENSOR_F32)
                ((float *)t->data)[i] = (float)values[v];
            else
                ((double *)t->data)[i] = values[v];
        dltf_status status = restore_and_run(&bundle);
        if (v < 2)
            assert_int_equal(status, DLTF_FORMAT); /* not a state of a learner */
    }
    dl_bundle_free(&bundle);
}

static void changed_tensors(void **state) {
    (void)state;
    for (int64_t stop = 3; stop <= 15; stop += 6) {
        dl_bundle bundle = bundle_at(stop);
        int count = bundle.count;
        dl_bundle_free(&bundle);
        for (int which = 0; which < count; which++)
            check_tensor(stop, which);
    }
}

/* Fewer or no records: comparing with the previous record must not read before the first. */
static void shortened_history(void **state) {
    (void)state;
    for (int64_t stop = 3; stop <= 15; stop += 3)
        for (int64_t rows = 0; rows < 3; rows++) {
            dl_bundle bundle = bundle_at(stop);
            assert_int_equal(dl_notes_set(&bundle.notes, "option.tolerance", "1"), DLTF_OK);
            for (int i = 0; i < bundle.count; i++)
                if (strcmp(bundle.tensors[i].name, "history") == 0)
                    bundle.tensors[i].rows = rows;
            dltf_status status = restore_and_run(&bundle);
            assert_true(status == DLTF_OK || status == DLTF_FORMAT);
            dl_bundle_free(&bundle);
        }
}

/* ---- out of memory ---- */

static dltf_status save(const dltf_learner *learner) {
    return dltf_learner_save(learner, path);
}

static dltf_status resume_once(void) {
    dltf_learner *learner = NULL;
    dltf_status status = dltf_learner_resume(path, samples(), 2, &learner);
    assert_true((learner != NULL) == (status == DLTF_OK));
    dltf_learner_free(learner);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    dltf_train_options options = all_stages();
    for (int64_t stop = 3; stop <= 15; stop += 6) {
        dltf_learner *learner = new_learner(&options);
        run(learner, stop);
        assert_survives_lack_of_memory(save(learner), 20);
        assert_survives_lack_of_memory(resume_once(), 60);
        dltf_learner *resumed = resume(1);
        assert_same_model(learner, resumed);
        dltf_learner_free(resumed);
        dltf_learner_free(learner);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_data),         cmocka_unit_test(other_files),
        cmocka_unit_test(truncated),          cmocka_unit_test(changed_position),
        cmocka_unit_test(changed_notes),      cmocka_unit_test(changed_stage_names),
        cmocka_unit_test(changed_encoder),    cmocka_unit_test(changed_codes),
        cmocka_unit_test(one_record_of_ksvd), cmocka_unit_test(missing_notes),
        cmocka_unit_test(changed_tensors),    cmocka_unit_test(shortened_history),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
