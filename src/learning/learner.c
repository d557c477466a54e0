/* The learner: options and data in, stages of iterations, a model out. Public functions dltf_learner_*
 * and dltf_train. */
#include "learning/learner.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "data/matrix.h"
#include "data/model.h"
#include "learning/train_options.h"
#include "linalg/blas.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Making ---- */

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* The data, checked, and the scale that makes options independent of units: mean ||x||^2 = k. */
static dltf_status prepare_samples(dltf_learner *l, dltf_matrix X) {
    dltf_status status = DLTF_OK;
    l->samples = (dl_samples){.X = X, .unit_norm = l->options.unit_norm, .scale = 1};
    if (l->options.center) {
        DL_TRY_NEW(l->mean, l->n);
        DL_TRY(dl_samples_mean(X, l->mean));
        l->samples.mean = l->mean;
    }
    DL_TRY(dl_samples_scan(&l->samples, &l->scan));
    l->samples.scale = sqrt((double)l->k / l->scan.mean_square);
    l->weight = 1e4 / (double)l->N;
done:
    return status;
}

/* Refuses what the machine cannot hold before anything is allocated: systems that promise memory they do not
 * have would kill the process later. */
static dltf_status check_memory(const dltf_learner *l) {
    double m = (double)l->m, n = (double)l->n, N = (double)l->N, threads = (double)l->threads;
    double k = (double)l->k;
    bool ksvd = l->options.method == DLTF_METHOD_KSVD, admm = !ksvd && l->options.admm > 0;
    bool distilled = l->options.encoder == DLTF_ENCODER_DISTILLED,
         tight = l->options.encoder == DLTF_ENCODER_TIGHT;
    double squares = (admm ? 9 : 6) * 8 * m * m, dictionaries = 12 * 8 * m * n;
    double samples = (double)DL_BLOCK * 4 * n + (admm ? 8 * N * m : 0) + (ksvd ? N * (4 * n + 20 * k) : 0);
    double encoder = distilled ? 3 * 8 * n * n : tight ? 5 * 8 * fmin(m, n) * fmin(m, n) : 0;
    double bytes = squares + dictionaries + samples + encoder + threads * 16 * DL_TILE * m;
    if (distilled && l->n > DL_MOST_EIGENVECTORS)
        return dl_fail(DLTF_ARGUMENT,
                       "encoder: distilled is for at most %d columns, the data have %lld: dual",
                       DL_MOST_EIGENVECTORS, (long long)l->n);
    if (bytes <= dl_memory_of_machine())
        return DLTF_OK;
    return dl_fail(DLTF_MEMORY, "m = %lld atoms%s need about %.0f GB of memory, this machine has %.0f GB: %s",
                   (long long)l->m,
                   admm        ? " and ADMM"
                   : ksvd      ? " and K-SVD's residuals"
                   : distilled ? " and the distilled encoder"
                               : "",
                   bytes / 1e9, dl_memory_of_machine() / 1e9,
                   distilled && encoder > bytes / 2 ? "let the encoder be dual" : "lower m");
}

static dltf_status allocate(dltf_learner *l) {
    dltf_status status = DLTF_OK;
    int64_t m = l->m, n = l->n;
    bool ksvd = l->options.method == DLTF_METHOD_KSVD, admm = !ksvd && l->options.admm > 0;
    int64_t block = ksvd ? l->N : least(DL_BLOCK, l->N); /* samples that are looked at together */
    DL_TRY_NEW(l->W, m * n);
    DL_TRY(dl_packed_alloc(&l->W32, m, n));
    DL_TRY(dl_packed_alloc(&l->E32, m, n));
    DL_TRY_NEW(l->narrow, m * n);
    DL_TRY_NEW(l->G32, m * m);
    DL_TRY_NEW(l->code_sum, m);
    DL_TRY_NEW(l->block, ksvd ? n : block * n);
    DL_TRY_NEW(l->rows, l->threads * n);
    DL_TRY_NEW(l->useless, m);
    DL_TRY_NEW(l->squares, block);
    DL_TRY_NEW(l->residual, n);
    DL_TRY(dl_slots_alloc(&l->Z, admm ? l->N : block, l->k));
    DL_TRY_NEW(l->z_spaces, l->threads);
    for (int t = 0; t < l->threads && !ksvd; t++)
        DL_TRY(dl_z_space_alloc(&l->z_spaces[t], m, l->k));
    DL_TRY(dl_statistics_alloc(&l->statistics, l->threads, m, n, block, l->k, admm));
    DL_TRY(dl_w_space_alloc(&l->w_space, l->threads, m, n, admm));
    if (ksvd)
        DL_TRY(dl_ksvd_alloc(l));
    if (!ksvd && l->options.steps > 0)
        DL_TRY(dl_minibatch_alloc(l));
    if (admm)
        DL_TRY(dl_admm_alloc(l));
    if (dl_stage_length(&l->options, DLTF_STAGE_ENCODER) > 0)
        DL_TRY(dl_encoder_stage_alloc(l));
done:
    return status;
}

