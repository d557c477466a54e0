/* The file of finished cells. */
#include "experiments/kept.h"

#include "report/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 4096 };

static void cells_path(const experiment_request *request, char path[PATH_SIZE]) {
    snprintf(path, PATH_SIZE, "%s/cells.jsonl", request->keep);
}

/* FNV-1a of program version and key, as 16 digits. */
static void checksum(const char *key, char text[17]) {
    const char *parts[] = {dltf_version(), key};
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = 0; i < 2; i++)
        for (const char *c = parts[i]; *c; c++)
            hash = (hash ^ (uint64_t)(unsigned char)*c) * 0x100000001b3u;
    snprintf(text, 17, "%016llx", (unsigned long long)hash);
}

bool kept_file(const experiment_request *request, const char *name, const char *key, char *path,
               size_t size) {
    char sum[17];
    checksum(key, sum);
    return request->keep && snprintf(path, size, "%s/%s-%s", request->keep, name, sum) < (int)size;
}

static void checksum_of_protocol(const cell_list *list, char text[17]) {
    json_t *protocol = cells_protocol(list->self, list->request);
    char *dump = json_dumps(protocol, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(JSON_DIGITS));
    checksum(dump ? dump : "", text);
    free(dump);
    json_decref(protocol);
}

/* What a line says of a cell, except for its values. */
static json_t *identity(const cell_list *list, const char *protocol, const cell_result *cell) {
    json_t *object = json_object(), *setting = json_object();
    list->self->describe(list->request->quick, cell->setting, setting);
    json_object_set_new(object, "experiment", json_string(list->self->name));
    json_object_set_new(object, "version", json_string(dltf_version()));
    json_object_set_new(object, "protocol", json_string(protocol));
    json_object_set_new(object, "method", json_string(cell->method));
    json_object_set_new(object, "setting", setting);
    json_object_set_new(object, "seed", json_integer(cell->seed));
    return object;
}

/* ---- Reading ---- */

/* The values of a line, if it is about this cell and complete. */
static bool take(const json_t *line, const json_t *wanted, const experiment *self, cell_result *cell) {
    const char *key = NULL;
    json_t *value = NULL, *values = json_object_get(line, "values");
    json_object_foreach((json_t *)(uintptr_t)wanted, key, value) {
        if (!json_equal(json_object_get(line, key), value))
            return false;
    }
    for (int i = 0; self->metrics[i]; i++) {
        const json_t *number = json_object_get(values, self->metrics[i]);
        if (!json_is_number(number) && !json_is_null(number))
            return false;
        cell->values[i] = json_is_null(number) ? NAN : json_number_value(number);
    }
    return true;
}

static void take_line(cell_list *list, json_t *const *wanted, const json_t *line) {
    for (int64_t i = 0; i < list->count; i++) {
        cell_result *cell = &list->cells[i];
        if (cell->done || !take(line, wanted[i], list->self, cell))
            continue;
        cell->done = true;
        list->finished++;
    }
}

/* A line that is cut off or not ours is skipped. */
static void read_lines(cell_list *list, FILE *file, json_t *const *wanted) {
    char *text = NULL;
    size_t room = 0;
    while (getline(&text, &room, file) >= 0) {
        json_t *line = json_loads(text, 0, NULL);
        if (line)
            take_line(list, wanted, line);
        json_decref(line);
    }
    free(text);
}

dltf_status kept_load(cell_list *list) {
    char path[PATH_SIZE], protocol[17];
    if (!list->request->keep)
        return DLTF_OK;
    cells_path(list->request, path);
    checksum_of_protocol(list, protocol);
    FILE *file = fopen(path, "r");
    json_t **wanted = calloc((size_t)list->count + 1, sizeof *wanted);
    if (file && wanted) {
        for (int64_t i = 0; i < list->count; i++)
            wanted[i] = identity(list, protocol, &list->cells[i]);
        read_lines(list, file, wanted);
        for (int64_t i = 0; i < list->count; i++)
            json_decref(wanted[i]);
    }
    if (file)
        fclose(file);
    free(wanted);
    return wanted ? DLTF_OK : DLTF_MEMORY;
}

/* ---- Writing ---- */

/* The file ends in an incomplete line if a run was killed while writing. */
static bool ends_in_line(FILE *file) {
    return fseek(file, -1, SEEK_END) != 0 || fgetc(file) == '\n';
}

dltf_status kept_add(const cell_list *list, const cell_result *cell) {
    char path[PATH_SIZE], protocol[17];
    if (!list->request->keep)
        return DLTF_OK;
    cells_path(list->request, path);
    checksum_of_protocol(list, protocol);
    json_t *line = identity(list, protocol, cell), *values = json_object();
    for (int i = 0; list->self->metrics[i]; i++)
        json_object_set_new(values, list->self->metrics[i], json_number(cell->values[i]));
    json_object_set_new(line, "values", values);
    char *text = json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(17));
    FILE *file = fopen(path, "a+");
    bool written =
        text && file && (ends_in_line(file) || fputc('\n', file) != EOF) && fprintf(file, "%s\n", text) > 0;
    if (file && fclose(file) != 0)
        written = false;
    free(text);
    json_decref(line);
    return written ? DLTF_OK : DLTF_FILE;
}
