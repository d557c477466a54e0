/* The experiment driver: measures every cell of methods x settings x seeds and reports mean and standard
 * deviation per row. */
#include "experiments/cells.h"
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

/* ---- Rows ---- */

/* NaN if the paper gives none. */
static double paper_value(const experiment *self, const experiment_request *request, const char *method,
                          int setting) {
    bool comparable = (!request->quick || self->paper_if_quick) && !request->validation;
    for (const experiment_paper *p = self->paper; comparable && p && p->method; p++)
        if (strcmp(p->method, method) == 0 && setting < p->count && p->values[setting] != 0)
            return p->values[setting];
    return NAN;
}

/* Mean over the seeds of what a row has more than the baseline in the same setting with the same seed, and
 * its standard error. */
static void add_difference(const cell_list *list, const cell_result *cells, json_t *row) {
    const char *baseline = list->self->baseline;
    tally t = {0};
    if (!baseline)
        return;
    for (int64_t s = 0; s < list->request->seeds && strcmp(cells[0].method, baseline) != 0; s++) {
        const cell_result *other = cells_find(list, baseline, cells[s].setting, cells[s].seed);
        if (other && other->done)
            tally_add(&t, cells[s].values[0] - other->values[0]);
    }
    json_object_set_new(row, "difference", json_number(tally_mean(&t)));
    json_object_set_new(row, "difference_se", json_number(tally_sd(&t) / sqrt((double)t.count)));
}

/* `cells`: one for each seed. */
static json_t *make_row(const cell_list *list, const cell_result *cells) {
    const experiment *self = list->self;
    const experiment_request *request = list->request;
    const char *method = cells[0].method;
    json_t *row = json_object();
    json_object_set_new(row, "method", json_string(method));
    if (self->method_key)
        json_object_set_new(row, self->method_key, json_string(method));
    self->describe(request->quick, cells[0].setting, row);
    for (int i = 0; self->metrics[i]; i++) {
        tally t = {0};
        for (int64_t s = 0; s < request->seeds; s++)
            tally_add(&t, cells[s].done ? cells[s].values[i] : NAN);
        json_object_set_new(row, self->metrics[i], json_number(tally_mean(&t)));
        if (i > 0)
            continue;
        json_object_set_new(row, "sd", json_number(tally_sd(&t)));
        json_object_set_new(row, "seeds", json_integer(request->seeds));
        json_object_set_new(row, "paper", json_number(paper_value(self, request, method, cells[0].setting)));
        add_difference(list, cells, row);
    }
    return row;
}

static json_t *make_protocol(const experiment *self, const experiment_request *request) {
    json_t *protocol = cells_protocol(self, request);
    json_object_set_new(protocol, "seeds", json_integer(request->seeds));
    json_object_set_new(protocol, "first_seed", json_integer(request->first_seed));
    return protocol;
}

dltf_status experiment_run(const experiment *self, const experiment_request *request, json_t **result) {
    cell_list list;
    dltf_status status = cells_new(self, request, &list);
    if (status == DLTF_OK && !request->plan)
        status = cells_measure(&list);
    if (status == DLTF_OK) {
        json_t *rows = json_array();
        for (int64_t i = 0; i < list.count; i += request->seeds)
            json_array_append_new(rows, make_row(&list, &list.cells[i]));
        *result = json_object();
        json_object_set_new(*result, "experiment", json_string(self->name));
        json_object_set_new(*result, "better", json_string(self->larger_is_better ? "larger" : "smaller"));
        json_object_set_new(*result, "protocol", make_protocol(self, request));
        const char *notice = self->notice ? self->notice(request) : NULL;
        if (notice)
            json_object_set_new(*result, "notice", json_string(notice));
        json_object_set_new(*result, "rows", rows);
    }
    cells_free(&list);
    return status;
}
