/* Atoms that do no work, hardly used or copies of a more used one, and what replaces them: the residuals of
 * the worst coded samples. Called by stages 1 and 2, the stage of the encoder and K-SVD. */
#include "base/random.h"
#include "data/matrix.h"
#include "learning/learner.h"

#include <math.h>
#include <string.h>

int64_t dl_find_useless(const double *G, const double *use, int64_t m, int32_t *atoms) {
    const double least_use = 0.1; /* of the mean */
    const double copy = 0.9;      /* coherence of two atoms that are one */
    double mean = 0;
    for (int64_t j = 0; j < m; j++)
        mean += use[j] / (double)m;
    int64_t found = 0;
    for (int64_t j = 0; j < m; j++) {
        bool useless = use[j] < least_use * mean || mean == 0;
        /* Of a pair of copies the less used goes, of equals the later; so one of them always stays. */
        for (int64_t i = 0; i < m && !useless; i++)
            if (i != j && fabs(G[i * m + j]) > copy && use[i] >= least_use * mean)
                useless = use[i] > use[j] || (use[i] == use[j] && i < j);
        if (useless)
            atoms[found++] = (int32_t)j;
    }
    return found;
}

/* ||x - Wz||^2 of sample i of the block; the residual itself into l->residual. */
static double block_residual(dltf_learner *l, int64_t i) {
    double *r = l->residual, sum = 0;
    for (int64_t d = 0; d < l->n; d++)
        r[d] = (double)l->block[i * l->n + d];
    for (int64_t e = i * l->k; e < i * l->k + l->Z.count[i]; e++)
        for (int64_t d = 0; d < l->n; d++)
            r[d] -= (double)l->Z.value[e] * l->W[l->Z.index[e] * l->n + d];
    for (int64_t d = 0; d < l->n; d++)
        sum += r[d] * r[d];
    return sum;
}

/* The next largest of the residuals that was not taken yet; -1 if none is worth an atom. */
static int64_t take_worst(double *squares, int64_t rows, double least) {
    int64_t worst = -1;
    for (int64_t i = 0; i < rows; i++)
        if (squares[i] > least && (worst < 0 || squares[i] > squares[worst]))
            worst = i;
    if (worst >= 0)
        squares[worst] = 0;
    return worst;
}

int64_t dl_replace_by(dltf_learner *l, const double *use, int64_t rows, int64_t index,
                      double (*residual)(dltf_learner *l, int64_t i)) {
    dl_random random = {(uint64_t)l->options.seed, DL_STREAM_REPLACE};
    int64_t n = l->n, found = dl_find_useless(l->w_space.G, use, l->m, l->useless);
    if (found == 0)
        return 0;
    for (int64_t i = 0; i < rows; i++)
        l->squares[i] = residual(l, i);
    for (int64_t a = 0; a < found; a++) {
        int64_t j = l->useless[a], worst = take_worst(l->squares, rows, 1e-8 * (double)l->k);
        if (worst >= 0)
            residual(l, worst);
        else /* everything is explained already: any direction will do */
            for (int64_t d = 0; d < n; d++)
                l->residual[d] = dl_random_normal(random, (uint64_t)((index * l->m + j) * n + d));
        if (dl_normalise(l->residual, n))
            memcpy(l->W + j * n, l->residual, (size_t)n * sizeof *l->W);
    }
    dl_learner_refresh(l);
    return found;
}

int64_t dl_replace_useless(dltf_learner *l, const double *use, int64_t rows, int64_t index) {
    return dl_replace_by(l, use, rows, index, block_residual);
}
