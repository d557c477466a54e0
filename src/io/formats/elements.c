/* Elements as stored in a file to a matrix view: in place where possible, converted otherwise. Loaders have
 * already checked that `data` holds `bytes` bytes. */
#include "io/formats/elements.h"

#include "base/integer.h"
#include "base/memory.h"
#include "data/array.h"
#include "data/matrix.h"
#include "io/files/bytes.h"
#include "io/formats/row_file.h"
#include "kernels/kernels.h"

#include <inttypes.h>
#include <stdio.h>

dltf_status dl_elements_measure(dl_elements *elements) {
    int64_t count = 1;
    for (int axis = 0; axis < elements->rank; axis++)
        if (!dl_multiply(count, elements->shape[axis], &count))
            return dl_fail(DLTF_FORMAT, "corrupt: shape has more elements than can be addressed");
    elements->count = count;
    if (!dl_multiply(count, elements->item, &elements->bytes))
        return dl_fail(DLTF_FORMAT, "corrupt: shape has more bytes than can be addressed");
    return DLTF_OK;
}

/* An element's bits in this machine's byte order, zero-extended. */
static uint64_t load_bits(const dl_elements *elements, int64_t index) {
    const uint8_t *at = elements->data + index * elements->item;
    if (elements->item == 1)
        return *at;
    if (elements->item == 2) {
        uint16_t bits;
        memcpy(&bits, at, sizeof bits);
        return elements->swapped ? __builtin_bswap16(bits) : bits;
    }
    if (elements->item == 4) {
        uint32_t bits;
        memcpy(&bits, at, sizeof bits);
        return elements->swapped ? __builtin_bswap32(bits) : bits;
    }
    uint64_t bits;
    memcpy(&bits, at, sizeof bits);
    return elements->swapped ? __builtin_bswap64(bits) : bits;
}

int64_t dl_elements_integer(const dl_elements *elements, int64_t index) {
    uint64_t bits = load_bits(elements, index);
    if (elements->kind == 'u')
        return bits > INT64_MAX ? INT64_MAX : (int64_t)bits;
    int unused = 64 - 8 * (int)elements->item;
    return (int64_t)(bits << unused) >> unused; /* sign-extends */
}

static float float_of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The exponent of float16 has 5 bits and a bias of 15. Its bits in the place of a float's make a value that
 * is too small by 2^(127 - 15), subnormal or not. */
static float float_of_half(uint32_t bits) {
    uint32_t sign = (bits & 0x8000) << 16, magnitude = bits & 0x7fff;
    float value = magnitude < 0x7c00 ? float_of_bits(magnitude << 13) * 0x1p112F
                                     : float_of_bits(0x7f800000 | (magnitude & 0x3ff) << 13);
    return sign ? -value : value;
}

static float float_of_16_bits(const dl_elements *elements, uint32_t bits) {
    return elements->kind == 'V' ? float_of_bits(bits << 16) : float_of_half(bits);
}

