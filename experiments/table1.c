/* Table 1 of the paper: support recovery on synthetic data, ave_dif at k = 4 .. 12. Rows: the true
 * dictionary, a random one, DLTF with the tied feature, the same followed by the ADMM stage, the paper's ADMM
 * exactly as written, K-SVD, DLTF with untied encoders, and the distilled one with other coders. The paper's
 * values are shown for reference but are not directly comparable: no reading of its protocol reproduces its
 * "original" row. */
#include "experiments/figures.h"
#include "experiments/recovery.h"
#include "report/chart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const methods[] = {"original",
                                      "random",
                                      "dltf",
                                      "dltf-admm",
                                      "admm-as-written",
                                      "ksvd",
                                      "dltf-tight",
                                      "dltf-dual",
                                      "dltf-distilled",
                                      "dltf-default",
                                      "dltf-dual-positive",
                                      "dltf-distilled-positive",
                                      "dltf-2-passes",
                                      "dltf-omp",
                                      "dltf-shortlist",
                                      "dltf-shortlist-2",
                                      NULL};

enum { SETTINGS = 5 };
static const int k_of[SETTINGS] = {4, 6, 8, 10, 12};

static const double paper_original[SETTINGS] = {0.354, 0.778, 1.241, 1.746, 2.293},
                    paper_random[SETTINGS] = {3.876, 5.721, 7.499, 9.204, 10.895},
                    paper_ksvd[SETTINGS] = {0.724, 1.988, 3.897, 6.110, 7.430},
                    paper_dltf[SETTINGS] = {0.495, 1.119, 1.879, 2.753, 3.759};

static const experiment_paper paper[] = {
    {"original", SETTINGS, paper_original},
    {"random", SETTINGS, paper_random},
    {"ksvd", SETTINGS, paper_ksvd},
    {"dltf", SETTINGS, paper_dltf},
    {NULL, 0, NULL},
};

static bool in_quick(int setting) {
    return k_of[setting] == 4 || k_of[setting] == 8;
}

static void describe(bool quick, int setting, json_t *row) {
    (void)quick;
    json_object_set_new(row, "k", json_integer(k_of[setting]));
}

static void protocol(bool quick, json_t *object) {
    dltf_synthetic_options spec = recovery_problem(quick, 0, 0);
    json_object_set_new(object, "test_samples", json_integer(spec.samples));
    json_object_set_new(object, "codes", json_string("k ones at random positions"));
    recovery_protocol(&spec, object);
}

static dltf_status measure(const experiment_cell *cell, double *values) {
    dltf_synthetic_options spec = recovery_problem(cell->request->quick, k_of[cell->setting], cell->seed);
    dltf_train_options options = recovery_options(cell, &spec);
    return recovery_measure(cell, &spec, &options, values);
}

/* ---- Figure ---- */

enum { PANELS = 3, MOST_METHODS = 8 };

/* ave_dif of coders spans several powers of ten. */
static const struct panel {
    const char *title;
    bool log_y;
    const char *methods[MOST_METHODS];
} panels[PANELS] = {
    {"tied feature (dashed: the paper)",
     false,
     {"original", "random", "dltf", "dltf-admm", "admm-as-written", "ksvd"}},
    {"encoders",
     false,
     {"original", "dltf", "dltf-tight", "dltf-dual", "dltf-distilled", "dltf-default", "dltf-dual-positive",
      "dltf-distilled-positive"}},
    {"coders, logarithmic",
     true,
     {"dltf-distilled", "dltf-2-passes", "dltf-omp", "dltf-shortlist", "dltf-shortlist-2"}},
};

static bool add_point(chart_panel *chart, const json_t *row, const char *metric, bool dashed) {
    double k = (double)json_integer_value(json_object_get(row, "k"));
    const json_t *value = json_object_get(row, metric);
    if (!json_is_real(value) || (chart->log_y && json_real_value(value) <= 0))
        return true;
    chart_line *line = chart_find_line(chart, json_string_value(json_object_get(row, "method")), dashed);
    return line && chart_add_point(line, k, json_real_value(value));
}

static bool add_rows(chart_panel *chart, const struct panel *panel, const json_t *rows) {
    bool added = true;
    for (int m = 0; m < MOST_METHODS && panel->methods[m]; m++)
        for (size_t i = 0; i < json_array_size(rows) && added; i++) {
            const json_t *row = json_array_get(rows, i);
            if (strcmp(json_string_value(json_object_get(row, "method")), panel->methods[m]) != 0)
                continue;
            added = add_point(chart, row, "ave_dif", false) &&
                    (panel != panels || add_point(chart, row, "paper", true));
        }
    return added;
}

static char *draw(const json_t *rows) {
    chart_panel *charts = calloc(PANELS, sizeof *charts);
    bool complete = charts != NULL;
    for (int p = 0; complete && p < PANELS; p++) {
        snprintf(charts[p].title, sizeof charts[p].title, "%s", panels[p].title);
        charts[p].x_label = "k";
        charts[p].y_label = "ave_dif";
        charts[p].x_ticks_at_points = true;
        charts[p].log_y = panels[p].log_y;
        complete = add_rows(&charts[p], &panels[p], rows);
    }
    chart page = {.title = "Table 1: wrong atoms per code (ave_dif)",
                  .width = 360,
                  .height = 320,
                  .columns = PANELS,
                  .legend_in_panel = true,
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
    return figures_save(draw(rows), folder, "table1.svg");
}

const experiment experiment_table1 = {
    .name = "table1",
    .summary = "support recovery on synthetic data (ave_dif)",
    .details = "dltf is the tied feature.",
    .methods = methods,
    .metrics = recovery_metrics,
    .settings = SETTINGS,
    .in_quick = in_quick,
    .describe = describe,
    .protocol = protocol,
    .paper = paper,
    .measure = measure,
    .figure = figure,
};
