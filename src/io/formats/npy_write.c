/* Writing .npy files: version 1, C order, elements in host byte order. */
#include "base/memory.h"
#include "data/matrix.h"
#include "io/files/bytes.h"
#include "io/formats/npy.h"

#include <inttypes.h>

enum { ALIGNMENT = 64, MAX_CODE = 8 };

dltf_status dl_npy_header(dl_text *text, const char *code, int rank, const int64_t *shape) {
    bool single_bytes = code[0] == 'S' || strcmp(code, "u1") == 0;
    char order = single_bytes ? '|' : dl_host_is_little() ? '<' : '>';
    char axes[24 * 4] = "";
    int used = 0;
    for (int axis = 0; axis < rank && axis < 4; axis++)
        used +=
            snprintf(axes + used, sizeof axes - (size_t)used, "%s%" PRId64, axis ? ", " : "", shape[axis]);
    char dictionary[256];
    int length = snprintf(dictionary, sizeof dictionary,
                          "{'descr': '%c%.*s', 'fortran_order': False, 'shape': (%s%s), }", order, MAX_CODE,
                          code, axes, rank == 1 ? "," : "");
    int total = (10 + length + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    uint8_t prefix[10] = {0};
    memcpy(prefix, DL_NPY_MAGIC, sizeof DL_NPY_MAGIC - 1);
    prefix[6] = 1;
    dl_put_little(prefix + 8, (uint64_t)(total - 10), 2);
    dl_text_append_bytes(text, prefix, sizeof prefix);
    dl_text_append(text, "%s%*s\n", dictionary, total - 10 - length - 1, "");
    return dl_text_status(text);
}

/* A row with contiguous elements: in place if it has them, otherwise copied to `room`. */
static const char *contiguous_row(dltf_matrix matrix, int64_t row, size_t size, char *room) {
    const char *from = (const char *)matrix.data + row * matrix.row_stride * (int64_t)size;
    if (matrix.col_stride == 1)
        return from;
    for (int64_t col = 0; col < matrix.cols; col++)
        memcpy(room + col * (int64_t)size, from + col * matrix.col_stride * (int64_t)size, size);
    return room;
}

dltf_status dl_npy_write(dltf_matrix matrix, dl_writer *out) {
    static const char *const codes[] = {[DLTF_F32] = "f4", [DLTF_F64] = "f8", [DLTF_U8] = "u1"};
    dltf_status status = DLTF_OK;
    dl_text header = {0};
    size_t size = (size_t)dl_type_size(matrix.type);
    char *room = dl_alloc(matrix.cols, size);
    if (!room)
        return DLTF_MEMORY;
    DL_TRY(dl_npy_header(&header, codes[matrix.type], 2, (int64_t[]){matrix.rows, matrix.cols}));
    DL_TRY(dl_writer_write(out, header.data, header.length));
    for (int64_t row = 0; row < matrix.rows; row++)
        DL_TRY(dl_writer_write(out, contiguous_row(matrix, row, size, room), matrix.cols * (int64_t)size));
done:
    dl_text_free(&header);
    dl_free(room);
    return status;
}

dltf_status dl_npy_write_integers(const dl_integers *integers, dl_writer *out) {
    dl_text header = {0};
    int64_t shape[] = {integers->rows, integers->cols};
    dltf_status status = dl_npy_header(&header, "i8", integers->vector ? 1 : 2, shape);
    if (status == DLTF_OK)
        status = dl_writer_write(out, header.data, header.length);
    if (status == DLTF_OK)
        status =
            dl_writer_write(out, integers->values, shape[0] * shape[1] * (int64_t)sizeof *integers->values);
    dl_text_free(&header);
    return status;
}
