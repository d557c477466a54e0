/* The interface without structs: options by name, and how they and callbacks reach the C interface. */
#include "api/bind.h"

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
#include "theory/certify_options.h"

#include <math.h>
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
};

enum { TASK_COUNT = sizeof tasks / sizeof *tasks, TEXT_SIZE = 400 };

struct dltf_options {
    const struct task *task;
    dl_option_table table;
    void *values; /* the struct of the task */
    char text[TEXT_SIZE];
};

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

const void *dltf_options_struct(const dltf_options *options) {
    return options ? options->values : NULL;
}

void dltf_options_free(dltf_options *options) {
    if (!options)
        return;
    dl_free(options->values);
    dl_free(options);
}

/* ---- Calls ---- */

static int forward(void *context, const dltf_progress *progress) {
    const dl_call *call = context;
    const dltf_iteration *newest = progress->iteration;
    return call->report(call->context, progress->task, progress->done, progress->total,
                        newest ? newest->stage : "", newest ? newest->index : -1,
                        newest ? newest->relative_error : (double)NAN, progress->state);
}

dl_call dl_call_plain(dltf_report_fn report, void *context) {
    return (dl_call){.progress = report ? forward : NULL, .report = report, .context = context};
}

dltf_status dl_call_begin(dl_call *call, const char *task, const dltf_options *options, dltf_report_fn report,
                          void *context) {
    *call = dl_call_plain(report, context);
    if (options && strcmp(options->task->name, task) != 0)
        return dl_fail(DLTF_ARGUMENT, "options of the task '%s' were given to '%s'", options->task->name,
                       task);
    call->options = dltf_options_struct(options);
    return DLTF_OK;
}
