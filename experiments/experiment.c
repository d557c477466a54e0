/* The experiment driver: runs every cell of methods x settings x seeds and reports mean and standard
 * deviation per row. */
#include "experiments/experiment.h"

#include "experiments/selection.h"
#include "report/json.h"

#include <math.h>
#include <string.h>

#define ADDRESS(name) &experiment_##name,
const experiment *const experiment_list[] = {EXPERIMENTS(ADDRESS) NULL};
#undef ADDRESS

const experiment *experiment_find(const char *name) {
    for (int i = 0; experiment_list[i]; i++)
        if (strcmp(experiment_list[i]->name, name) == 0)
            return experiment_list[i];
    return NULL;
}

/* ---- Mean and standard deviation ---- */

/* Welford's running mean and variance; NaN counts as missing. */
typedef struct tally {
    int64_t count;
    double mean, squares;
} tally;

static void tally_add(tally *t, double value) {
    if (isnan(value))
        return;
    double delta = value - t->mean;
    t->mean += delta / (double)++t->count;
    t->squares += delta * (value - t->mean);
}

/* NaN without values. */
static double tally_mean(const tally *t) {
    return t->count > 0 ? t->mean : NAN;
}

/* NaN for a single value. */
static double tally_sd(const tally *t) {
    return t->count > 1 ? sqrt(t->squares / (double)(t->count - 1)) : NAN;
}

/* ---- Overall progress from the progress of the cells ---- */

enum { CELL_PARTS = 1000 };

typedef struct overall {
    const experiment_request *request;
    const char *task;
    int64_t cell, cells;
} overall;

static int cell_progress(void *context, const dltf_progress *progress) {
    const overall *all = context;
    if (!all->request->progress)
        return 0;
    int64_t part = 0;
    if (progress && progress->total > 0)
        part = (int64_t)(CELL_PARTS * (double)progress->done / (double)progress->total);
    dltf_progress whole = {all->task, all->cell * CELL_PARTS + part, all->cells * CELL_PARTS, NULL};
    return all->request->progress(all->request->context, &whole);
}

/* ---- Rows ---- */

/* NaN if the paper gives none. */
static double paper_value(const experiment *self, bool quick, const char *method, int setting) {
    bool comparable = !quick || self->paper_if_quick;
    for (const experiment_paper *p = self->paper; comparable && p && p->method; p++)
        if (strcmp(p->method, method) == 0 && setting < p->count && p->values[setting] != 0)
            return p->values[setting];
    return NAN;
}

static json_t *make_row(const experiment *self, const experiment_request *request, const char *method,
                        int setting, const tally *tallies) {
    json_t *row = json_object();
    json_object_set_new(row, "method", json_string(method));
    self->describe(request->quick, setting, row);
    for (int i = 0; self->metrics[i]; i++) {
        json_object_set_new(row, self->metrics[i], json_number(tally_mean(&tallies[i])));
        if (i > 0)
            continue;
        json_object_set_new(row, "sd", json_number(tally_sd(&tallies[0])));
        json_object_set_new(row, "seeds", json_integer(request->seeds));
        json_object_set_new(row, "paper", json_number(paper_value(self, request->quick, method, setting)));
    }
    return row;
}

/* All seeds of one method in one setting. */
static dltf_status run_row(const experiment *self, const char *method, int setting, overall *all,
                           json_t *rows) {
    const experiment_request *request = all->request;
    tally tallies[EXPERIMENT_MAX_METRICS] = {{0}};
    for (int64_t s = 0; s < request->seeds && !request->plan; s++) {
        double values[EXPERIMENT_MAX_METRICS];
        experiment_cell cell = {request, method, setting, request->first_seed + s, cell_progress, all};
        if (cell_progress(all, NULL) != 0)
            return DLTF_CANCELLED;
        dltf_status status = self->measure(&cell, values);
        if (status != DLTF_OK)
            return status;
        for (int i = 0; self->metrics[i]; i++)
            tally_add(&tallies[i], values[i]);
        all->cell++;
    }
    json_array_append_new(rows, make_row(self, request, method, setting, tallies));
    return DLTF_OK;
}

static json_t *make_protocol(const experiment *self, const experiment_request *request) {
    json_t *protocol = json_object();
    self->protocol(request->quick, protocol);
    json_object_set_new(protocol, "seeds", json_integer(request->seeds));
    json_object_set_new(protocol, "first_seed", json_integer(request->first_seed));
    json_object_set_new(protocol, "quick", json_boolean(request->quick));
    return protocol;
}

static bool is_run(const experiment *self, const experiment_request *request, const char *method,
                   int setting) {
    return selection_has_method(request, method) && selection_has_setting(self, request, setting) &&
           (!self->applies || self->applies(request, method, setting));
}

dltf_status experiment_run(const experiment *self, const experiment_request *request, json_t **result) {
    int count = 0;
    for (int i = 0; self->methods[i]; i++)
        for (int s = 0; s < self->settings; s++)
            count += is_run(self, request, self->methods[i], s);
    overall all = {.request = request, .task = self->name, .cells = count * request->seeds};
    json_t *rows = json_array();
    dltf_status status = DLTF_OK;
    for (int i = 0; self->methods[i]; i++)
        for (int s = 0; s < self->settings && status == DLTF_OK; s++)
            if (is_run(self, request, self->methods[i], s))
                status = run_row(self, self->methods[i], s, &all, rows);
    if (status != DLTF_OK) {
        json_decref(rows);
        return status;
    }
    *result = json_object();
    json_object_set_new(*result, "experiment", json_string(self->name));
    json_object_set_new(*result, "protocol", make_protocol(self, request));
    const char *notice = self->notice ? self->notice(request) : NULL;
    if (notice)
        json_object_set_new(*result, "notice", json_string(notice));
    json_object_set_new(*result, "rows", rows);
    return DLTF_OK;
}
