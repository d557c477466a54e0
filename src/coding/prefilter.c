/* Exact features from inexact products.
 *
 * Let s be the scores of a sample as the float kernel computes them, s' those of its integer copy, and err a
 * bound on |s - s'| over all atoms. If a is the k-th largest |s'|, at least k atoms have |s| >= a - err, so
 * an atom with |s'| < a - 2 err is not among the k largest |s|. The remaining atoms, usually fewer than 2k,
 * are scored again with floats. The bound comes from Cauchy's inequality and the norms of the rounding
 * errors. Where it excludes too little (zero or huge samples, many equal scores), the sample is coded without
 * the filter. */
#include "coding/prefilter.h"

#include "base/integer.h"
#include "base/memory.h"
#include "kernels/packed16.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Measured: with fewer or shorter atoms, or more candidates, scoring twice costs more than it saves. */
enum { MIN_ATOMS = 4096, MIN_ENTRIES = 1 << 20, ATOMS_PER_ENTRY = 128 };

/* Atoms scored at once. Larger blocks are not faster, but lists must have room for all of their scores. */
enum { BLOCK_ATOMS = 128 };

static int64_t max_candidates(int64_t k) {
    return 4 * k + 256;
}

bool dl_prefilter_pays(int64_t m, int64_t n, int64_t k) {
    return dl_kernels_now()->above16 && m >= MIN_ATOMS && n >= MIN_ENTRIES / m && k <= m / ATOMS_PER_ENTRY;
}

dl_prefilter_bounds dl_prefilter_set(dl_prefilter *filter, int64_t j, const float *bias, int16_t *work) {
    int64_t n = filter->E16.n, rows = dl_min(DL_ROWS16, filter->E16.m - j);
    const float *E = filter->E + j * n;
    dl_rounded16 most = dl_packed16_set(&filter->E16, j, rows, E, bias, work);
    double largest = (double)dl_kernels_now()->largest32(bias, rows);
    return (dl_prefilter_bounds){
        .norm = most.norm, .lost = most.lost, .bias = largest, .scale = (double)most.scale};
}

dl_prefilter_bounds dl_prefilter_join(dl_prefilter_bounds a, dl_prefilter_bounds b) {
    return (dl_prefilter_bounds){fmax(a.norm, b.norm), fmax(a.lost, b.lost), fmax(a.bias, b.bias),
                                 fmax(a.scale, b.scale)};
}

dltf_status dl_prefilter_make(const float *E, const dl_packed *packed, dl_prefilter *filter) {
    int64_t m = packed->m, n = packed->n;
    *filter = (dl_prefilter){.E = E};
    int16_t *work = DL_NEW(int16_t, DL_ROWS16 * (n + 1));
    dltf_status status = work ? dl_packed16_alloc(&filter->E16, m, n) : DLTF_MEMORY;
    for (int64_t j = 0; status == DLTF_OK && j < m; j += DL_ROWS16)
        filter->bounds =
            dl_prefilter_join(filter->bounds, dl_prefilter_set(filter, j, packed->bias + j, work));
    dl_free(work);
    return status;
}

void dl_prefilter_free(dl_prefilter *filter) {
    dl_packed16_free(&filter->E16);
}

typedef struct kept_filter {
    dl_derived base;
    dl_prefilter filter;
} kept_filter;

static void free_kept(dl_derived *derived) {
    kept_filter *kept = (kept_filter *)derived;
    dl_prefilter_free(&kept->filter);
    dl_free(kept);
}

static dltf_status make_kept(const void *context, dl_derived **made) {
    const dltf_model *model = context;
    kept_filter *kept = DL_NEW(kept_filter, 1);
    if (!kept)
        return DLTF_MEMORY;
    kept->base.free = free_kept;
    dltf_status status =
        dl_prefilter_make(model->encoder ? model->encoder : model->dictionary, &model->packed, &kept->filter);
    if (status == DLTF_OK)
        *made = &kept->base;
    else
        free_kept(&kept->base);
    return status;
}

dltf_status dl_prefilter_derive(const dltf_model *model, const dl_prefilter **filter) {
    const dl_derived *found = NULL;
    dltf_status status = dl_model_derive(model, DL_DERIVED_FILTER, make_kept, model, &found);
    if (status == DLTF_OK)
        *filter = &((const kept_filter *)found)->filter;
    return status;
}

