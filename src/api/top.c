/* dltf_top_find: connects the use of atoms to matrices and readers. */
#include "atoms/top.h"
#include "api/coded_pass.h"
#include "atoms/top_options.h"
#include "data/model.h"

typedef struct search {
    const dltf_model *model;
    int64_t rows; /* -1: unknown */
    dltf_top_options options;
    dltf_top *top;
} search;

static dltf_status open_top(void *context, int threads, int64_t k, int64_t max_rows, dl_residual **residual) {
    search *s = context;
    (void)max_rows;
    (void)residual; /* no errors are measured */
    return dl_top_new(s->model->parts.m, k, s->rows, threads, &s->options, &s->top);
}

static dltf_status add_piece(void *context, int64_t first, dltf_csr codes) {
    search *s = context;
    dl_top_add(s->top, first, codes);
    return DLTF_OK;
}

static dltf_status find(dl_coded_pass pass, const dltf_top_options *options, dltf_top **top) {
    search s = {.model = pass.model, .rows = pass.reader ? dltf_reader_rows(pass.reader) : pass.X.rows};
    dltf_status status = DL_READ_OPTIONS(top, options, &s.options);
    if (status == DLTF_OK)
        status = dl_option_check(dl_top_option_table(), &s.options, NULL);
    if (status != DLTF_OK)
        return status;
    pass.open = open_top;
    pass.add = add_piece;
    pass.context = &s;
    status = dl_coded_pass_run(&pass);
    if (status == DLTF_OK) {
        dl_code_sample_finish(&s.top->codes);
        *top = s.top;
    } else {
        dltf_top_free(s.top);
    }
    return status;
}

dltf_status dltf_top_find(const dltf_model *model, dltf_matrix X, const dltf_encode_options *encoding,
                          const dltf_top_options *options, dltf_progress_fn progress, void *context,
                          dltf_top **top) {
    DL_CLEAR(top);
    DL_REQUIRE(model, top);
    return find(
        (dl_coded_pass){
            .model = model, .X = X, .options = encoding, .progress = progress, .progress_context = context},
        options, top);
}

dltf_status dltf_top_find_stream(const dltf_model *model, dltf_reader *reader,
                                 const dltf_encode_options *encoding, const dltf_top_options *options,
                                 dltf_progress_fn progress, void *context, dltf_top **top) {
    DL_CLEAR(top);
    DL_REQUIRE(model, reader, top);
    return find((dl_coded_pass){.model = model,
                                .reader = reader,
                                .options = encoding,
                                .progress = progress,
                                .progress_context = context},
                options, top);
}
