/* Sources of rows, and their first failure. */
#include "data/source.h"

#include "base/memory.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* The first failure of a reader, in any thread. `status` is set last; the other fields do not change after
 * that. */
typedef struct failure {
    atomic_flag claimed; /* by the thread that writes the others */
    atomic_int status;
    bool of_file;
    char name[512], text[1024];
} failure;

struct dltf_source {
    int64_t rows, cols;
    dltf_row_reader read;
    void *context;
    dl_source_extras extras;
    failure *failure;
};

static void keep_failure(failure *f, dltf_status status) {
    dltf_error error = dltf_last_error();
    bool told = error.status == status; /* a reader of the caller may return a status without a message */
    if (atomic_flag_test_and_set(&f->claimed))
        return;
    f->of_file = told && error.subject == DLTF_SUBJECT_FILE;
    snprintf(f->name, sizeof f->name, "%s", f->of_file ? error.name : "");
    snprintf(f->text, sizeof f->text, "%s", told ? error.text : "a row could not be read");
    atomic_store(&f->status, (int)status);
}

dltf_status dl_source_status(const dltf_source *source) {
    const failure *f = source->failure;
    dltf_status status = (dltf_status)atomic_load(&f->status);
    if (status == DLTF_OK)
        return DLTF_OK;
    if (!f->of_file)
        return dl_fail_about(status, DLTF_SUBJECT_DATA, "%s", f->text);
    dl_fail(status, "%s", f->text);
    return dl_fail_prefix(status, f->name);
}

void dl_source_row(const dltf_source *source, int64_t row, double *out) {
    failure *f = source->failure;
    dltf_status status = (dltf_status)atomic_load(&f->status);
    if (status == DLTF_OK) {
        status = source->read(source->context, row, out);
        if (status != DLTF_OK)
            keep_failure(f, status);
    }
    if (status != DLTF_OK)
        memset(out, 0, (size_t)source->cols * sizeof *out);
}

void dl_source_row_f32(const dltf_source *source, int64_t row, float *out) {
    double *wide = DL_NEW(double, source->cols);
    if (wide)
        dl_source_row(source, row, wide);
    else
        keep_failure(source->failure, DLTF_MEMORY);
    for (int64_t j = 0; j < source->cols; j++)
        out[j] = wide ? (float)wide[j] : 0;
    dl_free(wide);
}

void dl_source_expect(const dltf_source *source, int64_t first, int64_t count) {
    if (source->extras.expect)
        source->extras.expect(source->context, first, count);
}

void dl_source_extend(dltf_source *source, dl_source_extras extras) {
    source->extras = extras;
}

dltf_status dltf_source_new(int64_t rows, int64_t cols, dltf_row_reader read, void *context,
                            dltf_source **source) {
    DL_CLEAR(source);
    DL_REQUIRE(source);
    dltf_status status = DLTF_OK;
    dltf_source *s = NULL;
    if (!read)
        return dl_fail(DLTF_ARGUMENT, "no function to read rows given");
    if (rows < 1 || cols < 1)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_DATA,
                             "%lld rows and %lld columns: at least one of each is needed", (long long)rows,
                             (long long)cols);
    DL_TRY_NEW(s, 1);
    *s = (dltf_source){.rows = rows, .cols = cols, .read = read, .context = context};
    DL_TRY_NEW(s->failure, 1);
    atomic_flag_clear(&s->failure->claimed);
    *source = s;
    s = NULL;
done:
    dl_free(s);
    return status;
}

dltf_matrix dltf_source_matrix(const dltf_source *source) {
    if (!source)
        return (dltf_matrix){0};
    return (dltf_matrix){.data = source,
                         .type = DLTF_ROWS,
                         .rows = source->rows,
                         .cols = source->cols,
                         .row_stride = 0,
                         .col_stride = 1};
}

void dltf_source_free(dltf_source *source) {
    if (!source)
        return;
    if (source->extras.free)
        source->extras.free(source->context);
    dl_free(source->failure);
    dl_free(source);
}
