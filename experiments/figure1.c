/* Figure 1 of the paper: support recovery while one parameter varies. (a) lambda and (b) theta at k = 6 and
 * 8, (c) the dimension n at k = 8, (d)-(f) lambda at k = 4, 10, 12. lambda affects only the ADMM stage:
 * the other curves are constant in it and are measured once. */
#include "experiments/figures.h"
#include "experiments/recovery.h"
#include "report/chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PANELS = 6, CACHE_SIZE = 64 };

static const char *const methods[] = {"dltf", "dltf-admm", "original", "ksvd", "dltf-default", NULL};

typedef enum parameter { LAMBDA, THETA, DIMENSION } parameter;
static const char *const parameter_names[] = {"lambda", "theta", "n"};

static const struct panel {
    char letter;
    parameter varies;
    int k_count, k[2];
} panels[PANELS] = {
    {'a', LAMBDA, 2, {6, 8}}, {'b', THETA, 2, {6, 8}},   {'c', DIMENSION, 1, {8, 0}},
    {'d', LAMBDA, 1, {4, 0}}, {'e', LAMBDA, 1, {10, 0}}, {'f', LAMBDA, 1, {12, 0}},
};

/* Half decades; quick: every fourth of them, and every second dimension. */
enum { WEIGHTS = 9, DIMENSIONS = 5 };
static const int dimensions[DIMENSIONS] = {32, 48, 64, 80, 108};

/* Seven curves over lambda or theta (a and b have two each), and the one over n. */
enum { SETTINGS = 7 * WEIGHTS + DIMENSIONS };

/* A setting: a panel, one of its k, a value, and the index of the value on its curve. */
typedef struct point {
    const struct panel *panel;
    int k, index;
    double value;
} point;

static point find_point(int setting) {
    const struct panel *p = panels;
    for (;; p++) {
        int values = p->varies == DIMENSION ? DIMENSIONS : WEIGHTS;
        if (setting < p->k_count * values) {
            int index = setting % values;
            double value = p->varies == DIMENSION ? dimensions[index] : pow(10, -3 + 0.5 * index);
            return (point){p, p->k[setting / values], index, value};
        }
        setting -= p->k_count * values;
    }
}

static bool in_quick(int setting) {
    point at = find_point(setting);
    return at.index % (at.panel->varies == DIMENSION ? 2 : 4) == 0;
}

static void describe(bool quick, int setting, json_t *row) {
    (void)quick;
    point at = find_point(setting);
    char letter[2] = {at.panel->letter, '\0'};
    json_object_set_new(row, "panel", json_string(letter));
    json_object_set_new(row, "k", json_integer(at.k));
    json_object_set_new(row, "parameter", json_string(parameter_names[at.panel->varies]));
    json_object_set_new(row, "value", json_real(at.value));
}

static void protocol(bool quick, json_t *object) {
    dltf_synthetic_options spec = recovery_problem(quick, 0, 0);
    json_object_set_new(object, "lambda", json_string("of dltf-admm, with beta = 10 lambda"));
    json_object_set_new(object, "theta",
                        json_string("final value; starts at the larger of it and the default start"));
    json_object_set_new(object, "codes", json_string("k ones at random positions"));
    recovery_protocol(&spec, object);
}

static bool depends(const char *method, parameter varies) {
    bool admm = strcmp(method, "dltf-admm") == 0;
    return varies == DIMENSION || admm || (varies == THETA && strcmp(method, "dltf") == 0);
}

/* Cache of results that do not depend on the parameter, by method, k, size and seed; evicts the oldest. */
static struct cached {
    const char *method;
    int k;
    int64_t samples, seed;
    double values[RECOVERY_METRICS];
} cache[CACHE_SIZE];
static int next_slot;

static const struct cached *find_cached(const char *method, int k, int64_t samples, int64_t seed) {
    for (int i = 0; i < CACHE_SIZE; i++)
        if (cache[i].method == method && cache[i].k == k && cache[i].samples == samples &&
            cache[i].seed == seed)
            return &cache[i];
    return NULL;
}

