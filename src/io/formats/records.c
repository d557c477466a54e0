/* Rows at equal distances in a file. */
#include "io/formats/records.h"

#include "base/memory.h"
#include "data/array.h"
#include "data/matrix.h"

#include <string.h>

dltf_status dl_records_array(const dl_records *records, dl_file *file, dltf_array **array) {
    const uint8_t *bytes = file->bytes;
    int64_t size = file->size;
    dltf_array *made = dl_array_new();
    if (!made)
        return DLTF_MEMORY;
    if (!dl_file_give(file, made)) {
        made->memory = dl_alloc(size, 1);
        if (!made->memory) {
            dl_free(made);
            return DLTF_MEMORY;
        }
        memcpy(made->memory, bytes, (size_t)size);
        bytes = made->memory;
    }
    made->matrix = (dltf_matrix){.data = bytes + records->offset,
                                 .type = records->type,
                                 .rows = records->rows,
                                 .cols = records->cols,
                                 .row_stride = records->distance / dl_type_size(records->type),
                                 .col_stride = 1};
    made->channels = records->channels;
    made->height = records->height;
    made->width = records->width;
    *array = made;
    return DLTF_OK;
}
