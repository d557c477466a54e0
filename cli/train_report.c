/* dltf train: the report of a finished training. */
#include "cli/files.h"
#include "cli/output.h"
#include "cli/quality.h"
#include "cli/train.h"
#include "report/history.h"

#include <math.h>

static const char *outcome_text(dltf_outcome outcome) {
    switch (outcome) {
    case DLTF_CONVERGED:
        return "converged";
    case DLTF_ITERATION_LIMIT:
        return "all iterations done";
    case DLTF_INTERRUPTED:
        return "interrupted";
    case DLTF_TIME_LIMIT:
        return "time limit";
    case DLTF_ERROR_GREW:
        return "error grew after its minimum";
    }
    return "unknown";
}

static int64_t training_samples(const train_result *r, const dltf_quality *q) {
    return r->data.rows - (q->held_out ? q->samples : 0);
}

/* Iterations of stage gradient are epochs and samples to users. */
static void report_iterations(const train_result *r, const dltf_quality *q, facts *f) {
    int64_t count = 0, seen = dl_learner_samples_seen(r->learner);
    char text[200];
    const dltf_iteration *history = dl_learner_history(r->learner, &count);
    facts_text(f, "outcome", "outcome", outcome_text(r->outcome));
    facts_integer(f, "iterations", NULL, count);
    train_count_iterations(history, count, text, sizeof text);
    if (*text)
        facts_line(f, "iterations", "%s", text);
    if (seen == 0)
        return;
    double epochs = (double)seen / (double)training_samples(r, q);
    facts_real(f, "epochs", NULL, epochs);
    facts_integer(f, "samples_seen", NULL, seen);
    facts_line(f, "epochs", "%.3g, samples seen %s", epochs, grouped(seen));
}

/* What `dltf encode` would find on the same samples. */
static void report_quality(const train_result *r, const dltf_quality *q, facts *f) {
    char samples[64];
    facts_integer(f, "error_samples", NULL, q->samples);
    facts_json(f, "error_held_out", json_boolean(q->held_out));
    json_t *rows = json_array();
    for (int64_t i = 0; i < q->samples; i++)
        json_array_append_new(rows, json_integer(dl_learner_quality_row(r->learner, i)));
    facts_json(f, "error_rows", rows);
    snprintf(samples, sizeof samples, "%s %s sample%s", grouped(q->samples),
             q->held_out ? "held-out" : "training", q->samples == 1 ? "" : "s");
    quality_report(f, q, samples, q->held_out ? "" : " (--validation holds some out)");
    facts_real(f, "mean_share", NULL, q->mean_share);
    facts_json(f, "warnings", train_warnings(&r->options, training_samples(r, q), r->outcome, q, samples));
}

/* Up to so many atoms: more take longer to compare with each other than samples to learn from. */
enum { MOST_COMPARED_ATOMS = 4096 };

static dltf_status compare_atoms(dltf_model_view view, facts *f) {
    dltf_matrix dictionary = dltf_matrix_f32(view.dictionary, view.m, view.n);
    double coherence = 0, potential = 0;
    dltf_status status = dltf_coherence(dictionary, &coherence);
    if (status == DLTF_OK)
        status = dltf_frame_potential(dictionary, &potential);
    double m = (double)view.m, bound = fmax(m, m * m / (double)view.n);
    facts_real(f, "coherence", "coherence", coherence);
    facts_real(f, "frame_potential", NULL, potential);
    facts_real(f, "frame_potential_bound", NULL, bound);
    facts_line(f, "frame potential", "%.4g (lower bound: %.4g)", potential, bound);
    return status;
}

static dltf_status report_dictionary(const train_result *r, facts *f) {
    dltf_model *made = NULL;
    if (r->options.m > MOST_COMPARED_ATOMS) {
        facts_json(f, "coherence", json_null());
        facts_json(f, "frame_potential", json_null());
        facts_line(f, "coherence", "not measured for more than %d atoms; dltf inspect does",
                   MOST_COMPARED_ATOMS);
        return DLTF_OK;
    }
    dltf_status status = r->model ? DLTF_OK : dltf_learner_model(r->learner, &made);
    if (status == DLTF_OK)
        status = compare_atoms(dltf_model_get(r->model ? r->model : made), f);
    dltf_model_free(made);
    return status;
}

static void report_memory(const train_result *r, facts *f) {
    facts_integer(f, "peak_memory", NULL, train_peak_memory());
    if (r->options.memory > 0)
        facts_line(f, "peak memory", "%.0f MB of %.0f MB", (double)train_peak_memory() / 1048576,
                   (double)r->options.memory / 1048576);
}

int train_report(const train_result *r) {
    facts f = facts_new();
    dltf_quality quality;
    facts_integer(&f, "samples", NULL, r->data.rows);
    facts_integer(&f, "n", NULL, r->data.cols);
    facts_integer(&f, "m", NULL, r->options.m);
    facts_integer(&f, "k", NULL, r->options.k);
    if (*dl_learner_choice(r->learner))
        facts_text(&f, "encoder_choice", "encoder", dl_learner_choice(r->learner));
    train_report_center(&f, dl_learner_center_choice(r->learner));
    dltf_status status = dltf_learner_quality(r->learner, r->model, &quality);
    if (status == DLTF_OK) {
        report_iterations(r, &quality, &f);
        report_quality(r, &quality, &f);
        status = report_dictionary(r, &f);
    }
    facts_real(&f, "seconds", "seconds", r->seconds);
    report_memory(r, &f);
    if (dltf_ranks() > 1)
        output_ranks(&f);
    facts_text(&f, "model", "model", r->output);
    facts_line(&f, "next", "dltf encode %s %s %s", files_quoted(r->output), files_quoted(r->data_path),
               r->options.method == DLTF_METHOD_OMP ? "--coder omp" : "--refit");
    facts_json(&f, "options", history_options(dl_train_option_table(), &r->options));
    int64_t count = 0;
    const dltf_iteration *history = dl_learner_history(r->learner, &count);
    facts_json(&f, "history", history_rows(history, count));
    output_facts(&f, true);
    return status == DLTF_OK ? train_verdict(&r->options, &quality) : library_failure(status);
}
