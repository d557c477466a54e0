/* Lists, measures and finds cells. */
#include "experiments/cells.h"

#include "experiments/jobs.h"
#include "experiments/kept.h"
#include "experiments/selection.h"

#include <stdlib.h>
#include <string.h>

/* ---- The list ---- */

static bool is_run(const experiment *self, const experiment_request *request, const char *method,
                   int setting) {
    return selection_has_method(request, method) && selection_has_setting(self, request, setting) &&
           (!self->applies || self->applies(request, method, setting));
}

static int64_t count_rows(const experiment *self, const experiment_request *request) {
    int64_t count = 0;
    for (int i = 0; self->methods[i]; i++)
        for (int s = 0; s < self->settings; s++)
            count += is_run(self, request, self->methods[i], s);
    return count;
}

bool cells_exist(const experiment *self, const experiment_request *request) {
    return count_rows(self, request) > 0;
}

dltf_status cells_new(const experiment *self, const experiment_request *request, cell_list *list) {
    int64_t rows = count_rows(self, request), seeds = request->seeds;
    *list = (cell_list){.self = self, .request = request};
    list->cells = calloc((size_t)(rows * seeds + 1), sizeof *list->cells);
    if (!list->cells)
        return DLTF_MEMORY;
    for (int i = 0; self->methods[i]; i++)
        for (int s = 0; s < self->settings; s++)
            for (int64_t n = 0; is_run(self, request, self->methods[i], s) && n < seeds; n++)
                list->cells[list->count++] =
                    (cell_result){.method = self->methods[i], .setting = s, .seed = request->first_seed + n};
    return DLTF_OK;
}

void cells_free(cell_list *list) {
    free(list->cells);
}

const cell_result *cells_find(const cell_list *list, const char *method, int setting, int64_t seed) {
    for (int64_t i = 0; i < list->count; i++) {
        const cell_result *cell = &list->cells[i];
        if (cell->setting == setting && cell->seed == seed && strcmp(cell->method, method) == 0)
            return cell;
    }
    return NULL;
}

json_t *cells_protocol(const experiment *self, const experiment_request *request) {
    json_t *protocol = json_object();
    self->protocol(request->quick, protocol);
    json_object_set_new(protocol, "quick", json_boolean(request->quick));
    if (request->validation)
        json_object_set_new(protocol, "validation", json_true());
    if (request->trial)
        json_object_set_new(protocol, "try", json_string(request->trial));
    return protocol;
}

/* ---- Measuring ---- */

int cells_report(const cell_list *list, int64_t part) {
    const experiment_request *request = list->request;
    dltf_progress whole = {.task = list->self->name,
                           .done = list->finished * CELL_PARTS + part,
                           .total = list->count * CELL_PARTS};
    return request->progress ? request->progress(request->context, &whole) : 0;
}

static int cell_progress(void *context, const dltf_progress *progress) {
    int64_t part = 0;
    if (progress->total > 0)
        part = (int64_t)(CELL_PARTS * (double)progress->done / (double)progress->total);
    return cells_report(context, part);
}

dltf_status cells_measure_one(cell_list *list, cell_result *result) {
    experiment_cell cell = {.request = list->request,
                            .method = result->method,
                            .setting = result->setting,
                            .seed = result->seed,
                            .progress = cell_progress,
                            .context = list};
    return list->self->measure(&cell, result->values);
}

dltf_status cells_finish(cell_list *list, cell_result *cell) {
    cell->done = true;
    list->finished++;
    return kept_add(list, cell);
}

dltf_status cells_measure(cell_list *list) {
    dltf_status status = kept_load(list);
    if (status == DLTF_OK && list->request->jobs > 1)
        status = jobs_measure(list);
    for (int64_t i = 0; i < list->count && status == DLTF_OK; i++) {
        if (list->cells[i].done)
            continue;
        if (cells_report(list, 0) != 0)
            return DLTF_CANCELLED;
        status = cells_measure_one(list, &list->cells[i]);
        if (status == DLTF_OK)
            status = cells_finish(list, &list->cells[i]);
    }
    return status;
}
