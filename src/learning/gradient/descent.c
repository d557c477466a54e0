/* Samples and parameters to and from a learner, whose samples have mean square k where gradients want 1. */
#include "learning/gradient/descent.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/meter.h"
#include "base/parallel.h"
#include "comm/comm.h"
#include "data/matrix.h"
#include "learning/gradient/plan.h"
#include "learning/learner_facts.h"

#include <math.h>
#include <string.h>

/* ---- Memory ---- */

dltf_status dl_parameters_alloc(dl_parameters *p, int64_t m, int64_t n) {
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(p->W, m * n);
    DL_TRY_NEW(p->E, m * n);
    DL_TRY_NEW(p->b, m);
    DL_TRY_NEW(p->code_sum, m);
done:
    return status; /* the caller frees partial allocations */
}

void dl_parameters_free(dl_parameters *p) {
    dl_free(p->W);
    dl_free(p->E);
    dl_free(p->b);
    dl_free(p->code_sum);
}

/* What dl_gradient_step needs of a sample, as listed in `exchange`. */
static int64_t record_bytes(const dl_gradient *g) {
    int64_t per_entry = g->D ? 3 : 2;
    return (2 * g->n + per_entry * g->k + 1) * (int64_t)sizeof(float) + (int64_t)sizeof *g->sums;
}

dltf_status dl_descent_alloc(dl_descent *d, const dltf_learner *l, bool refit) {
    dltf_status status = DLTF_OK;
    bool positive = l->options.select == DLTF_SELECT_POSITIVE;
    if (dl_learner_shares_atoms(l))
        DL_TRY(dl_gradient_alloc_shared(&d->g, l->threads, l->m, l->n, l->k, positive, dl_plan_batch(l)));
    else
        DL_TRY(dl_gradient_alloc(&d->g, l->threads, l->m, l->n, l->k, positive, l->options.nested,
                                 dl_plan_batch(l)));
    if (refit)
        DL_TRY(dl_gradient_alloc_refit(&d->g));
    DL_TRY_NEW(d->row, l->threads * dl_apart(l->n));
    if (!d->g.ranks)
        DL_TRY(dl_rank_batch_alloc(&d->share, d->g.room, record_bytes(&d->g)));
    d->samples = l->samples;
    d->samples.scale /= sqrt((double)l->k);
    d->g.polled = true;
done:
    return status;
}

void dl_descent_free(dl_descent *d) {
    dl_gradient_free(&d->g);
    dl_free(d->row);
    dl_rank_batch_free(&d->share);
}

/* ---- Samples ---- */

typedef struct batch {
    dl_descent *d;
    const dltf_learner *l;
    int64_t step;         /* -1: validation samples, */
    int64_t first, count; /* from this one on, of so many */
} batch;

static int owner_of(const void *context, int64_t i) {
    const batch *b = context;
    if (b->step < 0)
        return dl_comm_owner(b->d->share.rows, i); /* all ranks may read validation samples */
    return dl_learner_owner(b->l, dl_plan_sample(b->l, b->step, i));
}

static int64_t validation_row(const batch *b, int64_t i) {
    return dl_learner_quality_row(b->l, i * dl_learner_check_count(b->l) / b->count);
}

static void load_sample(void *context, int64_t own, int worker) {
    const batch *b = context;
    dl_descent *d = b->d;
    int64_t n = b->l->n, i = dl_rank_batch_place(&d->share, own);
    int64_t row = b->step >= 0 ? dl_holdout_training(&b->l->holdout, dl_plan_sample(b->l, b->step, i))
                               : validation_row(b, b->first + i);
    dl_samples_row(&d->samples, row, d->row + worker * dl_apart(n), d->g.Y + own * n);
}

static void exchange(dl_descent *d) {
    dl_gradient *g = &d->g;
    int64_t n = g->n * (int64_t)sizeof(float), k = g->k * (int64_t)sizeof(float);
    const dl_rank_column columns[] = {
        {g->Y, n},       {g->R, n},       {g->Z.count, sizeof *g->Z.count},
        {g->Z.index, k}, {g->Z.value, k}, {g->sums, sizeof *g->sums},
        {g->D, k},
    };
    int count = sizeof columns / sizeof *columns;
    dl_rank_batch_exchange(&d->share, columns, g->D ? count : count - 1);
}

/* Ranks that share the atoms read all samples. If their data differed, so would their models, without a
 * sign of it. */
static void compare_samples(const dl_gradient *g) {
    uint64_t sum = 0;
    for (int64_t i = 0; i < g->rows * g->n; i++) {
        uint32_t bits;
        memcpy(&bits, &g->Y[i], sizeof bits);
        sum = (sum ^ bits) * UINT64_C(0x100000001b3); /* FNV-1a */
    }
    if (!dl_comm_same(&sum, sizeof sum))
        dl_comm_agree(dl_fail_about(DLTF_DATA, DLTF_SUBJECT_DATA,
                                    "has other values than on rank 0: every rank needs the same data"));
}

