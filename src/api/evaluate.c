/* dltf_evaluate: connects the sums of an evaluation to matrices and readers. */
#include "api/coded_pass.h"
#include "atoms/evaluation.h"
#include "base/memory.h"
#include "base/sized.h"
#include "data/model.h"

#include <string.h>

typedef struct evaluation {
    const dltf_model *model;
    dl_evaluation sums;
    int64_t *uses;
} evaluation;

static dltf_status open_sums(void *context, int threads, int64_t k, int64_t max_rows,
                             dl_residual **residual) {
    evaluation *e = context;
    *residual = &e->sums.residual;
    return dl_evaluation_open(&e->sums, e->model, threads, k, max_rows);
}

static dltf_status add_piece(void *context, int64_t first, dltf_csr codes) {
    evaluation *e = context;
    (void)first;
    for (int64_t p = 0; p < codes.indptr[codes.rows]; p++)
        e->uses[codes.indices[p]]++;
    return dl_evaluation_join(&e->sums, codes.rows);
}

static double alive_share(const int64_t *uses, int64_t m) {
    int64_t alive = 0;
    for (int64_t j = 0; j < m; j++)
        alive += uses[j] > 0;
    return (double)alive / (double)m;
}

static dltf_status evaluate(dl_coded_pass pass, int64_t *uses, dltf_evaluation *found, size_t size) {
    dltf_status status = DLTF_OK;
    int64_t m = pass.model->parts.m;
    evaluation e = {.model = pass.model};
    DL_TRY_NEW(e.uses, m);
    pass.open = open_sums;
    pass.add = add_piece;
    pass.context = &e;
    DL_TRY(dl_coded_pass_run(&pass));
    dltf_evaluation own = dl_evaluation_result(&e.sums);
    own.frac_alive = alive_share(e.uses, m);
    DL_WRITE_STRUCT(dltf_evaluation, found, size, &own);
    if (uses)
        memcpy(uses, e.uses, (size_t)m * sizeof *uses);
done:
    dl_evaluation_close(&e.sums);
    dl_free(e.uses);
    return status;
}

dltf_status dltf_evaluate_sized(const dltf_model *model, dltf_matrix X, const dltf_encode_options *options,
                                dltf_progress_fn progress, void *context, int64_t *uses,
                                dltf_evaluation *found, size_t size) {
    DL_REQUIRE(model, found);
    return evaluate(
        (dl_coded_pass){
            .model = model, .X = X, .options = options, .progress = progress, .progress_context = context},
        uses, found, size);
}

dltf_status dltf_evaluate_stream_sized(const dltf_model *model, dltf_reader *reader,
                                       const dltf_encode_options *options, dltf_progress_fn progress,
                                       void *context, int64_t *uses, dltf_evaluation *found, size_t size) {
    DL_REQUIRE(model, reader, found);
    return evaluate((dl_coded_pass){.model = model,
                                    .reader = reader,
                                    .options = options,
                                    .progress = progress,
                                    .progress_context = context},
                    uses, found, size);
}
