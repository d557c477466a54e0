/* dltf_samples_certify: the theorems' conditions for samples whose codes are known, and the a-posteriori
 * certificate for candidate supports. Samples are independent, so the flags do not depend on the number of
 * threads. */
#include "base/memory.h"
#include "base/meter.h"
#include "base/parallel.h"
#include "base/sized.h"
#include "coding/decode.h"
#include "data/codes.h"
#include "data/matrix.h"
#include "data/model.h"
#include "data/samples.h"
#include "dltf/encode.h"
#include "kernels/gram.h"
#include "theory/assumption.h"
#include "theory/babel.h"
#include "theory/conditions.h"
#include "theory/exclude.h"
#include "theory/isometry.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SAMPLES_PER_TASK = 8, TASKS_PER_REPORT = 64 };

/* Work space of one thread. */
typedef struct workspace {
    double *x, *e;               /* n: the sample in double; e = x - Wz */
    float *sample;               /* n: the sample in f32, as coded */
    double *correlations, *sums; /* m: E^T e; sums of its largest squares */
    dl_exclude_space exclude;
} workspace;

typedef struct job {
    dltf_certify_options assumption;
    dl_samples samples;
    const float *dictionary, *scale; /* of the model; scale may be NULL */
    bool tied;
    dl_gains gains;
    dltf_isometry twice, next;
    const dltf_codes *known, *features, *candidates; /* known may be NULL */
    int64_t first, end;                              /* samples of the current block */
    workspace *spaces;
    uint8_t *flags;
    size_t width; /* of a row of flags, in the program */
} job;

static int64_t entries(const dltf_codes *codes, int64_t i) {
    return codes->indptr[i + 1] - codes->indptr[i];
}

static bool same_support(const dltf_codes *a, const dltf_codes *b, int64_t i) {
    return entries(a, i) == entries(b, i) && memcmp(a->indices + a->indptr[i], b->indices + b->indptr[i],
                                                    (size_t)entries(a, i) * sizeof *a->indices) == 0;
}

/* ---- Theorems, for known codes ---- */

/* Of the unit-norm atom, which is what the theorems are about. */
static double coefficient(const job *j, int32_t atom, float value) {
    return j->scale ? (double)j->scale[atom] * (double)value : (double)value;
}

/* The terms that depend on z only. */
static dl_terms code_terms(const job *j, int64_t i) {
    const dl_gains *g = &j->gains;
    const int32_t *index = j->known->indices + j->known->indptr[i];
    const float *value = j->known->values + j->known->indptr[i];
    dl_terms t = {.k = j->assumption.k, .kept = HUGE_VAL, .left = -HUGE_VAL, .z_k = HUGE_VAL};
    double square = 0;
    for (int64_t a = 0, s = 0; a < g->m; a++) {
        double b = g->bias ? (double)g->bias[a] : 0;
        if (s == t.k || index[s] != a) {
            t.left = fmax(t.left, dl_gains_rank(g, -b));
            continue;
        }
        double z = coefficient(j, index[s], value[s]);
        s++;
        t.kept = fmin(t.kept, dl_gains_rank(g, g->d[a] * z - b));
        t.z_k = fmin(t.z_k, dl_gains_rank(g, z));
        t.z_1 = fmax(t.z_1, fabs(z));
        square += z * z;
    }
    t.z_norm = sqrt(square);
    return t;
}

/* Adds the terms that depend on the noise e = x - Wz. All are enlarged by bounds on rounding errors: of the
 * encoder's scores in single precision, of e and E^T e in double precision. */
