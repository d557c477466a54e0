/* Oracles for hashing. */
#include "reference/hash.h"

#include <math.h>
#include <stdlib.h>

double ref_average_precision(const bool *relevant, int64_t count, int64_t depth) {
    double found = 0, sum = 0, all = 0;
    for (int64_t i = 0; i < count; i++) {
        all += relevant[i];
        if (i >= depth || !relevant[i])
            continue;
        found++;
        sum += found / (double)(i + 1);
    }
    return sum / fmin(all, (double)depth);
}

/* Extends a ranking of `placed` samples by each of the nearest samples not yet `used`. Every order of equal
 * distances is as likely as any other. */
static double extend(const double *distances, const bool *relevant, int64_t count, int64_t depth, bool *used,
                     bool *ranking, int64_t placed) {
    double nearest = INFINITY, sum = 0, choices = 0;
    if (placed == count)
        return ref_average_precision(ranking, count, depth);
    for (int64_t i = 0; i < count; i++)
        nearest = used[i] ? nearest : fmin(nearest, distances[i]);
    for (int64_t i = 0; i < count; i++) {
        if (used[i] || distances[i] > nearest)
            continue;
        used[i] = true;
        ranking[placed] = relevant[i];
        sum += extend(distances, relevant, count, depth, used, ranking, placed + 1);
        choices++;
        used[i] = false;
    }
    return sum / choices;
}

double ref_expected_precision(const double *distances, const bool *relevant, int64_t count, int64_t depth) {
    bool used[16] = {false}, ranking[16];
    if (count > 16)
        abort();
    return extend(distances, relevant, count, depth, used, ranking, 0);
}

static bool bit(const uint8_t *code, int64_t j) {
    return code[j / 8] >> j % 8 & 1;
}

int64_t ref_differing_bits(const uint8_t *a, const uint8_t *b, int64_t bits) {
    int64_t count = 0;
    for (int64_t j = 0; j < bits; j++)
        count += bit(a, j) != bit(b, j);
    return count;
}

int64_t ref_common_bits(const uint8_t *a, const uint8_t *b, int64_t bits) {
    int64_t count = 0;
    for (int64_t j = 0; j < bits; j++)
        count += bit(a, j) && bit(b, j);
    return count;
}

static double distance(const double *x, const double *y, int64_t n) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        sum += (x[j] - y[j]) * (x[j] - y[j]);
    return sum;
}

/* Whether fewer than `neighbours` samples are nearer to i than j is. */
static bool is_neighbour(const double *X, int64_t B, int64_t n, int64_t i, int64_t j, int64_t neighbours) {
    int64_t nearer = 0;
    for (int64_t l = 0; l < B; l++)
        nearer += l != i && distance(X + i * n, X + l * n, n) < distance(X + i * n, X + j * n, n);
    return j != i && nearer < neighbours;
}

double ref_neighbour_loss(const double *X, int64_t B, int64_t n, const double *E, const double *b, int64_t m,
                          int64_t neighbours, double gamma, double T) {
    double *H = calloc((size_t)(B * m), sizeof *H), loss = 0;
    if (!H)
        abort();
    for (int64_t i = 0; i < B; i++)
        for (int64_t j = 0; j < m; j++) {
            double score = b[j];
            for (int64_t l = 0; l < n; l++)
                score += X[i * n + l] * E[j * n + l];
            H[i * m + j] = tanh(score / T);
        }
    for (int64_t i = 0; i < B; i++) {
        double sum = 0, wanted = 0, count = 0;
        for (int64_t j = 0; j < B; j++) {
            double similarity = 0;
            for (int64_t l = 0; l < m; l++)
                similarity += gamma * H[i * m + l] * H[j * m + l];
            sum += j != i ? exp(similarity) : 0;
            if (is_neighbour(X, B, n, i, j, neighbours)) {
                wanted += similarity;
                count++;
            }
        }
        loss -= (wanted / count - log(sum)) / (double)B;
    }
    free(H);
    return loss;
}
