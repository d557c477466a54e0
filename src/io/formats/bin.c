/* Matrices with a header of 8 bytes. */
#include "io/formats/bin.h"

#include "io/files/bytes.h"

enum { HEADER = 8 };

/* Checks the header against the size of the file, of which the first bytes are in memory. */
static dltf_status parse(const dl_file *start, int64_t size, char kind, int64_t item, dl_elements *elements) {
    if (size < HEADER)
        return dl_fail(DLTF_FORMAT, "truncated: %s bytes are too few for the numbers of rows and columns",
                       DL_COMMAS(size));
    int64_t rows = dl_little32(start->bytes), cols = dl_little32(start->bytes + 4);
    *elements = (dl_elements){.kind = kind,
                              .item = item,
                              .swapped = item > 1 && !dl_host_is_little(),
                              .rank = 2,
                              .shape = {rows, cols},
                              .data = start->bytes + HEADER};
    dltf_status status = dl_elements_measure(elements);
    if (status != DLTF_OK)
        return status;
    if (elements->bytes != size - HEADER)
        return dl_fail(DLTF_FORMAT, "%s: %s rows of %s columns take %s bytes, file has %s",
                       elements->bytes > size - HEADER ? "truncated" : "corrupt", DL_COMMAS(rows),
                       DL_COMMAS(cols), DL_COMMAS(elements->bytes), DL_COMMAS(size - HEADER));
    return DLTF_OK;
}

static dltf_status load(dl_file *file, char kind, int64_t item, dltf_array **array) {
    dl_elements elements;
    dltf_status status = parse(file, file->size, kind, item, &elements);
    return status == DLTF_OK ? dl_elements_array(&elements, file, array) : status;
}

static dltf_status describe(const dl_file *start, int64_t size, char kind, int64_t item,
                            dl_row_layout *layout) {
    dl_elements elements;
    dltf_status status = parse(start, size, kind, item, &elements);
    return status == DLTF_OK ? dl_elements_layout(&elements, HEADER, layout) : status;
}

dltf_status dl_fbin_load(dl_file *file, dltf_array **array) {
    return load(file, 'f', 4, array);
}

dltf_status dl_u8bin_load(dl_file *file, dltf_array **array) {
    return load(file, 'u', 1, array);
}

dltf_status dl_i8bin_load(dl_file *file, dltf_array **array) {
    return load(file, 'i', 1, array);
}

dltf_status dl_f16bin_load(dl_file *file, dltf_array **array) {
    return load(file, 'f', 2, array);
}

dltf_status dl_fbin_describe(const dl_file *start, int64_t size, dl_row_layout *layout) {
    return describe(start, size, 'f', 4, layout);
}

dltf_status dl_u8bin_describe(const dl_file *start, int64_t size, dl_row_layout *layout) {
    return describe(start, size, 'u', 1, layout);
}

dltf_status dl_i8bin_describe(const dl_file *start, int64_t size, dl_row_layout *layout) {
    return describe(start, size, 'i', 1, layout);
}

dltf_status dl_f16bin_describe(const dl_file *start, int64_t size, dl_row_layout *layout) {
    return describe(start, size, 'f', 2, layout);
}
