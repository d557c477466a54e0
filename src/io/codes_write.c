/* dltf_codes_save: what scipy.sparse.save_npz(compressed=False) writes, with fixed times, so that the same
 * codes give the same bytes. */
#include "base/memory.h"
#include "io/codes_file.h"
#include "io/npy.h"
#include "io/zip.h"

static dltf_status add(dl_zip_writer *zip, const char *name, const char *code, int rank, int64_t count,
                       const void *body, int64_t bytes) {
    dl_text header = {0};
    dltf_status status = dl_npy_header(&header, code, rank, &count);
    if (status == DLTF_OK)
        status = dl_zip_add(zip, name, header.data, header.length, body, bytes);
    dl_text_free(&header);
    return status;
}

/* int32 for both index arrays as SciPy has it; int64 for both once 32 bits cannot count the entries. */
static dltf_status add_narrow(dl_zip_writer *zip, dltf_csr csr) {
    int64_t entries = csr.indptr[csr.rows];
    int32_t *indptr = DL_NEW(int32_t, csr.rows + 1);
    if (!indptr)
        return DLTF_MEMORY;
    for (int64_t i = 0; i <= csr.rows; i++)
        indptr[i] = (int32_t)csr.indptr[i];
    dltf_status status = add(zip, "indices.npy", "i4", 1, entries, csr.indices, 4 * entries);
    if (status == DLTF_OK)
        status = add(zip, "indptr.npy", "i4", 1, csr.rows + 1, indptr, 4 * (csr.rows + 1));
    dl_free(indptr);
    return status;
}

static dltf_status add_wide(dl_zip_writer *zip, dltf_csr csr) {
    int64_t entries = csr.indptr[csr.rows];
    int64_t *indices = DL_NEW(int64_t, entries);
    if (!indices)
        return DLTF_MEMORY;
    for (int64_t i = 0; i < entries; i++)
        indices[i] = csr.indices[i];
    dltf_status status = add(zip, "indices.npy", "i8", 1, entries, indices, 8 * entries);
    if (status == DLTF_OK)
        status = add(zip, "indptr.npy", "i8", 1, csr.rows + 1, csr.indptr, 8 * (csr.rows + 1));
    dl_free(indices);
    return status;
}

dltf_status dl_codes_write(dltf_csr csr, bool wide, dl_writer *out) {
    dltf_status status = DLTF_OK;
    int64_t entries = csr.indptr[csr.rows];
    int64_t shape[] = {csr.rows, csr.cols};
    dl_zip_writer zip = dl_zip_writer_new(out);
    DL_TRY(wide ? add_wide(&zip, csr) : add_narrow(&zip, csr));
    DL_TRY(add(&zip, "format.npy", "S3", 0, 0, "csr", 3));
    DL_TRY(add(&zip, "shape.npy", "i8", 1, 2, shape, sizeof shape));
    DL_TRY(add(&zip, "data.npy", "f4", 1, entries, csr.values, 4 * entries));
    status = dl_zip_finish(&zip);
done:
    dl_zip_writer_free(&zip);
    return status;
}

dltf_status dltf_codes_save(const dltf_codes *codes, const char *path) {
    dltf_status status = DLTF_OK;
    dltf_csr csr = dltf_codes_csr(codes);
    dl_writer out = {0};
    DL_TRY(dl_writer_open(&out, path));
    DL_TRY(dl_codes_write(csr, csr.indptr[csr.rows] > INT32_MAX, &out));
    status = dl_writer_commit(&out);
done:
    dl_writer_abort(&out);
    return dl_file_result(status, path);
}
