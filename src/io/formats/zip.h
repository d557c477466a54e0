/* Zip archives, as far as .npz needs them: stored and deflated members, ZIP64. */
#ifndef DL_IO_FORMATS_ZIP_H
#define DL_IO_FORMATS_ZIP_H

#include "base/text.h"
#include "io/files/file.h"
#include "io/files/writer.h"

typedef struct dl_zip_member {
    const char *name; /* points into the archive; not terminated */
    int name_length;
    bool deflated;
    uint32_t crc;
    int64_t packed, size; /* bytes in the archive; bytes unpacked */
    const uint8_t *data;
    int64_t begin, end; /* range in the archive, including the local header */
} dl_zip_member;

typedef struct dl_zip {
    dl_zip_member *members; /* in archive order */
    int64_t count;
} dl_zip;

bool dl_zip_recognise(const uint8_t *bytes, int64_t size);

/* Reads the central directory. Checks that members lie within the archive, do not overlap and have unique
 * names. */
dltf_status dl_zip_open(const uint8_t *bytes, int64_t size, dl_zip *zip);
void dl_zip_close(dl_zip *zip);

/* NULL if not found. */
const dl_zip_member *dl_zip_find(const dl_zip *zip, const char *name);

/* The first `count` bytes of a member, or all if it has fewer. The CRC is not checked. */
dltf_status dl_zip_peek(const dl_zip_member *member, int64_t count, dl_file *content);
/* The whole member, CRC checked. A stored member is borrowed, not copied. */
dltf_status dl_zip_read(const dl_zip_member *member, dl_file *content);

typedef struct dl_zip_writer {
    dl_writer *out;
    dl_text directory;
    int64_t count;
    int64_t limit; /* sizes and offsets from here on need ZIP64; lowered by tests */
} dl_zip_writer;

dl_zip_writer dl_zip_writer_new(dl_writer *out);
/* Begins a stored member; the caller then writes its `size` bytes, whose checksum is `crc`, to `out`.
 * Timestamps are fixed, so that the same content gives the same bytes. */
dltf_status dl_zip_begin(dl_zip_writer *zip, const char *name, int64_t size, uint32_t crc);
/* Extends a checksum, initially 0, by these bytes. */
uint32_t dl_zip_crc(uint32_t crc, const void *bytes, int64_t count);
/* Adds a stored member made of two parts. */
dltf_status dl_zip_add(dl_zip_writer *zip, const char *name, const void *head, int64_t head_size,
                       const void *body, int64_t body_size);
/* Writes the directory. */
dltf_status dl_zip_finish(dl_zip_writer *zip);
void dl_zip_writer_free(dl_zip_writer *zip);

#endif
