/* .npy files: six magic bytes, a version, the length of a header, the header (npy_dict.c), the elements. */
#include "io/formats/npy.h"

#include "io/files/bytes.h"
#include "io/formats/npy_dict.h"

#include <inttypes.h>

enum { MAGIC = sizeof DL_NPY_MAGIC - 1 };

bool dl_npy_recognise(const uint8_t *bytes, int64_t size) {
    return size >= MAGIC && memcmp(bytes, DL_NPY_MAGIC, MAGIC) == 0;
}

dltf_status dl_npy_find_header(const uint8_t *bytes, int64_t size, int64_t *begin, int64_t *length) {
    if (size >= MAGIC && !dl_npy_recognise(bytes, size))
        return dl_fail(DLTF_FORMAT, "is not a .npy file: it does not begin with \\x93NUMPY");
    if (size < DL_NPY_PREFIX)
        return dl_fail(DLTF_FORMAT, "truncated: %" PRId64 " bytes are too few for a .npy header", size);
    int version = bytes[6];
    if (version < 1 || version > 3 || bytes[7] != 0)
        return dl_fail(DLTF_FORMAT, "unsupported .npy version %d.%d: expected 1.0, 2.0 or 3.0", version,
                       bytes[7]);
    *begin = version == 1 ? 10 : 12;
    *length = version == 1 ? dl_little16(bytes + 8) : dl_little32(bytes + 8);
    if (*length > size - *begin)
        return dl_fail(DLTF_FORMAT, "truncated: header length is %s bytes, file has %s", DL_COMMAS(*length),
                       DL_COMMAS(size));
    if (*length > DL_NPY_MAX_HEADER)
        return dl_fail(DLTF_FORMAT, "corrupt: header length of %s bytes is out of range", DL_COMMAS(*length));
    return DLTF_OK;
}

dltf_status dl_npy_parse(const uint8_t *bytes, int64_t available, int64_t size, dl_elements *elements) {
    int64_t begin = 0, length = 0;
    *elements = (dl_elements){0};
    dltf_status status = dl_npy_find_header(bytes, size, &begin, &length);
    if (status != DLTF_OK)
        return status;
    if (begin + length > available)
        return dl_fail(DLTF_FORMAT, "truncated: incomplete header");
    status = dl_npy_dict_parse((const char *)bytes + begin, length, elements);
    if (status == DLTF_OK)
        status = dl_elements_measure(elements);
    if (status != DLTF_OK)
        return status;
    elements->data = bytes + begin + length;
    if (size == DL_NPY_UNKNOWN_SIZE)
        return DLTF_OK;
    int64_t present = size - begin - length;
    if (elements->bytes > present)
        return dl_fail(DLTF_FORMAT, "truncated: header declares %s bytes, file has %s",
                       DL_COMMAS(elements->bytes), DL_COMMAS(present));
    if (elements->bytes < present)
        return dl_fail(DLTF_FORMAT, "corrupt: %s more bytes than the header declares",
                       DL_COMMAS(present - elements->bytes));
    return DLTF_OK;
}

dltf_status dl_npy_load(dl_file *file, dltf_array **array) {
    dl_elements elements;
    dltf_status status = dl_npy_parse(file->bytes, file->size, file->size, &elements);
    elements.columns_axis = dl_file_axis(file);
    return status == DLTF_OK ? dl_elements_array(&elements, file, array) : status;
}

dltf_status dl_npy_describe(const dl_file *start, int64_t size, dl_row_layout *layout) {
    dl_elements elements;
    dltf_status status = dl_npy_parse(start->bytes, start->size, size, &elements);
    elements.columns_axis = dl_file_axis(start);
    if (status == DLTF_OK)
        status = dl_elements_layout(&elements, elements.data - start->bytes, layout);
    return status;
}