dltf_status dl_learner_create(dltf_matrix X, const dltf_train_options *options, dltf_learner **learner) {
    dltf_status status = dl_matrix_check(X, "data");
    if (status == DLTF_OK)
        status = dl_train_options_check(options);
    if (status != DLTF_OK)
        return status;
    dltf_learner *l = NULL;
    DL_TRY_NEW(l, 1);
    l->options = *options;
    dl_train_options_complete(&l->options, X.rows, X.cols);
    DL_TRY(dl_train_options_check(&l->options));
    l->threads = dl_thread_count(options->threads);
    l->N = X.rows;
    l->n = X.cols;
    l->m = l->options.m;
    l->k = l->options.k;
    l->stage = dl_first_stage(&l->options);
    l->tau = 1e-3;
    l->start_time = dltf_seconds();
    DL_TRY(check_memory(l));
    DL_TRY(prepare_samples(l, X));
    DL_TRY(allocate(l));
    *learner = l;
    l = NULL;
done:
    dltf_learner_free(l);
    return status;
}

dltf_status dltf_learner_new(dltf_matrix X, const dltf_train_options *options, const dltf_model *start,
                             dltf_learner **learner) {
    dltf_train_options wanted = *options;
    if (start && wanted.m == 0) /* a given start decides what the data would */
        wanted.m = start->parts.m;
    if (start && wanted.k == 0)
        wanted.k = start->parts.k;
    dltf_learner *l = NULL;
    dltf_status status = dl_learner_create(X, &wanted, &l);
    if (status != DLTF_OK)
        return status;
    dl_blas_enter();
    status = dl_start_dictionary(l, start);
    dl_blas_leave();
    if (status != DLTF_OK) {
        dltf_learner_free(l);
        return status;
    }
    *learner = l;
    return DLTF_OK;
}

void dltf_learner_free(dltf_learner *l) {
    if (!l)
        return;
    dl_minibatch_free(l);
    dl_ksvd_free(l);
    dl_encoder_stage_free(l);
    dl_statistics_free(&l->statistics);
    dl_w_space_free(&l->w_space);
    for (int t = 0; l->z_spaces && t < l->threads; t++)
        dl_z_space_free(&l->z_spaces[t]);
    dl_free(l->z_spaces);
    dl_slots_free(&l->Z);
    float *floats[] = {l->mean, l->narrow, l->G32, l->block, l->Q, l->Y, l->M};
    double *doubles[] = {l->W, l->code_sum, l->rows, l->squares, l->residual, l->A, l->sums};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        dl_free(floats[i]);
    for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++)
        dl_free(doubles[i]);
    dl_packed_free(&l->W32);
    dl_packed_free(&l->E32);
    dl_free(l->useless);
    dl_free(l->history);
    dl_free(l);
}

/* ---- Running ---- */

void dl_learner_pack(dltf_learner *l, const double *matrix, dl_packed *packed) {
    for (int64_t i = 0; i < l->m * l->n; i++)
        l->narrow[i] = (float)matrix[i];
    dl_packed_fill(packed, l->narrow, NULL);
}

