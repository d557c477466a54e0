/* dl_study_stream: an evaluation and a dltf_top fed by the same codes. */
#include "api/study.h"

#include "api/coded_pass.h"
#include "atoms/evaluation.h"
#include "atoms/top.h"
#include "atoms/top_options.h"
#include "base/memory.h"
#include "data/model.h"

typedef struct pass_state {
    const dltf_model *model;
    const dl_study_request *request;
    int64_t rows; /* -1: unknown */
    dl_evaluation sums;
    float *errors; /* of the samples of a piece */
    dl_study *study;
} pass_state;

static dltf_status open_study(void *context, int threads, int64_t k, int64_t max_rows,
                              dl_residual **residual) {
    pass_state *s = context;
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(s->errors, max_rows);
    DL_TRY(dl_evaluation_open(&s->sums, s->model, threads, k, max_rows));
    s->sums.errors = s->errors;
    *residual = &s->sums.residual;
    status = dl_top_new(s->model->parts.m, k, s->rows, threads, &s->request->keep, &s->study->top);
done:
    return status;
}

static void add_codes(pass_state *s, int64_t first, dltf_csr codes) {
    const dl_study_request *r = s->request;
    dl_examples worst = {s->study->worst, &s->study->worst_count, r->worst};
    for (int64_t i = 0; i < codes.rows; i++) {
        int64_t row = first + i;
        dl_examples_offer_largest(worst, (dltf_example){row, s->errors[i]});
        for (int64_t e = codes.indptr[i]; e < codes.indptr[i + 1]; e++) {
            int64_t atom = codes.indices[e];
            s->study->energy[atom] += (double)codes.values[e] * (double)codes.values[e];
            if (r->classes && row < r->labelled)
                s->study->by_class[atom * r->class_count + r->classes[row]]++;
        }
    }
}

static dltf_status add_piece(void *context, int64_t first, dltf_csr codes) {
    pass_state *s = context;
    add_codes(s, first, codes);
    dl_top_add(s->study->top, first, codes);
    return dl_evaluation_join(&s->sums, codes.rows);
}

static double alive_share(const dltf_top *top) {
    int64_t alive = 0;
    for (int64_t j = 0; j < top->m; j++)
        alive += top->atoms[j].uses > 0;
    return (double)alive / (double)top->m;
}

dltf_status dl_study_stream(const dltf_model *model, dltf_reader *reader, const dltf_encode_options *encoding,
                            const dl_study_request *request, dltf_progress_fn progress, void *context,
                            dl_study *study) {
    *study = (dl_study){.top = NULL};
    pass_state s = {.model = model, .request = request, .rows = dltf_reader_rows(reader), .study = study};
    dl_coded_pass pass = {.model = model,
                          .reader = reader,
                          .options = encoding,
                          .progress = progress,
                          .progress_context = context,
                          .open = open_study,
                          .add = add_piece,
                          .context = &s};
    dltf_status status = dl_option_check(dl_top_option_table(), &request->keep, NULL);
    if (status != DLTF_OK)
        return status;
    DL_TRY_NEW(study->energy, model->parts.m);
    DL_TRY_NEW(study->by_class, model->parts.m * request->class_count);
    DL_TRY_NEW(study->worst, request->worst);
    DL_TRY(dl_coded_pass_run(&pass));
    dl_code_sample_finish(&study->top->codes);
    study->evaluation = dl_evaluation_result(&s.sums);
    study->evaluation.frac_alive = alive_share(study->top);
    if (request->classes && study->evaluation.samples != request->labelled)
        status = dl_fail(DLTF_DATA, "%lld labels for %lld samples", (long long)request->labelled,
                         (long long)study->evaluation.samples);
done:
    dl_evaluation_close(&s.sums);
    dl_free(s.errors);
    return status;
}

void dl_study_free(dl_study *study) {
    dltf_top_free(study->top);
    dl_free(study->energy);
    dl_free(study->by_class);
    dl_free(study->worst);
    *study = (dl_study){.top = NULL};
}

dltf_status dl_top_together(const dltf_top *top, int64_t atom, int64_t most, int32_t *atoms, double *shares,
                            int64_t *found) {
    dltf_status status = DLTF_OK;
    int64_t *counts = NULL, own;
    *found = 0;
    DL_TRY_NEW(counts, top->m);
    dl_code_sample_together(&top->codes, atom, counts);
    own = counts[atom];
    counts[atom] = 0;
    while (*found < most) {
        int64_t best = 0;
        for (int64_t j = 1; j < top->m; j++)
            if (counts[j] > counts[best])
                best = j;
        if (counts[best] == 0)
            break;
        atoms[*found] = (int32_t)best;
        shares[(*found)++] = (double)counts[best] / (double)own;
        counts[best] = 0;
    }
done:
    dl_free(counts);
    return status;
}
