/* dltf plot: draws histories of training. */
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/output.h"
#include "report/chart.h"
#include "report/json.h"
#include "report/rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct plot_flags {
    const char *output, *title;
    enum { X_SECONDS, X_ITERATIONS } x;
    enum { Y_AUTO, Y_LINEAR, Y_LOG } y;
} plot_flags;

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "output", .letter = 'o', .kind = DL_OPTION_TEXT, .offset = offsetof(plot_flags, output), .argument = "FILE.svg", .help = "output file"},
    {.name = "x", .kind = DL_OPTION_CHOICE, .offset = offsetof(plot_flags, x), .default_text = "seconds", .choices = "seconds|iterations", .argument = "AXIS", .help = "x axis: running time (seconds), or iterations of all stages or, for networks, epochs (iterations)"},
    {.name = "y", .kind = DL_OPTION_CHOICE, .offset = offsetof(plot_flags, y), .default_text = "auto", .choices = "auto|linear|log", .argument = "SCALE", .help = "scale of errors and losses: from zero (linear), logarithmic (log), or logarithmic if they span a factor of ten (auto)"},
    {.name = "title", .kind = DL_OPTION_TEXT, .offset = offsetof(plot_flags, title), .argument = "TEXT", .help = "title of the plot"},
};
/* clang-format on */

enum { MAX_FILES = 8, MAX_PANELS = 2, NAME_SIZE = 64, NOTE_SIZE = 512 };

/* Which columns of a kind of history are drawn. */
typedef struct history_kind {
    const char *title, *iterations; /* title of the picture; label of the axis of iterations */
    const char *stage;              /* column with the stage; NULL if there are none */
    struct {
        const char *title, *label, *solid, *dashed;
    } panels[MAX_PANELS];
    const char *explained; /* column reported beside that of the first panel; NULL: none */
} history_kind;

