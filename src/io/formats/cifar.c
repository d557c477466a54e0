/* CIFAR-10: records of a label and three planes of bytes, without a header. */
#include "io/formats/cifar.h"

#include "io/files/bytes.h"
#include "io/formats/records.h"

enum { SIDE = 32, CHANNELS = 3, VALUES = CHANNELS * SIDE * SIDE, RECORD = 1 + VALUES, CLASSES = 10 };

/* There is no signature: the size of the file and the labels are all that can be checked. */
static dltf_status check_size(int64_t size) {
    if (size > 0 && size % RECORD == 0)
        return DLTF_OK;
    return dl_fail(DLTF_FORMAT,
                   "is not a CIFAR-10 file: its size, %s bytes, is not a multiple of %s (a label and %s "
                   "values)",
                   DL_COMMAS(size), DL_COMMAS(RECORD), DL_COMMAS(VALUES));
}

static dltf_status check_label(const uint8_t *label, int64_t record, int64_t cols) {
    (void)cols;
    if (*label < CLASSES)
        return DLTF_OK;
    return dl_fail(DLTF_FORMAT,
                   "is not a CIFAR-10 file: record %s (counting from 0) has label %d, expected 0 .. 9",
                   DL_COMMAS(record), *label);
}

static dltf_status check(const dl_file *file) {
    dltf_status status = check_size(file->size);
    for (int64_t i = 0; i < file->size / RECORD && status == DLTF_OK; i++)
        status = check_label(file->bytes + i * RECORD, i, VALUES);
    return status;
}

dltf_status dl_cifar_load(dl_file *file, dltf_array **array) {
    dltf_status status = check(file);
    dl_records images = {.type = DLTF_U8,
                         .rows = file->size / RECORD,
                         .cols = VALUES,
                         .offset = 1,
                         .distance = RECORD,
                         .channels = CHANNELS,
                         .height = SIDE,
                         .width = SIDE};
    return status == DLTF_OK ? dl_records_array(&images, file, array) : status;
}

dltf_status dl_cifar_load_labels(dl_file *file, dltf_array **array) {
    dltf_status status = check(file);
    dl_records labels = {.type = DLTF_U8, .rows = file->size / RECORD, .cols = 1, .distance = RECORD};
    return status == DLTF_OK ? dl_records_array(&labels, file, array) : status;
}

dltf_status dl_cifar_describe(const dl_file *start, int64_t size, dl_row_layout *layout) {
    (void)start;
    *layout = (dl_row_layout){.elements = {.kind = 'u', .item = 1},
                              .rows = size / RECORD,
                              .cols = VALUES,
                              .prefix = 1,
                              .check = check_label,
                              .channels = CHANNELS,
                              .height = SIDE,
                              .width = SIDE};
    return check_size(size);
}
