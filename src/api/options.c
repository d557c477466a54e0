/* Options by name: dltf/options.h, and what dltf/bind.h adds to it. */
#include "base/options.h"
#include "api/bind.h"
#include "api/values.h"
#include "atoms/top_options.h"
#include "base/memory.h"
#include "cluster/cluster_options.h"
#include "cluster/landmark_options.h"
#include "coding/encode_options.h"
#include "data/synthetic_options.h"
#include "denoise/denoise_options.h"
#include "hash/hash_options.h"
#include "image/gist_options.h"
#include "learning/train_options.h"
#include "retrieval/hash_evaluate_options.h"
#include "search/search_options.h"
#include "suggest/suggest_options.h"
#include "theory/certify_options.h"

#include <string.h>

static const struct task {
    const char *name;
    dl_option_table (*table)(void);
} tasks[] = {
    {"train", dl_train_option_table},
    {"encode", dl_encode_option_table},
    {"denoise", dl_denoise_option_table},
    {"gist", dl_gist_option_table},
    {"certify", dl_certify_option_table},
    {"cluster", dl_cluster_option_table},
    {"landmark", dl_landmark_option_table},
    {"hash", dl_hash_option_table},
    {"hash_evaluate", dl_hash_evaluate_option_table},
    {"search", dl_search_option_table},
    {"synthetic", dl_synthetic_option_table},
    {"top", dl_top_option_table},
    {"suggest", dl_suggest_option_table},
};

enum { TASK_COUNT = sizeof tasks / sizeof *tasks, TEXT_SIZE = 400 };

struct dltf_options {
    const struct task *task;
    dl_option_table table;
    void *values; /* the struct of the task */
    char text[TEXT_SIZE];
};

const char *dltf_options_task(int index) {
    return index >= 0 && index < TASK_COUNT ? tasks[index].name : NULL;
}

dltf_status dltf_options_new(const char *task, dltf_options **options) {
    DL_CLEAR(options);
    DL_REQUIRE(task, options);
    dltf_status status = DLTF_OK;
    dltf_options *made = NULL;
    int found = 0;
    while (found < TASK_COUNT && strcmp(tasks[found].name, task) != 0)
        found++;
    if (found == TASK_COUNT)
        return dl_fail(DLTF_ARGUMENT, "unknown task '%s'", task);
    DL_TRY_NEW(made, 1);
    made->task = &tasks[found];
    made->table = made->task->table();
    made->values = dl_alloc((int64_t)made->table.size, 1);
    if (!made->values) {
        status = DLTF_MEMORY;
        goto done;
    }
    dl_option_defaults(made->table, made->values);
    *options = made;
    made = NULL;
done:
    dltf_options_free(made);
    return status;
}

dltf_status dltf_options_set(dltf_options *options, const char *name, const char *text) {
    DL_REQUIRE(options, name, text);
    return dl_option_set(options->table, options->values, name, text);
}

const char *dltf_options_get(dltf_options *options, const char *name) {
    const dl_option *option = options ? dl_option_find(options->table, name) : NULL;
    if (!option)
        return NULL;
    dl_option_format(option, options->values, options->text, sizeof options->text);
    return options->text;
}

const char *dltf_options_name(const dltf_options *options, int index) {
    return options && index >= 0 && index < options->table.count ? options->table.options[index].name : NULL;
}

const char *dltf_options_help(const dltf_options *options, const char *name) {
    const dl_option *option = options && name ? dl_option_find(options->table, name) : NULL;
    return option ? option->help : NULL;
}

static const char *const kinds[] = {
    [DL_OPTION_INTEGER] = "integer", [DL_OPTION_REAL] = "real", [DL_OPTION_FLAG] = "flag",
    [DL_OPTION_CHOICE] = "choice",   [DL_OPTION_TEXT] = "text", [DL_OPTION_BYTES] = "bytes",
    [DL_OPTION_SWITCH] = "switch",
};

dltf_status dltf_options_describe(const dltf_options *options, const char *name, dltf_values **values) {
    DL_CLEAR(values);
    DL_REQUIRE(options, name, values);
    char scope[TEXT_SIZE];
    dltf_values *made = NULL;
    const dl_option *option = dl_option_find(options->table, name);
    if (!option)
        return dl_fail(DLTF_ARGUMENT, "the task '%s' has no option '%s'", options->task->name, name);
    dltf_status status = dltf_values_new(&made);
    if (status != DLTF_OK)
        return status;
    dl_values_put_text(made, "kind", kinds[option->kind]);
    dl_values_put_text(made, "default", option->default_text);
    dl_values_put_text(made, "choices", option->choices);
    if (option->kind == DL_OPTION_INTEGER || option->kind == DL_OPTION_REAL ||
        option->kind == DL_OPTION_BYTES) {
        DL_PUT_NUMBER(made, *option, min);
        DL_PUT_NUMBER(made, *option, max);
    }
    dl_option_scope(options->table, option, scope, sizeof scope);
    dl_values_put_text(made, "scope", *scope ? scope : NULL);
    dl_values_put_text(made, "argument", option->argument);
    dl_values_put_text(made, "help", option->help);
    return dl_values_finish(made, values);
}

const void *dltf_options_struct(const dltf_options *options) {
    return options ? options->values : NULL;
}

void dltf_options_free(dltf_options *options) {
    if (!options)
        return;
    dl_free(options->values);
    dl_free(options);
}

const char *dl_options_task(const dltf_options *options) {
    return options->task->name;
}

dltf_status dl_options_of(const char *task, const void *values, dltf_options **options) {
    dltf_status status = dltf_options_new(task, options);
    if (status == DLTF_OK)
        memcpy((*options)->values, values, (*options)->table.size);
    return status;
}
