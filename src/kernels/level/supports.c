/* Least squares on the supports of several samples, one sample in each lane. The build allows fused
 * multiply-adds here, so the last bits depend on the level, as those of scores do. */
#include "kernels/supports.h"
#include "kernels/level/lanes.h"

/* The samples in the lanes. Entries past the end of a support have the atom -1 and become zero. */
typedef struct group {
    int64_t k, lanes; /* lanes in use */
    ivec *atom;
    vec *b, *z;
    equations system;
} group;

static group new_group(int64_t k, float *work) {
    vec *at = (vec *)work;
    group g = {.k = k, .atom = (ivec *)at, .b = at + k, .z = at + 2 * k};
    g.system = (equations){.inverse = at + 3 * k, .factor = at + 4 * k, .stride = k};
    g.system.A = g.system.factor + k * k;
    return g;
}

static void load_supports(group *g, const int32_t *count, const int32_t *index, const float *b) {
    memset(g->atom, -1, (size_t)g->k * sizeof *g->atom);
    memset(g->b, 0, (size_t)g->k * sizeof *g->b);
    for (int64_t l = 0; l < g->lanes; l++)
        for (int64_t i = 0; i < count[l]; i++) {
            ((word *)g->atom)[i * DL_LANES + l] = index[l * g->k + i];
            ((float *)g->b)[i * DL_LANES + l] = b[l * g->k + i];
        }
}

/* A_ij = G at the atoms of entries i and j. */
static void fill(const group *g, const float *G, int64_t m) {
    for (int64_t i = 1; i < g->k; i++) {
        ivec none = g->atom[i] >> 31, row = (g->atom[i] & ~none) * (int32_t)m;
        for (int64_t j = 0; j < i; j++) /* entry j is there if entry i is */
            g->system.A[pair(i, j)] = (vec)((ivec)gather(G, row + (g->atom[j] & ~none)) & ~none);
    }
}

static void store_values(const group *g, const int32_t *count, float *z, float *pivot) {
    vec smallest = (vec){0} + 1;
    for (int64_t i = 0; i < g->k; i++) {
        vec d = 1 / g->system.inverse[i];
        smallest = (vec)choose(d < smallest, (ivec)d, (ivec)smallest);
    }
    memcpy(pivot, &smallest, (size_t)g->lanes * sizeof *pivot);
    for (int64_t l = 0; l < g->lanes; l++)
        for (int64_t i = 0; i < count[l]; i++)
            z[l * g->k + i] = ((const float *)g->z)[i * DL_LANES + l];
}

void DL_LEVELLED(dl_solve_supports)(const float *G, int64_t m, int64_t k, int64_t rows, const int32_t *count,
                                    const int32_t *index, const float *b, float *work, float *z,
                                    float *pivot) {
    group g = new_group(k, work);
    for (int64_t i = 0; i < rows; i += DL_LANES) {
        g.lanes = rows - i < DL_LANES ? rows - i : DL_LANES;
        load_supports(&g, count + i, index + i * k, b + i * k);
        fill(&g, G, m);
        factor(g.system, 0, k, 0);
        substitute(g.system, g.b, k, g.z);
        store_values(&g, count + i, z + i * k, pivot + i);
    }
}
