/* Oracle of the proximal mapping: Algorithm 1 of the paper with its arrays u and t, and the objective. */
#include "reference/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* order[0 .. m-1]: indices of c by ascending magnitude, by insertion sort. */
static void sort_places(const double *c, int64_t m, int64_t *order) {
    for (int64_t i = 0; i < m; i++) {
        int64_t j = i;
        for (; j > 0 && fabs(c[order[j - 1]]) > fabs(c[i]); j--)
            order[j] = order[j - 1];
        order[j] = i;
    }
}

/* "Reduce" with the recursion unrolled: u_j stands for size[j] equal entries. Returns J. */
static int64_t reduce(double *u, double *t, int64_t *size, int64_t J) {
    int64_t j = 0;
    while (j < J - 1) { /* the paper prints j <= J */
        if (u[j] > u[j + 1]) {
            u[j] = (t[j] * u[j] + t[j + 1] * u[j + 1]) / (t[j] + t[j + 1]);
            t[j] += t[j + 1];
            size[j] += size[j + 1];
            for (int64_t l = j + 1; l < J - 1; l++) {
                u[l] = u[l + 1];
                t[l] = t[l + 1];
                size[l] = size[l + 1];
            }
            J--;
            j = j > 0 ? j - 1 : 0;
        } else {
            j++;
        }
    }
    return J;
}

void ref_prox(const double *c, int64_t m, int64_t k, double gamma, double *q) {
    double *u = calloc((size_t)m, sizeof *u), *t = calloc((size_t)m, sizeof *t);
    int64_t *order = calloc((size_t)m, sizeof *order), *size = calloc((size_t)m, sizeof *size);
    if (!u || !t || !order || !size)
        abort();
    sort_places(c, m, order);
    for (int64_t j = 0; j < m; j++) {
        t[j] = j < m - k ? 1 : 1 + gamma;
        u[j] = fabs(c[order[j]]) / t[j];
        size[j] = 1;
    }
    int64_t J = reduce(u, t, size, m), place = 0;
    for (int64_t j = 0; j < J; j++)
        for (int64_t copy = 0; copy < size[j]; copy++, place++)
            q[order[place]] = copysign(u[j], c[order[place]]);
    free(u);
    free(t);
    free(order);
    free(size);
}

double ref_prox_objective(const double *q, const double *c, int64_t m, int64_t k, double gamma) {
    int64_t *order = calloc((size_t)m, sizeof *order);
    if (!order)
        abort();
    sort_places(q, m, order);
    double largest = 0, distance = 0;
    for (int64_t j = m - k; j < m; j++)
        largest += q[order[j]] * q[order[j]];
    for (int64_t i = 0; i < m; i++)
        distance += (q[i] - c[i]) * (q[i] - c[i]);
    free(order);
    return gamma * largest + distance;
}
