/* .npy files: six magic bytes, a version, the length of a header, the header (npy_header.c), the elements.
 * Called by load.c, by npz.c for each member of an archive, and by dltf_matrix_save. */
#include "io/npy.h"

#include "base/memory.h"
#include "data/matrix.h"
#include "io/bytes.h"
#include "io/npy_header.h"

#include <inttypes.h>

static const char magic[] = "\x93NUMPY";
enum { MAGIC = 6, ALIGNMENT = 64, MOST_CODE = 8 };

bool dl_npy_recognise(const uint8_t *bytes, int64_t size) {
    return size >= MAGIC && memcmp(bytes, magic, MAGIC) == 0;
}

dltf_status dl_npy_find_header(const uint8_t *bytes, int64_t size, int64_t *begin, int64_t *length) {
    if (size >= MAGIC && !dl_npy_recognise(bytes, size))
        return dl_fail(DLTF_FORMAT, "is not a .npy file: it does not begin with \\x93NUMPY");
    if (size < DL_NPY_PREFIX)
        return dl_fail(DLTF_FORMAT, "truncated: %" PRId64 " bytes are too few for a .npy header", size);
    int version = bytes[6];
    if (version < 1 || version > 3 || bytes[7] != 0)
        return dl_fail(DLTF_FORMAT, "has .npy version %d.%d; 1.0, 2.0 and 3.0 are read", version, bytes[7]);
    *begin = version == 1 ? 10 : 12;
    *length = version == 1 ? dl_little16(bytes + 8) : dl_little32(bytes + 8);
    if (*length > size - *begin)
        return dl_fail(DLTF_FORMAT, "truncated: a header of %s bytes is announced, file has %s",
                       DL_COMMAS(*length), DL_COMMAS(size));
    if (*length > DL_NPY_MOST_HEADER)
        return dl_fail(DLTF_FORMAT, "damaged: its header of %s bytes is longer than any array needs",
                       DL_COMMAS(*length));
    return DLTF_OK;
}

dltf_status dl_npy_parse(const uint8_t *bytes, int64_t available, int64_t size, dl_elements *elements) {
    int64_t begin = 0, length = 0;
    *elements = (dl_elements){0};
    dltf_status status = dl_npy_find_header(bytes, size, &begin, &length);
    if (status != DLTF_OK)
        return status;
    if (begin + length > available)
        return dl_fail(DLTF_FORMAT, "truncated: the header is not complete");
    status = dl_npy_header_parse((const char *)bytes + begin, length, elements);
    if (status == DLTF_OK)
        status = dl_elements_measure(elements);
    if (status != DLTF_OK)
        return status;
    elements->data = bytes + begin + length;
    if (size == DL_NPY_ENDLESS)
        return DLTF_OK;
    int64_t present = size - begin - length;
    if (elements->bytes > present)
        return dl_fail(DLTF_FORMAT, "truncated: header promises %s bytes, file has %s",
                       DL_COMMAS(elements->bytes), DL_COMMAS(present));
    if (elements->bytes < present)
        return dl_fail(DLTF_FORMAT, "damaged: has %s bytes more than its header promises",
                       DL_COMMAS(present - elements->bytes));
    return DLTF_OK;
}

dltf_status dl_npy_load(dl_file *file, dltf_array **array) {
    dl_elements elements;
    dltf_status status = dl_npy_parse(file->bytes, file->size, file->size, &elements);
    return status == DLTF_OK ? dl_elements_array(&elements, file, array) : status;
}

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
                          "{'descr': '%c%.*s', 'fortran_order': False, 'shape': (%s%s), }", order, MOST_CODE,
                          code, axes, rank == 1 ? "," : "");
    int total = (10 + length + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    uint8_t prefix[10] = {0};
    memcpy(prefix, magic, MAGIC);
    prefix[6] = 1;
    dl_put_little(prefix + 8, (uint64_t)(total - 10), 2);
    dl_text_append_bytes(text, prefix, sizeof prefix);
    dl_text_append(text, "%s%*s\n", dictionary, total - 10 - length - 1, "");
    return dl_text_status(text);
}

/* A row's elements side by side: where they are, or copied to `room`. */
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
