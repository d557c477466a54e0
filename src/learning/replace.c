/* Which atoms do no work: hardly used, or copies of a more used one. */
#include "learning/learner.h"

#include <math.h>

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
