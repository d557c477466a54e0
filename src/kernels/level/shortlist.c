/* The inner loops of the shortlist coder, as many samples at a time as a vector has lanes. The build allows
 * fused multiply-adds here, so the last bits depend on the level, as those of scores do. */
#include "kernels/shortlist.h"
#include "kernels/level/lanes.h"

#include <math.h>

/* Added to the diagonal while atoms are dropped: a few atoms that explain a sample together must not take
 * large values of both signs. */
static const float RIDGE = 0.03f;

typedef float loose_vec __attribute__((vector_size(4 * DL_LANES), aligned(4), __may_alias__));

/* The samples in the lanes, and the work space. Entries are in the order of the system; those past the end of
 * a sample's list have the atom -1. */
typedef struct group {
    const dl_shortlist *p;
    const float *X;
    int64_t x_stride, lanes; /* lanes in use */
    equations system;
    ivec *atom;
    vec *b, *z; /* <w_j, x> and coefficients */
    ivec *key, *order;
    vec *spare;
    bool missing;    /* some list is shorter than others */
    vec finite;      /* 0; NaN if a score is not finite */
    float *residual; /* n */
} group;

static group new_group(const dl_shortlist *p, float *work) {
    int64_t C = p->listed, most = dl_shortlist_joined(p);
    vec *at = (vec *)work;
    group g = {.p = p, .atom = (ivec *)at, .b = at + C, .z = at + 2 * C, .spare = at + 3 * C};
    g.key = (ivec *)(at + 4 * C);
    g.order = (ivec *)(at + 5 * C);
    g.system = (equations){.inverse = at + 6 * C, .stride = most};
    g.system.factor = g.system.inverse + most;
    g.system.A = g.system.factor + most * most;
    g.residual = (float *)(g.system.A + pair(most, 0));
    return g;
}

/* ---- Products of a few atoms ---- */

