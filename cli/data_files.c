/* Files of samples. */
#include "cli/data_files.h"

#include "cli/files.h"
#include "cli/output.h"

#include <stdlib.h>
#include <string.h>

/* What is left of the limit for files that cannot be read by rows. */
static int check_loaded(const char *path, const dltf_array *part, int64_t memory) {
    static const int64_t sizes[] = {
        [DLTF_F32] = 4, [DLTF_F64] = 8, [DLTF_U8] = 1, [DLTF_ROWS] = 0, [DLTF_SPARSE] = 0};
    enum { ENTRY_BYTES = sizeof(int32_t) + sizeof(double) };
    dltf_matrix X = dltf_array_matrix(part);
    double bytes = (double)X.rows * (double)X.cols * (double)sizes[X.type];
    if (X.type == DLTF_SPARSE)
        bytes = ENTRY_BYTES * (double)((const dltf_csr *)X.data)->indptr[X.rows];
    if (bytes <= (double)memory / 2)
        return EXIT_OK;
    return failure(
        "%s: takes %.0f MB in memory, more than half of --memory: this format cannot be read row by "
        "row; save it as .npy in C order",
        path, bytes / 1048576);
}

static int open_file(const char *path, int64_t memory, int64_t raw_columns, dltf_array **part) {
    if (memory == 0 && raw_columns == 0)
        return files_load_data(path, part);
    int code = files_open_rows(path, raw_columns, part);
    return code == EXIT_OK && memory > 0 ? check_loaded(path, *part, memory) : code;
}

int data_files_open(char **paths, int count, int64_t memory, int64_t raw_columns, dltf_array **data) {
    dltf_array **parts = calloc((size_t)count, sizeof *parts);
    if (!parts)
        return failure("not enough memory for %d files", count);
    int code = EXIT_OK;
    for (int i = 0; i < count && code == EXIT_OK; i++)
        code = open_file(paths[i], memory, raw_columns, &parts[i]);
    if (code == EXIT_OK && count == 1)
        *data = parts[0];
    else if (code == EXIT_OK) {
        dltf_status status = dltf_array_join(parts, count, data);
        code = status == DLTF_OK ? EXIT_OK : library_failure(status);
    } else
        for (int i = 0; i < count; i++)
            dltf_array_free(parts[i]);
    free(parts);
    return code;
}