dltf_status dl_prefilter_space_alloc(int64_t rows, int64_t n, int64_t k, dl_prefilter_space **space) {
    dltf_status status = DLTF_OK;
    dl_prefilter_space *made = NULL;
    int64_t room = max_candidates(k) + BLOCK_ATOMS + DL_CANDIDATES_SLACK;
    DL_TRY_NEW(made, 1);
    made->hits.room = room;
    DL_TRY_NEW(made->X16, rows * (n + 1));
    DL_TRY_NEW(made->hits.count, rows);
    DL_TRY_NEW(made->hits.index, rows * room);
    DL_TRY_NEW(made->hits.value, rows * room);
    DL_TRY_NEW(made->position, room);
    DL_TRY_NEW(made->keys, room);
    *space = made;
    made = NULL;
done:
    dl_prefilter_space_free(made);
    return status;
}

void dl_prefilter_space_free(dl_prefilter_space *space) {
    if (!space)
        return;
    dl_free(space->X16);
    dl_free(space->hits.count);
    dl_free(space->hits.index);
    dl_free(space->hits.value);
    dl_free(space->position);
    dl_free(space->keys);
    dl_free(space);
}

/* A bound on |s - s'| of a sample. The float sum has at most n roundings of relative size 2^-24 and s' three,
 * counted twice for safety. Numbers below FLT_MIN have an absolute error instead, 2^-149 at most, which the
 * integer sum multiplies by up to 2^31. */
static double largest_error(const dl_prefilter *filter, dl_rounded16 x, int64_t n) {
    double norm_x = x.norm, lost_x = x.lost, norm_e = filter->bounds.norm, lost_e = filter->bounds.lost;
    double rounding = lost_x * (norm_e + lost_e) + norm_x * lost_e;
    double size =
        (norm_x + lost_x) * (norm_e + lost_e) + filter->bounds.bias; /* of sums and of parts of them */
    double sums = 4 * (double)(n + 4) * 0x1p-24 * size;
    double tiny = 0x1p-116 + (double)n * 0x1p-148;
    return size < (double)FLT_MAX ? rounding + sums + tiny : INFINITY;
}

/* Makes the integer copy of sample i; no candidates yet. */
static void start(const dl_prefilter *filter, int64_t i, const float *x, int64_t n, dl_prefilter_space *s) {
    dl_rounded16 rounded = dl_round16(x, n, s->X16 + 2 * i * filter->E16.pairs);
    double margin = 2 * largest_error(filter, rounded, n);
    bool bounded = margin < INFINITY && (double)rounded.scale * filter->bounds.scale < (double)FLT_MAX;
    s->scale[i] = rounded.scale;
    s->margin[i] = bounded ? margin : INFINITY; /* NaN: not filtered either */
    s->weakest[i] = 0;
    s->settled[i] = 0;
    s->hits.count[i] = 0;
    s->cut[i] = bounded ? 0 : UINT32_MAX >> 1;
}

/* In floats: GCC 12 for aarch64 crashes on minima of numbers that are converted in the same loop. */
static double weakest_of(const float *value, int64_t count) {
    float weakest = INFINITY;
    for (int64_t e = 0; e < count; e++)
        weakest = fminf(weakest, fabsf(value[e]));
    return (double)weakest;
}

/* The k-th largest magnitude of some scores; 0 if there are fewer. */
static double kth(const dl_feature *feature, const float *scores, int64_t count, dl_workspace *space) {
    int32_t found = 0;
    dl_kernels_now()->select(scores, count, 1, count, feature->k, feature->positive, space->filter->keys,
                             &found, space->position, space->value);
    return found < feature->k ? 0 : weakest_of(space->value, found);
}

/* Scores with keys above the cut may belong to the k best. Lowered a little, since kernels keep only what is
 * strictly above. */
static uint32_t cut_of(double weakest, double margin) {
    float cut = (float)fmax(0, weakest - margin);
    uint32_t bits;
    cut = nextafterf(nextafterf(cut, 0), 0); /* twice, in case the conversion rounded up */
    memcpy(&bits, &cut, sizeof bits);
    return bits;
}

