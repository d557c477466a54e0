/* Accumulates the sufficient statistics. The entries of a block are grouped by atom, then each atom gathers
 * its own samples, which needs neither locks nor partial sums. */
#include "learning/paper/statistics.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "kernels/kernels.h"
#include "linalg/blas.h"

#include <string.h>

dltf_status dl_statistics_alloc(dl_statistics *s, int threads, int64_t m, int64_t n, int64_t rows, int64_t k,
                                bool admm) {
    dltf_status status = DLTF_OK;
    *s = (dl_statistics){.m = m, .n = n, .threads = threads};
    s->sum_count = (m * n + m * m) * (admm ? 2 : 1) + 2 * m + DL_STATISTICS_OTHERS;
    DL_TRY_NEW(s->sums, s->sum_count);
    s->C = s->sums;
    s->D = s->C + m * n;
    s->use = s->D + m * m;
    s->code_sum = s->use + m;
    DL_TRY(dl_by_atom_alloc(&s->by_atom, m, rows * k));
    if (admm) {
        s->F = s->code_sum + m;
        s->H = s->F + m * n;
        DL_TRY_NEW(s->panel, threads * DL_STATISTICS_PANEL * n);
    }
done:
    if (status != DLTF_OK)
        dl_statistics_free(s);
    return status;
}

void dl_statistics_free(dl_statistics *s) {
    dl_free(s->sums);
    dl_by_atom_free(&s->by_atom);
    dl_free(s->panel);
    *s = (dl_statistics){0};
}

void dl_statistics_clear(dl_statistics *s) {
    memset(s->sums, 0, (size_t)s->sum_count * sizeof *s->sums);
    s->M_square = 0;
}

enum { SOME = 128 }; /* samples of an atom that are added at once */

typedef struct block {
    dl_statistics *s;
    const float *X, *M;
    dl_slots Z;
} block;

/* Adds `count` of the samples of atom j. */
static void gather_some(const block *b, int64_t j, const int64_t *entry, int64_t count) {
    dl_statistics *s = b->s;
    const dl_slots *Z = &b->Z;
    const dl_kernels *kernels = dl_kernels_now();
    const float *x[SOME], *m_row[SOME];
    float z[SOME];
    for (int64_t e = 0; e < count; e++) {
        int64_t i = entry[e] / Z->k;
        z[e] = Z->value[entry[e]];
        x[e] = b->X + i * s->n;
        m_row[e] = b->M ? b->M + i * s->m : NULL;
        s->use[j] += 1;
        s->code_sum[j] += (double)z[e];
        for (int64_t l = i * Z->k; l < i * Z->k + Z->count[i]; l++)
            s->D[j * s->m + Z->index[l]] += (double)z[e] * (double)Z->value[l];
    }
    kernels->add_rows(s->C + j * s->n, s->n, x, z, count);
    if (b->M)
        kernels->add_rows(s->H + j * s->m, s->m, m_row, z, count);
}

static void gather_atom(const block *b, int64_t j) {
    dl_atom_entries entries = dl_by_atom_of(&b->s->by_atom, j);
    for (int64_t e = 0; e < entries.count; e += SOME)
        gather_some(b, j, entries.entry + e, dl_min(SOME, entries.count - e));
}

static void add_atoms(void *context, int64_t task, int worker) {
    const block *b = context;
    dl_statistics *s = b->s;
    int64_t first = task * DL_STATISTICS_PANEL,
            last = first + DL_STATISTICS_PANEL < s->m ? first + DL_STATISTICS_PANEL : s->m;
    for (int64_t j = first; j < last; j++)
        gather_atom(b, j);
    if (b->M)
        dl_accumulate_tn(b->M + first, s->m, b->X, b->Z.rows, last - first, s->n,
                         s->panel + worker * DL_STATISTICS_PANEL * s->n, s->F + first * s->n);
}

void dl_statistics_add(dl_statistics *s, const float *X, dl_slots Z, const float *M) {
    block b = {s, X, M, Z};
    dl_by_atom_sort(&s->by_atom, Z);
    dl_parallel(s->threads, dl_tiles(s->m, DL_STATISTICS_PANEL), add_atoms, &b);
    if (M)
        s->M_square += dl_kernels_now()->square(M, Z.rows * s->m);
}

typedef struct moment {
    const float *X;
    int64_t rows, n;
    float *panel;
    double *A;
} moment;

static void moment_panel(void *context, int64_t task, int worker) {
    const moment *b = context;
    int64_t n = b->n, first = task * DL_STATISTICS_PANEL, left = n - first;
    int64_t cols = left < DL_STATISTICS_PANEL ? left : DL_STATISTICS_PANEL;
    dl_accumulate_tn(b->X + first, n, b->X, b->rows, cols, n, b->panel + worker * DL_STATISTICS_PANEL * n,
                     b->A + first * n);
}

void dl_moment_add(int threads, const float *X, int64_t rows, int64_t n, float *panel, double *A) {
    moment b = {X, rows, n, panel, A};
    dl_parallel(threads, dl_tiles(n, DL_STATISTICS_PANEL), moment_panel, &b);
}
