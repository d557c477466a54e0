/* dltf train -: learns from standard input in one pass, with bounded memory. Model and checkpoint are saved
 * at the end of the input and after Ctrl-C, SIGTERM or SIGHUP; the checkpoint continues with more data. */
#include "cli/checkpoints.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/quality.h"
#include "cli/train.h"
#include "report/history.h"

#include <math.h>
#include <stdlib.h>

typedef struct stream {
    const arguments *args;
    const train_flags *flags;
    dltf_train_options options;
    char *output, *checkpoint;
    dltf_reader *data;
    dltf_model *start, *model;
    dltf_online *online;
    dl_reservation *space;
    checkpoints checkpoints;
    int64_t before; /* samples of the resumed checkpoint */
    double begin, seconds;
} stream;

static const char INPUT[] = "standard input";

/* ---- Setup ---- */

static int check_flags(stream *s) {
    if (s->args->operand_count > 1)
        return usage_error("-: standard input cannot be combined with files: concatenate them");
    if (dltf_ranks() > 1)
        return usage_error("-: standard input is read by one process: start it without mpirun");
    if (s->flags->history)
        return usage_error("--history does not apply to standard input, which has no iterations");
    if (s->flags->from_start && !s->flags->resume)
        return usage_error("--from-start needs --resume: there is nothing to skip");
    if (s->flags->resume)
        return EXIT_OK;
    if (s->options.encoder == DLTF_ENCODER_AUTO)
        s->options.encoder = DLTF_ENCODER_LEARNED;
    return arguments_check(s->args, dl_train_option_table(), &s->options);
}