void dl_learner_refresh(dltf_learner *l) {
    dl_gemm(l->threads, DL_PLAIN, DL_TRANSPOSED, l->m, l->m, l->n, 1, l->W, l->W, 0, l->w_space.G);
    dl_learner_pack(l, l->W, &l->W32);
    for (int64_t i = 0; i < l->m * l->m; i++)
        l->G32[i] = (float)l->w_space.G[i];
}

void dl_learner_describe(const dltf_learner *l, dltf_iteration *record) {
    const double *G = l->w_space.G;
    record->coherence = record->frame_potential = 0;
    for (int64_t i = 0; i < l->m; i++)
        for (int64_t j = 0; j < l->m; j++) {
            double g = fabs(G[i * l->m + j]);
            record->frame_potential += g * g;
            if (i != j && g > record->coherence)
                record->coherence = g;
        }
}

static dltf_status make_room(dltf_learner *l) {
    if (l->history_count < l->history_capacity)
        return DLTF_OK;
    int64_t capacity = 2 * l->history_capacity + 64;
    dltf_iteration *history = dl_grow(l->history, l->history_count, capacity, sizeof *history);
    if (!history)
        return DLTF_MEMORY;
    l->history = history;
    l->history_capacity = capacity;
    return DLTF_OK;
}

dltf_status dl_learner_record(dltf_learner *l, const dltf_iteration *record) {
    dltf_status status = make_room(l);
    if (status == DLTF_OK)
        l->history[l->history_count++] = *record;
    return status;
}

dltf_stage dl_first_stage(const dltf_train_options *options) {
    return options->method == DLTF_METHOD_KSVD ? DLTF_STAGE_KSVD : DLTF_STAGE_MINIBATCH;
}

dltf_stage dl_last_stage(const dltf_train_options *options) {
    return options->method == DLTF_METHOD_KSVD ? DLTF_STAGE_KSVD : DLTF_STAGE_ENCODER;
}

bool dl_has_encoder(const dltf_learner *l) {
    return l->options.encoder != DLTF_ENCODER_TIED && l->stage == DLTF_STAGE_ENCODER &&
           l->index > l->options.polish;
}

int64_t dl_stage_length(const dltf_train_options *options, dltf_stage stage) {
    bool tied = options->encoder == DLTF_ENCODER_TIED;
    switch (stage) {
    case DLTF_STAGE_MINIBATCH:
        return options->steps;
    case DLTF_STAGE_MODEL:
        return tied ? options->iterations : 0;
    case DLTF_STAGE_ADMM:
        return tied ? options->admm : 0;
    case DLTF_STAGE_ENCODER:
        return tied ? 0 : options->polish + 1; /* the last makes the encoder */
    case DLTF_STAGE_KSVD:
        break;
    }
    return options->iterations;
}

/* Stage 2 has converged when its objective stands still at the final theta, K-SVD when its objective does and
 * no atom was replaced, stage 3 when both residuals are small against the Q they belong to. Stage 1 draws
 * other samples in every step and has no such point. */
static bool has_converged(const dltf_learner *l) {
    const dltf_iteration *now = &l->history[l->history_count - 1];
    double tolerance = l->options.tolerance;
    if (tolerance == 0)
        return false;
    if (now->stage == DLTF_STAGE_ADMM) {
        double scale = sqrt((double)l->N * (double)l->k);
        return now->primal_residual <= tolerance * scale &&
               now->dual_residual <= tolerance * scale * l->options.beta;
    }
    if (l->history_count < 2)
        return false;
    bool may = now->stage == DLTF_STAGE_KSVD
                   ? now->index > 0 && now->atoms_replaced + (now - 1)->atoms_replaced == 0
                   : now->stage == DLTF_STAGE_MODEL && dl_model_holds(&l->options, now->index);
    return may && fabs(now->objective - (now - 1)->objective) <= tolerance * now->objective;
}

