/* Learning from a stream: the buffer, the steps, the average of the iterates. Constants were chosen on
 * synthetic samples and on patches of photographs. */
#include "learning/online/online.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "data/matrix.h"
#include "kernels/kernels.h"
#include "learning/gradient/plan.h"

#include <math.h>
#include <string.h>

enum {
    ATOMS_PER_TASK = 64,
    FIRST_EPOCHS = 10, /* passes over the first buffer, unless they exceed */
    FIRST_SAMPLES = 100000,
    WARM_UP = 30,     /* steps until the full rate */
    AVERAGE_EVERY = 4 /* steps */
};

/* The rate falls like the square root of the number of steps, after FALL_AFTER, to LEAST_RATE of its first
 * value: from then on the learner follows a stream that changes. Iterate t of the average has a weight of
 * about t^POWER, until one of them weighs LEAST_SHARE of all. */
static const double FALL_AFTER = 700, LEAST_RATE = 0.1, POWER = 8, LEAST_SHARE = 5e-4;
/* What an earlier buffer still counts in the error that is reported while learning. */
static const double KEEP_ERROR = 0.9;

/* ---- Steps ---- */

typedef struct batch {
    dltf_online *s;
    dl_samples samples;
    bool held;     /* held-out samples instead of those of the buffer, */
    int64_t first; /* from this one on */
} batch;

static void load_sample(void *context, int64_t i, int worker) {
    const batch *b = context;
    dltf_online *s = b->s;
    dl_random random = {(uint64_t)s->options.seed, DL_STREAM_EPOCH};
    int64_t row = b->held ? (b->first + i) % DL_ONLINE_HELD
                          : dl_random_place(random, (uint64_t)s->buffers, s->count, b->first + i);
    dl_samples_row(&b->samples, row, s->row + worker * dl_apart(s->n), s->g.Y + i * s->n);
}

static dl_gradient_error load_and_code(dltf_online *s, bool held, int64_t first, int64_t rows) {
    batch b = {.s = s, .held = held, .first = first};
    b.samples = (dl_samples){.X = held ? dltf_matrix_f32(s->held, DL_ONLINE_HELD, s->n)
                                       : dltf_matrix_f64(s->rows, s->count, s->n),
                             .mean = s->mean,
                             .offset = s->offset,
                             .remove_mean = s->options.remove_mean,
                             .unit_norm = s->options.unit_norm,
                             .scale = s->scale};
    s->g.rows = rows;
    dl_parallel(s->threads, rows, load_sample, &b);
    return dl_gradient_code(&s->g);
}

static float rate_now(const dltf_online *s) {
    double t = (double)s->steps, fall = fmax(LEAST_RATE, 1 / sqrt(1 + t / FALL_AFTER));
    return (float)(dl_plan_full_rate(s->n, s->k) * fall * fmin(1, (t + 1) / WARM_UP));
}

typedef struct averaging {
    dltf_online *s;
    float share; /* of the iterate */
} averaging;

static void average_atoms(void *context, int64_t task, int worker) {
    (void)worker;
    const averaging *a = context;
    const dl_kernels *kernels = dl_kernels_now();
    const dl_parameters *to = &a->s->average;
    const dl_gradient *from = &a->s->g;
    int64_t first = task * ATOMS_PER_TASK, count = dl_min(ATOMS_PER_TASK, from->m - first);
    int64_t begin = first * from->n, entries = count * from->n;
    float keep = 1 - a->share;
    kernels->combine32(to->W + begin, keep, a->share, from->W.value + begin, entries);
    kernels->combine32(to->E + begin, keep, a->share, from->E.value + begin, entries);
    kernels->combine32(to->b + first, keep, a->share, from->b.value + first, count);
}

static void average(dltf_online *s) {
    double t = (double)(s->steps / AVERAGE_EVERY);
    averaging a = {s, (float)fmax((POWER + 1) / (POWER + t), LEAST_SHARE)};
    dl_parallel(s->threads, dl_tiles(s->m, ATOMS_PER_TASK), average_atoms, &a);
}

static void descend(dltf_online *s) {
    int64_t batches = dl_tiles(s->count, DL_ONLINE_BATCH);
    memset(s->g.code_sum, 0, (size_t)s->m * sizeof *s->g.code_sum);
    for (int64_t b = 0; b < batches; b++) {
        int64_t first = b * s->count / batches, end = (b + 1) * s->count / batches;
        dl_gradient_rule rule = dl_plan_rule(s->m, s->k, s->g.positive, rate_now(s));
        load_and_code(s, false, first, end - first);
        dl_gradient_step(&s->g, &rule);
        if (++s->steps % AVERAGE_EVERY == 0)
            average(s);
    }
}

/* ---- The first buffer ---- */

static dltf_status starting_model(const dltf_online *s, dltf_model **start) {
    dltf_model_view parts = {.m = s->m,
                             .n = s->n,
                             .k = s->k,
                             .dictionary = s->g.W.value,
                             .remove_mean = s->options.remove_mean,
                             .unit_norm = s->options.unit_norm};
    if (s->warm_encoder) {
        parts.encoder = s->g.E.value;
        parts.bias = s->g.b.value;
    }
    return s->warm ? dltf_model_new(&parts, start) : DLTF_OK;
}

