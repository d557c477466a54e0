#include "coding/coders/omp_ahead.h"

#include "base/memory.h"
#include "kernels/select.h"

#include <string.h>

/* Sizes from which on it pays, as measured, and atoms to list: FEW below MANY_m atoms. */
enum { LEAST_k = 32, LEAST_SIZE = 24000, MANY_m = 512, FEW = DL_LISTED / 2, MANY = 3 * DL_LISTED / 4 };

bool dl_omp_ahead_pays(int64_t m, int64_t k) {
    return dl_kernels_now()->pursue_ahead && k >= LEAST_k && k * m >= LEAST_SIZE;
}

/* Where atoms resemble each other, few steps hold. Below LEAST_STEPS in a pass, one at a time is faster, and
 * probably for the next samples too. */
enum { LEAST_STEPS = 5, REST = 63 };

bool dl_omp_ahead_rests(dl_omp_ahead_space *space) {
    space->rest -= space->rest > 0;
    return space->rest > 0;
}

static int64_t padded(int64_t count) {
    return (count + 15) / 16 * 16;
}

dltf_status dl_omp_ahead_alloc(dl_omp_ahead_space *space, int64_t m, int64_t k) {
    dltf_status status = DLTF_OK;
    int64_t width = padded(m);
    space->room = padded(k + DL_AHEAD);
    space->list.size = m < MANY_m ? FEW : DL_LISTED;
    space->wanted = m < MANY_m ? FEW : MANY;
    DL_TRY_NEW(space->D, space->room * width);
    DL_TRY_NEW(space->L, k * space->room);
    DL_TRY_NEW(space->list.columns, space->room * space->list.size);
    DL_TRY_NEW(space->alpha, width);
    DL_TRY_NEW(space->after, width);
    DL_TRY_NEW(space->place, width);
    DL_TRY_NEW(space->keys, m);
done:
    return status; /* the owner frees what is there */
}

void dl_omp_ahead_free(dl_omp_ahead_space *space) {
    dl_free(space->D);
    dl_free(space->L);
    dl_free(space->list.columns);
    dl_free(space->alpha);
    dl_free(space->after);
    dl_free(space->place);
    dl_free(space->keys);
}

/* Before the first step: no atom is listed. */
static void clear_list(dl_omp_ahead_space *a, int64_t m) {
    for (int64_t j = 0; j < m; j++)
        a->place[j] = -1;
    a->list.there = 0;
}

/* Lists the atoms with the largest scores. Those listed before keep their places and columns; so do others as
 * long as their places are not needed, for they may be among the largest again. Which ones stay is hard to
 * predict, hence few branches. */
static void update_list(dl_omp_ahead_space *a, const dl_pursuit *steps) {
    int32_t atom[DL_LISTED], entrant[DL_LISTED + 1];
    float alpha[DL_LISTED];
    dl_listed *list = &a->list;
    int64_t found = dl_select(steps->alpha, steps->m, a->wanted, false, a->keys, atom, alpha), entrants = 0;
    uint64_t best = 0, all = ~0ULL >> (64 - list->size);
    for (int64_t e = 0; e < found; e++) {
        int32_t place = a->place[atom[e]];
        best |= (uint64_t)(place >= 0) << (place & 63);
        entrant[entrants] = atom[e];
        entrants += place < 0;
    }
    for (int64_t e = 0; e < entrants; e++) {
        uint64_t empty = all & ~list->there;
        int32_t place = __builtin_ctzll(empty ? empty : all & ~best);
        if (!empty)
            a->place[list->atom[place]] = -1;
        best |= 1ULL << place;
        list->there |= 1ULL << place;
        list->atom[place] = entrant[e];
        a->place[entrant[e]] = place;
        dl_kernels_now()->pursued_column(steps, entrant[e], list->columns + place, list->size);
    }
    for (int64_t i = 0; i < list->size; i++)
        list->alpha[i] = list->there >> i & 1 ? steps->alpha[list->atom[i]] : 0;
}

