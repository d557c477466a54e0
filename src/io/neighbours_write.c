/* Writes neighbours as .npy, .ivecs and .npz, and their distances. */
#include "io/neighbours.h"

#include "base/integer.h"
#include "base/memory.h"
#include "io/formats.h"
#include "io/formats/codes.h"
#include "io/formats/npy.h"
#include "io/formats/vecs.h"

enum { PIECE = 1 << 16 }; /* numbers converted at a time */

static dltf_status write_header(const char *code, dltf_neighbours_view v, dl_writer *out) {
    dl_text header = {0};
    dltf_status status = dl_npy_header(&header, code, 2, (int64_t[]){v.queries, v.k});
    if (status == DLTF_OK)
        status = dl_writer_write(out, header.data, header.length);
    dl_text_free(&header);
    return status;
}

static dltf_status write_narrow(const int64_t *numbers, int64_t count, dl_writer *out) {
    dltf_status status = DLTF_OK;
    int32_t *piece = NULL;
    DL_TRY_NEW(piece, PIECE);
    for (int64_t first = 0; first < count; first += PIECE) {
        int64_t here = dl_min(PIECE, count - first);
        for (int64_t i = 0; i < here; i++)
            piece[i] = (int32_t)numbers[first + i];
        DL_TRY(dl_writer_write(out, piece, here * (int64_t)sizeof *piece));
    }
done:
    dl_free(piece);
    return status;
}

static dltf_status check_rectangular(dltf_neighbours_view v) {
    return v.k > 0 ? DLTF_OK
                   : dl_fail(DLTF_ARGUMENT, "the number of neighbours within a radius differs from query to "
                                            "query: write them as .npz");
}

dltf_status dl_neighbours_write_npy(dltf_neighbours_view v, dl_writer *out) {
    dltf_status status = DLTF_OK;
    bool wide = v.rows > INT32_MAX;
    DL_TRY(check_rectangular(v));
    DL_TRY(write_header(wide ? "i8" : "i4", v, out));
    status = wide ? dl_writer_write(out, v.indices, v.queries * v.k * (int64_t)sizeof *v.indices)
                  : write_narrow(v.indices, v.queries * v.k, out);
done:
    return status;
}

dltf_status dl_neighbours_write_ivecs(dltf_neighbours_view v, dl_writer *out) {
    dltf_status status = check_rectangular(v);
    return status == DLTF_OK ? dl_ivecs_write(&(dl_integers){v.indices, v.queries, v.k, false}, out) : status;
}

dltf_status dl_neighbours_write_npz(dltf_neighbours_view v, dl_writer *out) {
    int64_t entries = v.indptr[v.queries];
    dl_codes_spools spools = {.rows = v.queries,
                              .cols = v.rows,
                              .entries = entries,
                              .indptr =
                                  dl_spool_borrow(v.indptr, (v.queries + 1) * (int64_t)sizeof *v.indptr),
                              .indices = dl_spool_borrow(v.indices, entries * (int64_t)sizeof *v.indices),
                              .values = dl_spool_borrow(v.distances, entries * (int64_t)sizeof *v.distances),
                              .index_size = sizeof *v.indices,
                              .value_code = "i4"};
    return dl_codes_write(&spools, entries > INT32_MAX || v.rows > INT32_MAX, out);
}

static dltf_status save(const dltf_neighbours *neighbours, const char *path,
                        dltf_status (*write)(dltf_neighbours_view, dl_writer *)) {
    dltf_status status = DLTF_OK;
    dl_writer out = {0};
    DL_TRY(dl_writer_open(&out, path));
    DL_TRY(write(dltf_neighbours_get(neighbours), &out));
    status = dl_writer_commit(&out);
done:
    dl_writer_abort(&out);
    return dl_file_result(status, path);
}

dltf_status dltf_neighbours_save(const dltf_neighbours *neighbours, const char *path) {
    DL_REQUIRE(neighbours, path);
    const dl_format *format = dl_format_of_path(DL_CONTENT_NEIGHBOURS, NULL, path);
    if (*path && !format)
        return dl_file_result(dl_fail(DLTF_ARGUMENT, "unsupported extension: neighbours can be written as %s",
                                      dl_format_names(DL_CONTENT_NEIGHBOURS, NULL, "or")),
                              path);
    return save(neighbours, path, format ? format->write_neighbours : dl_neighbours_write_npz);
}

static dltf_status write_distances(dltf_neighbours_view v, dl_writer *out) {
    dltf_status status = DLTF_OK;
    DL_TRY(check_rectangular(v));
    DL_TRY(write_header("i4", v, out));
    status = dl_writer_write(out, v.distances, v.queries * v.k * (int64_t)sizeof *v.distances);
done:
    return status;
}

dltf_status dl_neighbours_save_distances(const dltf_neighbours *neighbours, const char *path) {
    DL_REQUIRE(neighbours, path);
    return save(neighbours, path, write_distances);
}
