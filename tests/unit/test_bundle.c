/* Bundles of named tensors, and notes: found by name, of the promised type and shape, sorted, copied. */
#include "data/kind.h"

#include "test_util.h"

#include <stdio.h>

static void tensors(void **state) {
    (void)state;
    dl_bundle bundle = {0};
    void *data = NULL;
    const float W[] = {1, 2, 3, 4, 5, 6};
    assert_null(dl_bundle_find(&bundle, "W"));
    assert_int_equal(dl_bundle_add_copy(&bundle, "W", DL_TENSOR_F32, 2, 3, W), DLTF_OK);
    assert_int_equal(dl_bundle_add(&bundle, "v", DL_TENSOR_I64, 4, 0, &data), DLTF_OK);
    assert_memory_equal(data, (const int64_t[4]){0}, 32);
    const dl_tensor *found = dl_bundle_find(&bundle, "W");
    assert_true(found && found->rows == 2 && found->cols == 3 && found->rank == 2);
    assert_true(found->data != (const void *)W);
    assert_memory_equal(found->data, W, sizeof W);
    assert_int_equal(dl_tensor_bytes(found), 24);
    const dl_tensor *vector = dl_bundle_find(&bundle, "v");
    assert_true(vector->rows == 4 && vector->cols == 1 && vector->rank == 1 && vector->data == data);
    assert_int_equal(dl_tensor_bytes(vector), 32);
    const void *content = NULL;
    assert_int_equal(dl_bundle_get(&bundle, "v", DL_TENSOR_I64, 4, 0, &content), DLTF_OK);
    assert_ptr_equal(content, data);
    assert_int_equal(dl_bundle_get(&bundle, "W", DL_TENSOR_F32, 2, 3, &content), DLTF_OK);
    assert_ptr_equal(content, found->data);
    dl_bundle_free(&bundle);
    assert_true(bundle.count == 0 && bundle.tensors == NULL);
    dl_bundle_free(&bundle);
}

static void sizes(void **state) {
    (void)state;
    assert_int_equal(dl_tensor_type_size(DL_TENSOR_F32), 4);
    assert_int_equal(dl_tensor_type_size(DL_TENSOR_F64), 8);
    assert_int_equal(dl_tensor_type_size(DL_TENSOR_I64), 8);
    assert_int_equal(dl_tensor_type_size(DL_TENSOR_I32), 4);
    assert_int_equal(dl_tensor_type_size(DL_TENSOR_U8), 1);
}

static void refused_get(void **state) {
    (void)state;
    dl_bundle bundle = {0};
    void *data = NULL;
    const void *content = NULL;
    assert_int_equal(dl_bundle_add(&bundle, "W", DL_TENSOR_F32, 2, 3, &data), DLTF_OK);
    assert_int_equal(dl_bundle_add(&bundle, "v", DL_TENSOR_F32, 3, 0, &data), DLTF_OK);
    assert_fails(dl_bundle_get(&bundle, "w", DL_TENSOR_F32, 2, 3, &content), DLTF_FORMAT,
                 "tensor 'w' is missing");
    assert_fails(dl_bundle_get(&bundle, "W", DL_TENSOR_F64, 2, 3, &content), DLTF_FORMAT,
                 "'W' has the wrong type or shape");
    assert_fails(dl_bundle_get(&bundle, "W", DL_TENSOR_F32, 3, 2, &content), DLTF_FORMAT,
                 "expected 3 x 2, but found 2 x 3");
    assert_fails(dl_bundle_get(&bundle, "v", DL_TENSOR_F32, 3, 1, &content), DLTF_FORMAT,
                 "'v' has the wrong type or shape");
    assert_null(content);
    dl_bundle_free(&bundle);
}

static void refused_add(void **state) {
    (void)state;
    dl_bundle bundle = {0};
    void *data = NULL;
    char name[49];
    memset(name, 'x', sizeof name);
    name[48] = '\0';
    assert_fails(dl_bundle_add(&bundle, name, DL_TENSOR_U8, 1, 1, &data), DLTF_FORMAT, "xxx...' is too long");
    name[47] = '\0'; /* the longest that fits */
    assert_int_equal(dl_bundle_add(&bundle, name, DL_TENSOR_U8, 1, 1, &data), DLTF_OK);
    assert_non_null(dl_bundle_find(&bundle, name));
    assert_fails(dl_bundle_add(&bundle, name, DL_TENSOR_F32, 2, 2, &data), DLTF_FORMAT,
                 "duplicate tensor 'xxx");
    assert_fails(dl_bundle_add(&bundle, "a", DL_TENSOR_U8, -1, 1, &data), DLTF_FORMAT,
                 "tensor 'a' has an invalid shape");
    assert_fails(dl_bundle_add(&bundle, "a", DL_TENSOR_U8, INT64_MAX, 2, &data), DLTF_FORMAT,
                 "invalid shape");
    assert_fails(dl_bundle_add(&bundle, "a", DL_TENSOR_F64, INT64_MAX / 4, 1, &data), DLTF_MEMORY,
                 "allocation size out of range: ");
    assert_int_equal(bundle.count, 1);
    dl_bundle_free(&bundle);
}