static const history_kind kinds[] = {
    {"Training of a dictionary",
     "iterations of all stages",
     "stage",
     {{"error of the codes after refit (dashed: before)", "relative error", "refit_error", "raw_error"}},
     "refit_explained_variance"},
    {"Training of a network",
     "epochs",
     NULL,
     {{"loss", "loss", "loss", NULL}, {"error on validation samples", "error", "error", NULL}},
     NULL},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct plot {
    plot_flags flags;
    arguments args;
    int count;
    char names[MAX_FILES][NAME_SIZE];
    json_t *histories[MAX_FILES];
    const history_kind *kind;
    char note[NOTE_SIZE];
    chart_panel *panels;
    int panel_count;
} plot;

/* ---- Reading ---- */

static bool has_columns(const history_kind *kind, const json_t *rows) {
    const json_t *first = json_array_get(rows, 0);
    bool found = json_object_get(first, "seconds") != NULL && json_object_get(first, kind->panels[0].solid);
    return found && (!kind->stage || json_object_get(first, kind->stage));
}

static const history_kind *find_kind(const json_t *rows) {
    for (int i = 0; i < KINDS; i++)
        if (has_columns(&kinds[i], rows))
            return &kinds[i];
    return NULL;
}

/* Sets the name of a history. Returns false if another one has it: curves of the same name are one curve. */
static bool set_name(plot *p, int index, const char *text) {
    dl_printable(text, p->names[index], NAME_SIZE);
    for (int i = 0; i < index; i++)
        if (strcmp(p->names[i], p->names[index]) == 0)
            return false;
    return true;
}

/* The name in the legend: that of the file, its path if two files have the same, or else with a number. */
static void name_history(plot *p, int index) {
    const char *path = p->args.list[index], *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    int length = (int)strlen(base) - (files_has_ending(base, ".csv") ? 4 : 0);
    char shown[NAME_SIZE];
    snprintf(shown, sizeof shown, "%.*s", length, base);
    if (set_name(p, index, shown) || set_name(p, index, path))
        return;
    snprintf(shown, sizeof shown, "%d: %.40s", index + 1, base);
    set_name(p, index, shown);
}

static int read_history(plot *p, int index) {
    const char *path = p->args.list[index];
    char error[ROWS_ERROR_SIZE];
    FILE *in = fopen(path, "r");
    if (!in)
        return failure("%s: cannot open: %s", path, strerror(errno));
    json_t *rows = p->histories[index] = rows_read_csv(in, error);
    fclose(in);
    if (!rows)
        return failure("%s: %s", path, error);
    if (json_array_size(rows) == 0)
        return failure("%s: has no iterations", path);
    const history_kind *kind = find_kind(rows);
    if (!kind)
        return failure("%s: not a history: expected a file written by --history of dltf train or dltf "
                       "classify train",
                       path);
    if (p->kind && p->kind != kind)
        return failure("%s: is a different kind of history than %s: plot them separately", path,
                       p->args.list[0]);
    p->kind = kind;
    name_history(p, index);
    return EXIT_OK;
}

/* ---- Drawing ---- */

/* NaN without a value. */
static double number(const json_t *row, const char *key) {
    const json_t *value = json_object_get(row, key);
    return json_is_real(value) ? json_real_value(value) : NAN;
}

static const char *stage_of(const plot *p, const json_t *row) {
    return p->kind->stage ? json_string_value(json_object_get(row, p->kind->stage)) : NULL;
}

/* Where the row is on the x axis. `before` and `offset` belong to the row before: the seconds of a resumed
 * training begin at zero again. */
static double place(const plot *p, const json_t *row, size_t index, double before, double *offset) {
    if (p->flags.x == X_ITERATIONS)
        return (double)index + 1;
    double seconds = number(row, "seconds");
    if (isnan(seconds))
        return before;
    if (seconds + *offset < before)
        *offset = before;
    return seconds + *offset;
}

static bool add_value(chart_panel *panel, const char *name, bool dashed, double x, double y) {
    chart_line *line = chart_find_line(panel, name, dashed);
    return isnan(y) || (line && chart_add_point(line, x, y));
}

static bool add_values(plot *p, const char *name, const json_t *row, double x) {
    bool added = true;
    for (int i = 0; i < p->panel_count && added; i++) {
        const char *solid = p->kind->panels[i].solid, *dashed = p->kind->panels[i].dashed;
        added = add_value(&p->panels[i], name, false, x, number(row, solid)) &&
                (!dashed || add_value(&p->panels[i], name, true, x, number(row, dashed)));
    }
    return added;
}

/* Extends the span of the stage, or begins one. */
static void add_stage(chart_panel *panel, const char *line, const char *stage, double from, double to) {
    chart_span *last = panel->span_count > 0 ? &panel->spans[panel->span_count - 1] : NULL;
    if (last && strcmp(last->line, line) == 0 && strcmp(last->name, stage) == 0)
        last->to = to;
    else if (panel->span_count < CHART_MAX_SPANS)
        panel->spans[panel->span_count++] = (chart_span){stage, line, from, to};
}

static bool add_history(plot *p, int index) {
    const json_t *rows = p->histories[index];
    double before = 0, offset = 0;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        double x = place(p, row, i, before, &offset);
        const char *stage = stage_of(p, row);
        if (!add_values(p, p->names[index], row, x))
            return false;
        if (stage)
            add_stage(&p->panels[0], p->names[index], stage, before, x);
        before = x;
    }
    return true;
}

/* Whether a panel has a logarithmic axis; `bad` is set if it cannot. */
static bool wants_log(const plot *p, const chart_panel *panel, bool *bad) {
    const double wide = 10;
    double low = INFINITY, high = 0;
    for (int l = 0; l < panel->count; l++)
        for (int i = 0; i < panel->lines[l].count; i++) {
            low = fmin(low, panel->lines[l].y[i]);
            high = fmax(high, panel->lines[l].y[i]);
        }
    *bad = p->flags.y == Y_LOG && low <= 0;
    return p->flags.y == Y_LOG || (p->flags.y == Y_AUTO && low > 0 && high >= wide * low);
}

/* "Stages: minibatch, tied." of all histories, in order of appearance. */
static void note_stages(plot *p) {
    const chart_panel *panel = &p->panels[0];
    for (int s = 0; s < panel->span_count; s++) {
        bool known = false;
        for (int i = 0; i < s; i++)
            known = known || strcmp(panel->spans[i].name, panel->spans[s].name) == 0;
        size_t used = strlen(p->note);
        if (!known)
            snprintf(p->note + used, sizeof p->note - used, "%s%s",
                     used ? ", " : "Stages: ", panel->spans[s].name);
    }
}

