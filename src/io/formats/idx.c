/* IDX: 00 00, type, rank, big-endian axis lengths, big-endian elements (yann.lecun.com/exdb/mnist). At
 * most as much of a gzipped file is unpacked as its header declares. */
#include "io/formats/idx.h"

#include "base/memory.h"
#include "io/files/bytes.h"
#include "io/formats/elements.h"
#include "io/formats/inflate.h"

enum { PREFIX = 4, AXIS = 4 };

static bool known_type(uint8_t code, char *kind, int64_t *item) {
    static const struct {
        uint8_t code;
        char kind;
        int64_t item;
    } types[] = {{0x08, 'u', 1}, {0x09, 'i', 1}, {0x0b, 'i', 2},
                 {0x0c, 'i', 4}, {0x0d, 'f', 4}, {0x0e, 'f', 8}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (types[i].code == code) {
            *kind = types[i].kind;
            *item = types[i].item;
            return true;
        }
    return false;
}

bool dl_idx_recognise(const uint8_t *bytes, int64_t size) {
    char kind;
    int64_t item;
    return size >= PREFIX && bytes[0] == 0 && bytes[1] == 0 && known_type(bytes[2], &kind, &item) &&
           bytes[3] > 0;
}

bool dl_gzip_recognise(const uint8_t *bytes, int64_t size) {
    return size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

/* Parses type, shape and header length from the first `available` bytes of the file. */
static dltf_status parse_header(const uint8_t *bytes, int64_t available, dl_elements *elements,
                                int64_t *header) {
    *elements = (dl_elements){0};
    if (!dl_idx_recognise(bytes, available))
        return dl_fail(DLTF_FORMAT,
                       "is not an IDX file: it does not begin with 00 00, a type and a number of axes");
    known_type(bytes[2], &elements->kind, &elements->item);
    elements->rank = bytes[3];
    elements->swapped = elements->item > 1 && dl_host_is_little();
    if (elements->rank > DL_MAX_AXES)
        return dl_fail(DLTF_FORMAT, "has more than %d axes", DL_MAX_AXES);
    *header = PREFIX + AXIS * elements->rank;
    if (*header > available)
        return dl_fail(DLTF_FORMAT, "truncated: incomplete header");
    for (int axis = 0; axis < elements->rank; axis++)
        elements->shape[axis] = dl_big32(bytes + PREFIX + AXIS * axis);
    return dl_elements_measure(elements);
}

/* The same for a file of `size` bytes, which must be as long as the header says. */
static dltf_status parse_file(const uint8_t *bytes, int64_t available, int64_t size, dl_elements *elements) {
    int64_t header = 0;
    dltf_status status = parse_header(bytes, available, elements, &header);
    if (status != DLTF_OK)
        return status;
    int64_t present = size - header;
    if (elements->bytes > present)
        return dl_fail(DLTF_FORMAT, "truncated: header declares %s bytes, file has %s",
                       DL_COMMAS(elements->bytes), DL_COMMAS(present));
    if (elements->bytes < present)
        return dl_fail(DLTF_FORMAT, "corrupt: %s more bytes than the header declares",
                       DL_COMMAS(present - elements->bytes));
    elements->data = bytes + header;
    return DLTF_OK;
}

/* The first axis is the samples, whatever they are. */
static dl_columns_axis axis_of(const dl_file *file) {
    return dl_file_axis(file) == DL_AXIS_LAST ? DL_AXIS_LAST : DL_AXIS_REST;
}

dltf_status dl_idx_load(dl_file *file, dltf_array **array) {
    dl_elements elements;
    dltf_status status = parse_file(file->bytes, file->size, file->size, &elements);
    elements.columns_axis = axis_of(file);
    return status == DLTF_OK ? dl_elements_array(&elements, file, array) : status;
}

dltf_status dl_idx_describe(const dl_file *start, int64_t size, dl_row_layout *layout) {
    dl_elements elements;
    dltf_status status = parse_file(start->bytes, start->size, size, &elements);
    elements.columns_axis = axis_of(start);
    return status == DLTF_OK ? dl_elements_layout(&elements, elements.data - start->bytes, layout) : status;
}

dltf_status dl_idx_gzip_load(dl_file *file, dltf_array **array) {
    dltf_status status = DLTF_OK;
    dl_inflate inflater = {0};
    dl_elements elements;
    uint8_t beginning[PREFIX + AXIS * DL_MAX_AXES];
    dl_file content = {0};
    int64_t got = 0, more = 0, header = 0, total = 0;

    DL_TRY(dl_inflate_open(&inflater, file->bytes, file->size, DL_WRAPPER_GZIP));
    DL_TRY(dl_inflate_read(&inflater, beginning, PREFIX, &got));
    /* The rest of the header, so that `total` can be checked before allocating. */
    if (got == PREFIX && dl_idx_recognise(beginning, got)) {
        int64_t axes = beginning[3] < DL_MAX_AXES ? beginning[3] : DL_MAX_AXES;
        DL_TRY(dl_inflate_read(&inflater, beginning + PREFIX, AXIS * axes, &more));
        got += more;
    } else
        DL_TRY(dl_fail(DLTF_FORMAT, "is a .gz file that does not contain IDX data: unpack it first"));
    DL_TRY(parse_header(beginning, got, &elements, &header));
    if (!dl_inflate_plausible(file->size, elements.bytes))
        DL_TRY(dl_fail(DLTF_FORMAT,
                       "truncated: header declares %s bytes, more than %s compressed bytes can hold",
                       DL_COMMAS(elements.bytes), DL_COMMAS(file->size)));
    total = elements.bytes;
    content.memory = dl_alloc(total, 1);
    if (!content.memory) {
        status = DLTF_MEMORY;
        goto done;
    }
    content.bytes = content.memory;
    content.size = total;
    DL_TRY(dl_inflate_read(&inflater, content.memory, total, &got));
    if (got < total)
        DL_TRY(dl_fail(DLTF_FORMAT, "truncated: header declares %s bytes, file has %s", DL_COMMAS(total),
                       DL_COMMAS(got)));
    DL_TRY(dl_inflate_finish(&inflater));
    elements.data = content.bytes;
    elements.columns_axis = axis_of(file);
    DL_TRY(dl_elements_array(&elements, &content, array));
done:
    dl_inflate_close(&inflater);
    dl_file_close(&content);
    return status;
}