static dltf_status iterate(dltf_learner *l) {
    dltf_iteration record = {.stage = l->stage, .index = l->index};
    dltf_status status = make_room(l); /* first: an iteration without its record could not be repeated */
    if (status != DLTF_OK)
        return status;
    switch (l->stage) {
    case DLTF_STAGE_MINIBATCH:
        dl_minibatch_step(l, l->index, &record);
        break;
    case DLTF_STAGE_MODEL:
        dl_model_iteration(l, l->index, &record);
        break;
    case DLTF_STAGE_ADMM:
        if (l->index == 0)
            dl_admm_start(l);
        dl_admm_iteration(l, &record);
        break;
    case DLTF_STAGE_ENCODER:
        status = dl_encoder_iteration(l, l->index, &record);
        if (status != DLTF_OK)
            return status;
        break;
    case DLTF_STAGE_KSVD:
        dl_ksvd_iteration(l, l->index, &record);
        break;
    }
    if (!isfinite(record.objective + record.relative_error + record.frame_potential))
        return dl_fail(DLTF_NUMERIC, "learning left the range of numbers in stage %d, iteration %lld%s",
                       (int)l->stage, (long long)l->index,
                       l->stage == DLTF_STAGE_ADMM ? ": lower lambda or raise beta" : ": rescale the data");
    record.seconds = dltf_seconds() - l->start_time;
    l->index++;
    return dl_learner_record(l, &record);
}

/* Progress in units of work, about proportional to time: samples that an iteration codes, plus what its
 * matrix algebra costs; with Q and Y a sample costs several times as much. */
static int64_t work_of(const dltf_learner *l, dltf_stage stage) {
    const int64_t algebra = 2000, with_noise = 4;
    if (stage == DLTF_STAGE_MINIBATCH)
        return algebra + least(l->options.batch, l->N);
    return algebra + (stage == DLTF_STAGE_ADMM ? with_noise * l->N : l->N);
}

static dltf_progress progress_of(const dltf_learner *l) {
    dltf_progress report = {.task = "learning", .iteration = &l->history[l->history_count - 1]};
    for (dltf_stage stage = dl_first_stage(&l->options); stage <= dl_last_stage(&l->options); stage++) {
        int64_t length = dl_stage_length(&l->options, stage);
        int64_t done = stage < l->stage ? length : stage == l->stage ? l->index : 0;
        report.done += done * work_of(l, stage);
        report.total += length * work_of(l, stage);
    }
    return report;
}

static dltf_status run_stages(dltf_learner *l, dltf_progress_fn progress, void *context,
                              dltf_outcome *outcome) {
    bool converged = l->history_count > 0 && has_converged(l);
    *outcome = converged ? DLTF_CONVERGED : DLTF_ITERATION_LIMIT;
    for (;; l->stage++, l->index = 0) {
        int64_t length = dl_stage_length(&l->options, l->stage);
        while (l->index < length) {
            dltf_status status = iterate(l);
            if (status != DLTF_OK)
                return status;
            converged = has_converged(l);
            if (converged)
                l->index = length;
            *outcome = converged ? DLTF_CONVERGED : DLTF_ITERATION_LIMIT;
            dltf_progress report = progress_of(l);
            if (progress && progress(context, &report) != 0) {
                *outcome = DLTF_INTERRUPTED;
                return DLTF_OK;
            }
        }
        if (l->stage == dl_last_stage(&l->options))
            return DLTF_OK;
    }
}

dltf_status dltf_learner_run(dltf_learner *l, dltf_progress_fn progress, void *context,
                             dltf_outcome *outcome) {
    dl_blas_enter();
    dltf_status status = run_stages(l, progress, context, outcome);
    dl_blas_leave();
    return status;
}

/* ---- Results ---- */

dltf_train_options dltf_learner_options(const dltf_learner *l) {
    return l->options;
}

const dltf_iteration *dltf_learner_history(const dltf_learner *l, int64_t *count) {
    *count = l->history_count;
    return l->history;
}

/* Sign convention: codes of an atom are positive in the mean; where they say nothing, its largest entry is.
 */
