/* The rule, a tile of samples at a time: scores by the packed product, candidates above the threshold by the
 * vector kernel, then the greedy choice among these few. Conflicts of an atom are a row of bits. */
#include "denoise/incoherent.h"

#include "base/memory.h"
#include "coding/coder.h"

#include <math.h>
#include <string.h>

dltf_status dl_incoherent_alloc(dl_incoherent *rule, int64_t m, int64_t n, int64_t k) {
    dltf_status status = DLTF_OK;
    *rule = (dl_incoherent){.k = k, .words = (m + 63) / 64};
    DL_TRY(dl_packed_alloc(&rule->E, m, n));
    DL_TRY_NEW(rule->conflict, m * rule->words);
done:
    if (status != DLTF_OK)
        dl_incoherent_free(rule);
    return status;
}

void dl_incoherent_free(dl_incoherent *rule) {
    dl_packed_free(&rule->E);
    dl_free(rule->conflict);
    *rule = (dl_incoherent){0};
}

void dl_incoherent_fill(dl_incoherent *rule, const float *W, double mu, double cut) {
    int64_t m = rule->E.m, n = rule->E.n;
    float row[DL_PANEL];
    rule->cut = (float)cut;
    dl_packed_fill(&rule->E, W, NULL);
    memset(rule->conflict, 0, (size_t)(m * rule->words) * sizeof *rule->conflict);
    for (int64_t i = 0; i < m; i++) {
        uint64_t *bits = rule->conflict + i * rule->words;
        for (int64_t panel = 0; panel < rule->E.panels; panel++) {
            dl_kernels_now()->scores(&rule->E, panel, panel + 1, W + i * n, n, 1, row, DL_PANEL);
            for (int64_t j = panel * DL_PANEL; j < m && j < (panel + 1) * DL_PANEL; j++)
                if (fabs((double)row[j % DL_PANEL]) > mu || j == i)
                    bits[j / 64] |= UINT64_C(1) << j % 64;
        }
    }
}

dltf_status dl_incoherent_space_alloc(dl_incoherent_space *space, int64_t m) {
    dltf_status status = DLTF_OK;
    *space = (dl_incoherent_space){0};
    DL_TRY_NEW(space->scores, dl_score_rows(m) * m);
    DL_TRY_NEW(space->value, m);
    DL_TRY_NEW(space->index, m);
done:
    if (status != DLTF_OK)
        dl_incoherent_space_free(space);
    return status;
}

void dl_incoherent_space_free(dl_incoherent_space *space) {
    dl_free(space->scores);
    dl_free(space->value);
    dl_free(space->index);
    *space = (dl_incoherent_space){0};
}

/* Which candidate has the largest magnitude; the first of equals. */
static int64_t largest(const float *value, int64_t count) {
    int64_t best = 0;
    for (int64_t i = 1; i < count; i++)
        if (fabsf(value[i]) > fabsf(value[best]))
            best = i;
    return best;
}

/* Takes the largest candidate, drops those in conflict with it, and so on. */
static int32_t choose(const dl_incoherent *rule, int64_t count, dl_incoherent_space *space, int32_t *index,
                      float *value) {
    int32_t kept = 0;
    while (count > 0 && kept < rule->k) {
        int64_t best = largest(space->value, count), left = 0;
        index[kept] = space->index[best];
        value[kept++] = space->value[best];
        const uint64_t *bits = rule->conflict + space->index[best] * rule->words;
        for (int64_t i = 0; i < count; i++) {
            int32_t j = space->index[i];
            if (bits[j / 64] >> j % 64 & 1)
                continue;
            space->index[left] = j;
            space->value[left++] = space->value[i];
        }
        count = left;
    }
    return kept;
}

void dl_incoherent_tile(const dl_incoherent *rule, const float *X, int64_t rows, dl_incoherent_space *space,
                        dl_slots out) {
    const dl_kernels *kernels = dl_kernels_now();
    int64_t m = rule->E.m, n = rule->E.n, some = dl_score_rows(m);
    uint32_t cut;
    memcpy(&cut, &rule->cut, sizeof cut);
    for (int64_t i = 0; i < rows; i++) {
        float *scores = space->scores + i % some * m;
        if (i % some == 0)
            kernels->scores(&rule->E, 0, rule->E.panels, X + i * n, n, rows - i < some ? rows - i : some,
                            space->scores, m);
        int64_t count = kernels->above(scores, m, false, cut, 0, space->index, space->value);
        out.count[i] = choose(rule, count, space, out.index + i * out.k, out.value + i * out.k);
    }
}