static dl_gradient_error load_and_code_shared(batch b, int64_t rows) {
    dl_gradient *g = &b.d->g;
    g->rows = rows;
    dl_parallel(b.l->threads, rows, load_sample, &b);
    compare_samples(g);
    return dl_gradient_code(g);
}

static dl_gradient_error load_and_code(batch b, int64_t rows) {
    dl_gradient *g = &b.d->g;
    if (g->ranks)
        return load_and_code_shared(b, rows);
    dl_rank_batch_divide(&b.d->share, rows, owner_of, &b);
    g->rows = b.d->share.own;
    dl_parallel(b.l->threads, g->rows, load_sample, &b);
    dl_gradient_code(g);
    exchange(b.d);
    g->rows = rows;
    return dl_gradient_total(g);
}

dl_gradient_error dl_descent_batch(dl_descent *d, const dltf_learner *l, int64_t step) {
    dl_plan_expect(l, step);
    return load_and_code((batch){.d = d, .l = l, .step = step}, dl_plan_batch(l));
}

dl_gradient_error dl_descent_validation_batch(dl_descent *d, const dltf_learner *l, int64_t first,
                                              int64_t count) {
    return load_and_code((batch){d, l, -1, first, count}, dl_min(count - first, d->g.room));
}

double dl_descent_error(dl_descent *d, const dltf_learner *l, int64_t count) {
    dl_gradient_error sum = {0, 0};
    for (int64_t first = 0; first < count; first += d->g.room) {
        dl_gradient_error error = dl_descent_validation_batch(d, l, first, count);
        sum.left += error.left;
        sum.energy += error.energy;
    }
    return sum.energy > 0 ? sum.left / sum.energy : 0;
}

/* ---- Steps ---- */

dltf_status dl_descent_round(dl_descent *d, dltf_learner *l, int64_t first, int64_t last,
                             dl_descent_plan plan, void *state, double *error) {
    enum { DONE, LEFT, ENERGY };
    dl_gradient_rule rule;
    if (!l->partway) {
        memset(d->round, 0, sizeof d->round);
        memset(d->g.code_sum, 0, (size_t)l->atoms * sizeof *d->g.code_sum);
    }
    for (int64_t step = first + (int64_t)d->round[DONE]; step < last && plan(l, state, step, &rule); step++) {
        dl_gradient_error batch = dl_descent_batch(d, l, step);
        dltf_status status = dl_matrix_status(l->samples.X); /* rows that cannot be read are zero */
        if (status == DLTF_OK)
            status = dl_comm_status();
        if (status != DLTF_OK)
            return status;
        if (!dl_poll())
            return DLTF_CANCELLED;
        dl_gradient_step(&d->g, &rule);
        d->round[DONE]++;
        d->round[LEFT] += batch.left;
        d->round[ENERGY] += batch.energy;
        l->partway = l->ahead = true;
    }
    *error = d->round[ENERGY] > 0 ? d->round[LEFT] / d->round[ENERGY] : 0;
    return DLTF_OK;
}

/* ---- Parameters ---- */

dl_parameters dl_descent_parameters(const dl_descent *d) {
    return (dl_parameters){d->g.W.value, d->g.E.value, d->g.b.value, d->g.code_sum};
}

typedef struct copying {
    const dltf_learner *l;
    dl_parameters to, from;
} copying;

static void copy_row(void *context, int64_t j, int worker) {
    (void)worker;
    const copying *c = context;
    int64_t n = c->l->n;
    memcpy(c->to.W + j * n, c->from.W + j * n, (size_t)n * sizeof(float));
    memcpy(c->to.E + j * n, c->from.E + j * n, (size_t)n * sizeof(float));
    c->to.b[j] = c->from.b[j];
    c->to.code_sum[j] = c->from.code_sum[j];
}

void dl_parameters_copy(const dltf_learner *l, dl_parameters to, dl_parameters from) {
    copying c = {l, to, from};
    dl_parallel(l->threads, l->atoms, copy_row, &c);
}

void dl_descent_use(dl_descent *d, const dltf_learner *l, dl_parameters p) {
    dl_parameters_copy(l, dl_descent_parameters(d), p);
    dl_gradient_pack(&d->g);
}

void dl_descent_swap(dl_descent *d, dl_parameters *p) {
    dl_parameters used = dl_descent_parameters(d);
    d->g.W.value = p->W;
    d->g.E.value = p->E;
    d->g.b.value = p->b;
    d->g.code_sum = p->code_sum;
    *p = used;
    dl_gradient_pack(&d->g);
}