static double atom_sign(const dltf_learner *l, int64_t j) {
    if (l->code_sum[j] != 0)
        return l->code_sum[j] > 0 ? 1 : -1;
    const double *w = l->W + j * l->n;
    double largest = 0;
    for (int64_t i = 0; i < l->n; i++)
        if (fabs(w[i]) > fabs(largest))
            largest = w[i];
    return largest >= 0 ? 1 : -1;
}

/* Every option that can change the result, and the data they were used on; nothing that differs between runs.
 */
dltf_status dl_learner_notes(const dltf_learner *l, dl_notes *notes) {
    dltf_status status = DLTF_OK;
    dltf_option_table table = dltf_train_option_table();
    for (int i = 0; i < table.count; i++) {
        char name[64], value[64];
        if (strcmp(table.options[i].name, "threads") == 0)
            continue;
        snprintf(name, sizeof name, "option.%s", table.options[i].name);
        dltf_option_format(&table.options[i], &l->options, value, sizeof value);
        DL_TRY(dl_notes_set(notes, name, value));
    }
    char value[64];
    DL_TRY(dl_notes_set(notes, "start", l->warm ? "model" : "new"));
    snprintf(value, sizeof value, "%lld x %lld", (long long)l->N, (long long)l->n);
    DL_TRY(dl_notes_set(notes, "data.shape", value));
    snprintf(value, sizeof value, "%016llx", (unsigned long long)l->scan.checksum);
    DL_TRY(dl_notes_set(notes, "data.checksum", value));
    DL_TRY(dl_notes_set(notes, "made-by", "dltf " DLTF_VERSION));
done:
    return status;
}

/* A matrix of the learner in f32, with the signs of the atoms. */
static dltf_status signed_rows(const dltf_learner *l, const double *matrix, int64_t cols, double scale,
                               float **rows) {
    *rows = DL_NEW(float, l->m *cols);
    if (!*rows)
        return DLTF_MEMORY;
    for (int64_t j = 0; j < l->m; j++) {
        double sign = atom_sign(l, j);
        for (int64_t i = 0; i < cols; i++)
            (*rows)[j * cols + i] = (float)(sign * scale * matrix[j * cols + i]);
    }
    return DLTF_OK;
}

dltf_status dltf_learner_model(const dltf_learner *l, dltf_model **model) {
    dltf_status status = DLTF_OK;
    dltf_model *made = NULL;
    float *dictionary = NULL, *encoder = NULL, *bias = NULL;
    DL_TRY(signed_rows(l, l->W, l->n, 1, &dictionary));
    if (dl_has_encoder(l))
        DL_TRY(signed_rows(l, l->encoder.E, l->n, 1, &encoder));
    if (dl_has_encoder(l) && l->options.encoder == DLTF_ENCODER_DISTILLED) /* of samples as they come */
        DL_TRY(signed_rows(l, l->encoder.bias, 1, 1 / l->samples.scale, &bias));
    dltf_model_view parts = {.m = l->m,
                             .n = l->n,
                             .k = l->k,
                             .dictionary = dictionary,
                             .encoder = encoder,
                             .bias = bias,
                             .mean = l->mean,
                             .unit_norm = l->options.unit_norm,
                             .select = l->options.select};
    DL_TRY(dltf_model_new(&parts, &made));
    DL_TRY(dl_learner_notes(l, &made->notes));
    *model = made;
    made = NULL;
done:
    dltf_model_free(made);
    dl_free(dictionary);
    dl_free(encoder);
    dl_free(bias);
    return status;
}

dltf_status dltf_train(dltf_matrix X, const dltf_train_options *options, dltf_progress_fn progress,
                       void *context, dltf_model **model) {
    dltf_learner *learner = NULL;
    dltf_outcome outcome = DLTF_ITERATION_LIMIT;
    dltf_status status = DLTF_OK;
    DL_TRY(dltf_learner_new(X, options, NULL, &learner));
    DL_TRY(dltf_learner_run(learner, progress, context, &outcome));
    if (outcome == DLTF_INTERRUPTED)
        status = dl_fail(DLTF_CANCELLED, "training was cancelled");
    else
        status = dltf_learner_model(learner, model);
done:
    dltf_learner_free(learner);
    return status;
}
