/* dltf_array_join: the rows of several arrays as one matrix. */
#include "base/memory.h"
#include "data/array.h"
#include "data/matrix.h"
#include "data/source.h"

typedef struct joined {
    dltf_array **parts;
    int64_t count;
    int64_t *first; /* count + 1: number of each part's first row */
} joined;

/* The part that contains a row. */
static int64_t part_of(const joined *j, int64_t row) {
    int64_t low = 0, high = j->count;
    while (high - low > 1) {
        int64_t middle = (low + high) / 2;
        if (j->first[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static dltf_status read_row(void *context, int64_t row, double *out) {
    const joined *j = context;
    int64_t part = part_of(j, row);
    dltf_matrix matrix = dltf_array_matrix(j->parts[part]);
    dl_matrix_row(matrix, row - j->first[part], out);
    return dl_matrix_status(matrix);
}

static void expect_rows(void *context, int64_t first, int64_t count) {
    const joined *j = context;
    int64_t end = first + count;
    for (int64_t part = part_of(j, first); part < j->count && j->first[part] < end; part++) {
        int64_t from = first > j->first[part] ? first : j->first[part];
        int64_t to = end < j->first[part + 1] ? end : j->first[part + 1];
        if (j->parts[part]->source)
            dl_source_expect(j->parts[part]->source, from - j->first[part], to - from);
    }
}

static void free_parts(void *context) {
    joined *j = context;
    for (int64_t i = 0; i < j->count; i++)
        dltf_array_free(j->parts[i]);
    dl_free(j->parts);
    dl_free(j->first);
    dl_free(j);
}

static dltf_status count_rows(joined *j) {
    int64_t cols = dltf_array_matrix(j->parts[0]).cols;
    for (int64_t i = 0; i < j->count; i++) {
        dltf_matrix part = dltf_array_matrix(j->parts[i]);
        if (part.cols != cols)
            return dl_fail_about(
                DLTF_DATA, DLTF_SUBJECT_DATA, "file %lld of %lld has %lld columns, but the first has %lld",
                (long long)(i + 1), (long long)j->count, (long long)part.cols, (long long)cols);
        if (__builtin_add_overflow(j->first[i], part.rows, &j->first[i + 1]))
            return dl_fail_about(DLTF_DATA, DLTF_SUBJECT_DATA, "too many rows");
    }
    return DLTF_OK;
}

dltf_status dltf_array_join(dltf_array **parts, int64_t count, dltf_array **array) {
    DL_CLEAR(array);
    DL_REQUIRE(parts, array);
    dltf_status status = DLTF_OK;
    joined *j = NULL;
    dltf_array *made = NULL;
    int64_t owned = 0;
    if (count < 1 || count > DL_MOST_ELEMENTS)
        return dl_fail(DLTF_ARGUMENT, "%s", count < 1 ? "no arrays to join" : "too many arrays to join");
    DL_TRY_NEW(j, 1);
    DL_TRY_NEW(j->parts, count);
    DL_TRY_NEW(j->first, count + 1);
    for (; owned < count; owned++)
        j->parts[owned] = parts[owned];
    j->count = count;
    DL_TRY(count_rows(j));
    DL_TRY_HANDLE(made, ARRAY);
    DL_TRY(dltf_source_new(j->first[count], dltf_array_matrix(parts[0]).cols, read_row, j, &made->source));
    dl_source_extend(made->source, (dl_source_extras){expect_rows, free_parts});
    j = NULL;
    made->matrix = dltf_source_matrix(made->source);
    *array = made;
    made = NULL;
done:
    for (int64_t i = owned; i < count; i++)
        dltf_array_free(parts[i]);
    if (j)
        free_parts(j);
    dltf_array_free(made);
    return status;
}
