/* dltf_denoise: checks its arguments, estimates sigma if it is unknown, and runs one or two stages on each
 * plane. */
#include "base/clock.h"
#include "base/finite.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/parallel.h"
#include "base/sized.h"
#include "data/model.h"
#include "denoise/bases.h"
#include "denoise/denoise_options.h"
#include "denoise/first_stage.h"
#include "image/colour.h"
#include "image/image.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

/* ATOMS: the size of the cosine dictionary of 23 x 23 frequencies without the constant. The paper has 256. */
enum { ATOMS = 528, PAPER_ATOMS = 256, MAX_ENTRIES = 16, KSVD_ENTRIES = 32, WIDER = 2 };

static const double LARGEST_VALUE = 1e6; /* of a pixel; larger values cannot be on the scale 0 .. 255 */

typedef struct job {
    dl_first_stage first;
    int64_t stages;
    dltf_image *image; /* noisy, denoised in place */
    float *pilot;      /* one plane */
    dl_meter meter;
    double second_seconds;
} job;

static dltf_status check_image(const dltf_image *image, const dltf_denoise_options *o) {
    dltf_status status = dl_image_check_finite(image);
    if (status != DLTF_OK)
        return status;
    if (image->width < o->patch || image->height < o->patch)
        return dl_fail_about(
            DLTF_DATA, DLTF_SUBJECT_IMAGE, "%lld x %lld pixels are smaller than one patch of %lld x %lld",
            (long long)image->width, (long long)image->height, (long long)o->patch, (long long)o->patch);
    for (int64_t i = 0; i < image->channels * image->width * image->height; i++)
        if (fabs((double)image->planes[i]) > LARGEST_VALUE)
            return dl_fail_about(DLTF_DATA, DLTF_SUBJECT_IMAGE,
                                 "pixel value %g is out of range: expected the scale 0 .. 255",
                                 (double)image->planes[i]);
    return DLTF_OK;
}

static dltf_status check_options(const dltf_denoise_options *given, const dltf_model *model) {
    dltf_denoise_options o = *given;
    if (o.sigma == DLTF_SIGMA_UNKNOWN)
        o.sigma = 0;
    dltf_status status = dl_option_check(dl_denoise_option_table(), &o, NULL);
    if (status != DLTF_OK)
        return status;
    if (o.stride > o.patch)
        return dl_fail_option(DLTF_ARGUMENT, "stride",
                              "%lld is more than the patch side %lld: patches would not cover all pixels",
                              (long long)o.stride, (long long)o.patch);
    if (model && model->parts.n != o.patch * o.patch)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_MODEL,
                             "atoms of %lld entries, but a patch of %lld x %lld has %lld",
                             (long long)model->parts.n, (long long)o.patch, (long long)o.patch,
                             (long long)(o.patch * o.patch));
    if (model && (model->encoder || model->mean || model->deviation || model->offset || model->scale ||
                  model->threshold || model->parts.remove_mean || model->parts.unit_norm ||
                  model->parts.layer_norm || model->parts.factor != 1))
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_MODEL,
                             "has an encoder or preprocesses samples: expected a plain dictionary");
    if (model && o.m && o.m != model->parts.m)
        return dl_fail_option(DLTF_ARGUMENT, "m", "%lld, but the model has %lld atoms", (long long)o.m,
                              (long long)model->parts.m);
    return DLTF_OK;
}

/* Fills in options the caller left open. */
static void complete(dltf_denoise_options *o, const dltf_model *model) {
    static const int64_t entries[] = {
        [DLTF_DENOISE_DLTF] = MAX_ENTRIES, [DLTF_DENOISE_KSVD] = KSVD_ENTRIES, [DLTF_DENOISE_PAPER] = 1};
    if (model)
        o->m = model->parts.m;
    if (o->m == 0)
        o->m = o->method == DLTF_DENOISE_DLTF ? ATOMS : PAPER_ATOMS;
    if (o->k == 0)
        o->k = entries[o->method];
    o->k = dl_min(o->k, o->m);
    if (o->stages == 0)
        o->stages = o->method == DLTF_DENOISE_DLTF ? 2 : 1;
}

/* ---- stages ---- */

