/* dltf_array_load and dltf_matrix_save: which format a file has. Content decides where the format has a magic
 * number, the extension only for text. */
#include "io/load.h"
#include "data/matrix.h"
#include "io/bytes.h"
#include "io/csv.h"
#include "io/idx.h"
#include "io/npy.h"
#include "io/npz.h"

#include "base/memory.h"

#include <unistd.h>

static const char readable[] = ".npy, .npz, .csv, IDX and IDX.gz are read";

dltf_status dl_load_content(dl_file *file, const char *path, const char *name, dltf_array **array) {
    if (dl_zip_recognise(file->bytes, file->size))
        return dl_npz_load(file, name, array);
    if (name)
        return dl_fail(DLTF_FORMAT, "is not a .npz archive, so there is no array '%s' in it",
                       DL_PRINTABLE(name, (int64_t)strlen(name)));
    if (dl_npy_recognise(file->bytes, file->size))
        return dl_npy_load(file, array);
    if (dl_gzip_recognise(file->bytes, file->size))
        return dl_idx_gzip_load(file, array);
    if (dl_idx_recognise(file->bytes, file->size))
        return dl_idx_load(file, array);
    if (!path)
        return dl_fail(DLTF_FORMAT,
                       "has a format that is not known; .npy, .npz, IDX and IDX.gz are recognised "
                       "in a stream, raw rows must be announced");
    if (dl_path_ends(path, ".csv") || dl_path_ends(path, ".tsv") || dl_path_ends(path, ".txt"))
        return dl_csv_load(file, array);
    static const char *const known[] = {".npy", ".npz", ".gz"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (dl_path_ends(path, known[i]))
            return dl_fail(DLTF_FORMAT, "is damaged or not a %s file: it does not begin like one", known[i]);
    return dl_fail(DLTF_FORMAT, "has a format that is not known; %s", readable);
}

/* "dir/f.npz:name" -> the file's length in `path` and "name", unless a file has the whole name. */
static const char *split_member(const char *path, size_t *length) {
    const char *mark = NULL;
    for (const char *at = path; (at = strstr(at, ".npz:")); at++)
        mark = at;
    if (!mark || access(path, F_OK) == 0)
        return NULL;
    *length = (size_t)(mark - path) + 4;
    return mark + 5;
}

static dltf_status load_file(const char *path, const char *name, dltf_array **array) {
    dl_file file;
    dltf_status status = dl_file_open(path, &file);
    if (status == DLTF_OK) {
        status = dl_load_content(&file, path, name, array);
        dl_file_close(&file); /* empty by now if the array took it over */
    }
    return dl_file_result(status, path);
}

dltf_status dltf_array_load(const char *path, dltf_array **array) {
    *array = NULL;
    size_t length = 0;
    const char *name = path ? split_member(path, &length) : NULL;
    if (!name)
        return load_file(path, NULL, array);
    char *file = dl_alloc((int64_t)length + 1, 1);
    if (!file)
        return DLTF_MEMORY;
    memcpy(file, path, length);
    dltf_status status = load_file(file, name, array);
    dl_free(file);
    return status;
}

dltf_status dltf_matrix_save(dltf_matrix matrix, const char *path) {
    dl_writer out = {0};
    dltf_status status = dl_matrix_check_view(matrix, DLTF_SUBJECT_DATA);
    if (status != DLTF_OK)
        return status;
    DL_TRY(dl_writer_open(&out, path));
    DL_TRY(dl_path_ends(path, ".csv") ? dl_csv_write(matrix, &out) : dl_npy_write(matrix, &out));
    status = dl_writer_commit(&out);
done:
    dl_writer_abort(&out);
    return dl_file_result(status, path);
}
