/* What the functions of dltf/bind.h share: their options and callbacks. */
#ifndef DL_API_BIND_H
#define DL_API_BIND_H

#include "base/status.h"
#include "dltf/bind.h"

/* A call that a function of dltf/bind.h makes, with options and a callback of the C interface. */
typedef struct dl_call {
    const void *options;       /* the struct of the task; NULL: the defaults */
    dltf_progress_fn progress; /* to be called with the dl_call as its context; NULL: none */
    dltf_report_fn report;
    void *context;
} dl_call;

/* Fails for the options of another task, whose struct has another layout. */
dltf_status dl_call_begin(dl_call *call, const char *task, const dltf_options *options, dltf_report_fn report,
                          void *context);

/* The same without options. */
dl_call dl_call_plain(dltf_report_fn report, void *context);

/* The task of options; options of a task with the values of its struct. */
const char *dl_options_task(const dltf_options *options);
dltf_status dl_options_of(const char *task, const void *values, dltf_options **options);

#endif