static dltf_status second_stage(job *j, float *plane) {
    const dltf_denoise_options *o = &j->first.options;
    dl_plane noisy = {plane, j->image->width, j->image->height};
    dl_plane pilot = {j->pilot, noisy.width, noisy.height};
    dl_bases bases = {0};
    float *out = NULL;
    dltf_status status = DLTF_OK;
    int64_t side = dl_min(o->patch + WIDER, dl_min(noisy.width, noisy.height));
    double begin = dl_seconds();
    DL_TRY_NEW(out, noisy.width * noisy.height);
    DL_TRY(
        dl_bases_learn(&bases, pilot, side, o->sigma, o->seed, j->first.threads, &j->meter, DL_LEARN_UNITS));
    DL_TRY(dl_bases_filter(&bases, noisy, j->pilot, o->stride, o->sigma, j->first.threads, &j->meter,
                           DL_PASS_UNITS, out));
    memcpy(plane, out, (size_t)(noisy.width * noisy.height) * sizeof *plane);
done:
    dl_free(out);
    dl_bases_free(&bases);
    j->second_seconds += dl_seconds() - begin;
    return status;
}

static dltf_status run_plane(job *j, float *plane) {
    dl_plane noisy = {plane, j->image->width, j->image->height};
    dltf_status status = dl_first_stage_run(&j->first, noisy, &j->meter, j->pilot);
    if (status == DLTF_OK && j->stages == 2)
        return second_stage(j, plane);
    if (status == DLTF_OK)
        memcpy(plane, j->pilot, (size_t)(noisy.width * noisy.height) * sizeof *plane);
    return status;
}

static dltf_status run_planes(job *j) {
    dltf_image *image = j->image;
    int64_t pixels = image->width * image->height;
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(j->pilot, pixels);
    j->meter.total = image->channels * j->stages * (DL_LEARN_UNITS + DL_PASS_UNITS);
    if (image->channels == 3)
        dl_rgb_to_opponent(image->planes, pixels);
    for (int64_t c = 0; c < image->channels; c++)
        DL_TRY(run_plane(j, dl_image_plane(image, c)));
    if (image->channels == 3)
        dl_opponent_to_rgb(image->planes, pixels);
    for (int64_t i = 0; i < image->channels * pixels; i++)
        image->planes[i] = fminf(fmaxf(image->planes[i], 0), 255);
done:
    dl_free(j->pilot);
    return status;
}

static dltf_status copy_image(const dltf_image *from, dltf_image **to) {
    dltf_status status = dltf_image_new(from->width, from->height, from->channels, from->bits, to);
    if (status == DLTF_OK)
        memcpy((*to)->planes, from->planes,
               (size_t)(from->channels * from->width * from->height) * sizeof *from->planes);
    return status;
}

static void fill_info(const job *j, double begin, bool estimated, dltf_denoise_info *info) {
    const dl_first_stage *f = &j->first;
    *info = (dltf_denoise_info){
        .sigma = f->options.sigma,
        .estimated = estimated,
        .patches = f->patches,
        .m = f->options.m,
        .entries_per_patch = f->patches > 0 ? (double)f->entries / (double)f->patches : 0,
        .learning_seconds = f->learning_seconds,
        .coding_seconds = f->coding_seconds,
        .second_seconds = j->second_seconds,
        .seconds = dl_seconds() - begin,
    };
}

dltf_status dltf_denoise_sized(const dltf_image *noisy, const dltf_model *model,
                               const dltf_denoise_options *options, dltf_progress_fn progress, void *context,
                               dltf_image **clean, dltf_denoise_info *info, size_t size) {
    DL_CLEAR(clean);
    DL_REQUIRE(noisy, clean);
    dltf_denoise_options o;
    double begin = dl_seconds();
    dltf_status status = DL_READ_OPTIONS(denoise, options, &o);
    bool estimated = o.sigma == DLTF_SIGMA_UNKNOWN;
    if (status == DLTF_OK)
        status = check_options(&o, model);
    if (status == DLTF_OK)
        status = check_image(noisy, &o);
    if (status == DLTF_OK && estimated)
        status = dltf_image_noise(noisy, &o.sigma);
    if (status != DLTF_OK)
        return status;
    complete(&o, model);
    job j = {.first = {.options = o, .model = model},
             .meter = dl_meter_new("denoising", progress, context, 0)};
    dl_meter_watch(&j.meter);
    j.first.threads = dl_thread_count(o.threads);
    j.stages = o.stages;
    DL_TRY(dl_blas_ready(j.first.threads));
    DL_TRY(copy_image(noisy, &j.image));
    if (o.sigma > 0)
        DL_TRY(run_planes(&j));
    if (!dl_all_finite(j.image->planes, j.image->channels * j.image->width * j.image->height))
        DL_TRY(dl_fail_about(DLTF_NUMERIC, DLTF_SUBJECT_IMAGE,
                             "its patches overflow single precision: rescale the pixels to 0 .. 255"));
    dltf_denoise_info own;
    fill_info(&j, begin, estimated, &own);
    DL_WRITE_STRUCT(dltf_denoise_info, info, size, &own);
    *clean = j.image;
    j.image = NULL;
done:
    dl_meter_unwatch(&j.meter);
    dltf_image_free(j.image);
    return status;
}