static int choose_files(stream *s) {
    s->output = s->flags->output ? files_join(s->flags->output, "")
                                 : files_default_name("stdin", ".model.safetensors");
    s->checkpoint = s->output ? files_join(s->output, ".checkpoint") : NULL;
    if (!s->checkpoint)
        return EXIT_FAILED;
    const char *inputs[] = {s->flags->resume};
    const char *outputs[] = {s->output, s->checkpoint};
    bool replaces = s->flags->resume && files_same(s->flags->resume, s->checkpoint);
    int code = files_check(1, inputs, replaces ? 1 : 2, outputs);
    if (code != EXIT_OK || !s->flags->resume)
        return code == EXIT_OK ? train_start(s->args, s->flags, &s->options, &s->start) : code;
    dltf_status status = dltf_online_resume(s->flags->resume, s->options.threads, &s->online);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

static int open_data(stream *s) {
    interrupt_catch_termination();
    return files_open_data("-", s->flags->raw_columns, &s->data);
}

static int create(stream *s) {
    int64_t n = dltf_reader_cols(s->data);
    dltf_status status = s->online ? DLTF_OK : dltf_online_new(n, s->start, &s->options, &s->online);
    if (status != DLTF_OK)
        return library_failure_in(status, (sources){[DLTF_SUBJECT_MODEL] = s->flags->init});
    s->options = dltf_online_options(s->online);
    s->before = dltf_online_get(s->online).samples;
    remark("%slearning m = %s of n = %s, k = %lld, from %s (seed %lld, %s)",
           s->flags->resume ? "continuing: " : "", counted(s->options.m, "atom"), counted(n, "entry"),
           (long long)s->options.k, INPUT, (long long)s->options.seed,
           s->options.threads > 0 ? counted(s->options.threads, "thread") : "all cores");
    if (s->options.center == DLTF_YES)
        remark("the mean is that of the first %s", counted(dltf_online_first(s->online), "sample"));
    int64_t values = 2 * s->options.m * n + s->options.m + n; /* dictionary, encoder, bias, mean */
    return files_reserve(s->output, values, &s->space);
}

/* ---- Learning ---- */

static dltf_status save_online(const void *online, const char *path) {
    return dltf_online_save(online, path);
}

static void show(const stream *s) {
    dltf_online_view now = dltf_online_get(s->online);
    char note[40] = "";
    if (!isnan(now.error))
        snprintf(note, sizeof note, "error %.4f", now.error);
    progress_note(note);
    progress_step(NULL, &(dltf_progress){.task = "learning", .done = now.samples});
}

/* The next rows, `count` 0 at the end of the input and after a signal. */
static dltf_status next_rows(stream *s, int64_t most, dltf_matrix *X) {
    dltf_status status = DLTF_CANCELLED;
    while (status == DLTF_CANCELLED && !interrupted())
        status = dltf_reader_next(s->data, most, X);
    if (status != DLTF_OK || interrupted())
        X->rows = 0;
    return status == DLTF_CANCELLED ? DLTF_OK : status;
}

/* Rows that are read at once: a slow producer should not be waited for longer than necessary. */
static int64_t piece_rows(const stream *s) {
    enum { VALUES = 1 << 16, MOST = 1024 };
    int64_t rows = VALUES / dltf_reader_cols(s->data);
    return rows < 1 ? 1 : rows > MOST ? MOST : rows;
}

static dltf_status skip_seen(stream *s) {
    dltf_status status = DLTF_OK;
    dltf_matrix X = {.rows = 1};
    for (int64_t left = s->flags->from_start ? s->before : 0; left > 0 && X.rows > 0 && status == DLTF_OK;) {
        int64_t most = piece_rows(s);
        status = next_rows(s, left < most ? left : most, &X);
        left -= X.rows;
    }
    return status;
}

static int learn(stream *s) {
    dltf_matrix X = {0};
    s->begin = dl_seconds();
    s->checkpoints = checkpoints_begin(save_online, s->online, s->checkpoint, s->flags->checkpoint_every);
    dltf_status status = skip_seen(s);
    if (status == DLTF_OK)
        status = next_rows(s, piece_rows(s), &X);
    while (status == DLTF_OK && X.rows > 0) {
        status = dltf_online_add(s->online, X);
        checkpoints_step(&s->checkpoints);
        show(s);
        if (status == DLTF_OK)
            status = next_rows(s, piece_rows(s), &X);
    }
    progress_erase();
    if (status == DLTF_OK)
        return EXIT_OK;
    int code = library_failure_in(status, (sources){[DLTF_SUBJECT_DATA] = INPUT});
    int64_t samples = dltf_online_get(s->online).samples;
    if (samples > s->before && dltf_online_save(s->online, s->checkpoint) == DLTF_OK)
        continue_message("  %s holds what was learned from %s before that", files_quoted(s->checkpoint),
                         counted(samples, "sample"));
    return code;
}

/* ---- Results ---- */

static dltf_status save_model(const void *model, const char *path) {
    return dltf_model_save(model, path);
}

/* For commands that are printed; NULL: omitted. */
static const char *raw_columns(const stream *s) {
    static char text[24];
    snprintf(text, sizeof text, "%lld", (long long)s->flags->raw_columns);
    return s->flags->raw_columns > 0 ? text : NULL;
}

static int save(stream *s) {
    dl_reservation_free(s->space);
    s->space = NULL;
    const char *checkpoint = files_save_anywhere(save_online, s->online, s->checkpoint);
    dltf_status status = dltf_online_model(s->online, &s->model); /* learns from the last, partial buffer */
    s->seconds = dl_seconds() - s->begin;
    if (status != DLTF_OK)
        return library_failure_in(status, (sources){[DLTF_SUBJECT_DATA] = INPUT});
    const char *model = files_save_anywhere(save_model, s->model, s->output);
    if (interrupted()) {
        failure("interrupted after %s; to continue with those that follow, run:",
                counted(dltf_online_get(s->online).samples, "sample"));
        if (checkpoint)
            checkpoints_print_command(
                "... | dltf train -", 0, NULL,
                (checkpoints_word[]){
                    {"--raw", raw_columns(s)}, {"--resume", checkpoint}, {"-o", s->output}, {NULL, NULL}});
        return interrupt_exit_code();
    }
    return model == s->output && checkpoint == s->checkpoint ? EXIT_OK : EXIT_FAILED;
}

static void report_quality(const stream *s, const dltf_quality *q, facts *f) {
    dltf_online_view now = dltf_online_get(s->online);
    char samples[64];
    snprintf(samples, sizeof samples, "the last %s held-out sample%s", grouped(q->samples),
             q->samples == 1 ? "" : "s");
    facts_integer(f, "error_samples", NULL, q->samples);
    quality_report(f, q, samples, "");
    facts_real(f, "mean_share", NULL, q->mean_share);
    facts_json(f, "warnings",
               train_warnings(&s->options, now.samples - now.held_out, DLTF_ITERATION_LIMIT, q, samples));
}

static int print_report(stream *s) {
    interrupt_at_once(); /* the results are saved */
    dltf_online_view now = dltf_online_get(s->online);
    dltf_quality q;
    dltf_status status = dltf_online_quality(s->online, s->model, &q);
    if (status != DLTF_OK)
        return library_failure(status);
    facts f = facts_new();
    facts_integer(&f, "samples", "samples", now.samples);
    facts_integer(&f, "held_out", "held out", now.held_out);
    facts_integer(&f, "n", NULL, dltf_reader_cols(s->data));
    facts_integer(&f, "m", NULL, s->options.m);
    facts_integer(&f, "k", NULL, s->options.k);
    facts_integer(&f, "steps", NULL, now.steps);
    train_report_center(&f, dltf_model_note(s->model, "center.choice"));
    report_quality(s, &q, &f);
    facts_real(&f, "seconds", "seconds", s->seconds);
    if (s->seconds > 0)
        facts_real(&f, "samples_per_second", "samples per second",
                   (double)(now.samples - s->before) / s->seconds);
    facts_integer(&f, "peak_memory", NULL, train_peak_memory());
    facts_line(&f, "peak memory", "%.0f MB", (double)train_peak_memory() / 1048576);
    facts_text(&f, "model", "model", s->output);
    facts_text(&f, "checkpoint", "checkpoint", s->checkpoint);
    const char *raw = raw_columns(s);
    facts_line(&f, "more data", "... | dltf train -%s%s --resume %s -o %s", raw ? " --raw " : "",
               raw ? raw : "", files_quoted(s->checkpoint), files_quoted(s->output));
    facts_json(&f, "options", history_options(dl_train_option_table(), &s->options));
    output_facts(&f, true);
    return train_verdict(&s->options, &q);
}

int train_stream(const arguments *args, const train_flags *flags, const dltf_train_options *options) {
    static int (*const steps[])(stream *) = {check_flags, choose_files, open_data,   create,
                                             learn,       save,         print_report};
    stream s = {.args = args, .flags = flags, .options = *options};
    int code = EXIT_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && code == EXIT_OK; i++)
        code = steps[i](&s);
    dl_reservation_free(s.space);
    dltf_online_free(s.online);
    dltf_model_free(s.model);
    dltf_model_free(s.start);
    dltf_reader_free(s.data);
    free(s.output);
    free(s.checkpoint);
    return code;
}