/* The chosen atoms leave the list. */
static void leave_list(dl_omp_ahead_space *a, const int32_t *atom, int64_t count) {
    for (int64_t r = 0; r < count; r++) {
        int32_t *place = &a->place[atom[r]];
        if (*place >= 0) /* otherwise rounding made the atom be chosen twice */
            a->list.there &= ~(1ULL << *place);
        *place = -1;
    }
}

/* Steps among the atoms of the list; returns how many. Sets `ended` if no step follows these. The last of k
 * steps needs no row, so it may follow DL_AHEAD others. */
static int64_t look_ahead(const dl_omp *omp, dl_omp_progress p, dl_omp_space *s, dl_pursuit *steps,
                          bool *ended) {
    const dl_kernels *kernels = dl_kernels_now();
    dl_omp_ahead_space *a = &s->ahead;
    dl_listed *list = &a->list;
    enum { LINE = 16 }; /* floats of a line of the cache */
    int64_t m = omp->W->m, first = steps->count, made = 0;
    bool last = false;
    *ended = false;
    steps->rows = 0;
    for (; !last && first + made < omp->k; made++) {
        last = first + made + 1 == omp->k;
        if (made == DL_AHEAD && !last)
            break;
        int64_t i = kernels->largest_listed(list), count = first + made;
        int64_t j = list->atom[i];
        const float *g = omp->G + j * m;
        float *l = a->L + count * a->room;
        double norm, c;
        for (int64_t e = 0; e < m && !last; e += LINE)
            __builtin_prefetch(g + e);
        if (made > 0)
            steps->bound[made - 1] = fabsf(list->alpha[i]);
        for (int64_t t = 0; t < count; t++)
            l[t] = list->columns[t * list->size + i];
        *ended = !dl_omp_step(&p, list->alpha[i], g[j], l, count, &norm, &c);
        if (*ended)
            break;
        s->norm[count] = norm;
        s->c[count] = c;
        s->support[count] = (int32_t)j;
        if (last)
            continue;
        steps->g[made] = g;
        steps->l[made] = l;
        steps->scale[made] = (float)(1 / norm);
        steps->c[made] = (float)c;
        steps->bound[made] = INFINITY;
        steps->rows++;
        kernels->pursue_listed(g, count, l, steps->scale[made], steps->c[made], list);
    }
    for (int64_t r = steps->rows; r < DL_AHEAD; r++) { /* without effect */
        steps->g[r] = steps->g[0];
        steps->l[r] = steps->l[0];
        steps->scale[r] = steps->c[r] = 0;
        steps->bound[r] = INFINITY;
    }
    return made;
}

int64_t dl_omp_ahead(const dl_omp *omp, const float *alpha, dl_omp_progress p, dl_omp_space *s) {
    const dl_kernels *kernels = dl_kernels_now();
    dl_omp_ahead_space *a = &s->ahead;
    int64_t m = omp->W->m;
    dl_pursuit steps = {
        .m = m, .room = a->room, .D = a->D, .alpha = a->alpha, .after = a->after, .place = a->place};
    bool ended = false;
    int64_t passes = 0;
    memcpy(a->alpha, alpha, (size_t)m * sizeof *alpha);
    clear_list(a, m);
    while (!ended && steps.count < omp->k) {
        update_list(a, &steps);
        int64_t made = look_ahead(omp, p, s, &steps, &ended);
        if (made == 0)
            break;
        passes++;
        int64_t hold = kernels->pursue_ahead(&steps);
        ended = ended && hold >= made; /* the check after the last step shows whether it is really the last */
        if (hold + 1 < made) {
            made = hold + 1;
            kernels->pursued_scores(&steps, made);
        }
        for (int64_t r = 0; r < made; r++)
            p.energy -= s->c[steps.count + r] * s->c[steps.count + r];
        leave_list(a, s->support + steps.count, made);
        steps.count += made;
        float *after = steps.after;
        steps.after = steps.alpha;
        steps.alpha = after;
    }
    if (steps.count < LEAST_STEPS * passes)
        a->rest = REST;
    return steps.count;
}
