/* CIFAR-10: records of a label and three planes of bytes, without a header. */
#include "io/cifar.h"

#include "io/bytes.h"
#include "io/records.h"

enum { SIDE = 32, CHANNELS = 3, VALUES = CHANNELS * SIDE * SIDE, RECORD = 1 + VALUES, CLASSES = 10 };

/* There is no signature: the size of the file and the labels are all that can be checked. */
static dltf_status check(const dl_file *file) {
    if (file->size == 0 || file->size % RECORD != 0)
        return dl_fail(DLTF_FORMAT,
                       "is not a CIFAR-10 file: its size, %s bytes, is not a multiple of %s (a label and %s "
                       "values)",
                       DL_COMMAS(file->size), DL_COMMAS(RECORD), DL_COMMAS(VALUES));
    for (int64_t i = 0; i < file->size / RECORD; i++)
        if (file->bytes[i * RECORD] >= CLASSES)
            return dl_fail(
                DLTF_FORMAT,
                "is not a CIFAR-10 file: record %s (counting from 0) has label %d, expected 0 .. 9",
                DL_COMMAS(i), file->bytes[i * RECORD]);
    return DLTF_OK;
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
