/* Allocation: aligned, zeroed, failing for impossible sizes and on demand. Growing arrays and text. */
#include "base/memory.h"
#include "base/text.h"
#include "test_size.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

static void assert_zero(const unsigned char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        assert_int_equal(bytes[i], 0);
}

static void aligned_and_zeroed(void **state) {
    (void)state;
    for (int64_t count = 0; count < 300; count += 7) {
        for (int round = 0; round < 2; round++) { /* the second time the memory has been used */
            double *memory = DL_NEW(double, count);
            assert_non_null(memory);
            assert_int_equal((uintptr_t)memory % 64, 0);
            assert_zero((unsigned char *)memory, (size_t)count * sizeof *memory);
            memset(memory, 0xA5, (size_t)count * sizeof *memory);
            dl_free(memory);
        }
    }
    dl_free(NULL);
}

static long resident(void) {
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

/* The second time the memory may have been used. MemorySanitizer does not know that such blocks are zero. */
static void large_blocks_are_zero_and_untouched(void **state) {
    (void)state;
    enum { SIZE = (64 << 20) + 12345, STEP = 1021 };
    if (test_small())
        skip();
    long before = resident();
    dl_free(dl_alloc(SIZE, 1));
    assert_in_range(resident() - before, 0, 8 << 10);
    for (int round = 0; round < 2; round++) {
        unsigned char *memory = dl_alloc(SIZE, 1);
        assert_non_null(memory);
        assert_zero(memory, 5000);
        assert_zero(memory + SIZE - 5000, 5000);
        for (int64_t i = 0; i < SIZE; i += STEP)
            assert_int_equal(memory[i], 0);
        memset(memory, 0xA5, SIZE);
        dl_free(memory);
    }
}

static void impossible_sizes(void **state) {
    (void)state;
    assert_null(dl_alloc(-1, 8));
    assert_string_equal(dltf_message(), "allocation size out of range: -1 elements of 8 bytes");
    assert_null(dl_alloc(INT64_MAX, 8));
    assert_null(dl_alloc(INT64_MAX / 8 + 1, 8));
    assert_null(dl_alloc(INT64_MAX, 1));
    assert_null(dl_alloc(INT64_MAX - 63, 1));
    int64_t product = 0;
    assert_true(dl_multiply(INT64_C(3037000499), INT64_C(3037000499), &product));
    assert_int_equal(product, INT64_C(9223372030926249001));
    assert_false(dl_multiply(INT64_C(3037000500), INT64_C(3037000500), &product));
    assert_true(dl_multiply(0, INT64_MAX, &product));
    assert_int_equal(product, 0);
}

static void fails_on_demand(void **state) {
    (void)state;
    void *held[3];
    dl_alloc_fail_after(4);
    for (int i = 0; i < 3; i++) {
        held[i] = dl_alloc(1, 8);
        assert_non_null(held[i]);
    }
    assert_null(dl_alloc(1, 8));
    assert_string_equal(dltf_message(), "not enough memory for 8 bytes");
    assert_null(dl_alloc(1, 8)); /* and every later one */
    dl_alloc_fail_after(0);
    void *after = dl_alloc(1, 8);
    assert_non_null(after);
    dl_free(after);
    for (int i = 0; i < 3; i++)
        dl_free(held[i]);
}

static dltf_status try_new(void) {
    dltf_status status = DLTF_OK;
    int *memory = NULL;
    DL_TRY_NEW(memory, 3);
done:
    dl_free(memory);
    return status;
}

static void try_goes_to_done(void **state) {
    (void)state;
    assert_int_equal(try_new(), DLTF_OK);
    dl_alloc_fail_after(1);
    assert_int_equal(try_new(), DLTF_MEMORY);
    dl_alloc_fail_after(0);
}

static void grow_keeps_the_start(void **state) {
    (void)state;
    int32_t *memory = dl_grow(NULL, 0, 4, sizeof *memory);
    assert_non_null(memory);
    for (int i = 0; i < 4; i++)
        memory[i] = i + 1;
    int32_t *larger = dl_grow(memory, 3, 100, sizeof *memory);
    assert_non_null(larger);
    assert_true(larger[0] == 1 && larger[1] == 2 && larger[2] == 3);
    assert_zero((unsigned char *)(larger + 3), 97 * sizeof *larger);
    dl_alloc_fail_after(1);
    assert_null(dl_grow(larger, 100, 200, sizeof *larger));
    dl_alloc_fail_after(0);
    assert_int_equal(larger[2], 3); /* the old block is as it was */
    assert_null(dl_grow(larger, 100, INT64_MAX, sizeof *larger));
    assert_int_equal(larger[2], 3);
    dl_free(larger);
}

static void text_grows(void **state) {
    (void)state;
    dl_text text = {0};
    dl_text_append(&text, "%s", "");
    assert_string_equal(text.data, "");
    for (int i = 0; i < 1000; i++)
        dl_text_append(&text, "%d,", i % 10);
    dl_text_append_bytes(&text, "a\0b", 3);
    dl_text_append_bytes(&text, NULL, 0);
    assert_int_equal(text.length, 2003);
    assert_memory_equal(text.data, "0,1,2,3,4,5,6,7,8,9,0,", 22);
    assert_memory_equal(text.data + 2000, "a\0b", 4); /* with the terminator */
    assert_int_equal(dl_text_status(&text), DLTF_OK);
    dl_text_free(&text);
    assert_true(text.data == NULL && text.length == 0 && text.capacity == 0);
}

static void text_remembers_failure(void **state) {
    (void)state;
    dl_text text = {0};
    dl_text_append(&text, "kept");
    dl_alloc_fail_after(1);
    for (int i = 0; i < 100; i++)
        dl_text_append(&text, "%s", "something longer than what is left");
    dl_alloc_fail_after(0);
    int64_t length = text.length;
    assert_int_equal(dl_text_status(&text), DLTF_MEMORY);
    dl_text_append(&text, "x"); /* there is memory again, but the text is already broken */
    dl_text_append_bytes(&text, "x", 1);
    assert_int_equal(text.length, length);
    assert_memory_equal(text.data, "kept", 4);
    assert_int_equal(dl_text_status(&text), DLTF_MEMORY);
    dl_text_free(&text);
    dl_text empty = {0};
    dl_alloc_fail_after(1);
    dl_text_append_bytes(&empty, "x", 1);
    dl_alloc_fail_after(0);
    assert_null(empty.data);
    assert_int_equal(dl_text_status(&empty), DLTF_MEMORY);
    dl_text_free(&empty);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aligned_and_zeroed), cmocka_unit_test(large_blocks_are_zero_and_untouched),
        cmocka_unit_test(impossible_sizes),   cmocka_unit_test(fails_on_demand),
        cmocka_unit_test(try_goes_to_done),   cmocka_unit_test(grow_keeps_the_start),
        cmocka_unit_test(text_grows),         cmocka_unit_test(text_remembers_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