double dl_descent_refit_error(dl_descent *d, const dltf_learner *l, int64_t count) {
    bool before = d->g.refit;
    d->g.refit = true;
    double error = dl_descent_error(d, l, count);
    d->g.refit = before;
    return error;
}

static void take_row(void *context, int64_t j, int worker) {
    (void)worker;
    const copying *c = context;
    const dltf_learner *l = c->l;
    for (int64_t i = j * l->n; i < (j + 1) * l->n; i++)
        c->to.W[i] = (float)l->W[i];
    for (int64_t i = j * l->n; c->to.E && i < (j + 1) * l->n; i++)
        c->to.E[i] = (float)l->E[i];
}

static void take_matrices(dl_gradient *g, const dltf_learner *l, bool encoder) {
    copying c = {.l = l, .to = {.W = g->W.value, .E = encoder ? g->E.value : NULL}};
    dl_parallel(l->threads, l->atoms, take_row, &c);
    dl_gradient_pack(g);
}

void dl_gradient_from_learner(dl_gradient *g, const dltf_learner *l, bool encoder) {
    memcpy(g->code_sum, l->code_sum, (size_t)l->atoms * sizeof *l->code_sum);
    for (int64_t j = 0; encoder && j < l->atoms; j++)
        g->b.value[j] = (float)(l->bias[j] / sqrt((double)l->k));
    take_matrices(g, l, encoder);
}

static void give_row(void *context, int64_t j, int worker) {
    (void)worker;
    const copying *c = context;
    const dltf_learner *l = c->l;
    for (int64_t i = j * l->n; i < (j + 1) * l->n; i++) {
        l->W[i] = (double)c->from.W[i];
        l->E[i] = (double)c->from.E[i];
    }
    l->bias[j] = (double)c->from.b[j] * sqrt((double)l->k);
    l->code_sum[j] = c->from.code_sum[j];
}

void dl_gradient_to_learner(const dltf_learner *l, dl_parameters p) {
    copying c = {.l = l, .from = p};
    dl_parallel(l->threads, l->atoms, give_row, &c);
}

int dl_gradient_fields(dl_gradient *g, dl_field *fields) {
    int64_t m = g->all, n = g->n;
    const dl_field all[] = {
        {"gradient.b", DL_TENSOR_F32, m, 0, g->b.value},
        {"gradient.W.moment", DL_TENSOR_F32, m, n, g->W.moment},
        {"gradient.E.moment", DL_TENSOR_F32, m, n, g->E.moment},
        {"gradient.b.moment", DL_TENSOR_F32, m, 0, g->b.moment},
        {"gradient.W.square", DL_TENSOR_F32, m, 0, g->W.square},
        {"gradient.E.square", DL_TENSOR_F32, m, 0, g->E.square},
        {"gradient.b.square", DL_TENSOR_F32, m, 0, g->b.square},
        {"gradient.updates", DL_TENSOR_I32, m, 0, g->updates},
        {"gradient.idle", DL_TENSOR_I64, m, 0, g->idle},
        {"gradient.active", DL_TENSOR_I64, 1, 0, &g->active},
    };
    memcpy(fields, all, sizeof all);
    return sizeof all / sizeof *all;
}

int dl_descent_fields(dl_descent *d, dl_field *fields) {
    int count = dl_gradient_fields(&d->g, fields);
    fields[count] =
        (dl_field){"gradient.round", DL_TENSOR_F64, sizeof d->round / sizeof *d->round, 0, d->round};
    return count + 1;
}

dltf_status dl_gradient_check(const dl_gradient *g) {
    if (g->active < 1 || g->active > g->all)
        return dl_fail(DLTF_FORMAT, "the checkpoint has an out-of-range number of active atoms");
    for (int64_t j = 0; j < g->m; j++)
        if (g->updates[j] < 0 || g->idle[j] < 0 || g->W.square[j] < 0 || g->E.square[j] < 0 ||
            g->b.square[j] < 0)
            return dl_fail(DLTF_FORMAT, "the checkpoint has a negative count or square for atom %lld",
                           (long long)(g->first + j));
    return DLTF_OK;
}

dltf_status dl_descent_restored(dl_descent *d, const dltf_learner *l, int64_t steps) {
    if (l->partway && !(d->round[0] >= 0 && d->round[0] <= (double)steps))
        return dl_fail(DLTF_FORMAT, "the checkpoint has an out-of-range number of steps");
    memcpy(d->g.code_sum, l->code_sum, (size_t)l->atoms * sizeof *l->code_sum);
    take_matrices(&d->g, l, true);
    return dl_gradient_check(&d->g);
}