/* Raises the cut of sample i to what its list allows, and drops the candidates below it. */
static void tighten(const dl_feature *feature, int64_t i, dl_workspace *space) {
    dl_prefilter_space *s = space->filter;
    int32_t *index = s->hits.index + i * s->hits.room;
    float *value = s->hits.value + i * s->hits.room;
    int64_t count = s->hits.count[i];
    s->weakest[i] = fmax(s->weakest[i], kth(feature, value, count, space));
    s->cut[i] = cut_of(s->weakest[i], s->margin[i]);
    count = dl_kernels_now()->above(value, count, feature->positive, s->cut[i], 0, s->position, value);
    for (int64_t c = 0; c < count; c++)
        index[c] = index[s->position[c]];
    s->hits.count[i] = s->settled[i] = count;
    if (count > max_candidates(feature->k)) {
        s->margin[i] = INFINITY; /* too many: coded without the filter */
        s->hits.count[i] = 0;
        s->cut[i] = UINT32_MAX >> 1;
    }
}

/* Not after every block, since finding the k-th candidate costs more than it saves; but lists need room for
 * the next block. */
static bool is_due(const dl_prefilter_space *s, int64_t i, int64_t k) {
    return s->hits.count[i] >= s->settled[i] + k || s->hits.count[i] > max_candidates(k);
}

/* The code of sample i from its candidates; false if they are not guaranteed to contain it. */
static bool settle(const dl_feature *feature, int64_t i, const float *x, dl_workspace *space, int32_t *count,
                   int32_t *index, float *value) {
    dl_prefilter_space *s = space->filter;
    const dl_kernels *kernels = dl_kernels_now();
    int32_t *candidate = s->hits.index + i * s->hits.room;
    float *scores = s->hits.value + i * s->hits.room;
    if (s->margin[i] < INFINITY)
        tighten(feature, i, space);
    int64_t found = s->hits.count[i];
    if (!(s->weakest[i] > s->margin[i]) || !(s->weakest[i] < (double)FLT_MAX / 2))
        return false;
    kernels->exact(feature->filter->E, feature->E->n, feature->E->bias, x, candidate, found, scores);
    kernels->select(scores, found, 1, found, feature->k, feature->positive, s->keys, count, space->position,
                    value);
    for (int32_t e = 0; e < *count; e++)
        index[e] = candidate[space->position[e]];
    return true;
}

void dl_prefilter_try(const dl_feature *feature, const float *X, int64_t x_stride, int64_t rows,
                      dl_workspace *space, dl_slots out) {
    const dl_packed *E = feature->E;
    const dl_packed16 *E16 = &feature->filter->E16;
    dl_prefilter_space *s = space->filter;
    const int64_t block_panels = BLOCK_ATOMS / DL_PANEL16;
    for (int64_t i = 0; i < rows; i++)
        start(feature->filter, i, X + i * x_stride, E->n, s);
    for (int64_t panel = 0; panel < E16->panels; panel += block_panels) {
        int64_t last = panel + block_panels < E16->panels ? panel + block_panels : E16->panels;
        dl_kernels_now()->above16(E16, panel, last, s->X16, s->scale, rows, feature->positive, s->cut,
                                  s->hits);
        for (int64_t i = 0; i < rows; i++)
            if (is_due(s, i, feature->k))
                tighten(feature, i, space);
    }
    for (int64_t i = 0; i < rows; i++) {
        dl_slots one = dl_slots_from(&out, i, 1);
        if (!settle(feature, i, X + i * x_stride, space, one.count, one.index, one.value))
            one.count[0] = -1;
    }
}

void dl_prefilter_tile(const dl_feature *feature, const float *X, int64_t x_stride, int64_t rows,
                       dl_workspace *space, dl_slots out) {
    dl_feature exact = {.E = feature->E, .k = feature->k, .positive = feature->positive};
    dl_prefilter_try(feature, X, x_stride, rows, space, out);
    for (int64_t i = 0; i < rows; i++)
        if (out.count[i] < 0)
            dl_feature_tile(&exact, X + i * x_stride, x_stride, 1, space, dl_slots_from(&out, i, 1));
}
