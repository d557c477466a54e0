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

const char *dl_shown_in(char text[DL_SHOWN], const void *bytes, int64_t count) {
    enum { MAX_LENGTH = 40 };
    const unsigned char *from = bytes;
    int64_t kept = count < MAX_LENGTH ? count : MAX_LENGTH;
    for (int64_t i = 0; i < kept; i++)
        text[i] = (char)(from[i] >= 0x20 && from[i] < 0x7f ? from[i] : '?');
    strcpy(text + kept, kept < count ? "..." : "");
    return text;
}
