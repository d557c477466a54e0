/* Products of tiles of atoms with blocks of all atoms. */
#include "theory/atom_coherence.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "kernels/kernels.h"
#include "kernels/packed.h"

#include <math.h>

enum { TILE = 48, BLOCK = 1024 };

typedef struct products {
    const float *atoms;
    int64_t m, n;
    dl_packed packed;
    float *scores; /* per thread: TILE x BLOCK */
    float *largest;
} products;

static void search_tile(void *context, int64_t tile, int worker) {
    const products *p = context;
    int64_t from = tile * TILE, rows = dl_min(TILE, p->m - from);
    float *scores = p->scores + worker * dl_apart(TILE * BLOCK);
    for (int64_t first = 0; first < p->m; first += BLOCK) {
        int64_t count = dl_min(BLOCK, p->m - first);
        dl_kernels_now()->scores(&p->packed, first / DL_PANEL, (first + count + DL_PANEL - 1) / DL_PANEL,
                                 p->atoms + from * p->n, p->n, rows, scores, BLOCK);
        for (int64_t r = 0; r < rows; r++)
            for (int64_t j = 0; j < count; j++)
                if (first + j != from + r)
                    p->largest[from + r] = fmaxf(p->largest[from + r], fabsf(scores[r * BLOCK + j]));
    }
}

dltf_status dl_atom_coherence(const float *dictionary, int64_t m, int64_t n, int threads, float *largest) {
    dltf_status status = DLTF_OK;
    int workers = dl_thread_count(threads);
    products p = {.atoms = dictionary, .m = m, .n = n, .largest = largest};
    for (int64_t i = 0; i < m; i++)
        largest[i] = 0;
    DL_TRY_NEW(p.scores, workers * dl_apart(TILE * BLOCK));
    DL_TRY(dl_packed_alloc(&p.packed, m, n));
    dl_packed_fill(&p.packed, dictionary, NULL);
    dl_parallel(workers, dl_tiles(m, TILE), search_tile, &p);
    for (int64_t i = 0; i < m; i++)
        largest[i] = fminf(largest[i], 1); /* which rounding may exceed */
done:
    dl_packed_free(&p.packed);
    dl_free(p.scores);
    return status;
}