static void many_tensors_and_notes(void **state) {
    (void)state;
    dl_bundle bundle = {0};
    char name[16], value[16];
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "t%02d", i * 37 % 100);
        assert_int_equal(dl_bundle_add_copy(&bundle, name, DL_TENSOR_I32, 1, 0, (int32_t[]){i}), DLTF_OK);
        snprintf(value, sizeof value, "%d", i);
        assert_int_equal(dl_notes_set(&bundle.notes, name, value), DLTF_OK);
        memset(value, 'z', sizeof value - 1);
    }
    assert_true(bundle.count == 100 && bundle.notes.count == 100);
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "t%02d", i * 37 % 100);
        snprintf(value, sizeof value, "%d", i);
        assert_int_equal(*(int32_t *)dl_bundle_find(&bundle, name)->data, i);
        assert_string_equal(dl_notes_get(&bundle.notes, name), value);
        snprintf(name, sizeof name, "t%02d", i);
        assert_string_equal(bundle.notes.list[i].name, name); /* sorted */
    }
    dl_bundle_free(&bundle);
    assert_true(bundle.notes.count == 0 && bundle.notes.list == NULL);
}

static void notes_replace(void **state) {
    (void)state;
    dl_notes notes = {0};
    assert_null(dl_notes_get(&notes, "a"));
    assert_int_equal(dl_notes_set(&notes, "b", "1"), DLTF_OK);
    assert_int_equal(dl_notes_set(&notes, "a", ""), DLTF_OK);
    assert_int_equal(dl_notes_set(&notes, "b", "a longer one"), DLTF_OK);
    assert_int_equal(notes.count, 2);
    assert_string_equal(dl_notes_get(&notes, "a"), "");
    assert_string_equal(dl_notes_get(&notes, "b"), "a longer one");
    dl_alloc_fail_after(1);
    assert_fails(dl_notes_set(&notes, "b", "new"), DLTF_MEMORY, "not enough memory");
    dl_alloc_fail_after(0);
    assert_string_equal(dl_notes_get(&notes, "b"), "a longer one");
    dl_notes_free(&notes);
}

static void kinds(void **state) {
    (void)state;
    dl_bundle bundle = {0};
    assert_fails(
        dl_kind_check(&bundle, DL_KIND_CHECKPOINT), DLTF_FORMAT,
        "is a safetensors file, but not a dltf checkpoint as written by an interrupted 'dltf train'");
    assert_int_equal(dl_kind_mark(&bundle, DL_KIND_MODEL), DLTF_OK);
    assert_int_equal(dl_kind_check(&bundle, DL_KIND_MODEL), DLTF_OK);
    assert_fails(dl_kind_check(&bundle, DL_KIND_CHECKPOINT), DLTF_FORMAT,
                 "is a finished model, not a checkpoint; to start training from it, run "
                 "'dltf train DATA --init FILE'");
    assert_int_equal(dl_kind_mark(&bundle, DL_KIND_CHECKPOINT), DLTF_OK);
    assert_int_equal(dl_kind_check(&bundle, DL_KIND_CHECKPOINT), DLTF_OK);
    assert_fails(dl_kind_check(&bundle, DL_KIND_MODEL), DLTF_FORMAT,
                 "is a checkpoint of an unfinished training run, not a model; to resume, run "
                 "'dltf train DATA --resume FILE'");
    dl_notes_set(&bundle.notes, "version", "99\n");
    assert_fails(dl_kind_check(&bundle, DL_KIND_CHECKPOINT), DLTF_FORMAT,
                 "unsupported checkpoint version 99?; this program reads version");
    dl_bundle_free(&bundle);
}

static dltf_status fill_bundle(void) {
    dl_bundle bundle = {0};
    char name[16];
    void *data = NULL;
    dltf_status status = DLTF_OK;
    for (int i = 0; i < 20 && status == DLTF_OK; i++) {
        snprintf(name, sizeof name, "%d", i);
        status = dl_bundle_add(&bundle, name, DL_TENSOR_U8, 3, 0, &data);
        if (status == DLTF_OK)
            status = dl_notes_set(&bundle.notes, name, "x");
    }
    dl_bundle_free(&bundle);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    assert_survives_lack_of_memory(fill_bundle(), 60);
}

TESTS_MAIN(cmocka_unit_test(tensors), cmocka_unit_test(sizes), cmocka_unit_test(refused_get),
           cmocka_unit_test(refused_add), cmocka_unit_test(many_tensors_and_notes),
           cmocka_unit_test(notes_replace), cmocka_unit_test(kinds), cmocka_unit_test(out_of_memory))
