/* Work space and the two halves of a thresholded feature: scores of a tile by one matrix product, then max_k.
 */
#include "coding/feature.h"

#include "base/integer.h"
#include "base/memory.h"
#include "coding/prefilter.h"

#include <string.h>

/* Atoms scored at once where every score has a cut of its own. */
enum { CUT_ATOMS = 512 };

dltf_status dl_slots_alloc(dl_slots *slots, int64_t rows, int64_t k) {
    dltf_status status = DLTF_OK;
    int64_t entries = 0;
    *slots = (dl_slots){.rows = rows, .k = k};
    if (!dl_multiply(rows, k, &entries))
        return dl_fail(DLTF_MEMORY, "%lld codes of %lld entries are too large", (long long)rows,
                       (long long)k);
    DL_TRY_NEW(slots->count, rows);
    DL_TRY_NEW(slots->index, entries);
    DL_TRY_NEW(slots->value, entries);
done:
    if (status != DLTF_OK)
        dl_slots_free(slots);
    return status;
}

void dl_slots_free(dl_slots *slots) {
    dl_free(slots->count);
    dl_free(slots->index);
    dl_free(slots->value);
    *slots = (dl_slots){0};
}

dl_slots dl_slots_from(const dl_slots *slots, int64_t first, int64_t rows) {
    int64_t k = slots->k;
    return (dl_slots){rows, k, slots->count + first, slots->index + first * k, slots->value + first * k};
}

void dl_code_sort(int32_t *index, float *value, int64_t count) {
    for (int64_t e = 1; e < count; e++) {
        int32_t j = index[e];
        float z = value[e];
        int64_t at = e;
        for (; at > 0 && index[at - 1] > j; at--) {
            index[at] = index[at - 1];
            value[at] = value[at - 1];
        }
        index[at] = j;
        value[at] = z;
    }
}

static dltf_status alloc_scores(dl_workspace *space, int64_t rows, int64_t m) {
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(space->scores, rows * m);
    DL_TRY_NEW(space->keys, m);
done:
    return status;
}

static dltf_status alloc_lists(dl_workspace *space, int64_t rows, int64_t k) {
    dltf_status status = DLTF_OK;
    int64_t room = space->hits.room = 2 * k + DL_BLOCK_ATOMS + DL_CANDIDATES_SLACK;
    DL_TRY_NEW(space->keys, room);
    DL_TRY_NEW(space->hits.count, rows);
    DL_TRY_NEW(space->hits.index, rows * room);
    DL_TRY_NEW(space->hits.value, rows * room);
done:
    return status;
}

dltf_status dl_workspaces_alloc(int threads, int64_t m, int64_t n, int64_t k, dl_workspace **spaces) {
    return dl_workspaces_alloc_rows(threads, DL_TILE, DL_TILE, m, n, k, spaces);
}

dltf_status dl_workspaces_alloc_rows(int threads, int64_t rows, int64_t listed, int64_t m, int64_t n,
                                     int64_t k, dl_workspace **spaces) {
    dltf_status status = DLTF_OK;
    dl_workspace *made = NULL;
    DL_TRY_NEW(made, threads);
    for (int t = 0; t < threads; t++) {
        DL_TRY_NEW(made[t].row, n);
        DL_TRY_NEW(made[t].X, rows * n);
        DL_TRY_NEW(made[t].position, k);
        DL_TRY_NEW(made[t].value, k);
        DL_TRY(m > DL_BLOCK_ATOMS ? alloc_lists(&made[t], listed, k) : alloc_scores(&made[t], listed, m));
    }
    *spaces = made;
    made = NULL;
done:
    dl_workspaces_free(made, threads);
    return status;
}

dltf_status dl_workspaces_alloc_cuts(int threads, int64_t rows, int64_t m, int64_t n, dl_workspace **spaces) {
    return dl_workspaces_alloc_rows(threads, rows, rows, dl_min(m, CUT_ATOMS), n, 1, spaces);
}

void dl_workspaces_free(dl_workspace *spaces, int threads) {
    if (!spaces)
        return;
    for (int t = 0; t < threads; t++) {
        dl_free(spaces[t].row);
        dl_free(spaces[t].X);
        dl_free(spaces[t].scores);
        dl_free(spaces[t].keys);
        dl_free(spaces[t].hits.count);
        dl_free(spaces[t].hits.index);
        dl_free(spaces[t].hits.value);
        dl_free(spaces[t].position);
        dl_free(spaces[t].value);
        dl_prefilter_space_free(spaces[t].filter);
    }
    dl_free(spaces);
}

void dl_score_tile(const dl_packed *E, const float *X, int64_t x_stride, int64_t rows, float *scores) {
    dl_kernels_now()->scores(E, 0, E->panels, X, x_stride, rows, scores, E->m);
}

void dl_threshold_tile(const dl_feature *feature, const float *scores, int64_t rows, uint32_t *keys,
                       dl_slots out) {
    int64_t m = feature->E->m;
    dl_kernels_now()->select(scores, m, rows, m, feature->k, feature->positive, keys, out.count, out.index,
                             out.value);
}

/* The key of the weakest of k entries, which an entry of a later block must exceed; 0 while there are fewer.
 */
