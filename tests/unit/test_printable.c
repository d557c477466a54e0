/* Untrusted text made printable, in errors too. */
#include "test_util.h"

#include "dltf.h"
#include "program/program.h"

static void assert_shown(const char *text, const char *expected) {
    char shown[200];
    assert_string_equal(dl_printable(text, shown, sizeof shown), expected);
}

static void controls_are_escaped(void **state) {
    (void)state;
    assert_shown("", "");
    assert_shown("plain text: 100% ~", "plain text: 100% ~");
    assert_shown("\x1b[2J\x1b]0;title\x07", "\\x1b[2J\\x1b]0;title\\x07");
    assert_shown("two\nlines\r\t\x7f", "two\\x0alines\\x0d\\x09\\x7f");
    assert_shown("a\\x1b", "a\\x1b"); /* backslashes stay */
    for (int c = 1; c < 0x20; c++) {
        char text[2] = {(char)c, '\0'}, shown[8];
        assert_int_equal(strlen(dl_printable(text, shown, sizeof shown)), 4);
    }
}

static void letters_of_all_languages_stay(void **state) {
    (void)state;
    assert_shown("äöü \u4e2d\u6587 \U0001d54f", "äöü \u4e2d\u6587 \U0001d54f");
    /* C1 controls, of which 9b starts escape sequences; separators; direction. */
    assert_shown("\xc2\x9b"
                 "31m\xc2\x80\xc2\xa0",
                 "\\xc2\\x9b31m\\xc2\\x80\xc2\xa0");
    assert_shown("\u2028\u2029\u202e\u2066\u2069", "\\xe2\\x80\\xa8\\xe2\\x80\\xa9\\xe2\\x80\\xae\\xe2\\x81"
                                                   "\\xa6\\xe2\\x81\\xa9");
}

static void invalid_utf8_is_escaped(void **state) {
    (void)state;
    assert_shown("\x9b\xff\xfe", "\\x9b\\xff\\xfe");
    assert_shown("\xc0\x9b", "\\xc0\\x9b");                            /* overlong */
    assert_shown("\xe0\x82\x9b", "\\xe0\\x82\\x9b");                   /* overlong */
    assert_shown("\xed\xa0\x80", "\\xed\\xa0\\x80");                   /* surrogate */
    assert_shown("\xf4\x90\x80\x80\xf5", "\\xf4\\x90\\x80\\x80\\xf5"); /* above 10ffff */
    assert_shown("\xe4\xb8", "\\xe4\\xb8");                            /* cut off by the end */
    assert_shown("\xc3(", "\\xc3(");
}

/* Never half an escape or half a character. */
static void cut_between_characters(void **state) {
    (void)state;
    static const char text[] = "a\xc3\xa4\x1b!";
    static const char *const expected[] = {"", "a", "a", "aä", "aä", "aä", "aä", "aä\\x1b", "aä\\x1b!"};
    for (size_t size = 1; size <= sizeof expected / sizeof *expected; size++) {
        char shown[16] = "unchanged......";
        assert_string_equal(dl_printable(text, shown, size), expected[size - 1]);
        assert_int_equal(shown[size], "unchanged......"[size]);
    }
    char untouched = 'x';
    dl_printable(text, &untouched, 0);
    assert_int_equal(untouched, 'x');
}

static void errors_are_printable(void **state) {
    (void)state;
    dl_fail_option(DLTF_ARGUMENT, "the\x1bta", "'%s' is not a number", "\x1b[2J\n");
    assert_string_equal(dltf_last_error().text, "'\\x1b[2J\\x0a' is not a number");
    assert_string_equal(dltf_message(), "the\\x1bta: '\\x1b[2J\\x0a' is not a number");
    dl_fail_prefix(DLTF_FORMAT, "a\nb.npy");
    assert_string_equal(dltf_last_error().name, "a\nb.npy"); /* a program may need the path itself */
    assert_string_equal(dltf_message(), "a\\x0ab.npy: the\\x1bta: '\\x1b[2J\\x0a' is not a number");
}

TESTS_MAIN(cmocka_unit_test(controls_are_escaped), cmocka_unit_test(letters_of_all_languages_stay),
           cmocka_unit_test(invalid_utf8_is_escaped), cmocka_unit_test(cut_between_characters),
           cmocka_unit_test(errors_are_printable))
