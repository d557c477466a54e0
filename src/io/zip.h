/* Zip archives, as far as .npz needs them: stored and deflated members, ZIP64. */
#ifndef DL_IO_ZIP_H
#define DL_IO_ZIP_H

#include "base/text.h"
#include "io/file.h"
#include "io/writer.h"

typedef struct dl_zip_member {
    const char *name; /* in the archive, not terminated */
    int name_length;
    bool deflated;
    uint32_t crc;
    int64_t packed, size; /* bytes in the archive, bytes when unpacked */
    const uint8_t *data;
    int64_t begin, end; /* the member's place in the archive, local header included */
} dl_zip_member;

typedef struct dl_zip {
    dl_zip_member *members; /* in the order in which they lie in the archive */
    int64_t count;
} dl_zip;

bool dl_zip_recognise(const uint8_t *bytes, int64_t size);

/* Reads the directory and checks that every member lies in the archive, by itself, under its own name. */
dltf_status dl_zip_open(const uint8_t *bytes, int64_t size, dl_zip *zip);
void dl_zip_close(dl_zip *zip);

/* NULL where there is none. */
const dl_zip_member *dl_zip_find(const dl_zip *zip, const char *name);

/* The first `count` bytes of a member, or all if it has fewer. Not yet checked against the CRC. */
dltf_status dl_zip_peek(const dl_zip_member *member, int64_t count, dl_file *content);
/* All of it, CRC checked. A stored member is not copied but borrowed. */
dltf_status dl_zip_read(const dl_zip_member *member, dl_file *content);

typedef struct dl_zip_writer {
    dl_writer *out;
    dl_text directory;
    int64_t count;
    int64_t limit; /* sizes and offsets from here on need ZIP64; lowered by tests */
} dl_zip_writer;

dl_zip_writer dl_zip_writer_new(dl_writer *out);
/* Begins a stored member; its `size` bytes, of which `crc` is the checksum, are then written to `out`. Times
 * are fixed, so that the same content gives the same bytes. */
dltf_status dl_zip_begin(dl_zip_writer *zip, const char *name, int64_t size, uint32_t crc);
/* The checksum of what `crc` (0 at first) was of, and these bytes after it. */
uint32_t dl_zip_crc(uint32_t crc, const void *bytes, int64_t count);
/* Adds a stored member made of two parts. */
dltf_status dl_zip_add(dl_zip_writer *zip, const char *name, const void *head, int64_t head_size,
                       const void *body, int64_t body_size);
/* Writes the directory. */
dltf_status dl_zip_finish(dl_zip_writer *zip);
void dl_zip_writer_free(dl_zip_writer *zip);

#endif