static void add_noise_terms(const job *j, int64_t i, workspace *space, dl_terms *t) {
    const dl_gains *g = &j->gains;
    double length = 0, most = 0, *c = space->correlations;
    for (int64_t a = 0; a < g->n; a++)
        space->e[a] = (double)space->sample[a];
    double x_norm = dl_norm(space->e, g->n);
    dl_code known = dl_codes_code(j->known, i);
    dl_decode_scaled(space->e, DL_SUBTRACT, j->dictionary, j->scale, g->n, known);
    for (int64_t s = 0; s < known.count; s++)
        length += fabs(coefficient(j, known.index[s], known.value[s]));
    double terms = (double)(g->n + 2 * t->k + 8);
    double rounding = dl_score_rounding(g, x_norm) + g->slack * t->z_1 +
                      terms * DBL_EPSILON * g->longest_e * (x_norm + g->longest_w * length);
    dl_gram_row(space->e, g->E, g->m, g->n, c);
    for (int64_t a = 0; a < g->m; a++) {
        most = fmax(most, fabs(c[a]));
        c[a] *= c[a];
    }
    t->mu_e = most + rounding;
    int64_t twice = j->twice.order, two = g->m < 2 ? g->m : 2;
    memset(space->sums, 0, (size_t)twice * sizeof *space->sums);
    dl_babel_add(c, g->m, twice, space->sums);
    t->noise_2k = sqrt(space->sums[twice - 1]) + sqrt((double)twice) * rounding;
    t->noise_2 = sqrt(space->sums[(two < twice ? two : twice) - 1]) + sqrt(2) * rounding;
}

static void theorem_flags(const job *j, int64_t i, workspace *space, uint8_t *flags) {
    flags[DLTF_FLAG_FEATURE] = same_support(j->features, j->known, i);
    flags[DLTF_FLAG_CANDIDATE] = same_support(j->candidates, j->known, i);
    flags[DLTF_FLAG_COVERED] = entries(j->known, i) == j->assumption.k;
    if (!flags[DLTF_FLAG_COVERED])
        return;
    double mu = dl_gains_babel(&j->gains, 1);
    dl_terms t = code_terms(j, i), noiseless = t;
    add_noise_terms(j, i, space, &t);
    flags[DLTF_FLAG_COHERENCE] = dl_theorem_coherence(&t, mu);
    flags[DLTF_FLAG_BABEL] = dl_theorem_babel(&t, &j->gains);
    if (!j->tied)
        return;
    noiseless.mu_e = j->gains.slack * t.z_1;
    flags[DLTF_FLAG_THEOREM1] = dl_theorem_1(&noiseless, mu);
    flags[DLTF_FLAG_COROLLARY] = dl_theorem_1(&t, mu);
    flags[DLTF_FLAG_THEOREM2] = dl_theorem_2(&t, j->twice.delta);
    flags[DLTF_FLAG_PAIR] = dl_theorem_2_pair(&t, j->next.delta);
    flags[DLTF_FLAG_EQUATION4] = dl_equation_4(&t, j->twice.delta);
}

/* ---- The certificate ---- */

static void certificate_flags(const job *j, int64_t i, workspace *space, uint8_t *flags) {
    const dltf_certify_options *a = &j->assumption;
    dl_exclusion problem = {&j->gains, a->k, a->amplitude, a->noise, a->signs};
    if (entries(j->candidates, i) != a->k)
        return;
    const int32_t *S = j->candidates->indices + j->candidates->indptr[i];
    const float *values = j->candidates->values + j->candidates->indptr[i];
    flags[DLTF_FLAG_FITS] = dl_fits(&problem, space->x, S, values, &space->exclude);
    flags[DLTF_FLAG_PROVEN] = flags[DLTF_FLAG_FITS] && dl_exclude(&problem, space->x, S, &space->exclude);
}

static void certify_task(void *context, int64_t task, int worker) {
    const job *j = context;
    workspace *space = &j->spaces[worker];
    int64_t first = j->first + task * SAMPLES_PER_TASK, end = first + SAMPLES_PER_TASK;
    for (int64_t i = first; i < end && i < j->end; i++) {
        uint8_t flags[DLTF_FLAG_COUNT] = {0};
        dl_samples_row(&j->samples, i, space->x, space->sample);
        if (j->known)
            theorem_flags(j, i, space, flags);
        certificate_flags(j, i, space, flags);
        dl_struct_write(j->flags + (size_t)i * j->width, j->width, flags, sizeof flags);
    }
}

/* ---- All samples ---- */

static dltf_status workspace_alloc(workspace *space, int64_t m, int64_t n, int64_t k) {
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(space->x, n);
    DL_TRY_NEW(space->e, n);
    DL_TRY_NEW(space->sample, n);
    DL_TRY_NEW(space->correlations, m);
    DL_TRY_NEW(space->sums, m);
    DL_TRY(dl_exclude_space_alloc(&space->exclude, m, n, k));
done:
    return status;
}

