/* Shared by the tests of io/: a temporary directory, corruption at every byte, failing allocations, hand-made
 * .npy and zip files. */
#ifndef TEST_IO_H
#define TEST_IO_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "test_failure.h"
#include "test_size.h"

#include "base/memory.h"
#include "base/text.h"
#include "io/files/bytes.h"
#include "io/files/file.h"
#include "io/files/temporary.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* ---- a directory for the test program ---- */

static char test_directory[] = "/tmp/dltf-io-test-XXXXXX";

static inline int make_directory(void **state) {
    (void)state;
    return mkdtemp(test_directory) ? 0 : -1;
}

/* Counts the files in the directory, also hidden ones, other than `except`, and optionally removes them. */
static inline int count_files(const char *except, bool removing) {
    int count = 0;
    DIR *directory = opendir(test_directory);
    for (struct dirent *entry; (entry = readdir(directory));) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || (except && strcmp(name, except) == 0))
            continue;
        count++;
        char path[600];
        snprintf(path, sizeof path, "%s/%s", test_directory, entry->d_name);
        if (removing)
            remove(path);
    }
    closedir(directory);
    return count;
}

/* Whether the file system of the directory has files without names. */
static inline bool has_unnamed_files(void) {
    char name[DL_TEMPORARY_NAME] = "";
    int folder = dl_temporary_folder(test_directory);
    int descriptor = dl_temporary_create(folder, "x", name);
    assert_true(descriptor >= 0);
    if (*name)
        unlinkat(folder, name, 0);
    close(descriptor);
    close(folder);
    return !*name;
}

static inline int remove_directory(void **state) {
    (void)state;
    count_files(NULL, true);
    return rmdir(test_directory);
}

/* A path in the directory; four may be in use at a time. */
static inline const char *in_directory(const char *name) {
    static char paths[4][600];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", test_directory, name);
    return path;
}

static inline void write_file(const char *path, const void *bytes, int64_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, (size_t)size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline dl_text read_back(const char *path) {
    dl_text content = {0};
    char buffer[4096];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, file)) > 0;)
        dl_text_append_bytes(&content, buffer, (int64_t)got);
    fclose(file);
    return content;
}

static inline void assert_same_files(const char *left, const char *right) {
    dl_text a = read_back(left), b = read_back(right);
    assert_int_equal(a.length, b.length);
    assert_memory_equal(a.data, b.data, (size_t)a.length);
    dl_text_free(&a);
    dl_text_free(&b);
}

/* ---- failure ---- */

/* Loads from memory and frees the result. */
typedef dltf_status (*loader)(dl_file *file);

/* Runs a loader on a copy that ends where its block ends, so that a sanitizer detects reads past the end. */
static inline dltf_status load_copy(loader load, const void *bytes, int64_t size) {
    void *copy = malloc(size > 0 ? (size_t)size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, (size_t)size);
    dl_file file = dl_file_borrow(copy, size);
    dl_fail(DLTF_OK, "%s", "");
    dltf_status status = load(&file);
    if (status != DLTF_OK)
        assert_true(strlen(dltf_message()) > 5);
    free(copy);
    return status;
}

/* The whole file loads; every proper prefix fails with DLTF_FORMAT and a message. */
static inline void assert_truncation_fails(loader load, const void *bytes, int64_t size) {
    assert_int_equal(load_copy(load, bytes, size), DLTF_OK);
    for (int64_t length = 1; length < size; length++) {
        dltf_status status = load_copy(load, bytes, length);
        if (status != DLTF_FORMAT)
            fail_msg("cut after %lld of %lld bytes: %s, %s", (long long)length, (long long)size,
                     dltf_status_name(status), dltf_message());
    }
}

