/* dltf/bind.h: rows and codes in pieces, from files and to files. */
#include "api/bind.h"
#include "api/values.h"
#include "base/options.h"
#include "data/array.h"

#include <string.h>

/* A layout of codes or hashes. */
static dltf_status layout_named(const char *name, dltf_layout *layout) {
    static const char *const names[] = {
        [DLTF_LAYOUT_SPARSE] = "sparse", [DLTF_LAYOUT_DENSE] = "dense", [DLTF_LAYOUT_RAW] = "raw"};
    for (int i = DLTF_LAYOUT_SPARSE; i <= DLTF_LAYOUT_RAW; i++)
        if (strcmp(name, names[i]) == 0) {
            *layout = (dltf_layout)i;
            return DLTF_OK;
        }
    return dl_fail(DLTF_ARGUMENT, "unknown layout '%s': expected sparse, dense or raw", name);
}

dltf_status dltf_bind_reader_next(dltf_reader *reader, int64_t most, dltf_array **rows) {
    DL_CLEAR(rows);
    DL_REQUIRE(reader, rows);
    dltf_matrix piece = {0};
    dltf_status status = dltf_reader_next(reader, most, &piece);
    if (status != DLTF_OK || piece.rows == 0)
        return status;
    dltf_array *made = dl_array_new();
    if (!made)
        return DLTF_MEMORY;
    made->matrix = piece;
    *rows = made;
    return DLTF_OK;
}

dltf_status dltf_bind_codes_writer_open(const char *path, const char *layout, int64_t rows, int64_t cols,
                                        dltf_codes_writer **writer) {
    DL_CLEAR(writer);
    DL_REQUIRE(path, layout, writer);
    dltf_layout found = DLTF_LAYOUT_SPARSE;
    dltf_status status = layout_named(layout, &found);
    return status == DLTF_OK ? dltf_codes_writer_open(path, found, rows, cols, writer) : status;
}

dltf_status dltf_bind_codes_writer_add(dltf_codes_writer *writer, const dltf_codes *codes) {
    DL_REQUIRE(writer, codes);
    return dltf_codes_writer_add(writer, dltf_codes_csr(codes));
}

dltf_status dltf_bind_encode_stream(const dltf_model *model, dltf_reader *reader, const dltf_options *options,
                                    dltf_report_fn report, void *context, dltf_codes_writer *writer,
                                    dltf_values **totals) {
    DL_CLEAR(totals);
    DL_REQUIRE(model, reader, writer, totals);
    dl_call call;
    dltf_stream_totals found;
    dltf_values *made = NULL;
    dltf_status status = dl_call_begin(&call, "encode", options, report, context);
    if (status == DLTF_OK)
        status = dltf_encode_stream(model, reader, call.options, call.progress, &call, writer, &found);
    if (status == DLTF_OK)
        status = dltf_values_new(&made);
    if (status != DLTF_OK)
        return status;
    DL_PUT_NUMBER(made, found, samples);
    DL_PUT_NUMBER(made, found, entries);
    DL_PUT_NUMBER(made, found, relative_error);
    DL_PUT_NUMBER(made, found, explained_variance);
    return dl_values_finish(made, totals);
}

dltf_status dltf_bind_hasher_apply_stream(const dltf_hasher *hasher, dltf_reader *reader, int64_t threads,
                                          dltf_report_fn report, void *context, const char *path,
                                          const char *layout, int64_t *samples) {
    DL_REQUIRE(hasher, reader, path, layout, samples);
    DL_REQUIRE_THREADS(threads);
    dltf_layout found = DLTF_LAYOUT_SPARSE;
    dl_call call = dl_call_plain(report, context);
    *samples = 0;
    dltf_status status = layout_named(layout, &found);
    return status == DLTF_OK
               ? dltf_hasher_apply_stream(hasher, reader, threads, call.progress, &call, path, found, samples)
               : status;
}