double dl_elements_real(const dl_elements *elements, int64_t index) {
    uint64_t bits = load_bits(elements, index);
    if (elements->item == 2)
        return (double)float_of_16_bits(elements, (uint32_t)bits);
    if (elements->item == 4)
        return (double)float_of_bits((uint32_t)bits);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool is_real(const dl_elements *elements) {
    return elements->kind == 'f' || elements->kind == 'V';
}

dltf_status dl_elements_type(const dl_elements *elements, dltf_type *type) {
    if (elements->kind == 'S' || elements->kind == 'U')
        return dl_fail(DLTF_FORMAT, "contains text, not numbers");
    if (elements->rank == 0)
        return dl_fail(DLTF_FORMAT, "contains a single number: expected a matrix with one row per sample");
    if (elements->count == 0)
        return dl_fail(DLTF_FORMAT, "contains no numbers: an axis has length 0");
    if (elements->kind == 'u' && elements->item == 1)
        *type = DLTF_U8;
    else if (is_real(elements))
        *type = elements->item <= 4 ? DLTF_F32 : DLTF_F64;
    else
        *type = elements->item <= 2 ? DLTF_F32 : DLTF_F64; /* 16-bit integers fit a float's 24 bits */
    return DLTF_OK;
}

static bool is_channels(int64_t length) {
    return length == 1 || length == 3 || length == 4;
}

static bool columns_are_rest(const dl_elements *elements) {
    const int64_t *shape = elements->shape;
    if (elements->rank < 3)
        return true;
    if (elements->columns_axis != DL_AXIS_AUTO)
        return elements->columns_axis == DL_AXIS_REST;
    return elements->kind == 'u' && elements->item == 1 &&
           (elements->rank == 3 || (elements->rank == 4 && (is_channels(shape[1]) || is_channels(shape[3]))));
}

void dl_elements_shape(const dl_elements *elements, int64_t *rows, int64_t *cols) {
    int64_t last = elements->shape[elements->rank - 1];
    *rows = columns_are_rest(elements) ? elements->shape[0] : elements->count / last;
    *cols = elements->count / *rows;
}

void dl_elements_remark(const dl_elements *elements, char *text, size_t size) {
    size_t used = 0;
    int64_t first = elements->shape[0];
    text[0] = '\0';
    if (columns_are_rest(elements))
        return;
    for (int axis = 0; axis < elements->rank - 1 && used < size; axis++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", axis ? " x " : "",
                                 DL_COMMAS(elements->shape[axis]));
    if (used < size)
        snprintf(
            text + used, size - used,
            " samples of %s entries: the last axis is the columns (--columns-axis rest: %s samples of %s "
            "entries)",
            DL_COMMAS(elements->shape[elements->rank - 1]), DL_COMMAS(first),
            DL_COMMAS(elements->count / first));
}

/* Of one channel. */
static bool rows_are_images(const dl_elements *elements) {
    return elements->rank == 3 && columns_are_rest(elements);
}

bool dl_elements_native(const dl_elements *elements, dltf_type type) {
    return elements->item == dl_type_size(type) && (elements->kind == 'f' || type == DLTF_U8) &&
           !elements->swapped;
}

static dltf_status convert_integers(const dl_elements *elements, dltf_type type, void *out) {
    const int64_t exact = INT64_C(1) << 53;
    for (int64_t i = 0; i < elements->count; i++) {
        int64_t value = dl_elements_integer(elements, i);
        if (value > exact || value < -exact)
            return dl_fail(DLTF_DATA,
                           "element %" PRId64 " is %" PRId64
                           ": integers beyond 2^53 cannot be represented exactly",
                           elements->first + i, value);
        if (type == DLTF_F32)
            ((float *)out)[i] = (float)value;
        else
            ((double *)out)[i] = (double)value;
    }
    return DLTF_OK;
}

/* `count` elements of 16 bits in this machine's byte order, from `first` on. */
static void convert_16_bits(const dl_elements *elements, int64_t first, int64_t count, float *out) {
    const uint8_t *from = elements->data + first * elements->item;
    if (elements->kind == 'f')
        dl_kernels_now()->floats_of_halves(from, count, out);
    else
        for (int64_t i = 0; i < count; i++) {
            uint16_t bits;
            memcpy(&bits, from + i * (int64_t)sizeof bits, sizeof bits);
            out[i] = float_of_bits((uint32_t)bits << 16);
        }
}

/* In pieces. The elements of a piece are read before its doubles, which are four times as long, are written,
 * so that `data` may be the end of `out`. */
static void widen_16_bits(const dl_elements *elements, double *out) {
    enum { PIECE = 256 };
    float piece[PIECE];
    for (int64_t first = 0; first < elements->count; first += PIECE) {
        int64_t count = dl_min(PIECE, elements->count - first);
        convert_16_bits(elements, first, count, piece);
        for (int64_t i = 0; i < count; i++)
            out[first + i] = (double)piece[i];
    }
}

dltf_status dl_elements_widen(const dl_elements *elements, double *out) {
    dltf_type type = DLTF_F64;
    if (!is_real(elements) && elements->item > 4)
        return dl_elements_convert(elements, type, out);
    if (dl_elements_native(elements, DLTF_F32)) /* the usual case */
        for (int64_t i = 0; i < elements->count; i++) {
            float value;
            memcpy(&value, elements->data + i * (int64_t)sizeof value, sizeof value);
            out[i] = (double)value;
        }
    else if (is_real(elements) && elements->item == 2 && !elements->swapped)
        widen_16_bits(elements, out);
    else
        for (int64_t i = 0; i < elements->count; i++)
            out[i] =
                is_real(elements) ? dl_elements_real(elements, i) : (double)dl_elements_integer(elements, i);
    return DLTF_OK;
}

static void convert_reals(const dl_elements *elements, void *out) {
    if (!elements->swapped && elements->item != 2) {
        memcpy(out, elements->data, (size_t)elements->bytes);
        return;
    }
    if (!elements->swapped) {
        convert_16_bits(elements, 0, elements->count, out);
        return;
    }
    for (int64_t i = 0; i < elements->count; i++) {
        uint64_t bits = load_bits(elements, i);
        if (elements->item == 2)
            ((float *)out)[i] = float_of_16_bits(elements, (uint32_t)bits);
        else if (elements->item == 4)
            ((uint32_t *)out)[i] = (uint32_t)bits;
        else
            ((uint64_t *)out)[i] = bits;
    }
}

dltf_status dl_elements_convert(const dl_elements *elements, dltf_type type, void *out) {
    if (!is_real(elements) && type != DLTF_U8)
        return convert_integers(elements, type, out);
    convert_reals(elements, out);
    return DLTF_OK;
}

/* Copies Fortran order to C order: walks the source sequentially and tracks the destination index. */
static void reorder(const dl_elements *elements, size_t size, const char *from, char *to) {
    int64_t index[DL_MAX_AXES] = {0}, stride[DL_MAX_AXES];
    int64_t product = 1;
    for (int axis = elements->rank - 1; axis >= 0; axis--) {
        stride[axis] = product;
        product *= elements->shape[axis];
    }
    int64_t place = 0;
    for (int64_t i = 0; i < elements->count; i++) {
        memcpy(to + (size_t)place * size, from + (size_t)i * size, size);
        for (int axis = 0; axis < elements->rank; axis++) {
            place += stride[axis];
            if (++index[axis] < elements->shape[axis])
                break;
            place -= stride[axis] * elements->shape[axis];
            index[axis] = 0;
        }
    }
}

/* An owned copy of the elements in the matrix's type. Fortran order of rank 1 and 2 is kept: a strided view
 * covers it. */
static dltf_status copy_elements(const dl_elements *elements, dltf_type type, void **copy) {
    dltf_status status = DLTF_OK;
    size_t size = (size_t)dl_type_size(type);
    void *sorted = NULL;
    void *converted = dl_alloc(elements->count, size);
    if (!converted)
        return DLTF_MEMORY;
    DL_TRY(dl_elements_convert(elements, type, converted));
    if (elements->fortran && elements->rank > 2) {
        sorted = dl_alloc(elements->count, size);
        if (!sorted) {
            status = DLTF_MEMORY;
            goto done;
        }
        reorder(elements, size, converted, sorted);
    }
    *copy = sorted ? sorted : converted;
done:
    if (sorted || status != DLTF_OK)
        dl_free(converted);
    return status;
}

/* Elements can be used in place only if they are native and aligned for their type. */
static bool usable_in_place(const dl_elements *elements, dltf_type type) {
    return dl_elements_native(elements, type) && !(elements->fortran && elements->rank > 2) &&
           (uintptr_t)elements->data % (uintptr_t)elements->item == 0;
}

dltf_status dl_elements_array(const dl_elements *elements, dl_file *owner, dltf_array **array) {
    dltf_type type = DLTF_F32;
    dltf_status status = dl_elements_type(elements, &type);
    if (status != DLTF_OK)
        return status;
    dltf_array *made = dl_array_new();
    if (!made)
        return DLTF_MEMORY;
    int64_t rows, cols;
    dl_elements_shape(elements, &rows, &cols);
    dl_elements_remark(elements, made->remark, sizeof made->remark);
    bool columns_first = elements->fortran && elements->rank == 2;
    made->matrix = (dltf_matrix){.data = elements->data,
                                 .type = type,
                                 .rows = rows,
                                 .cols = cols,
                                 .row_stride = columns_first ? 1 : cols,
                                 .col_stride = columns_first ? rows : 1};
    if (rows_are_images(elements)) {
        made->channels = 1;
        made->height = elements->shape[1];
        made->width = elements->shape[2];
    }
    if (!usable_in_place(elements, type) || !dl_file_give(owner, made)) {
        status = copy_elements(elements, type, &made->memory);
        if (status != DLTF_OK) {
            dl_free(made);
            return status;
        }
        made->matrix.data = made->memory;
    }
    *array = made;
    return DLTF_OK;
}

dltf_status dl_elements_layout(const dl_elements *elements, int64_t offset, dl_row_layout *layout) {
    dltf_type type;
    dltf_status status = dl_elements_type(elements, &type);
    if (status != DLTF_OK)
        return status;
    int64_t rows, cols;
    dl_elements_shape(elements, &rows, &cols);
    if (elements->fortran && rows > 1 && cols > 1)
        return dl_fail(DLTF_FORMAT, "is in Fortran order: its rows cannot be read one by one; save the array "
                                    "in C order");
    bool images = rows_are_images(elements);
    *layout = (dl_row_layout){.elements = *elements,
                              .rows = rows,
                              .cols = cols,
                              .offset = offset,
                              .channels = images,
                              .height = images ? elements->shape[1] : 0,
                              .width = images ? elements->shape[2] : 0};
    return DLTF_OK;
}