static dltf_status copy_center(dltf_online *s, const dltf_learner *l) {
    size_t size = (size_t)s->n * sizeof(float);
    dltf_status status = dl_online_make_center(s, l->mean, l->offset);
    if (status == DLTF_OK && l->mean)
        memcpy(s->mean, l->mean, size);
    if (status == DLTF_OK && l->offset)
        memcpy(s->offset, l->offset, size);
    memcpy(s->center_choice, l->center_choice, sizeof s->center_choice);
    return status;
}

/* The first model, mean or offset, and scale. */
static dltf_status begin(dltf_online *s) {
    dltf_status status = DLTF_OK;
    dltf_learner *l = NULL;
    dltf_model *start = NULL;
    dltf_outcome outcome = DLTF_ITERATION_LIMIT;
    dltf_train_options options = s->options;
    options.epochs = fmin(FIRST_EPOCHS, fmax(1, FIRST_SAMPLES / (double)s->count));
    options.validation = 0;
    options.memory = 0; /* checked when the learner was created */
    DL_TRY(starting_model(s, &start));
    DL_TRY(dltf_learner_new(dltf_matrix_f64(s->rows, s->count, s->n), start, &options, &l));
    l->unmonitored = true;
    DL_TRY(dltf_learner_run(l, NULL, NULL, &outcome));
    DL_TRY(copy_center(s, l));
    s->scale = l->samples.scale / sqrt((double)s->k);
    dl_gradient_from_learner(&s->g, l, true);
    dl_parameters first = {s->g.W.value, s->g.E.value, s->g.b.value, s->g.code_sum};
    dl_parameters_copy(l, s->average, first);
done:
    dltf_learner_free(l);
    dltf_model_free(start);
    return status;
}

/* ---- The buffer ---- */

/* Average and iterate change places. */
static void swap_average(dltf_online *s) {
    dl_parameters average = s->average;
    s->average.W = s->g.W.value;
    s->average.E = s->g.E.value;
    s->average.b = s->g.b.value;
    s->g.W.value = average.W;
    s->g.E.value = average.E;
    s->g.b.value = average.b;
    dl_gradient_pack(&s->g);
}

/* The error of the average on the held-out samples that arrived with this buffer. */
static void measure(dltf_online *s) {
    int64_t newest = dl_min(dl_min(s->held_out, DL_ONLINE_HELD), s->count / (s->holdout.group - 1));
    s->left *= KEEP_ERROR;
    s->energy *= KEEP_ERROR;
    swap_average(s);
    for (int64_t done = 0; done < newest; done += s->g.rows) {
        dl_gradient_error error =
            load_and_code(s, true, s->held_out - newest + done, dl_min(newest - done, s->g.room));
        s->left += error.left;
        s->energy += error.energy;
    }
    swap_average(s);
}

dltf_status dl_online_learn(dltf_online *s) {
    dltf_status status = DLTF_OK;
    if (s->buffers == 0)
        status = begin(s);
    else
        descend(s);
    if (status != DLTF_OK)
        return status;
    measure(s);
    s->buffers++;
    s->count = 0;
    if (!isfinite(s->left) || !isfinite(s->energy))
        return dl_fail_about(
            DLTF_NUMERIC, DLTF_SUBJECT_DATA,
            "training diverged after %lld samples: later samples are much larger than the first; "
            "rescale the data, or set unit_norm",
            (long long)s->samples);
    return DLTF_OK;
}

static void take(dltf_online *s, const double *row) {
    bool held = dl_holdout_row(&s->holdout, s->samples / s->holdout.group) == s->samples;
    s->samples++;
    for (int64_t j = 0; j < s->n; j++) {
        uint64_t word;
        memcpy(&word, &row[j], sizeof word);
        s->checksum = dl_checksum_add(s->checksum, word ^ word >> 32);
    }
    if (held) {
        float *to = s->held + s->held_out++ % DL_ONLINE_HELD * s->n;
        for (int64_t j = 0; j < s->n; j++)
            to[j] = (float)row[j];
    } else
        memcpy(s->rows + s->count++ * s->n, row, (size_t)s->n * sizeof *row);
}

dltf_status dltf_online_add(dltf_online *online, dltf_matrix X) {
    DL_REQUIRE(online);
    dltf_online *s = online;
    dltf_status status = dl_matrix_check(X, DLTF_SUBJECT_DATA);
    if (status != DLTF_OK)
        return status;
    if (X.cols != s->n)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_DATA, "%lld columns, but training has %lld",
                             (long long)X.cols, (long long)s->n);
    double *row = DL_NEW(double, s->n);
    if (!row)
        return DLTF_MEMORY;
    for (int64_t i = 0; i < X.rows; i++) {
        if (s->count == s->room) /* a failure before */
            DL_TRY(dl_online_learn(s));
        dl_matrix_row(X, i, row);
        DL_TRY(dl_matrix_status(X));
        DL_TRY(dl_row_check_single(row, s->n, s->samples, DLTF_SUBJECT_DATA));
        take(s, row);
        if (s->count == s->room)
            DL_TRY(dl_online_learn(s));
    }
done:
    dl_free(row);
    return status;
}
