/* Processes and pipes: a child measures one cell and writes the values to its pipe. The parent never measures
 * while it starts children, which begin with a copy of its memory. */
#include "experiments/jobs.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_JOBS = 64, WAIT_MS = 200 };

typedef struct job {
    pid_t process;
    int pipe;
    cell_result *cell;
} job;

typedef struct job_list {
    cell_list *list;
    job jobs[MOST_JOBS];
    int running;
    int64_t next; /* cell to start */
    bool failed;  /* a child did: start no more */
} job_list;

/* ---- A child ---- */

/* Cancels once the parent has died. */
static int is_orphan(void *context, const dltf_progress *progress) {
    (void)progress;
    return getppid() != *(const pid_t *)context;
}

static int64_t threads_of(const experiment_request *request) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int64_t each = cores / request->jobs;
    return request->threads > 0 ? request->threads : each > 1 ? each : 1;
}

/* Returns an exit code. */
static int measure_alone(const cell_list *list, const cell_result *cell, pid_t parent, int pipe) {
    experiment_request request = *list->request;
    cell_list alone = {.self = list->self, .request = &request};
    cell_result result = *cell;
    request.progress = is_orphan;
    request.context = &parent;
    request.threads = threads_of(list->request);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    if (cells_measure_one(&alone, &result) != DLTF_OK)
        return 1;
    return write(pipe, result.values, sizeof result.values) == (ssize_t)sizeof result.values ? 0 : 1;
}

/* ---- The parent ---- */

static bool start(job_list *j, cell_result *cell) {
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    pid_t parent = getpid(), process = fork();
    if (process == 0) {
        close(ends[0]);
        _exit(measure_alone(j->list, cell, parent, ends[1]));
    }
    close(ends[1]);
    if (process < 0) {
        close(ends[0]);
        return false;
    }
    j->jobs[j->running++] = (job){process, ends[0], cell};
    return true;
}

static void start_more(job_list *j) {
    int64_t most = j->list->request->jobs < MOST_JOBS ? j->list->request->jobs : MOST_JOBS;
    for (; j->running < most && j->next < j->list->count && !j->failed; j->next++)
        if (!j->list->cells[j->next].done)
            j->failed = !start(j, &j->list->cells[j->next]);
}

/* Waits for a child that has closed its pipe or was killed, and forgets it. */
static void collect(job_list *j, int number) {
    while (waitpid(j->jobs[number].process, NULL, 0) < 0 && errno == EINTR)
        continue;
    close(j->jobs[number].pipe);
    j->jobs[number] = j->jobs[--j->running];
}

/* The result of a child, if there is one. */
static dltf_status receive(job_list *j, int number) {
    cell_result *cell = j->jobs[number].cell;
    double values[EXPERIMENT_MAX_METRICS];
    ssize_t size = read(j->jobs[number].pipe, values, sizeof values);
    if (size < 0 && errno == EINTR)
        return DLTF_OK;
    collect(j, number);
    if (size != (ssize_t)sizeof values) {
        j->failed = true;
        return DLTF_OK;
    }
    memcpy(cell->values, values, sizeof values);
    return cells_finish(j->list, cell);
}

static dltf_status wait_for_results(job_list *j) {
    struct pollfd ends[MOST_JOBS];
    dltf_status status = DLTF_OK;
    for (int i = 0; i < j->running; i++)
        ends[i] = (struct pollfd){.fd = j->jobs[i].pipe, .events = POLLIN};
    poll(ends, (nfds_t)j->running, WAIT_MS);
    /* Backwards, since the last takes the place of a finished one. */
    for (int i = j->running - 1; i >= 0 && status == DLTF_OK; i--)
        if (ends[i].revents != 0)
            status = receive(j, i);
    return status;
}

dltf_status jobs_measure(cell_list *list) {
    job_list j = {.list = list};
    dltf_status status = DLTF_OK;
    start_more(&j);
    while (j.running > 0 && status == DLTF_OK) {
        status = cells_report(list, 0) != 0 ? DLTF_CANCELLED : wait_for_results(&j);
        start_more(&j);
    }
    while (j.running > 0) {
        kill(j.jobs[0].process, SIGKILL);
        collect(&j, 0);
    }
    return status;
}