static uint32_t weakest(const float *value, int64_t count, int64_t k) {
    uint32_t smallest = 0x7fffffffu;
    for (int64_t e = 0; e < count; e++) {
        uint32_t bits;
        memcpy(&bits, &value[e], sizeof bits);
        bits &= 0x7fffffffu;
        smallest = bits < smallest ? bits : smallest;
    }
    return count < k ? 0 : smallest;
}

/* Leaves the best k of a list, in order, so that ties still go to the lowest index. */
static void keep_best(const dl_feature *feature, int64_t i, dl_workspace *space, dl_slots out) {
    dl_candidates *hits = &space->hits;
    int32_t *listed = hits->index + i * hits->room, *index = out.index + i * out.k;
    float *values = hits->value + i * hits->room, *value = out.value + i * out.k;
    dl_kernels_now()->select(values, hits->count[i], 1, hits->count[i], feature->k, feature->positive,
                             space->keys, &out.count[i], space->position, value);
    for (int32_t e = 0; e < out.count[i]; e++)
        index[e] = listed[space->position[e]];
    hits->count[i] = out.count[i];
    space->cut[i] = weakest(value, out.count[i], feature->k);
    memcpy(listed, index, (size_t)out.count[i] * sizeof *index);
    memcpy(values, value, (size_t)out.count[i] * sizeof *value);
}

/* Large dictionaries, block by block: scores that are not above the k-th best so far are never stored. The
 * first block is small, since all of its scores are. Selecting the best after every block would cost more
 * than it saves. */
static void code_blocks(const dl_feature *feature, const float *X, int64_t x_stride, int64_t rows,
                        dl_workspace *space, dl_slots out) {
    const dl_packed *E = feature->E;
    enum { FIRST_ATOMS = 256 };
    for (int64_t i = 0; i < rows; i++) {
        space->hits.count[i] = 0;
        space->cut[i] = 0;
        out.count[i] = 0;
    }
    for (int64_t panel = 0, last; panel < E->panels; panel = last) {
        last = dl_min(panel + (panel > 0 ? DL_BLOCK_ATOMS : FIRST_ATOMS) / DL_PANEL, E->panels);
        dl_kernels_now()->scores_above(E, panel, last, X, x_stride, rows, feature->positive, space->cut,
                                       space->hits);
        for (int64_t i = 0; i < rows; i++)
            if (space->hits.count[i] >= (last < E->panels ? 2 * feature->k : out.count[i] + 1))
                keep_best(feature, i, space, out);
    }
}

/* Few atoms: the scores of half a tile, or less, stay in the L1 cache until they are selected. */
static void code_at_once(const dl_feature *feature, const float *X, int64_t x_stride, int64_t rows,
                         dl_workspace *space, dl_slots out) {
    const dl_packed *E = feature->E;
    const dl_kernels *kernels = dl_kernels_now();
    int64_t i = 0;
    if (kernels->features && rows > 1) /* spares a single sample the call */
        i = kernels->features(E, X, x_stride, rows, feature->k, feature->positive, space->scores, out.count,
                              out.index, out.value);
    for (; i < rows; i += DL_TILE / 2) {
        int64_t half = dl_min(rows - i, DL_TILE / 2);
        dl_score_tile(E, X + i * x_stride, x_stride, half, space->scores);
        dl_threshold_tile(feature, space->scores, half, space->keys, dl_slots_from(&out, i, half));
    }
}

/* Scores above cuts of their own, block by block: there is nothing to select, and blocks stay in the L2
 * cache until they are compared. */
static void code_exceeding(const dl_feature *feature, const float *X, int64_t x_stride, int64_t rows,
                           dl_workspace *space, dl_slots out) {
    const dl_packed *E = feature->E;
    const dl_kernels *kernels = dl_kernels_now();
    int64_t stride = dl_min(E->m, CUT_ATOMS);
    for (int64_t i = 0; i < rows; i++)
        out.count[i] = 0;
    for (int64_t j = 0; j < E->m; j += CUT_ATOMS) {
        int64_t atoms = dl_min(E->m - j, CUT_ATOMS), first = j / DL_PANEL;
        int64_t last = dl_min(first + CUT_ATOMS / DL_PANEL, E->panels);
        kernels->scores(E, first, last, X, x_stride, rows, space->scores, stride);
        for (int64_t i = 0; i < rows; i++) {
            int64_t at = i * out.k + out.count[i];
            out.count[i] += (int32_t)kernels->exceeding(space->scores + i * stride, feature->cut + j, atoms,
                                                        (int32_t)j, out.index + at, out.value + at);
        }
    }
}

void dl_feature_tile(const dl_feature *feature, const float *X, int64_t x_stride, int64_t rows,
                     dl_workspace *space, dl_slots out) {
    if (feature->cut)
        code_exceeding(feature, X, x_stride, rows, space, out);
    else if (feature->filter)
        dl_prefilter_tile(feature, X, x_stride, rows, space, out);
    else if (space->scores)
        code_at_once(feature, X, x_stride, rows, space, out);
    else
        code_blocks(feature, X, x_stride, rows, space, out);
}