static dltf_status measure(const experiment_cell *cell, double *values) {
    point at = find_point(cell->setting);
    bool alone = depends(cell->method, at.panel->varies);
    dltf_synthetic_options spec = recovery_problem(cell->request->quick, at.k, cell->seed);
    const struct cached *known = alone ? NULL : find_cached(cell->method, at.k, spec.samples, cell->seed);
    if (known) {
        memcpy(values, known->values, sizeof known->values);
        return DLTF_OK;
    }
    spec.n = at.panel->varies == DIMENSION ? (int64_t)at.value : spec.n;
    dltf_train_options options = recovery_options(cell, &spec);
    if (alone && at.panel->varies == LAMBDA) {
        options.lambda = at.value;
        options.beta = 10 * at.value;
    }
    if (alone && at.panel->varies == THETA) {
        options.theta = at.value;
        options.theta_start = fmax(options.theta_start, at.value);
    }
    dltf_status status = recovery_measure(cell, &spec, &options, values);
    if (status == DLTF_OK && !alone) {
        struct cached *new = &cache[next_slot++ % CACHE_SIZE];
        *new =
            (struct cached){.method = cell->method, .k = at.k, .samples = spec.samples, .seed = cell->seed};
        memcpy(new->values, values, sizeof new->values);
    }
    return status;
}

/* ---- Figure ---- */

static const char *text_of(const json_t *row, const char *key) {
    return json_string_value(json_object_get(row, key));
}

static bool add_row(chart_panel *charts, const json_t *row) {
    int index = text_of(row, "panel")[0] - 'a';
    bool dashed = json_integer_value(json_object_get(row, "k")) != panels[index].k[0];
    chart_line *line = chart_find_line(&charts[index], text_of(row, "method"), dashed);
    return line && chart_add_point(line, json_real_value(json_object_get(row, "value")),
                                   json_real_value(json_object_get(row, "ave_dif")));
}

static void name_panel(chart_panel *chart, const struct panel *p) {
    chart->x_label = parameter_names[p->varies];
    chart->y_label = "ave_dif";
    chart->log_x = p->varies != DIMENSION;
    chart->x_ticks_at_points = p->varies == DIMENSION;
    if (p->k_count == 2)
        snprintf(chart->title, sizeof chart->title, "(%c) k = %d, dashed: k = %d", p->letter, p->k[0],
                 p->k[1]);
    else
        snprintf(chart->title, sizeof chart->title, "(%c) k = %d", p->letter, p->k[0]);
}

static char *draw(const json_t *rows) {
    chart_panel *charts = calloc(PANELS, sizeof *charts);
    bool complete = charts != NULL;
    for (int p = 0; charts && p < PANELS; p++)
        name_panel(&charts[p], &panels[p]);
    for (size_t i = 0; complete && i < json_array_size(rows); i++)
        complete = add_row(charts, json_array_get(rows, i));
    chart page = {.title = "Wrong atoms per code (ave_dif) while one parameter varies",
                  .width = CHART_WIDTH,
                  .height = CHART_HEIGHT,
                  .columns = 3,
                  .count = PANELS,
                  .panels = charts};
    char *text = complete ? chart_svg(&page) : NULL;
    if (charts)
        chart_clear(charts, PANELS);
    free(charts);
    return text;
}

static dltf_status figure(const experiment_request *request, const json_t *rows, const char *folder) {
    (void)request;
    return figures_save(draw(rows), folder, "figure1.svg");
}

const experiment experiment_figure1 = {
    .name = "figure1",
    .summary = "support recovery while lambda, theta or n varies (ave_dif)",
    .methods = methods,
    .metrics = recovery_metrics,
    .settings = SETTINGS,
    .in_quick = in_quick,
    .describe = describe,
    .protocol = protocol,
    .measure = measure,
    .figure = figure,
};