static void workspace_free(workspace *space) {
    dl_free(space->x);
    dl_free(space->e);
    dl_free(space->sample);
    dl_free(space->correlations);
    dl_free(space->sums);
    dl_exclude_space_free(&space->exclude);
}

static dltf_status check_codes(const dltf_model *model, dltf_matrix X, const dltf_codes *codes,
                               dltf_subject subject) {
    if (!codes || (codes->rows == X.rows && codes->cols == model->parts.m))
        return DLTF_OK;
    return dl_fail_about(DLTF_DATA, subject, "%lld x %lld, but there are %lld samples and %lld atoms",
                         (long long)codes->rows, (long long)codes->cols, (long long)X.rows,
                         (long long)model->parts.m);
}

static dltf_status run(job *j, int threads, dl_meter *meter) {
    int64_t N = j->samples.X.rows, block = SAMPLES_PER_TASK * TASKS_PER_REPORT;
    for (j->first = 0; j->first < N; j->first = j->end) {
        j->end = N - j->first < block ? N : j->first + block;
        dl_parallel_polled(threads, dl_tiles(j->end - j->first, SAMPLES_PER_TASK), certify_task, j);
        if (!dl_meter_add(meter, j->end - j->first))
            return dl_fail(DLTF_CANCELLED, "certifying was cancelled");
    }
    return dl_matrix_status(j->samples.X);
}

dltf_status dltf_samples_certify_sized(const dltf_model *model, dltf_matrix X, const dltf_codes *known,
                                       const dltf_codes *candidates, const dltf_certify_options *options,
                                       dltf_progress_fn progress, void *context, uint8_t *flags,
                                       size_t size) {
    DL_REQUIRE(model, flags);
    dltf_status status = DLTF_OK;
    dltf_codes *features = NULL;
    job j = {.samples = dl_model_samples(model, X),
             .dictionary = model->dictionary,
             .scale = model->scale,
             .tied = dl_is_tied(model)};
    int threads = 0;
    dl_meter meter = dl_meter_new("certifying", progress, context, X.rows);
    dl_meter_watch(&meter);
    DL_TRY(dl_assumption(model, options, &j.assumption));
    DL_TRY(dl_matrix_check(X, DLTF_SUBJECT_DATA));
    DL_TRY(check_codes(model, X, known, DLTF_SUBJECT_TRUE_CODES));
    DL_TRY(check_codes(model, X, candidates, DLTF_SUBJECT_CANDIDATES));
    dltf_encode_options encoding = dltf_encode_options_default();
    encoding.k = j.assumption.k;
    encoding.threads = j.assumption.threads;
    DL_TRY(dltf_encode(model, X, &encoding, NULL, NULL, &features)); /* rejects NaN and wrong sizes */
    DL_TRY(dl_gains_make(model, false, &j.gains));
    int64_t m = j.gains.m, k = j.assumption.k;
    j.twice.order = 2 * k < m ? 2 * k : m;
    if (j.tied && known) {
        DL_TRY(dl_isometry(&j.gains, j.twice.order, &j.twice));
        DL_TRY(dl_isometry(&j.gains, k + 1 < m ? k + 1 : m, &j.next));
    }
    threads = dl_thread_count(j.assumption.threads);
    DL_TRY_NEW(j.spaces, threads);
    for (int t = 0; t < threads; t++)
        DL_TRY(workspace_alloc(&j.spaces[t], m, j.gains.n, k));
    j.known = known;
    j.features = features;
    j.candidates = candidates ? candidates : features;
    j.flags = flags;
    j.width = size;
    DL_TRY(run(&j, threads, &meter));
done:
    dl_meter_unwatch(&meter);
    for (int t = 0; j.spaces && t < threads; t++)
        workspace_free(&j.spaces[t]);
    dl_free(j.spaces);
    dl_gains_free(&j.gains);
    dltf_codes_free(features);
    return status;
}

const char *dltf_flag_name(dltf_flag flag) {
    static const char *const names[DLTF_FLAG_COUNT] = {"covered", "theorem1",  "corollary12",   "coherence",
                                                       "babel",   "theorem2",  "theorem2_pair", "equation4",
                                                       "feature", "candidate", "fits",          "proven"};
    return (unsigned)flag < DLTF_FLAG_COUNT ? names[flag] : NULL;
}
