/* Expected precision and recall of rankings with ties. */
#include "retrieval/shells.h"

#include "base/integer.h"

#include <math.h>

/* Position t = 1, 2, ... of a shell with r relevant among n samples, behind N0 samples with R0 relevant ones,
 * is relevant with probability r/n, and the precision there is then expected to be
 *     (R0 + 1 + (t - 1) (r - 1) / (n - 1)) / (N0 + t).
 * The sum over t = 1 .. T is r/n (s T + (R0 + 1 - s - s N0) (H(N0 + T) - H(N0))), s = (r - 1) / (n - 1). */
static double shell_precision(dl_shell shell, int64_t before, int64_t found, int64_t taken,
                              const double *harmonic) {
    double n = shell.samples, r = shell.relevant, s = n > 1 ? (r - 1) / (n - 1) : 0;
    double first = (double)found + 1 - s - s * (double)before;
    return r / n * (s * (double)taken + first * (harmonic[before + taken] - harmonic[before]));
}

double dl_shells_average_precision(const dl_shell *shells, int64_t count, int64_t depth,
                                   const double *harmonic) {
    int64_t before = 0, found = 0;
    double sum = 0;
    for (int64_t s = 0; s < count; s++) {
        int64_t taken = dl_min(shells[s].samples, depth - before);
        if (shells[s].relevant > 0 && taken > 0)
            sum += shell_precision(shells[s], before, found, taken, harmonic);
        before += shells[s].samples;
        found += shells[s].relevant;
    }
    return found > 0 ? sum / (double)dl_min(found, depth) : NAN;
}

double dl_shells_found(const dl_shell *shells, int64_t count, int64_t depth) {
    int64_t before = 0;
    double found = 0;
    for (int64_t s = 0; s < count && before < depth; s++) {
        int64_t taken = dl_min(shells[s].samples, depth - before);
        if (shells[s].samples > 0)
            found += (double)shells[s].relevant * (double)taken / (double)shells[s].samples;
        before += shells[s].samples;
    }
    return found;
}
