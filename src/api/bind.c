/* What the functions of dltf/bind.h share: callbacks, their options, errors. */
#include "api/bind.h"

#include "base/meter.h"

#include <math.h>
#include <string.h>

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
    if (options && strcmp(dl_options_task(options), task) != 0)
        return dl_fail(DLTF_ARGUMENT, "options of the task '%s' were given to '%s'", dl_options_task(options),
                       task);
    call->options = dltf_options_struct(options);
    return DLTF_OK;
}

/* ---- Calls without a callback ---- */

/* Of a thread that called dltf_bind_watch. */
static _Thread_local struct watch {
    dl_meter meter;
    dl_call call;
} watch;

/* Functions without a callback have no message for their cancellation. */
static int watch_calls(void *context, const dltf_progress *progress) {
    int cancelled = forward(context, progress);
    if (cancelled)
        dl_fail(DLTF_CANCELLED, "cancelled");
    return cancelled;
}

void dltf_bind_watch(dltf_report_fn report, void *context) {
    dl_meter_unwatch(&watch.meter);
    watch = (struct watch){.call = dl_call_plain(report, context)};
    watch.meter = dl_meter_new("", report ? watch_calls : NULL, &watch.call, 0);
    dl_meter_watch(&watch.meter);
}

/* ---- Errors ---- */

dltf_status dltf_bind_last_error(const char **subject, const char **name, const char **text) {
    dltf_error error = dltf_last_error();
    if (subject)
        *subject = error.subject == DLTF_SUBJECT_NONE     ? ""
                   : error.subject == DLTF_SUBJECT_OPTION ? "option"
                   : error.subject == DLTF_SUBJECT_FILE   ? "file"
                                                          : "argument";
    if (name)
        *name = error.name;
    if (text)
        *text = error.text;
    return error.status;
}
