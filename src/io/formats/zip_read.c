/* Reading zip archives, strictly: the central directory must lie right before its end record, and members
 * must lie before the directory without overlap, so that no byte belongs to two members. */
#include "base/memory.h"
#include "io/files/bytes.h"
#include "io/formats/inflate.h"
#include "io/formats/zip.h"

#include <limits.h>
#include <stdlib.h>

enum {
    LOCAL_SIGNATURE = 0x04034b50,
    MEMBER_SIGNATURE = 0x02014b50,
    END_SIGNATURE = 0x06054b50,
    END64_SIGNATURE = 0x06064b50,
    LOCATOR_SIGNATURE = 0x07064b50,
    LOCAL_SIZE = 30,
    MEMBER_SIZE = 46,
    END_SIZE = 22,
    END64_SIZE = 56,
    LOCATOR_SIZE = 20,
    MAX_COMMENT = 65535,
    FLAG_ENCRYPTED = 1 | 1 << 6 | 1 << 13,
    STORED = 0,
    DEFLATED = 8,
};

typedef struct archive {
    const uint8_t *bytes;
    int64_t size;
    uint64_t directory, directory_size, count; /* from the end record; checked before use */
} archive;

bool dl_zip_recognise(const uint8_t *bytes, int64_t size) {
    return size >= 4 && (dl_little32(bytes) == LOCAL_SIGNATURE || dl_little32(bytes) == END_SIGNATURE);
}

static dltf_status corrupt(const char *what) {
    return dl_fail(DLTF_FORMAT, "corrupt zip archive: %s", what);
}

/* Offset of the end record, whose comment must extend to the end of the file; -1 if not found. */
static int64_t find_end(const archive *a) {
    int64_t last = a->size - END_SIZE;
    for (int64_t at = last; at >= 0 && at >= last - MAX_COMMENT; at--)
        if (dl_little32(a->bytes + at) == END_SIGNATURE && dl_little16(a->bytes + at + 20) == last - at)
            return at;
    return -1;
}

/* Reads the ZIP64 end record if a locator precedes the ordinary one, and moves `end` to its start. */
static dltf_status read_end64(archive *a, int64_t *end) {
    int64_t locator = *end - LOCATOR_SIZE;
    if (locator < 0 || dl_little32(a->bytes + locator) != LOCATOR_SIGNATURE)
        return DLTF_OK;
    uint64_t offset = dl_little64(a->bytes + locator + 8);
    if (offset > (uint64_t)locator || (uint64_t)locator - offset < END64_SIZE)
        return corrupt("misplaced ZIP64 end record");
    const uint8_t *record = a->bytes + offset;
    if (dl_little32(record) != END64_SIGNATURE || dl_little64(record + 4) != (uint64_t)locator - offset - 12)
        return corrupt("misplaced ZIP64 end record");
    if (dl_little32(record + 16) != 0 || dl_little32(record + 20) != 0)
        return dl_fail(DLTF_FORMAT, "is part of a multi-part zip archive: join the parts first");
    a->count = dl_little64(record + 32);
    a->directory_size = dl_little64(record + 40);
    a->directory = dl_little64(record + 48);
    *end = (int64_t)offset;
    return DLTF_OK;
}

static dltf_status find_directory(archive *a) {
    int64_t end = find_end(a);
    if (end < 0)
        return dl_fail(DLTF_FORMAT, "truncated: zip end record not found");
    const uint8_t *record = a->bytes + end;
    if (dl_little16(record + 4) != 0 || dl_little16(record + 6) != 0 ||
        dl_little16(record + 8) != dl_little16(record + 10))
        return dl_fail(DLTF_FORMAT, "is part of a multi-part zip archive: join the parts first");
    a->count = dl_little16(record + 10);
    a->directory_size = dl_little32(record + 12);
    a->directory = dl_little32(record + 16);
    dltf_status status = read_end64(a, &end);
    if (status != DLTF_OK)
        return status;
    if (a->directory > (uint64_t)end || a->directory_size != (uint64_t)end - a->directory)
        return corrupt("central directory is not where the end record says");
    if (a->count > a->directory_size / MEMBER_SIZE)
        return corrupt("central directory is too short for its members");
    return DLTF_OK;
}