/* The file loads; with any bit flipped it loads or fails with DLTF_FORMAT or DLTF_DATA and a message. */
static inline void flip_every_bit(loader load, const void *bytes, int64_t size) {
    uint8_t *copy = malloc((size_t)size);
    assert_non_null(copy);
    memcpy(copy, bytes, (size_t)size);
    assert_int_equal(load_copy(load, copy, size), DLTF_OK);
    for (int64_t bit = 0; bit < 8 * size; bit++) {
        copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
        dltf_status status = load_copy(load, copy, size);
        if (status != DLTF_OK && status != DLTF_FORMAT && status != DLTF_DATA)
            fail_msg("bit %lld changed: %s, %s", (long long)bit, dltf_status_name(status), dltf_message());
        copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    free(copy);
}

/* Makes the first, second, ... allocation fail until the call succeeds. There must be at least one failure,
 * each with a message, and `failed` must hold after each. */
#define assert_survives_lack_of_memory(call, failed)                                                         \
    do {                                                                                                     \
        dltf_status got_ = DLTF_MEMORY;                                                                      \
        int64_t failures_ = -1;                                                                              \
        while (got_ != DLTF_OK) {                                                                            \
            failures_++;                                                                                     \
            dl_fail(DLTF_OK, "(no message)");                                                                \
            dl_alloc_fail_after(failures_ + 1);                                                              \
            got_ = (call);                                                                                   \
            dl_alloc_fail_after(0);                                                                          \
            if (got_ != DLTF_OK) {                                                                           \
                assert_int_equal(got_, DLTF_MEMORY);                                                         \
                assert_message_has("not enough memory");                                                     \
                assert_true(failed);                                                                         \
            }                                                                                                \
            assert_true(failures_ < 1000);                                                                   \
        }                                                                                                    \
        assert_true(failures_ > 0);                                                                          \
    } while (0)

/* ---- Hand-made .npy and zip files ---- */

/* A version 1 file with this dictionary, unpadded. */
static inline dl_text npy_bytes(const char *dictionary, const void *data, int64_t size) {
    dl_text file = {0};
    size_t length = strlen(dictionary) + 1;
    uint8_t prefix[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (uint8_t)length, (uint8_t)(length >> 8)};
    dl_text_append_bytes(&file, prefix, sizeof prefix);
    dl_text_append(&file, "%s\n", dictionary);
    dl_text_append_bytes(&file, data, size);
    return file;
}

static inline void put(dl_text *text, uint64_t value, int bytes) {
    uint8_t little[8];
    dl_put_little(little, value, bytes);
    dl_text_append_bytes(text, little, bytes);
}

typedef struct made_member {
    const char *name;
    dl_text content;
    bool deflated;
} made_member;

/* The content packed as raw deflate. */
static inline dl_text deflated(dl_text content) {
    dl_text packed = {0};
    uint8_t *room = malloc((size_t)content.length + 1000);
    z_stream stream = {.next_in = (Bytef *)content.data,
                       .avail_in = (uInt)content.length,
                       .next_out = room,
                       .avail_out = (uInt)content.length + 1000};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    dl_text_append_bytes(&packed, room, (int64_t)stream.total_out);
    deflateEnd(&stream);
    free(room);
    return packed;
}

/* The header fields from "version needed" to "extra length". */
static inline void put_member_fields(dl_text *to, const made_member *m, int64_t packed) {
    put(to, 20, 2);
    put(to, 0, 2);
    put(to, m->deflated ? 8 : 0, 2);
    put(to, 0, 4);
    put(to, crc32(0, (const Bytef *)m->content.data, (uInt)m->content.length), 4);
    put(to, (uint64_t)packed, 4);
    put(to, (uint64_t)m->content.length, 4);
    put(to, strlen(m->name), 2);
    put(to, 0, 2);
}

/* An archive of these members; frees their contents. */
static inline dl_text zip_bytes(made_member *members, int count, const char *comment) {
    dl_text zip = {0}, directory = {0};
    for (int i = 0; i < count; i++) {
        made_member *m = &members[i];
        dl_text packed = {0};
        if (m->deflated)
            packed = deflated(m->content);
        else
            dl_text_append_bytes(&packed, m->content.data, m->content.length);
        int64_t offset = zip.length;
        dl_text_append_bytes(&zip, "PK\3\4", 4);
        put_member_fields(&zip, m, packed.length);
        dl_text_append(&zip, "%s", m->name);
        dl_text_append_bytes(&zip, packed.data, packed.length);
        dl_text_append_bytes(&directory, "PK\1\2\x14\0", 6);
        put_member_fields(&directory, m, packed.length);
        put(&directory, 0, 8); /* comment length, disk, internal attributes, half of the external */
        put(&directory, 0, 2);
        put(&directory, (uint64_t)offset, 4);
        dl_text_append(&directory, "%s", m->name);
        dl_text_free(&packed);
        dl_text_free(&m->content);
    }
    int64_t offset = zip.length;
    dl_text_append_bytes(&zip, directory.data, directory.length);
    dl_text_append_bytes(&zip, "PK\5\6\0\0\0\0", 8);
    put(&zip, (uint64_t)count, 2);
    put(&zip, (uint64_t)count, 2);
    put(&zip, (uint64_t)directory.length, 4);
    put(&zip, (uint64_t)offset, 4);
    put(&zip, strlen(comment), 2);
    dl_text_append(&zip, "%s", comment);
    dl_text_free(&directory);
    return zip;
}

/* Offset of a byte string in another. */
static inline int64_t find_bytes(dl_text in, const char *what, int64_t size, int64_t from) {
    for (int64_t at = from; at + size <= in.length; at++)
        if (memcmp(in.data + at, what, (size_t)size) == 0)
            return at;
    fail_msg("not found");
    return -1;
}

/* ---- resident memory ---- */

/* Parsers check what a file declares before they allocate: no test, however hostile its files, may take more
 * memory than this. A sanitizer keeps freed blocks. */
static inline void stays_below_the_resident_limit(void **state) {
    (void)state;
    struct rusage usage;
    long limit = test_small() ? 1024 : 96;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    assert_in_range(usage.ru_maxrss / 1024, 1, limit);
}

#define IO_TESTS_MAIN(...)                                                                                   \
    int main(void) {                                                                                         \
        const struct CMUnitTest tests[] = {__VA_ARGS__, cmocka_unit_test(stays_below_the_resident_limit)};   \
        return cmocka_run_group_tests(tests, make_directory, remove_directory);                              \
    }

#endif
