/* Writes codes in the format of scipy.sparse.save_npz(compressed=False), with fixed timestamps, so that the
 * same codes give the same bytes. Each array is read twice, in pieces, because a zip member's checksum
 * precedes its content. */
#include "base/memory.h"
#include "io/formats/codes.h"
#include "io/formats/npy.h"
#include "io/formats/zip.h"

enum { PIECE = 1 << 16 }; /* elements in memory at a time */

/* An array of the archive: `count` elements of `item` bytes in the spool, `width` bytes in the file. */
typedef struct column {
    const char *name, *code;
    const dl_spool *spool;
    int64_t count, item, width;
} column;

/* Converts 4-byte integers to 8 bytes or the reverse; the caller picks 4 bytes only if all values fit.
 * Returns `piece` itself if no conversion is needed. */
static const void *convert(const column *c, int64_t count, const void *piece, void *room) {
    if (c->item == c->width)
        return piece;
    for (int64_t i = 0; i < count; i++)
        if (c->width == 8)
            ((int64_t *)room)[i] = ((const int32_t *)piece)[i];
        else
            ((int32_t *)room)[i] = (int32_t)((const int64_t *)piece)[i];
    return room;
}

/* One pass over the array: updates the checksum or, with `out`, writes the array. */
static dltf_status pass(const column *c, int64_t *piece, uint32_t *crc, dl_writer *out) {
    dltf_status status = DLTF_OK;
    for (int64_t first = 0; first < c->count && status == DLTF_OK; first += PIECE) {
        int64_t left = c->count - first, count = left < PIECE ? left : PIECE;
        status = dl_spool_read(c->spool, first * c->item, piece, count * c->item);
        if (status != DLTF_OK)
            return status;
        const void *elements = convert(c, count, piece, piece + PIECE);
        if (out)
            status = dl_writer_write(out, elements, count * c->width);
        else
            *crc = dl_zip_crc(*crc, elements, count * c->width);
    }
    return status;
}

static dltf_status add_column(dl_zip_writer *zip, column c, int64_t *piece) {
    dltf_status status = DLTF_OK;
    dl_text header = {0};
    uint32_t crc = 0;
    DL_TRY(dl_npy_header(&header, c.code, 1, &c.count));
    crc = dl_zip_crc(0, header.data, header.length);
    DL_TRY(pass(&c, piece, &crc, NULL));
    DL_TRY(dl_zip_begin(zip, c.name, header.length + c.count * c.width, crc));
    DL_TRY(dl_writer_write(zip->out, header.data, header.length));
    status = pass(&c, piece, NULL, zip->out);
done:
    dl_text_free(&header);
    return status;
}

static dltf_status add_format(dl_zip_writer *zip) {
    dl_text header = {0};
    dltf_status status = dl_npy_header(&header, "S3", 0, NULL);
    if (status == DLTF_OK)
        status = dl_zip_add(zip, "format.npy", header.data, header.length, "csr", 3);
    dl_text_free(&header);
    return status;
}

dltf_status dl_codes_write(const dl_codes_spools *codes, bool wide, dl_writer *out) {
    dltf_status status = DLTF_OK;
    int64_t width = wide ? 8 : 4, shape[] = {codes->rows, codes->cols};
    const char *index = wide ? "i8" : "i4";
    dl_spool shape_spool = dl_spool_borrow(shape, sizeof shape);
    dl_zip_writer zip = dl_zip_writer_new(out);
    int64_t *piece = NULL;
    DL_TRY_NEW(piece, 2 * PIECE); /* one half for elements as read, one for converted ones */
    /* SciPy requires the same type for both index arrays. */
    DL_TRY(add_column(
        &zip, (column){"indices.npy", index, &codes->indices, codes->entries, codes->index_size, width},
        piece));
    DL_TRY(add_column(&zip, (column){"indptr.npy", index, &codes->indptr, codes->rows + 1, 8, width}, piece));
    DL_TRY(add_format(&zip));
    DL_TRY(add_column(&zip, (column){"shape.npy", "i8", &shape_spool, 2, 8, 8}, piece));
    DL_TRY(add_column(&zip, (column){"data.npy", codes->value_code, &codes->values, codes->entries, 4, 4},
                      piece));
    status = dl_zip_finish(&zip);
done:
    dl_free(piece);
    dl_zip_writer_free(&zip);
    return status;
}

dl_codes_spools dl_codes_borrow(dltf_csr csr) {
    int64_t entries = csr.indptr[csr.rows];
    return (dl_codes_spools){csr.rows,
                             csr.cols,
                             entries,
                             dl_spool_borrow(csr.indptr, (csr.rows + 1) * (int64_t)sizeof *csr.indptr),
                             dl_spool_borrow(csr.indices, entries * (int64_t)sizeof *csr.indices),
                             dl_spool_borrow(csr.values, entries * (int64_t)sizeof *csr.values),
                             sizeof *csr.indices,
                             "f4"};
}

dltf_status dltf_codes_save(const dltf_codes *codes, const char *path) {
    DL_REQUIRE(codes, path);
    dltf_status status = DLTF_OK;
    dl_codes_spools spools = dl_codes_borrow(dltf_codes_csr(codes));
    dl_writer out = {0};
    DL_TRY(dl_writer_open(&out, path));
    DL_TRY(dl_codes_write(&spools, spools.entries > INT32_MAX, &out));
    status = dl_writer_commit(&out);
done:
    dl_writer_abort(&out);
    return dl_file_result(status, path);
}