/* Reads the sizes and the offset that do not fit 32 bits from the ZIP64 extra field. */
static bool read_extra(const uint8_t *extra, int64_t length, uint64_t *values[3]) {
    for (int64_t at = 0; at + 4 <= length;) {
        int64_t id = dl_little16(extra + at), size = dl_little16(extra + at + 2);
        at += 4;
        if (size > length - at)
            return false;
        for (int i = 0, used = 0; id == 1 && i < 3; i++) {
            if (*values[i] != UINT32_MAX)
                continue;
            if (used + 8 > size)
                return false;
            *values[i] = dl_little64(extra + at + used);
            used += 8;
        }
        at += size;
    }
    return true;
}

/* The local header gives the start of the data; its name must match the directory entry. */
static dltf_status find_data(const archive *a, uint64_t offset, uint64_t packed, dl_zip_member *member) {
    if (offset > a->directory || a->directory - offset < LOCAL_SIZE)
        return corrupt("a member is not where the directory says");
    const uint8_t *local = a->bytes + offset;
    uint64_t room = a->directory - offset;
    int name_length = dl_little16(local + 26);
    uint64_t header = (uint64_t)LOCAL_SIZE + (uint64_t)name_length + dl_little16(local + 28);
    if (dl_little32(local) != LOCAL_SIGNATURE || header > room || name_length != member->name_length ||
        memcmp(local + LOCAL_SIZE, member->name, (size_t)name_length) != 0)
        return corrupt("a member is not where the directory says");
    if (packed > room - header)
        return dl_fail(DLTF_FORMAT, "corrupt zip archive: '%s' extends beyond the archive",
                       DL_PRINTABLE(member->name, member->name_length));
    member->data = local + header;
    member->packed = (int64_t)packed;
    member->begin = (int64_t)offset;
    member->end = (int64_t)(offset + header + packed);
    return DLTF_OK;
}

static dltf_status check_kind(const dl_zip_member *member, int flags, int method, uint64_t size,
                              uint64_t packed) {
    const char *name = DL_PRINTABLE(member->name, member->name_length);
    for (int i = 0; i < member->name_length; i++)
        if ((unsigned char)member->name[i] < 0x20)
            return corrupt("a member name contains control characters");
    if (flags & FLAG_ENCRYPTED)
        return dl_fail(DLTF_FORMAT, "member '%s' is encrypted", name);
    if (method != STORED && method != DEFLATED)
        return dl_fail(DLTF_FORMAT,
                       "member '%s' uses unsupported compression method %d: expected stored or deflate", name,
                       method);
    if (size > INT64_MAX || (method == STORED && size != packed))
        return dl_fail(DLTF_FORMAT, "corrupt zip archive: '%s' has the wrong size", name);
    return DLTF_OK;
}

/* Parses a directory entry from the `left` remaining bytes; `used` is its length. */
static dltf_status read_member(const archive *a, const uint8_t *entry, int64_t left, dl_zip_member *member,
                               int64_t *used) {
    if (left < MEMBER_SIZE || dl_little32(entry) != MEMBER_SIGNATURE)
        return corrupt("central directory is too short for its members");
    int64_t name_length = dl_little16(entry + 28), extra_length = dl_little16(entry + 30);
    *used = MEMBER_SIZE + name_length + extra_length + dl_little16(entry + 32);
    if (*used > left)
        return corrupt("central directory is too short for its members");
    uint64_t packed = dl_little32(entry + 20), size = dl_little32(entry + 24),
             offset = dl_little32(entry + 42);
    if (!read_extra(entry + MEMBER_SIZE + name_length, extra_length, (uint64_t *[]){&size, &packed, &offset}))
        return corrupt("a member's ZIP64 field is too short");
    int method = dl_little16(entry + 10);
    *member = (dl_zip_member){.name = (const char *)entry + MEMBER_SIZE,
                              .name_length = (int)name_length,
                              .deflated = method == DEFLATED,
                              .crc = dl_little32(entry + 16)};
    dltf_status status = check_kind(member, dl_little16(entry + 8), method, size, packed);
    member->size = (int64_t)size;
    return status == DLTF_OK ? find_data(a, offset, packed, member) : status;
}

static int compare_places(const void *a, const void *b) {
    const dl_zip_member *left = a, *right = b;
    return (left->begin > right->begin) - (left->begin < right->begin);
}

static int compare_names(const void *a, const void *b) {
    const dl_zip_member *left = *(dl_zip_member *const *)a, *right = *(dl_zip_member *const *)b;
    int shorter = left->name_length < right->name_length ? left->name_length : right->name_length;
    int order = memcmp(left->name, right->name, (size_t)shorter);
    return order ? order : left->name_length - right->name_length;
}

