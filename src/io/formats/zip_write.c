/* Writing zip archives of stored members. The bytes do not depend on time or place of writing. */
#include "io/files/bytes.h"
#include "io/formats/zip.h"

#include <zlib.h>

enum { LOCAL_SIZE = 30, MEMBER_SIZE = 46, VERSION = 20, VERSION64 = 45, DATE_1980_01_01 = 0x21 };

dl_zip_writer dl_zip_writer_new(dl_writer *out) {
    return (dl_zip_writer){.out = out, .limit = UINT32_MAX};
}

void dl_zip_writer_free(dl_zip_writer *zip) {
    dl_text_free(&zip->directory);
}

/* The value of a 32-bit field: `value`, or the marker that refers to the ZIP64 field. */
static uint64_t short_form(const dl_zip_writer *zip, int64_t value) {
    return value >= zip->limit ? UINT32_MAX : (uint64_t)value;
}

/* The fields that a local header and a directory entry share, from "version needed" to "extra length". */
static void put_common(uint8_t *at, const dl_zip_writer *zip, uint32_t crc, int64_t size, size_t name_length,
                       int extra_length) {
    dl_put_little(at, extra_length ? VERSION64 : VERSION, 2);
    dl_put_little(at + 8, DATE_1980_01_01, 2); /* flags, method and time stay 0 */
    dl_put_little(at + 10, crc, 4);
    dl_put_little(at + 14, short_form(zip, size), 4);
    dl_put_little(at + 18, short_form(zip, size), 4);
    dl_put_little(at + 22, name_length, 2);
    dl_put_little(at + 24, (uint64_t)extra_length, 2);
}

/* Writes the ZIP64 field with the values that need it; returns its length, 0 if none do. */
static int put_extra(uint8_t *at, const dl_zip_writer *zip, const int64_t *values, int count) {
    int length = 4;
    for (int i = 0; i < count; i++)
        if (values[i] >= zip->limit) {
            dl_put_little(at + length, (uint64_t)values[i], 8);
            length += 8;
        }
    if (length == 4)
        return 0;
    dl_put_little(at, 1, 2);
    dl_put_little(at + 2, (uint64_t)(length - 4), 2);
    return length;
}

uint32_t dl_zip_crc(uint32_t crc, const void *bytes, int64_t count) {
    return count > 0 ? (uint32_t)crc32_z(crc, bytes, (z_size_t)count) : crc;
}

dltf_status dl_zip_begin(dl_zip_writer *zip, const char *name, int64_t size, uint32_t crc) {
    dltf_status status = DLTF_OK;
    int64_t offset = zip->out->written;
    size_t name_length = strlen(name);
    uint8_t extra[32] = {0}, local[LOCAL_SIZE] = {'P', 'K', 3, 4}, entry[MEMBER_SIZE] = {'P', 'K', 1, 2};

    int extra_length = put_extra(extra, zip, (int64_t[]){size, size}, 2);
    put_common(local + 4, zip, crc, size, name_length, extra_length);
    DL_TRY(dl_writer_write(zip->out, local, LOCAL_SIZE));
    DL_TRY(dl_writer_write(zip->out, name, (int64_t)name_length));
    DL_TRY(dl_writer_write(zip->out, extra, extra_length));

    extra_length = put_extra(extra, zip, (int64_t[]){size, size, offset}, 3);
    dl_put_little(entry + 4, VERSION64, 2);
    put_common(entry + 6, zip, crc, size, name_length, extra_length);
    dl_put_little(entry + 42, short_form(zip, offset), 4);
    dl_text_append_bytes(&zip->directory, entry, MEMBER_SIZE);
    dl_text_append_bytes(&zip->directory, name, (int64_t)name_length);
    dl_text_append_bytes(&zip->directory, extra, extra_length);
    zip->count++;
    status = dl_text_status(&zip->directory);
done:
    return status;
}

dltf_status dl_zip_add(dl_zip_writer *zip, const char *name, const void *head, int64_t head_size,
                       const void *body, int64_t body_size) {
    uint32_t crc = dl_zip_crc(dl_zip_crc(0, head, head_size), body, body_size);
    dltf_status status = dl_zip_begin(zip, name, head_size + body_size, crc);
    if (status == DLTF_OK)
        status = dl_writer_write(zip->out, head, head_size);
    if (status == DLTF_OK)
        status = dl_writer_write(zip->out, body, body_size);
    return status;
}

/* The ZIP64 end record and its locator. */
static dltf_status write_end64(dl_zip_writer *zip, int64_t offset, int64_t size) {
    uint8_t record[56 + 20] = {'P', 'K', 6, 6};
    dl_put_little(record + 4, 56 - 12, 8);
    dl_put_little(record + 12, VERSION64, 2);
    dl_put_little(record + 14, VERSION64, 2);
    dl_put_little(record + 24, (uint64_t)zip->count, 8);
    dl_put_little(record + 32, (uint64_t)zip->count, 8);
    dl_put_little(record + 40, (uint64_t)size, 8);
    dl_put_little(record + 48, (uint64_t)offset, 8);
    uint8_t *locator = record + 56;
    memcpy(locator, "PK\6\7", 4);
    dl_put_little(locator + 8, (uint64_t)zip->out->written, 8);
    dl_put_little(locator + 16, 1, 4);
    return dl_writer_write(zip->out, record, sizeof record);
}

dltf_status dl_zip_finish(dl_zip_writer *zip) {
    dltf_status status = DLTF_OK;
    int64_t offset = zip->out->written, size = zip->directory.length;
    uint8_t end[22] = {'P', 'K', 5, 6};
    DL_TRY(dl_writer_write(zip->out, zip->directory.data, size));
    bool big = offset >= zip->limit || size >= zip->limit || zip->count >= UINT16_MAX;
    if (big)
        DL_TRY(write_end64(zip, offset, size));
    uint64_t count = zip->count >= UINT16_MAX ? UINT16_MAX : (uint64_t)zip->count;
    dl_put_little(end + 8, count, 2);
    dl_put_little(end + 10, count, 2);
    dl_put_little(end + 12, short_form(zip, size), 4);
    dl_put_little(end + 16, short_form(zip, offset), 4);
    status = dl_writer_write(zip->out, end, sizeof end);
done:
    return status;
}
