#include "coding/omp_ahead.h"

#include "base/memory.h"
#include "kernels/select.h"

#include <string.h>

enum { LEAST_k = 80, LEAST_m = 4 * DL_LISTED };

bool dl_omp_ahead_pays(int64_t m, int64_t k) {
    return dl_kernels_now()->pursue_ahead && k >= LEAST_k && m >= LEAST_m;
}

static int64_t padded(int64_t count) {
    return (count + 15) / 16 * 16;
}

dltf_status dl_omp_ahead_alloc(dl_omp_ahead_space *space, int64_t m, int64_t k) {
    dltf_status status = DLTF_OK;
    space->width = padded(m);
    space->room = padded(k + DL_AHEAD);
    DL_TRY_NEW(space->D, space->room * space->width);
    DL_TRY_NEW(space->T, (space->width + 1) * space->room);
    DL_TRY_NEW(space->columns, space->room * DL_LISTED);
    DL_TRY_NEW(space->alpha, space->width);
    DL_TRY_NEW(space->after, DL_AHEAD * space->width);
    DL_TRY_NEW(space->outside, space->width);
    DL_TRY_NEW(space->keys, m);
    for (int64_t j = 0; j < m; j++)
        space->outside[j] = -1;
done:
    return status; /* the owner frees what is there */
}

void dl_omp_ahead_free(dl_omp_ahead_space *space) {
    dl_free(space->D);
    dl_free(space->T);
    dl_free(space->columns);
    dl_free(space->alpha);
    dl_free(space->after);
    dl_free(space->outside);
    dl_free(space->keys);
}

/* The atoms with the largest scores. Missing ones have the number `width`, for which T has a row of zeros. */
typedef struct listed {
    int32_t atom[DL_LISTED];
    float alpha[DL_LISTED];
} listed;

static void list_atoms(dl_omp_ahead_space *a, int64_t m, int64_t count, listed *list) {
    int64_t found = dl_select(a->alpha, m, DL_LISTED, false, a->keys, list->atom, list->alpha);
    for (; found < DL_LISTED; found++) {
        list->atom[found] = (int32_t)a->width;
        list->alpha[found] = 0;
    }
    dl_kernels_now()->pursuit_columns(a->T, a->room, list->atom, count, a->columns);
}

/* Atoms of the list are exempt from the check of the steps: the list has compared them. */
static void set_outside(dl_omp_ahead_space *a, const listed *list, int32_t value) {
    for (int i = 0; i < DL_LISTED; i++)
        if (list->atom[i] < a->width)
            a->outside[list->atom[i]] = value;
}

/* Steps among the atoms of the list; returns how many. Sets `ended` if no step follows these. */
static int64_t look_ahead(const dl_omp *omp, listed *list, dl_omp_progress p, dl_omp_space *s,
                          dl_pursuit *steps, bool *ended) {
    const dl_kernels *kernels = dl_kernels_now();
    dl_omp_ahead_space *a = &s->ahead;
    int64_t m = omp->W->m, first = steps->count, made = 0;
    *ended = false;
    for (; made < DL_AHEAD && first + made < omp->k; made++) {
        int64_t i = kernels->largest(list->alpha, DL_LISTED), count = first + made;
        int64_t j =
            list->atom[i] < a->width ? list->atom[i] : 0; /* the score of a missing atom is negligible */
        const float *g = omp->G + j * m;
        float *l = a->T + j * a->room, part[DL_LISTED];
        double norm, c;
        if (made > 0)
            steps->bound[made - 1] = fabsf(list->alpha[i]);
        for (int64_t t = first; t < count; t++)
            l[t] = a->columns[t * DL_LISTED + i];
        *ended = !dl_omp_step(&p, list->alpha[i], g[j], l, count, &norm, &c);
        if (*ended)
            break;
        for (int e = 0; e < DL_LISTED; e++)
            part[e] = list->atom[e] < a->width ? g[list->atom[e]] : 0;
        s->norm[count] = norm;
        s->c[count] = c;
        s->support[count] = (int32_t)j;
        steps->g[made] = g;
        steps->l[made] = l;
        steps->scale[made] = (float)(1 / norm);
        steps->c[made] = (float)c;
        steps->bound[made] = INFINITY;
        kernels->pursue(part, a->columns, count, DL_LISTED, l, steps->scale[made], steps->c[made],
                        list->alpha);
    }
    for (int64_t r = made; r < DL_AHEAD; r++) { /* without effect */
        steps->g[r] = steps->g[0];
        steps->l[r] = steps->l[0];
        steps->scale[r] = steps->c[r] = 0;
        steps->bound[r] = INFINITY;
    }
    return made;
}

int64_t dl_omp_ahead(const dl_omp *omp, const float *alpha, dl_omp_progress p, dl_omp_space *s) {
    dl_omp_ahead_space *a = &s->ahead;
    int64_t m = omp->W->m;
    dl_pursuit steps = {.m = m,
                        .room = a->room,
                        .D = a->D,
                        .T = a->T,
                        .alpha = a->alpha,
                        .outside = a->outside,
                        .after = a->after,
                        .stride = a->width};
    bool ended = false;
    memcpy(a->alpha, alpha, (size_t)m * sizeof *alpha);
    while (!ended && steps.count < omp->k) {
        listed list;
        list_atoms(a, m, steps.count, &list);
        int64_t made = look_ahead(omp, &list, p, s, &steps, &ended);
        if (made == 0)
            break;
        set_outside(a, &list, 0);
        int64_t hold = dl_kernels_now()->pursue_ahead(&steps);
        set_outside(a, &list, -1);
        ended = ended && hold >= made; /* the check after the last step shows whether it is really the last */
        if (hold + 1 < made)
            made = hold + 1;
        for (int64_t r = 0; r < made; r++)
            p.energy -= s->c[steps.count + r] * s->c[steps.count + r];
        steps.count += made;
        memcpy(a->alpha, a->after + (made - 1) * a->width, (size_t)m * sizeof *alpha);
    }
    return steps.count;
}
