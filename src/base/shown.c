/* Numbers and untrusted text in messages. */
#include "base/shown.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *dl_commas_in(char text[DL_SHOWN], int64_t number) {
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%" PRId64, number);
    char *to = text;
    for (int i = 0; i < count; i++) {
        *to++ = digits[i];
        int left = count - 1 - i;
        if (left > 0 && left % 3 == 0 && digits[i] != '-')
            *to++ = ',';
    }
    *to = '\0';
    return text;
}

/* Code points that do not stay where they are printed: controls, separators of lines and paragraphs,
 * controls of direction. */
static bool is_control(uint32_t point) {
    return point < 0x20 || (point >= 0x7f && point < 0xa0) || (point >= 0x2028 && point <= 0x202e) ||
           (point >= 0x2066 && point <= 0x2069);
}

/* Bytes of the character at the start of a text, and its code point; 0 if the bytes are not UTF-8. */
static size_t utf8_length(const unsigned char *text, uint32_t *found) {
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = text[0];
    *found = first;
    if (first < 0x80)
        return 1;
    size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc0 || first > 0xf4)
        return 0;
    uint32_t point = first & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        point = point << 6 | (text[i] & 0x3fu);
    }
    *found = point;
    bool valid = point >= smallest[length] && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
    return valid ? length : 0;
}

bool dl_is_utf8(const char *text) {
    uint32_t point;
    for (size_t length; *text; text += length)
        if ((length = utf8_length((const unsigned char *)text, &point)) == 0)
            return false;
    return true;
}

const char *dl_printable(const char *text, char *shown, size_t size) {
    const unsigned char *from = (const unsigned char *)text;
    size_t used = 0;
    if (!text || !shown)
        return "";
    while (*from) {
        char escaped[5];
        uint32_t point;
        size_t length = utf8_length(from, &point);
        length = length > 0 && is_control(point) ? 0 : length; /* 0: escape the first byte */
        size_t wanted = length > 0 ? length : sizeof escaped - 1;
        if (used + wanted >= size)
            break;
        if (length == 0)
            snprintf(escaped, sizeof escaped, "\\x%02x", *from);
        memcpy(shown + used, length > 0 ? (const char *)from : escaped, wanted);
        used += wanted;
        from += length > 0 ? length : 1;
    }
    if (size > 0)
        shown[used] = '\0';
    return shown;
}

const char *dl_shown_in(char text[DL_SHOWN], const void *bytes, int64_t count) {
    enum { MAX_LENGTH = 40 };
    const unsigned char *from = bytes;
    int64_t kept = count < MAX_LENGTH ? count : MAX_LENGTH;
    for (int64_t i = 0; i < kept; i++)
        text[i] = (char)(from[i] >= 0x20 && from[i] < 0x7f ? from[i] : '?');
    strcpy(text + kept, kept < count ? "..." : "");
    return text;
}
