/* Rows from a pipe: reading in pieces gives the same rows as loading at once, or both fail. The first byte
 * selects the size of the pieces and whether the rows are raw. */
#include "fuzz.h"

#include "data/matrix.h"
#include "io/formats/safetensors_header.h"
#include "io/formats/vecs.h"
#include "io/matrix_file.h"
#include "io/streams/reader.h"

#include <unistd.h>

enum { PIPE = 65536 }; /* capacity of a pipe */

/* Reads to the end; `whole` has the expected rows, or is NULL. */
static dltf_status read_all(dltf_reader *reader, int64_t most, const dltf_array *whole) {
    dltf_matrix piece = {.rows = 1};
    int64_t at = 0;
    dltf_status status = DLTF_OK;
    while (status == DLTF_OK && piece.rows > 0) {
        status = dltf_reader_next(reader, most, &piece);
        if (status != DLTF_OK)
            break;
        fuzz_require(piece.rows <= most && piece.cols == dltf_reader_cols(reader));
        for (int64_t i = 0; whole && i < piece.rows; i++, at++) {
            dltf_matrix all = dltf_array_matrix(whole);
            fuzz_require(at < all.rows && piece.cols == all.cols && piece.type == all.type);
            double *rows = calloc((size_t)(2 * all.cols), sizeof *rows);
            fuzz_require(rows != NULL);
            dl_matrix_row(piece, i, rows);
            dl_matrix_row(all, at, rows + all.cols);
            fuzz_require(memcmp(rows, rows + all.cols, (size_t)all.cols * sizeof *rows) == 0);
            free(rows);
        }
    }
    fuzz_require(status != DLTF_OK || !whole || at == dltf_array_matrix(whole).rows);
    return status;
}

/* As a file: one of .fvecs is known by its name, a stream by its first bytes. */
static dltf_status load(dl_file *file, const uint8_t *bytes, size_t size, dltf_array **array) {
    bool vectors =
        dl_fvecs_recognise(bytes, (int64_t)size) && !dl_safetensors_recognise(bytes, (int64_t)size);
    return vectors ? dl_fvecs_load(file, array) : dl_matrix_load(file, NULL, NULL, array);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (size < 1 || size - 1 > PIPE)
        return 0;
    int64_t most = 1 + bytes[0] % 16, raw_columns = bytes[0] >= 128 ? 1 + bytes[0] % 5 : 0;
    bytes++;
    size--;
    dltf_array *whole = NULL;
    dl_file file = dl_file_borrow(bytes, (int64_t)size);
    bool loads = size > 0 && load(&file, bytes, size, &whole) == DLTF_OK;
    int ends[2];
    fuzz_require(pipe(ends) == 0);
    fuzz_require(write(ends[1], bytes, size) == (ssize_t)size);
    close(ends[1]);
    dltf_reader *reader = NULL;
    dltf_status status = dl_reader_adopt(ends[0], "pipe", raw_columns, NULL, &reader);
    fuzz_require((status == DLTF_OK) == (reader != NULL));
    if (reader)
        status = read_all(reader, most, raw_columns ? NULL : whole);
    fuzz_require(raw_columns || loads || status != DLTF_OK);
    if (raw_columns == 0 && loads && status != DLTF_OK)
        fuzz_require(strstr(dltf_message(), "Fortran") != NULL);
    fuzz_check_message(status);
    dltf_reader_free(reader);
    dltf_array_free(whole);
    return 0;
}
