/* Parsing of the user's lists of methods and settings. */
#include "experiments/selection.h"

#include "report/rows.h"

#include <stdio.h>
#include <string.h>

/* An item of a list; not NUL-terminated. */
typedef struct item {
    const char *text;
    size_t length;
} item;

/* Takes the next item from a comma-separated list; false at the end. */
static bool next_item(const char **list, item *next) {
    if (!*list)
        return false;
    *list += strspn(*list, ", ");
    *next = (item){*list, strcspn(*list, ", ")};
    *list += next->length;
    return next->length > 0;
}

static bool is_text(item i, const char *text) {
    return strlen(text) == i.length && strncmp(text, i.text, i.length) == 0;
}

static void copy_item(item i, char *text, size_t size) {
    snprintf(text, size, "%.*s", (int)i.length, i.text);
}

/* ---- Methods ---- */

bool selection_has_method(const experiment_request *request, const char *method) {
    const char *methods = request->methods;
    item name;
    bool any = false;
    while (next_item(&methods, &name)) {
        if (is_text(name, method))
            return true;
        any = true;
    }
    return !any;
}

bool selection_unknown_method(const experiment *self, const experiment_request *request, char *text,
                              size_t size) {
    const char *methods = request->methods;
    item name;
    while (next_item(&methods, &name)) {
        bool known = false;
        for (int i = 0; self->methods[i]; i++)
            known = known || is_text(name, self->methods[i]);
        if (!known) {
            copy_item(name, text, size);
            return true;
        }
    }
    return false;
}

/* ---- Data sets ---- */

/* The data set of a setting; "" if it has none. */
static void dataset_of(const experiment *self, int setting, char *name, size_t size) {
    json_t *row = json_object();
    self->describe(false, setting, row);
    const char *found = json_string_value(json_object_get(row, "data"));
    snprintf(name, size, "%s", found ? found : "");
    json_decref(row);
}

static bool begins(const char *name, item beginning) {
    return name[0] != '\0' && strncmp(name, beginning.text, beginning.length) == 0;
}

/* Whether the data set is in the list, or the list is empty. */
static bool in_datasets(const char *list, const char *dataset) {
    item beginning;
    bool any = false;
    while (next_item(&list, &beginning)) {
        if (begins(dataset, beginning))
            return true;
        any = true;
    }
    return !any;
}

bool selection_unknown_dataset(const experiment *self, const experiment_request *request, char *text,
                               size_t size) {
    const char *rest = request->datasets;
    char dataset[ROWS_CELL_SIZE];
    item beginning;
    while (next_item(&rest, &beginning)) {
        bool known = false;
        for (int s = 0; s < self->settings; s++) {
            dataset_of(self, s, dataset, sizeof dataset);
            known = known || begins(dataset, beginning);
        }
        if (!known) {
            copy_item(beginning, text, size);
            return true;
        }
    }
    return false;
}

void selection_datasets(const experiment *self, char *list, size_t size) {
    char dataset[ROWS_CELL_SIZE], last[ROWS_CELL_SIZE] = "";
    size_t used = 0;
    list[0] = '\0';
    for (int s = 0; s < self->settings && used < size; s++) {
        dataset_of(self, s, dataset, sizeof dataset);
        if (strcmp(dataset, last) != 0) /* the settings of a data set follow each other */
            used += (size_t)snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", dataset);
        memcpy(last, dataset, sizeof last);
    }
}

/* ---- Settings ---- */

/* The key of "k=4" including the equals sign; empty if there is none. */
static item key_of(item pair) {
    const char *sign = memchr(pair.text, '=', pair.length);
    return (item){pair.text, sign ? (size_t)(sign - pair.text) + 1 : 0};
}

static bool matches(item pair, const json_t *row) {
    char key[64], value[ROWS_CELL_SIZE];
    item name = key_of(pair);
    if (name.length == 0 || name.length >= sizeof key)
        return false;
    copy_item((item){name.text, name.length - 1}, key, sizeof key);
    const json_t *found = json_object_get(row, key);
    rows_cell(found, ROWS_EXACT, value);
    return found && is_text((item){pair.text + name.length, pair.length - name.length}, value);
}

/* Whether some item with this key matches the row. */
static bool alternative_matches(const char *settings, item key, const json_t *row) {
    item pair;
    while (next_item(&settings, &pair))
        if (key_of(pair).length == key.length && strncmp(pair.text, key.text, key.length) == 0 &&
            matches(pair, row))
            return true;
    return false;
}

/* Whether every key of the list has an item that matches the row. */
static bool all_keys_match(const char *settings, const json_t *row) {
    const char *rest = settings;
    item pair;
    while (next_item(&rest, &pair))
        if (!alternative_matches(settings, key_of(pair), row))
            return false;
    return true;
}

static bool is_chosen(const experiment *self, const experiment_request *request, const char *settings,
                      int setting) {
    bool quick = request->quick;
    char dataset[ROWS_CELL_SIZE];
    dataset_of(self, setting, dataset, sizeof dataset);
    if ((quick && self->in_quick && !self->in_quick(setting)) || !in_datasets(request->datasets, dataset))
        return false;
    json_t *row = json_object();
    self->describe(quick, setting, row);
    bool chosen = all_keys_match(settings, row);
    json_decref(row);
    return chosen;
}

bool selection_has_setting(const experiment *self, const experiment_request *request, int setting) {
    return is_chosen(self, request, request->settings, setting);
}

static bool some_are_chosen(const experiment *self, const experiment_request *request, const char *settings) {
    for (int s = 0; s < self->settings; s++)
        if (is_chosen(self, request, settings, s))
            return true;
    return false;
}

bool selection_unknown_setting(const experiment *self, const experiment_request *request, char *text,
                               size_t size) {
    const char *rest = request->settings;
    item pair;
    while (next_item(&rest, &pair)) {
        copy_item(pair, text, size);
        if (!some_are_chosen(self, request, text))
            return true;
    }
    snprintf(text, size, "%s", request->settings ? request->settings : "");
    return !some_are_chosen(self, request, request->settings);
}
