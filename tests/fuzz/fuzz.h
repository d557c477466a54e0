/* Shared by the fuzz targets. Each takes bytes as the content of a file, without touching the disk. A target
 * aborts on errors that sanitizers cannot detect: a failure without a message, or an invalid result. */
#ifndef FUZZ_H
#define FUZZ_H

#include "base/status.h"
#include "data/array.h"
#include "data/matrix.h"
#include "dltf.h"
#include "io/files/bytes.h"
#include "io/files/file.h"
#include "io/formats/zip.h"

#include <stdlib.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static inline void fuzz_require(bool condition) {
    if (!condition)
        abort();
}

static inline void fuzz_check_message(dltf_status status) {
    fuzz_require(status == DLTF_OK || dltf_message()[0] != '\0');
    dl_fail(DLTF_OK, "%s", "");
}

/* Reads every element of a loaded array, and frees it. */
static inline void fuzz_check_array(dltf_status status, dltf_array *array) {
    fuzz_require((status == DLTF_OK) == (array != NULL));
    fuzz_check_message(status);
    if (!array)
        return;
    dltf_matrix m = dltf_array_matrix(array);
    fuzz_require(m.rows > 0 && m.cols > 0);
    if (m.type == DLTF_SPARSE) {
        fuzz_require(dl_matrix_check(m, DLTF_SUBJECT_DATA) == DLTF_OK);
        dltf_array_free(array);
        return;
    }
    static volatile uint8_t sum; /* volatile, so that the reads are not optimised away */
    int64_t size = m.type == DLTF_F64 ? 8 : m.type == DLTF_F32 ? 4 : 1;
    const uint8_t *first = m.data;
    sum = (uint8_t)(sum + first[0] + first[m.rows * m.cols * size - 1]);
    dltf_array_free(array);
}

/* Checks every value of a loaded image, and frees it. */
static inline void fuzz_check_image(dltf_status status, dltf_image *image) {
    fuzz_require((status == DLTF_OK) == (image != NULL));
    fuzz_check_message(status);
    if (!image)
        return;
    dltf_image_view view = dltf_image_get(image);
    fuzz_require(view.width > 0 && view.height > 0 && (view.channels == 1 || view.channels == 3));
    for (int64_t i = 0; i < view.channels * view.width * view.height; i++)
        fuzz_require(view.planes[i] >= 0 && view.planes[i] <= 255);
    dltf_image_free(image);
}

/* Chunks of a PNG: length, type, content, checksum of type and content, which is corrected: otherwise hardly
 * any mutation would pass. The signature comes first. */
static inline void fuzz_repair_png(uint8_t *bytes, size_t size) {
    for (size_t at = 8; at + 12 <= size;) {
        size_t length = dl_big32(bytes + at);
        if (length > size - at - 12)
            return;
        uint32_t sum = (uint32_t)crc32(0, bytes + at + 4, (uInt)(length + 4));
        for (int i = 0; i < 4; i++)
            bytes[at + 8 + length + (size_t)i] = (uint8_t)(sum >> (24 - 8 * i));
        at += length + 12;
    }
}

/* Samples to resume a training on: always the same, so that the checksum in the corpus files matches. */
enum { FUZZ_SAMPLES = 12, FUZZ_COLUMNS = 3 };

static inline dltf_matrix fuzz_samples(void) {
    static float X[FUZZ_SAMPLES * FUZZ_COLUMNS];
    for (int i = 0; i < FUZZ_SAMPLES * FUZZ_COLUMNS; i++)
        X[i] = (float)((i * 7) % 11 - 5);
    return dltf_matrix_f32(X, FUZZ_SAMPLES, FUZZ_COLUMNS);
}

/* A copy with correct checksums for stored members: otherwise no mutation of a member would pass the check.
 * The checksum in a directory entry is 30 bytes before the name. */
static inline uint8_t *fuzz_repair_zip(const uint8_t *bytes, size_t size) {
    uint8_t *copy = malloc(size ? size : 1);
    fuzz_require(copy != NULL);
    memcpy(copy, bytes, size);
    dl_zip zip;
    if (dl_zip_open(copy, (int64_t)size, &zip) == DLTF_OK) {
        for (int64_t i = 0; i < zip.count; i++) {
            const dl_zip_member *m = &zip.members[i];
            if (!m->deflated)
                dl_put_little((uint8_t *)(uintptr_t)m->name - 30, crc32(0, m->data, (uInt)m->size), 4);
        }
        dl_zip_close(&zip);
    }
    return copy;
}

#endif