DL_INLINE float total(vec v) {
    typedef float four __attribute__((vector_size(16)));
    four part[DL_LANES / 4], sum = {0};
    memcpy(part, &v, sizeof part);
    DL_UNROLL for (int i = 0; i < DL_LANES / 4; i++) sum += part[i];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/* out[r][c] = <a_r, b_c> */
DL_INLINE void products(const float *const *a, int rows, const float *const *b, int64_t n,
                        float out[BLOCK_ROWS][BLOCK_COLS]) {
    vec sum[BLOCK_ROWS][BLOCK_COLS] = {{{0}}};
    int64_t d = 0;
    for (; d + DL_LANES <= n; d += DL_LANES) {
        vec right[BLOCK_COLS];
        DL_UNROLL for (int c = 0; c < BLOCK_COLS; c++) right[c] = *(const loose_vec *)(b[c] + d);
        DL_UNROLL for (int r = 0; r < rows; r++) {
            vec left = *(const loose_vec *)(a[r] + d);
            DL_UNROLL for (int c = 0; c < BLOCK_COLS; c++) sum[r][c] += left * right[c];
        }
    }
    DL_UNROLL for (int r = 0; r < rows; r++) DL_UNROLL for (int c = 0; c < BLOCK_COLS; c++) {
        out[r][c] = total(sum[r][c]);
        for (int64_t rest = d; rest < n; rest++)
            out[r][c] += a[r][rest] * b[c][rest];
    }
}

/* The atom of an entry of one lane, any one if it is missing. */
DL_INLINE const float *atom_of(const group *g, int64_t lane, int64_t entry) {
    int32_t atom = ((const word *)&g->atom[entry])[lane];
    return g->p->W + (atom < 0 ? 0 : atom) * g->p->n;
}

/* The atoms at `many` entries from `first` on of one lane; the last entry again where there are fewer. */
DL_INLINE void atoms_at(const group *g, int lane, int64_t first, int64_t last, int many,
                        const float **atoms) {
    for (int r = 0; r < many; r++) {
        int64_t entry = first + r < last ? first + r : last - 1;
        atoms[r] = atom_of(g, lane, entry);
    }
}

/* out_i = <w_i, x> for the entries first .. last-1 of one lane. */
static void scores_few(const group *g, int lane, const float *x, int64_t first, int64_t last, vec *out) {
    float block[BLOCK_ROWS][BLOCK_COLS];
    const float *atoms[BLOCK_COLS];
    for (int64_t i = first; i < last; i += BLOCK_COLS) {
        atoms_at(g, lane, i, last, BLOCK_COLS, atoms);
        products(&x, 1, atoms, g->p->n, block);
        for (int64_t c = i; c < i + BLOCK_COLS && c < last; c++)
            ((float *)out)[c * DL_LANES + lane] = block[0][c - i];
    }
}

/* Entries of A in the rows first .. last-1 of one lane. */
static void gram_few(const group *g, int lane, int64_t first, int64_t last) {
    float block[BLOCK_ROWS][BLOCK_COLS], *A = (float *)g->system.A;
    const float *left[BLOCK_ROWS], *right[BLOCK_COLS];
    for (int64_t i = first; i < last; i += BLOCK_ROWS) {
        atoms_at(g, lane, i, last, BLOCK_ROWS, left);
        for (int64_t j = 0; j < i + BLOCK_ROWS && j < last; j += BLOCK_COLS) {
            atoms_at(g, lane, j, last, BLOCK_COLS, right);
            products(left, BLOCK_ROWS, right, g->p->n, block);
            for (int64_t r = i; r < i + BLOCK_ROWS && r < last; r++)
                for (int64_t c = j; c < j + BLOCK_COLS && c < r; c++)
                    A[pair(r, c) * DL_LANES + lane] = block[r - i][c - j];
        }
    }
}

/* ---- The lists ---- */

/* Keys by score, and b: the scores themselves or, where they are something else, products. */
static void load_lists(group *g, const int32_t *count, const int32_t *index, const float *score) {
    int64_t C = g->p->listed;
    int32_t bits = position_bits(C);
    memset(g->atom, -1, (size_t)C * sizeof *g->atom);
    memset(g->b, 0, (size_t)C * sizeof *g->b);
    g->missing = g->lanes < DL_LANES;
    for (int64_t l = 0; l < g->lanes; l++) {
        g->missing = g->missing || count[l] < C;
        for (int64_t i = 0; i < count[l]; i++) {
            ((word *)g->atom)[i * DL_LANES + l] = index[l * C + i];
            ((float *)g->b)[i * DL_LANES + l] = score ? score[l * C + i] : 0;
        }
    }
    for (int64_t i = 0; i < C; i++)
        g->key[i] = key_of(g->b[i], g->p->positive, i, bits);
    for (int64_t l = 0; l < g->lanes && !(score && g->p->tied); l++)
        scores_few(g, (int)l, g->X + l * g->x_stride, 0, count[l], g->b);
    g->finite = (vec){0};
    for (int64_t i = 0; i < C; i++)
        g->finite += 0 * g->b[i];
}

/* Entry first + order[i] becomes entry first + i. */
static void reorder(group *g, int64_t first, int64_t count) {
    vec *atom = (vec *)g->atom + first, *b = g->b + first;
    pick(atom, g->order, count, g->spare);
    memcpy(atom, g->spare, (size_t)count * sizeof *atom);
    pick(b, g->order, count, g->spare);
    memcpy(b, g->spare, (size_t)count * sizeof *b);
}

/* Leaves the `kept` of `count` entries from `first` on with the largest z; missing ones go first. */
static void keep_largest(group *g, int64_t first, int64_t count, int64_t kept) {
    int32_t bits = position_bits(count);
    for (int64_t i = 0; i < count; i++) {
        ivec key = key_of(g->z[first + i], g->p->positive, i, bits),
             last = (INT32_MIN | bits) - (int32_t)i + (ivec){0};
        g->key[i] = choose(g->atom[first + i] >> 31, last, key);
    }
    partition(g->key, count, kept, g->order);
    reorder(g, first, kept);
}

/* v, or 0 in lanes where there is no entry i. */
DL_INLINE vec existing(const group *g, int64_t i, vec v) {
    return (vec)((ivec)v & ~(g->atom[i] >> 31));
}

/* ---- Gram matrix and residual ---- */

/* G_ij of the atoms of entries i and j; anything where one is missing. */
DL_INLINE vec look_up(const group *g, int64_t i, int64_t j) {
    ivec row = g->atom[i] & ~(g->atom[i] >> 31), column = g->atom[j] & ~(g->atom[j] >> 31);
    return gather(g->p->G, row * (int32_t)g->p->m + column);
}

/* Rows first .. last-1 of A. */
static void fill(const group *g, int64_t first, int64_t last) {
    vec *A = g->system.A;
    for (int64_t i = first; i < last && g->p->G; i++)
        for (int64_t j = 0; j < i; j++)
            A[pair(i, j)] = look_up(g, i, j);
    for (int64_t l = 0; l < g->lanes && !g->p->G; l++)
        gram_few(g, (int)l, first, last);
    for (int64_t i = first; i < last && g->missing; i++)
        for (int64_t j = 0; j < i; j++)
            A[pair(i, j)] = existing(g, i, A[pair(i, j)]);
}

/* x - sum_i z_i w_i over the first k entries of one lane. */
static const float *residual_of(const group *g, int64_t lane) {
    int64_t n = g->p->n;
    memcpy(g->residual, g->X + lane * g->x_stride, (size_t)n * sizeof *g->residual);
    for (int64_t i = 0; i < g->p->k; i++) {
        const float *w = atom_of(g, lane, i);
        float z = ((const float *)g->z)[i * DL_LANES + lane];
        for (int64_t d = 0; d < n; d++)
            g->residual[d] -= z * w[d];
    }
    return g->residual;
}

/* z of the entries from k on: correlations of their atoms with the residual of the first k. */
static void correlate(const group *g) {
    int64_t k = g->p->k, C = g->p->listed;
    for (int64_t i = k; i < C && g->p->G; i++) {
        vec sum = g->b[i];
        for (int64_t j = 0; j < k; j++)
            sum -= look_up(g, i, j) * g->z[j];
        g->z[i] = sum;
    }
    for (int64_t l = 0; l < g->lanes && !g->p->G; l++)
        scores_few(g, (int)l, residual_of(g, l), k, C, g->z);
    for (int64_t i = k; i < C && g->missing; i++)
        g->z[i] = existing(g, i, g->z[i]);
}

/* ---- The decision ---- */

/* Brings the entries that least squares decide about to the front: the k best scores, and of the others those
 * that correlate most with the residual. */
static void join(group *g, int64_t joined) {
    int64_t k = g->p->k, C = g->p->listed;
    partition(g->key, C, k, g->order);
    reorder(g, 0, C);
    fill(g, 0, k);
    factor(g->system, 0, k, RIDGE);
    substitute(g->system, g->b, k, g->z);
    correlate(g);
    keep_largest(g, k, C - k, joined - k);
    fill(g, k, joined);
    factor(g->system, k, joined, RIDGE);
}

/* Drops all but `kept` of `left` entries; the system is factored. */
static void drop(group *g, int64_t left, int64_t kept) {
    substitute(g->system, g->b, left, g->z);
    keep_largest(g, 0, left, kept);
    restrict_to(g->system, g->order, kept);
}

/* Returns how many entries are left; their least-squares values are in z. */
static int64_t decide(group *g) {
    int64_t k = g->p->k, left = dl_shortlist_joined(g->p), middle = k + (k + 3) / 4;
    if (left < g->p->listed) {
        join(g, left);
    } else {
        fill(g, 0, left);
        factor(g->system, 0, left, RIDGE);
    }
    if (left > middle) {
        drop(g, left, middle);
        left = middle;
        factor(g->system, 0, left, RIDGE);
    }
    if (left > k) {
        drop(g, left, k);
        left = k;
    }
    factor(g->system, 0, left, 0);
    substitute(g->system, g->b, left, g->z);
    return left;
}

/* The codes, sorted by atom; -1 counts as the last atom. */
static void write_codes(const group *g, int64_t left, int32_t *kept, int32_t *index, float *value) {
    int64_t k = g->p->k;
    memset(kept, 0, (size_t)g->lanes * sizeof *kept);
    for (int64_t i = 0; i < left; i++) {
        ivec rank = {0};
        for (int64_t j = 0; j < left; j++)
            rank -= (uvec)g->atom[j] < (uvec)g->atom[i];
        for (int64_t l = 0; l < g->lanes; l++) {
            int32_t atom = ((word *)&g->atom[i])[l], place = ((word *)&rank)[l];
            if (atom < 0)
                continue;
            index[l * k + place] = atom;
            value[l * k + place] = ((float *)&g->z[i])[l];
            kept[l]++;
        }
    }
}

/* The smallest pivots of the last factorisation, NaN where a score was not finite. */
static void write_pivots(const group *g, int64_t left, float *pivot) {
    vec smallest = (vec){0} + 1;
    for (int64_t i = 0; i < left; i++) {
        vec d = 1 / g->system.inverse[i];
        smallest = (vec)choose(d < smallest, (ivec)d, (ivec)smallest);
    }
    smallest += g->finite;
    memcpy(pivot, &smallest, (size_t)g->lanes * sizeof *pivot);
}

void DL_LEVELLED(dl_shortlist)(const dl_shortlist *p, const float *X, int64_t x_stride, int64_t rows,
                               const int32_t *count, const int32_t *index, const float *score, float *work,
                               int32_t *kept, int32_t *out_index, float *out_value, float *pivot) {
    group g = new_group(p, work);
    for (int64_t i = 0; i < rows; i += DL_LANES) {
        g.X = X + i * x_stride;
        g.x_stride = x_stride;
        g.lanes = rows - i < DL_LANES ? rows - i : DL_LANES;
        load_lists(&g, count + i, index + i * p->listed, score ? score + i * p->listed : NULL);
        int64_t left = decide(&g);
        write_codes(&g, left, kept + i, out_index + i * p->k, out_value + i * p->k);
        write_pivots(&g, left, pivot + i);
    }
}
