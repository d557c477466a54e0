/* The original, the noisy image and the result of each method, as a PNG and as a self-contained HTML page. */
#include "experiments/table4_figure.h"
#include "experiments/test_image.h"
#include "report/markup.h"
#include "report/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PANELS = 6, ACROSS = 3, GAP = 4 };

static const struct panel {
    const char *method, *title;
    int64_t k;
} panels[PANELS] = {
    {"original", "original", 0}, {"noisy", "noisy", 0},
    {"ksvd", "K-SVD", 0},        {"dltf", "paper's protocol, k = 1", 1},
    {"one-pass", "one pass", 0}, {"best", "two stages", 0},
};

typedef struct figure {
    const experiment_request *request;
    const char *image;
    double sigma;
    dltf_image *original, *noisy, *sheet;
    double psnr[PANELS];
} figure;

static dltf_status make_panel(figure *f, int panel, dltf_image **made) {
    experiment_cell cell = {.request = f->request,
                            .seed = f->request->first_seed,
                            .progress = f->request->progress,
                            .context = f->request->context};
    dltf_denoise_info info;
    return table4_denoise(&cell, panels[panel].method, f->sigma, panels[panel].k, f->noisy, made, &info);
}

static void paste(figure *f, const dltf_image *image, int panel) {
    dltf_image_view from = dltf_image_get(image), sheet = dltf_image_get(f->sheet);
    float *to = dltf_image_pixels(f->sheet);
    int64_t left = panel % ACROSS * (from.width + GAP), top = panel / ACROSS * (from.height + GAP);
    for (int64_t y = 0; y < from.height; y++)
        memcpy(to + (top + y) * sheet.width + left, from.planes + y * from.width,
               (size_t)from.width * sizeof *to);
}

static dltf_status draw(figure *f) {
    dltf_image_view view = dltf_image_get(f->original);
    dltf_status status = dltf_image_new(ACROSS * (view.width + GAP) - GAP,
                                        PANELS / ACROSS * (view.height + GAP) - GAP, 1, 8, &f->sheet);
    for (int panel = 0; panel < PANELS && status == DLTF_OK; panel++) {
        dltf_image *made = NULL;
        const dltf_image *shown = panel == 0 ? f->original : f->noisy;
        if (panel > 1) {
            status = make_panel(f, panel, &made);
            shown = made;
        }
        if (status == DLTF_OK)
            status = dltf_image_psnr(shown, f->original, &f->psnr[panel]);
        if (status == DLTF_OK)
            paste(f, shown, panel);
        dltf_image_free(made);
    }
    return status;
}

/* ---- HTML page ---- */

static const char *const columns[] = {"image", "sigma", "method",         "k",       "psnr", "sd",
                                      "paper", "ssim",  "coding_seconds", "seconds", NULL};

static void put_page(const figure *f, const json_t *rows, const char *notice, FILE *picture, FILE *out) {
    fprintf(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Table 4: denoising</title>\n"
        "<style>body{font-family:sans-serif;margin:2em}td,th{padding:.1em .8em;text-align:right}"
        "img{max-width:100%%}</style></head><body>\n<h1>Table 4: denoising</h1>\n");
    if (notice) {
        fputs("<p><strong>", out);
        markup_text(out, notice);
        fputs("</strong></p>\n", out);
    }
    fputs("<p>", out);
    markup_text(out, f->image);
    fprintf(out, ", sigma = %g. From top left: ", f->sigma);
    for (int panel = 0; panel < PANELS; panel++) {
        fprintf(out, "%s%s", panel ? "; " : "", panels[panel].title);
        if (panel > 0)
            fprintf(out, " (%.2f dB)", f->psnr[panel]);
    }
    fprintf(out, ".</p>\n<p><img alt=\"six images\" src=\"data:image/png;base64,");
    markup_base64(out, picture);
    fprintf(out, "\"></p>\n");
    rows_html(rows, columns, out);
    fprintf(out, "</body></html>\n");
}

static dltf_status write_page(const figure *f, const json_t *rows, const char *notice, const char *picture,
                              const char *path) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size), *file = fopen(picture, "rb");
    bool complete = out && file;
    if (complete)
        put_page(f, rows, notice, file, out);
    if (file)
        fclose(file);
    complete = out && fclose(out) == 0 && complete;
    dltf_status status = complete ? dl_text_save(text, path) : DLTF_MEMORY;
    free(text);
    return status;
}

dltf_status table4_figure(const experiment_request *request, const char *image, double sigma,
                          const json_t *rows, const char *notice, const char *folder) {
    figure f = {.request = request, .image = image, .sigma = sigma};
    char picture[4096], page[4096];
    snprintf(picture, sizeof picture, "%s/table4.png", folder);
    snprintf(page, sizeof page, "%s/table4.html", folder);
    dltf_status status = test_image_load(request->data, image, &f.original);
    if (status == DLTF_OK)
        status = test_image_load(request->data, image, &f.noisy);
    if (status == DLTF_OK)
        status = dltf_image_add_noise(f.noisy, sigma, request->first_seed);
    if (status == DLTF_OK)
        status = draw(&f);
    if (status == DLTF_OK)
        status = dltf_image_save(f.sheet, picture);
    if (status == DLTF_OK)
        status = write_page(&f, rows, notice, picture, page);
    dltf_image_free(f.original);
    dltf_image_free(f.noisy);
    dltf_image_free(f.sheet);
    return status;
}
