/* Atoms and samples as pictures, lines or words, and what else the parts of a report share. */
#include "cli/output.h"
#include "cli/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SIDE = 64, MAX_POINTS = 128, WORDS = 8 };

/* ---- Pictures ---- */

/* The mean of a square of step x step entries, cut off at the edges. */
static float mean_of(const float *values, picture_shape shape, int64_t x, int64_t y, int64_t step) {
    float sum = 0;
    int64_t count = 0;
    for (int64_t r = y * step; r < (y + 1) * step && r < shape.height; r++)
        for (int64_t c = x * step; c < (x + 1) * step && c < shape.width; c++, count++)
            sum += values[r * shape.width + c];
    return sum / (float)count;
}

static void draw_picture(report_job *job, const float *values, float low, float high, const char *kind,
                         const char *alternative) {
    picture_shape shape = job->shape;
    int64_t longest = shape.width > shape.height ? shape.width : shape.height;
    int64_t step = (longest + MAX_SIDE - 1) / MAX_SIDE;
    int64_t width = (shape.width + step - 1) / step, height = (shape.height + step - 1) / step, size = 0;
    uint8_t *pixels = malloc((size_t)(width * height)), *png = NULL;
    for (int64_t i = 0; pixels && i < width * height; i++) {
        float share = (mean_of(values, shape, i % width, i / width, step) - low) / (high - low);
        pixels[i] = (uint8_t)lrintf(255 * fminf(fmaxf(share, 0), 1));
    }
    if (pixels && dl_png_bytes(pixels, width, height, 1, &png, &size) == DLTF_OK)
        page_picture(&job->page, png, (size_t)size, kind, alternative);
    else
        job->page.incomplete = true;
    dltf_bytes_free(png);
    free(pixels);
}

/* ---- Lines ---- */

/* The mean of the entries of part i of `parts`. */
static double part_mean(const float *values, int64_t n, int64_t i, int64_t parts) {
    int64_t from = n * i / parts, to = n * (i + 1) / parts;
    double sum = 0;
    for (int64_t j = from; j < to; j++)
        sum += (double)values[j];
    return sum / (double)(to - from);
}

static void draw_line(report_job *job, const float *values, float low, float high, const char *alternative) {
    char points[MAX_POINTS * 16], zero[16];
    page *p = &job->page;
    int64_t n = job->view.n, parts = n < MAX_POINTS ? n : MAX_POINTS;
    int used = 0;
    for (int64_t i = 0; i < parts; i++) {
        double share = (part_mean(values, n, i, parts) - (double)low) / (double)(high - low);
        double x = parts > 1 ? 100 * (double)i / (double)(parts - 1) : 50;
        used += snprintf(points + used, sizeof points - (size_t)used, "%s%.1f,%.1f", i > 0 ? " " : "", x,
                         100 * (1 - fmin(fmax(share, 0), 1)));
    }
    snprintf(zero, sizeof zero, "%.1f", (double)(100 * (1 - fminf(fmaxf(-low / (high - low), 0), 1))));
    page_open(p, "svg", "class", "line", "viewBox", "0 0 100 100", "preserveAspectRatio", "none", "role",
              "img", "aria-label", alternative, NULL);
    page_element(p, "line", NULL, "x1", "0", "x2", "100", "y1", zero, "y2", zero, NULL);
    page_element(p, "polyline", NULL, "points", points, NULL);
    page_close(p, "svg");
}

void report_tile(report_job *job, const float *values, float low, float high, const char *kind,
                 const char *alternative) {
    if (!(high > low)) /* a constant vector */
        high = low + 1;
    if (job->kind == REPORT_PICTURES)
        draw_picture(job, values, low, high, kind, alternative);
    else
        draw_line(job, values, low, high, alternative);
}

void report_atom_tile(report_job *job, const float *values, const char *kind, const char *alternative) {
    float largest = 0;
    for (int64_t j = 0; j < job->view.n; j++)
        largest = fmaxf(largest, fabsf(values[j]));
    report_tile(job, values, -largest, largest, kind, alternative);
}

void report_sample_tile(report_job *job, const float *values, const char *kind, const char *alternative) {
    float low = values[0], high = values[0];
    for (int64_t j = 1; j < job->view.n; j++) {
        low = fminf(low, values[j]);
        high = fmaxf(high, values[j]);
    }
    report_tile(job, values, low, high, kind, alternative);
}

/* ---- Words ---- */