static int build(plot *p) {
    p->panel_count = p->kind->panels[1].solid ? 2 : 1;
    p->panels = calloc((size_t)p->panel_count, sizeof *p->panels);
    bool complete = p->panels != NULL, bad = false;
    for (int i = 0; complete && i < p->panel_count; i++) {
        snprintf(p->panels[i].title, sizeof p->panels[i].title, "%s", p->kind->panels[i].title);
        p->panels[i].y_label = p->kind->panels[i].label;
        p->panels[i].x_label = p->flags.x == X_SECONDS ? "seconds" : p->kind->iterations;
    }
    for (int i = 0; complete && i < p->count; i++)
        complete = add_history(p, i);
    if (!complete)
        return failure("not enough memory to draw");
    for (int i = 0; i < p->panel_count && !bad; i++)
        p->panels[i].log_y = wants_log(p, &p->panels[i], &bad);
    note_stages(p);
    return bad ? usage_error("--y log: not all values are positive; use --y linear") : EXIT_OK;
}

static int save(plot *p) {
    chart page = {.title = p->flags.title ? p->flags.title : p->kind->title,
                  .note = *p->note ? p->note : NULL,
                  .width = p->panel_count == 1 ? 720 : 420,
                  .height = 360,
                  .columns = MAX_PANELS,
                  .count = p->panel_count,
                  .panels = p->panels};
    char *text = chart_svg(&page);
    int code = files_save_text(p->flags.output, text);
    free(text);
    return code;
}

/* ---- The command ---- */

/* The last value that was measured. */
static double last_value(const json_t *rows, const char *key) {
    double value = NAN;
    for (size_t i = json_array_size(rows); i-- > 0 && isnan(value);)
        value = number(json_array_get(rows, i), key);
    return value;
}

/* "relative error 0.05, explained variance 0.95 at the end" */
static void report_history(const plot *p, int i, facts *f, json_t *entry) {
    const json_t *rows = p->histories[i];
    const char *value = p->kind->panels[0].solid, *explained = p->kind->explained;
    double share = explained ? last_value(rows, explained) : NAN;
    char text[64] = "";
    json_object_set_new(entry, "history", json_text(p->args.list[i]));
    json_object_set_new(entry, "iterations", json_integer((json_int_t)json_array_size(rows)));
    json_object_set_new(entry, value, json_number(last_value(rows, value)));
    if (explained)
        json_object_set_new(entry, explained, json_number(share));
    if (!isnan(share))
        snprintf(text, sizeof text, ", explained variance %.4g", share);
    facts_line(f, p->names[i], "%s, %s %.4g%s at the end", counted((int64_t)json_array_size(rows), "row"),
               p->kind->panels[0].label, last_value(rows, value), text);
}

static void report(const plot *p) {
    facts f = facts_new();
    json_t *list = json_array();
    for (int i = 0; i < p->count; i++) {
        json_t *entry = json_object();
        report_history(p, i, &f, entry);
        json_array_append_new(list, entry);
    }
    facts_json(&f, "histories", list);
    facts_text(&f, "picture", "written", p->flags.output);
    output_facts(&f, true);
}

static int check(plot *p) {
    if (!p->flags.output)
        return usage_error("-o FILE.svg is missing: give a name for the plot");
    if (!files_has_ending(p->flags.output, ".svg"))
        return usage_error("%s: unsupported extension: plots can be written as .svg", p->flags.output);
    if (p->count > MAX_FILES)
        return usage_error("%d histories: at most %d fit in one plot", p->count, MAX_FILES);
    return files_check(p->count, (const char *const *)p->args.list, 1, &p->flags.output);
}

static int run(const command *self, int count, char **words) {
    plot p = {.kind = NULL};
    if (!arguments_parse(self, count, words, &p.flags, NULL, &p.args))
        return p.args.exit_code;
    p.count = p.args.operand_count;
    int code = check(&p);
    for (int i = 0; i < p.count && code == EXIT_OK; i++)
        code = read_history(&p, i);
    if (code == EXIT_OK)
        code = build(&p);
    if (code == EXIT_OK)
        code = save(&p);
    if (code == EXIT_OK)
        report(&p);
    if (p.panels)
        chart_clear(p.panels, p.panel_count);
    free(p.panels);
    for (int i = 0; i < MAX_FILES; i++)
        json_decref(p.histories[i]);
    return code;
}

const command command_plot = {
    .name = "plot",
    .summary = "plot the histories of one or more training runs",
    .operands = "HISTORY...",
    .details = "Plots files written by dltf train --history or dltf classify train --history: the errors on "
               "held-out samples while a dictionary is learned, with its stages, or the loss and error of a "
               "network. Several histories of the same kind share one plot.",
    .own = DL_OPTION_TABLE(own_options, plot_flags),
    .json = "the histories with their final values",
    .examples = {"dltf plot learning.csv -o learning.svg",
                 "dltf plot tied.csv best.csv ksvd.csv --x iterations -o compare.svg", NULL},
    .run = run,
};
