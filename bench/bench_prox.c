/* The proximal mapping of the squared (k,2) norm by three methods: our kernel, the paper's Algorithm 1, and
 * the subgradient method that the paper cites as prior work. Gaussian columns of the sizes of the
 * experiments. */
#include "bench.h"
#include "subgradient.h"

#include "base/memory.h"
#include "base/random.h"
#include "learning/paper/prox.h"

#include <math.h>

/* Columns timed per round: enough for the clock resolution, fewer for slower methods. */
enum { COLUMNS = 512, SORTED_COLUMNS = 64, SUBGRADIENT_COLUMNS = 4, MAX_ITERATIONS = 10000 };

static const double TOLERANCE = 1e-6;

typedef struct shape {
    int64_t m, k;
    double gamma;
} shape;

static const shape shapes[] = {
    {128, 16, 0.1}, {128, 16, 1}, {400, 60, 0.1}, {400, 60, 1}, {1000, 200, 0.1}, {1000, 200, 1},
};

enum { SHAPES = sizeof shapes / sizeof *shapes };

typedef struct subgradient_figures {
    double ns, iterations, gap; /* best ns per column, mean iterations, worst gap */
} subgradient_figures;

typedef struct result {
    double prox, sorted; /* best ns per column */
    double passes;       /* of prox over a column, on average */
    subgradient_figures subgradient[2];
} result;

typedef struct columns {
    float *c, *q;
    double *wide, *work, *optimum; /* for the subgradient method, in double */
} columns;

static dltf_status make_columns(shape s, columns *data) {
    dltf_status status = DLTF_OK;
    dl_random random = {.seed = 1, .stream = DL_STREAM_BASELINE};
    DL_TRY_NEW(data->c, COLUMNS * s.m);
    DL_TRY_NEW(data->q, COLUMNS * s.m);
    DL_TRY_NEW(data->wide, SUBGRADIENT_COLUMNS * s.m);
    DL_TRY_NEW(data->work, 3 * s.m);
    DL_TRY_NEW(data->optimum, SUBGRADIENT_COLUMNS);
    for (int64_t e = 0; e < COLUMNS * s.m; e++)
        data->c[e] = (float)dl_random_normal(random, (uint64_t)e);
    for (int64_t e = 0; e < SUBGRADIENT_COLUMNS * s.m; e++)
        data->wide[e] = (double)data->c[e];
    for (int64_t i = 0; i < SUBGRADIENT_COLUMNS; i++) { /* float rounding is far below the tolerance */
        double *q = data->work, *c = data->wide + i * s.m;
        dl_prox(data->c + i * s.m, s.m, s.k, s.gamma, data->q);
        for (int64_t j = 0; j < s.m; j++)
            q[j] = (double)data->q[j];
        data->optimum[i] = subgradient_objective(q, c, s.m, s.k, s.gamma, data->work + s.m);
    }
done:
    return status;
}

static void free_columns(columns *data) {
    dl_free(data->c);
    dl_free(data->q);
    dl_free(data->wide);
    dl_free(data->work);
    dl_free(data->optimum);
}

static double ns_per_column(double start, int64_t count) {
    return 1e9 * (bench_cpu_seconds() - start) / (double)count;
}

/* The Q-step calls it with columns that are in the cache, so a first call, which is not timed, brings them
 * there: the methods between two rounds take up to 50 ms. */
static double time_prox(shape s, columns *data, result *r) {
    double v[COLUMNS] = {0};
    dl_prox_columns(data->c, s.m, s.k, s.gamma, COLUMNS, data->q, v);
    double start = bench_cpu_seconds();
    v[0] = 0;
    int64_t passes = dl_prox_columns(data->c, s.m, s.k, s.gamma, COLUMNS, data->q, v);
    r->passes = (double)passes / COLUMNS;
    return ns_per_column(start, COLUMNS);
}

static dltf_status time_sorted(shape s, columns *data, double *ns) {
    double start = bench_cpu_seconds();
    for (int64_t i = 0; i < SORTED_COLUMNS; i++) {
        dltf_status status = dltf_prox_sorted(data->c + i * s.m, s.m, s.k, s.gamma, data->q + i * s.m);
        if (status != DLTF_OK)
            return status;
    }
    *ns = ns_per_column(start, SORTED_COLUMNS);
    return DLTF_OK;
}

