/* dltf_array_load and dltf_matrix_save. Reading detects the format by content if it has a signature, by
 * extension otherwise; writing goes by extension. */
#include "io/matrix_file.h"

#include "base/memory.h"
#include "data/array.h"
#include "data/matrix.h"
#include "io/files/bytes.h"
#include "io/formats.h"
#include "io/formats/codes.h"
#include "io/formats/npy.h"
#include "io/formats/npz.h"
#include "io/formats/safetensors_index.h"
#include "io/place.h"

#include <unistd.h>

static dltf_status unknown_format(const char *path, const dl_format *named) {
    if (!path)
        return dl_fail(DLTF_FORMAT,
                       "unrecognised format: expected a stream of .fvecs, %s; rows without a header need "
                       "their number of columns",
                       dl_format_names(DL_CONTENT_MATRIX, dl_format_recognises, "or"));
    if (named)
        return dl_fail(DLTF_FORMAT, "is corrupt or misnamed: content is not %s", named->name);
    return dl_fail(DLTF_FORMAT, "unrecognised format: expected %s",
                   dl_format_names(DL_CONTENT_MATRIX, NULL, "or"));
}

dltf_status dl_matrix_load(dl_file *file, const char *path, const char *name, dltf_array **array) {
    const dl_format *format = dl_format_of_content(DL_CONTENT_MATRIX, file->bytes, file->size);
    const dl_format *named = path ? dl_format_of_path(DL_CONTENT_MATRIX, NULL, path) : NULL;
    if (!format && named && !named->recognise)
        format = named;
    dltf_status status = format && !format->text ? dl_reading_check_binary(file->reading) : DLTF_OK;
    if (status != DLTF_OK)
        return status;
    if (format && format->load_member)
        return format->load_member(file, name, array);
    if (name)
        return dl_fail(DLTF_FORMAT, "is not an archive of several arrays: array '%s' not found",
                       DL_PRINTABLE(name, (int64_t)strlen(name)));
    return format ? format->load(file, array) : unknown_format(path, named);
}

const char *dl_array_member(const char *path) {
    const char *member = path ? dl_format_member(path) : NULL;
    return member && access(path, F_OK) != 0 ? member : NULL;
}

static dltf_status load_place(const dl_place *place, const dl_reading *reading, dltf_array **array) {
    dl_file file;
    dltf_status status = dl_file_open(place->file, &file);
    if (status == DLTF_OK) {
        file.reading = reading;
        status = dl_matrix_load(&file, place->file, place->member, array);
        dl_file_close(&file); /* empty if the array took ownership */
    }
    return dl_file_result(status, place->file);
}

dltf_status dl_array_load(const char *path, const dl_reading *reading, dltf_array **array) {
    DL_CLEAR(array);
    DL_REQUIRE(path, array);
    dl_place place;
    dltf_status status = dl_place_find(path, &place);
    if (status == DLTF_OK)
        status = load_place(&place, reading, array);
    dl_place_free(&place);
    return status;
}

dltf_status dltf_array_load(const char *path, dltf_array **array) {
    return dl_array_load(path, NULL, array);
}

const char *dl_array_remark(const dltf_array *array) {
    return array ? array->remark : "";
}

static bool holds_codes(const dl_file *file) {
    dl_zip zip = {0};
    bool found = dl_zip_recognise(file->bytes, file->size) &&
                 dl_zip_open(file->bytes, file->size, &zip) == DLTF_OK && dl_npz_holds_codes(&zip);
    dl_zip_close(&zip);
    return found;
}

dltf_status dl_array_or_codes_load(const char *path, const dl_reading *reading, dltf_array **array,
                                   dltf_codes **codes) {
    DL_CLEAR(array);
    DL_CLEAR(codes);
    DL_REQUIRE(path, array, codes);
    dl_file file;
    if (dl_array_member(path) || dl_path_ends(path, DL_SAFETENSORS_INDEX))
        return dl_array_load(path, reading, array);
    dltf_status status = dl_file_open(path, &file);
    if (status == DLTF_OK) {
        file.reading = reading;
        status = holds_codes(&file) ? dl_codes_parse(&file, codes) : dl_matrix_load(&file, path, NULL, array);
        dl_file_close(&file);
    }
    return dl_file_result(status, path);
}

dltf_status dltf_matrix_save(dltf_matrix matrix, const char *path) {
    DL_REQUIRE(path);
    dl_writer out = {0};
    dltf_status status = dl_matrix_check_memory(matrix, DLTF_SUBJECT_DATA);
    if (status != DLTF_OK)
        return status;
    if (matrix.type == DLTF_SPARSE)
        return dl_file_result(dl_fail(DLTF_ARGUMENT, "sparse matrices cannot be written"), path);
    const dl_format *format = dl_format_of_path(DL_CONTENT_MATRIX, dl_format_writes_bytes, path);
    if (format && format->bytes_only && matrix.type != DLTF_U8)
        return dl_file_result(dl_fail(DLTF_ARGUMENT, "only bytes can be written as %s", format->name), path);
    DL_TRY(dl_matrix_check_finite(matrix, DLTF_SUBJECT_DATA));
    DL_TRY(dl_writer_open(&out, path));
    DL_TRY(format ? format->write(matrix, &out) : dl_npy_write(matrix, &out));
    status = dl_writer_commit(&out);
done:
    dl_writer_abort(&out);
    return dl_file_result(status, path);
}
