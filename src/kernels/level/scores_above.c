/* Scores of a few samples with four panels at a time, and those above the cuts of the samples: they stay in
 * the L1 cache in between. */
#include "kernels/level/level.h"

enum { ROWS = 48, PANELS = 4, ATOMS = PANELS * DL_PANEL };

void DL_LEVELLED(dl_scores_above)(const dl_packed *E, int64_t first, int64_t last, const float *X,
                                  int64_t x_stride, int64_t rows, bool positive, const uint32_t *cut,
                                  dl_candidates hits) {
    float S[ROWS * ATOMS];
    for (int64_t p = first; p < last; p += PANELS) {
        int64_t end = p + PANELS < last ? p + PANELS : last, base = p * DL_PANEL;
        int64_t exist = E->m - base, atoms = (end - p) * DL_PANEL;
        for (int64_t i = 0; i < rows; i += ROWS) {
            int64_t some = rows - i < ROWS ? rows - i : ROWS;
            DL_LEVELLED(dl_scores)(E, p, end, X + i * x_stride, x_stride, some, S, ATOMS);
            for (int64_t r = 0; r < some; r++) {
                int64_t list = (i + r) * hits.room + hits.count[i + r];
                hits.count[i + r] +=
                    DL_LEVELLED(dl_above)(S + r * ATOMS, exist < atoms ? exist : atoms, positive, cut[i + r],
                                          (int32_t)base, hits.index + list, hits.value + list);
            }
        }
    }
}
