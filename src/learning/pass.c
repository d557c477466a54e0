/* Passes over the samples. Blocks and tiles have fixed sizes, so what is computed does not depend on the
 * threads. */
#include "learning/pass.h"

#include "linalg/blas.h"

dl_pass dl_pass_make(dltf_learner *l, double theta, double beta) {
    double sigma = dl_largest_eigenvalue(l->w_space.G, l->m, l->w_space.scratch);
    return (dl_pass){
        .l = l,
        .problem = {.W = {.E = &l->W32, .k = l->k, .positive = l->options.select == DLTF_SELECT_POSITIVE},
                    .G = l->G32,
                    .theta = theta,
                    .beta = beta,
                    .step = dl_z_step_length(sigma, theta, beta)},
        .gamma = beta > 0 ? l->options.lambda / beta : 0,
        .count = l->N,
    };
}

int64_t dl_pass_block(int64_t count) {
    int64_t blocks = dl_tiles(count, DL_BLOCK);
    return DL_TILE * dl_tiles(dl_tiles(count, blocks), DL_TILE);
}

void dl_pass_run(dl_pass *pass, dl_task tile, void (*after)(dl_pass *)) {
    int64_t block = dl_pass_block(pass->count);
    for (pass->first = 0; pass->first < pass->count; pass->first += block) {
        int64_t left = pass->count - pass->first;
        pass->rows = left < block ? left : block;
        dl_parallel(pass->l->threads, dl_tiles(pass->rows, DL_TILE), tile, pass);
        if (after)
            after(pass);
    }
}

dl_tile dl_pass_tile(const dl_pass *pass, int64_t tile, int worker) {
    dltf_learner *l = pass->l;
    int64_t start = tile * DL_TILE, left = pass->rows - start;
    dl_tile t = {.first = pass->first + start,
                 .rows = left < DL_TILE ? left : DL_TILE,
                 .X = l->block + start * l->n,
                 .space = &l->z_spaces[worker]};
    t.Z = dl_slots_from(&l->Z, l->stage == DLTF_STAGE_ADMM ? t.first : start, t.rows);
    for (int64_t i = 0; i < t.rows; i++) {
        int64_t sample = pass->order ? pass->order[t.first + i] : t.first + i;
        dl_samples_row(&l->samples, sample, l->rows + worker * l->n, t.X + i * l->n);
    }
    return t;
}