static dltf_status check_distinct(dl_zip *zip) {
    dltf_status status = DLTF_OK;
    dl_zip_member **by_name = NULL;
    if (zip->count > 0)
        qsort(zip->members, (size_t)zip->count, sizeof *zip->members, compare_places);
    DL_TRY_NEW(by_name, zip->count);
    for (int64_t i = 0; i < zip->count; i++)
        by_name[i] = &zip->members[i];
    if (zip->count > 0)
        qsort(by_name, (size_t)zip->count, sizeof *by_name, compare_names);
    for (int64_t i = 1; i < zip->count && status == DLTF_OK; i++) {
        if (zip->members[i].begin < zip->members[i - 1].end)
            status = corrupt("two members overlap");
        else if (compare_names(&by_name[i - 1], &by_name[i]) == 0)
            status = dl_fail(DLTF_FORMAT, "corrupt zip archive: duplicate member '%s'",
                             DL_PRINTABLE(by_name[i]->name, by_name[i]->name_length));
    }
done:
    dl_free(by_name);
    return status;
}

dltf_status dl_zip_open(const uint8_t *bytes, int64_t size, dl_zip *zip) {
    archive a = {.bytes = bytes, .size = size};
    *zip = (dl_zip){0};
    dltf_status status = find_directory(&a);
    if (status != DLTF_OK)
        return status;
    DL_TRY_NEW(zip->members, (int64_t)a.count);
    zip->count = (int64_t)a.count;
    int64_t at = 0;
    for (int64_t i = 0; i < zip->count; i++) {
        int64_t used = 0;
        DL_TRY(read_member(&a, bytes + a.directory + at, (int64_t)a.directory_size - at, &zip->members[i],
                           &used));
        at += used;
    }
    if (at != (int64_t)a.directory_size)
        DL_TRY(corrupt("trailing data in the central directory"));
    status = check_distinct(zip);
done:
    if (status != DLTF_OK)
        dl_zip_close(zip);
    return status;
}

void dl_zip_close(dl_zip *zip) {
    dl_free(zip->members);
    *zip = (dl_zip){0};
}

const dl_zip_member *dl_zip_find(const dl_zip *zip, const char *name) {
    size_t length = strlen(name);
    for (int64_t i = 0; i < zip->count; i++)
        if ((size_t)zip->members[i].name_length == length && memcmp(zip->members[i].name, name, length) == 0)
            return &zip->members[i];
    return NULL;
}

/* Unpacks the first `count` bytes; `whole` also checks that the stream ends there. */
static dltf_status unpack(const dl_zip_member *member, int64_t count, bool whole, dl_file *content) {
    dltf_status status = DLTF_OK;
    dl_inflate inflater = {0};
    int64_t got = 0;
    *content = (dl_file){0};
    if (!dl_inflate_plausible(member->packed, member->size))
        return corrupt("a member declares a larger size than its compressed data can hold");
    uint8_t *memory = NULL;
    DL_TRY_NEW(memory, count);
    DL_TRY(dl_inflate_open(&inflater, member->data, member->packed, DL_WRAPPER_NONE));
    DL_TRY(dl_inflate_read(&inflater, memory, count, &got));
    if (got < count)
        DL_TRY(corrupt("a member unpacks to less than its size"));
    if (whole)
        DL_TRY(dl_inflate_finish(&inflater));
    *content = (dl_file){.bytes = memory, .size = count, .memory = memory};
    memory = NULL;
done:
    dl_inflate_close(&inflater);
    dl_free(memory);
    return status;
}

dltf_status dl_zip_peek(const dl_zip_member *member, int64_t count, dl_file *content) {
    if (count > member->size)
        count = member->size;
    if (member->deflated)
        return unpack(member, count, false, content);
    *content = dl_file_borrow(member->data, count);
    return DLTF_OK;
}

static uint32_t checksum(const uint8_t *bytes, int64_t size) {
    return (uint32_t)crc32_z(0, bytes, (z_size_t)size);
}

dltf_status dl_zip_read(const dl_zip_member *member, dl_file *content) {
    dltf_status status = DLTF_OK;
    if (member->deflated)
        status = unpack(member, member->size, true, content);
    else
        *content = dl_file_borrow(member->data, member->size);
    if (status == DLTF_OK && checksum(content->bytes, content->size) != member->crc) {
        dl_file_close(content);
        status = corrupt("checksum mismatch");
    }
    return status;
}