static void time_subgradient(shape s, columns *data, subgradient_step rule, subgradient_figures *figures) {
    double start = bench_cpu_seconds(), iterations = 0;
    figures->gap = 0;
    for (int64_t i = 0; i < SUBGRADIENT_COLUMNS; i++) {
        subgradient_result end = subgradient_method(rule, data->wide + i * s.m, s.m, s.k, s.gamma,
                                                    data->optimum[i], TOLERANCE, MAX_ITERATIONS, data->work);
        iterations += (double)end.iterations;
        figures->gap = fmax(figures->gap, end.gap);
    }
    figures->iterations = iterations / SUBGRADIENT_COLUMNS;
    figures->ns = fmin(figures->ns, ns_per_column(start, SUBGRADIENT_COLUMNS));
}

/* The better step rule: it converges, or gets closer. */
static subgradient_step better_rule(const result *r) {
    const subgradient_figures *polyak = &r->subgradient[SUBGRADIENT_POLYAK];
    const subgradient_figures *diminishing = &r->subgradient[SUBGRADIENT_DIMINISHING];
    bool both = polyak->gap <= TOLERANCE && diminishing->gap <= TOLERANCE;
    bool first = both ? polyak->ns <= diminishing->ns : polyak->gap <= diminishing->gap;
    return first ? SUBGRADIENT_POLYAK : SUBGRADIENT_DIMINISHING;
}

static dltf_status measure(shape s, result *r) {
    columns data = {0};
    double sorted = 0;
    dltf_status status = DLTF_OK;
    *r = (result){.prox = INFINITY, .sorted = INFINITY, .subgradient = {{.ns = INFINITY}, {.ns = INFINITY}}};
    DL_TRY(make_columns(s, &data));
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        r->prox = fmin(r->prox, time_prox(s, &data, r));
        DL_TRY(time_sorted(s, &data, &sorted));
        r->sorted = fmin(r->sorted, sorted);
        for (int rule = 0; rule < 2; rule++)
            time_subgradient(s, &data, (subgradient_step)rule, &r->subgradient[rule]);
    }
done:
    free_columns(&data);
    return status;
}

static const char *const rule_names[] = {"polyak", "diminishing"};

static dltf_status append_row(json_t *rows, shape s, const result *r) {
    subgradient_step rule = better_rule(r);
    subgradient_figures best = r->subgradient[rule];
    json_t *row = json_pack("{s:I, s:I, s:f, s:f, s:f, s:f, s:f}", "m", (json_int_t)s.m, "k", (json_int_t)s.k,
                            "gamma", s.gamma, "prox_ns", r->prox, "prox_passes", r->passes, "sorted_ns",
                            r->sorted, "sorted_ratio", r->sorted / r->prox);
    json_t *other =
        json_pack("{s:s, s:f, s:f, s:f, s:f, s:b}", "subgradient_step", rule_names[rule], "subgradient_ns",
                  best.ns, "subgradient_ratio", best.ns / r->prox, "subgradient_iterations", best.iterations,
                  "subgradient_gap", best.gap, "subgradient_reached", best.gap <= TOLERANCE);
    json_object_update(row, other);
    json_decref(other);
    return bench_append(rows, row);
}

static dltf_status run(json_t *rows) {
    dltf_status status = DLTF_OK;
    for (int i = 0; i < SHAPES && status == DLTF_OK; i++) {
        result r;
        status = measure(shapes[i], &r);
        if (status == DLTF_OK)
            status = append_row(rows, shapes[i], &r);
    }
    return status;
}

const benchmark benchmark_prox = {
    .name = "prox",
    .summary = "the (k,2)-norm proximal mapping: kernel, Algorithm 1, subgradient method; ns per column",
    .caption = "CPU nanoseconds per column, and ratios to prox. Subgradient: the better of two step rules, "
               "until the "
               "gap is small or the iteration limit is reached.",
    .rounds = BENCH_ROUNDS,
    .run = run,
};