/* Sets the columns with the largest magnitudes, and returns their number. */
static int64_t largest_columns(const float *w, int64_t n, int64_t columns[WORDS]) {
    int64_t count = 0;
    for (int64_t j = 0; j < n; j++) {
        int64_t at = count < WORDS ? count : WORDS - 1;
        if (count == WORDS && fabsf(w[j]) <= fabsf(w[columns[at]]))
            continue;
        count += count < WORDS;
        for (; at > 0 && fabsf(w[columns[at - 1]]) < fabsf(w[j]); at--)
            columns[at] = columns[at - 1];
        columns[at] = j;
    }
    return count;
}

void report_words(report_job *job, int64_t atom) {
    page *p = &job->page;
    int64_t columns[WORDS], n = job->view.n;
    const float *w = job->view.dictionary + atom * n;
    int64_t count = largest_columns(w, n, columns);
    page_open(p, "ol", "class", "words", NULL);
    for (int64_t i = 0; i < count; i++) {
        page_open(p, "li", NULL);
        page_name(p, job->names.line[columns[i]]);
        page_format(p, " %.2f", (double)w[columns[i]]);
        page_close(p, "li");
    }
    page_close(p, "ol");
}

/* ---- Shared ---- */

void report_sample_name(report_job *job, int64_t row) {
    page *p = &job->page;
    if (job->kind != REPORT_WORDS && job->names.count > 0)
        page_name(p, job->names.line[row]);
    else
        page_format(p, "sample %lld", (long long)row);
    if (job->classes.count > 0)
        page_format(p, " [%lld]", (long long)job->classes.labels[job->classes.of[row]]);
}

void report_atom_link(report_job *job, int64_t atom) {
    char text[40], target[40];
    snprintf(text, sizeof text, "atom %lld", (long long)atom);
    snprintf(target, sizeof target, "#atom-%lld", (long long)atom);
    page_element(&job->page, job->shown[atom] ? "a" : "span", text, "href", job->shown[atom] ? target : NULL,
                 NULL);
}

void report_bar(page *p, double share, bool negative) {
    char width[16];
    snprintf(width, sizeof width, "%.1f", 100 * fmin(fmax(share, 0), 1));
    page_open(p, "svg", "class", "bar", "viewBox", "0 0 100 10", "preserveAspectRatio", "none", "aria-hidden",
              "true", NULL);
    page_element(p, "rect", NULL, "width", width, "height", "10", "class", negative ? "negative" : NULL,
                 NULL);
    page_close(p, "svg");
}

/* Bytes of a picture or line on the page, at most. */
static int64_t tile_bytes(const report_job *job) {
    int64_t width = job->shape.width < MAX_SIDE ? job->shape.width : MAX_SIDE;
    int64_t height = job->shape.height < MAX_SIDE ? job->shape.height : MAX_SIDE;
    int64_t points = job->view.n < MAX_POINTS ? job->view.n : MAX_POINTS;
    return job->kind == REPORT_PICTURES ? (width * height + height + 100) * 4 / 3 : points * 12 + 200;
}

/* Bytes of the longest name on the page. */
static int64_t longest_name(const report_job *job) {
    size_t longest = 0;
    for (int64_t i = 0; i < job->names.count; i++) {
        size_t length = strlen(job->names.line[i]);
        longest = length > longest ? length : longest;
    }
    return (int64_t)(longest < PAGE_NAME_MOST ? longest : PAGE_NAME_MOST);
}

void report_choose_atoms(report_job *job) {
    enum { USUAL = 256, TEXT = 4000, SAMPLE_TEXT = 120 };
    const dltf_top_options *keep = &job->flags.keep;
    int64_t samples = job->reader ? keep->top + keep->random + 6 * keep->interval : 0, m = job->view.m;
    int64_t tile = tile_bytes(job);
    int64_t atom = TEXT + 3 * tile + samples * (tile + SAMPLE_TEXT + longest_name(job));
    int64_t room = REPORT_BYTES / atom, wanted = job->flags.atoms;
    if (wanted == 0)
        wanted = room < 1 ? 1 : room < USUAL ? room : USUAL;
    job->shown_count = wanted < m ? wanted : m;
    for (int64_t i = 0; i < job->shown_count; i++)
        job->shown[job->order[i]] = true;
}

int64_t *report_uses(const report_job *job) {
    int64_t *uses = calloc((size_t)job->view.m, sizeof *uses);
    for (int64_t j = 0; uses && j < job->view.m; j++) {
        dltf_top_atom found;
        if (dltf_top_get(job->study.top, j, &found) == DLTF_OK)
            uses[j] = found.uses;
    }
    return uses;
}
