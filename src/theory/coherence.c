/* How far a dictionary is from orthonormal: coherence, Babel function, frame potential. In the paper's
 * theorems these numbers bound k. */
#include "dltf/measure.h"
#include "theory/babel.h"

#include "base/memory.h"
#include "data/matrix.h"
#include "kernels/gram.h"
#include "kernels/packed.h"
#include "linalg/blas.h"

#include <math.h>
#include <stdlib.h>

/* Unit-norm atoms and one row of their Gram matrix, which is never stored as a whole. */
typedef struct frame {
    int64_t m, n;
    double *atoms, *row;
} frame;

static void frame_free(frame *f) {
    dl_free(f->atoms);
    dl_free(f->row);
}

static dltf_status frame_make(dltf_matrix dictionary, frame *f) {
    *f = (frame){dictionary.rows, dictionary.cols, NULL, NULL};
    dltf_status status = dl_matrix_unit_rows(dictionary, DLTF_SUBJECT_DICTIONARY, &f->atoms);
    if (status != DLTF_OK)
        return status;
    f->row = DL_NEW(double, f->m);
    if (!f->row) {
        frame_free(f);
        return DLTF_MEMORY;
    }
    return DLTF_OK;
}

/* Writes |<w_i, w_j>| for j > i, or for all j != i, to f->row and returns their number. Cosines are clipped
 * to 1, which rounding may exceed. */
static int64_t cosines(frame *f, int64_t i, bool all) {
    const double *w = f->atoms + i * f->n;
    int64_t after = f->m - i - 1, before = all ? i : 0;
    dl_gram_row(w, w + f->n, after, f->n, f->row);
    dl_gram_row(w, f->atoms, before, f->n, f->row + after);
    for (int64_t j = 0; j < before + after; j++)
        f->row[j] = fmin(fabs(f->row[j]), 1);
    return before + after;
}

/* The search for the largest cosine: single-precision products select candidates, which double precision
 * verifies. */
typedef struct search {
    const frame *f;
    float *narrow;    /* m x n: the atoms in f32 */
    dl_packed packed; /* the same, for products */
    float *scores;    /* TILE x BLOCK */
    double margin;    /* bound on the rounding error of a product */
    double largest;   /* so far, in double */
} search;

enum { TILE = 48, BLOCK = 1024 };

static void search_free(search *s) {
    dl_free(s->narrow);
    dl_free(s->scores);
    dl_packed_free(&s->packed);
}

static dltf_status search_make(const frame *f, search *s) {
    dltf_status status = DLTF_OK;
    /* Rounding of the atoms, and of sums of n products whose magnitudes add up to at most 1. */
    *s = (search){.f = f, .margin = ((double)f->n + 4) * 0x1p-24};
    DL_TRY_NEW(s->narrow, f->m * f->n);
    DL_TRY_NEW(s->scores, TILE * BLOCK);
    DL_TRY(dl_packed_alloc(&s->packed, f->m, f->n));
    for (int64_t i = 0; i < f->m * f->n; i++)
        s->narrow[i] = (float)f->atoms[i];
    dl_packed_fill(&s->packed, s->narrow, NULL);
done:
    if (status != DLTF_OK)
        search_free(s);
    return status;
}

/* Updates the largest cosine from the products of atom i with `count` atoms from `first` on, counting those
 * after i only. */
static void search_row(search *s, int64_t i, int64_t first, int64_t count, const float *scores) {
    const frame *f = s->f;
    for (int64_t j = i >= first ? i + 1 : first; j < first + count; j++)
        if (fabs((double)scores[j - first]) > s->largest - s->margin)
            s->largest =
                fmax(s->largest, fmin(fabs(dl_dot(f->atoms + i * f->n, f->atoms + j * f->n, f->n)), 1));
}

/* mu = max_{i != j} |<w_i, w_j>| over the normalised rows; 0 for a single atom. O(m^2 n), O(m n) memory. */
dltf_status dltf_coherence(dltf_matrix dictionary, double *coherence) {
    DL_REQUIRE(coherence);
    frame f;
    search s;
    dltf_status status = frame_make(dictionary, &f);
    if (status != DLTF_OK)
        return status;
    DL_TRY(search_make(&f, &s));
    for (int64_t i = 0; i < f.m; i += TILE)
        for (int64_t first = i / BLOCK * BLOCK; first < f.m; first += BLOCK) {
            int64_t rows = f.m - i < TILE ? f.m - i : TILE, count = f.m - first < BLOCK ? f.m - first : BLOCK;
            dl_kernels_now()->scores(&s.packed, first / DL_PANEL, (first + count + DL_PANEL - 1) / DL_PANEL,
                                     s.narrow + i * f.n, f.n, rows, s.scores, count);
            for (int64_t r = 0; r < rows; r++)
                search_row(&s, i + r, first, count, s.scores + r * count);
        }
    *coherence = s.largest;
    search_free(&s);
done:
    frame_free(&f);
    return status;
}

static int descending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a < b) - (a > b);
}

void dl_babel_add(double *row, int64_t count, int64_t order, double *babel) {
    double sum = 0;
    qsort(row, (size_t)count, sizeof *row, descending);
    for (int64_t s = 0; s < order; s++) {
        sum += row[s];
        babel[s] = fmax(babel[s], sum);
    }
}

static dltf_status check_order(dltf_matrix dictionary, int64_t order) {
    dltf_status status = dl_matrix_check(dictionary, DLTF_SUBJECT_DICTIONARY);
    if (status != DLTF_OK)
        return status;
    if (order < 1 || order >= dictionary.rows)
        return dl_fail(DLTF_ARGUMENT,
                       "babel: order %lld is out of range: a dictionary of %lld atoms has orders 1 to %lld",
                       (long long)order, (long long)dictionary.rows, (long long)dictionary.rows - 1);
    return DLTF_OK;
}

/* mu_1(s) = max_i max_{|S| = s, i not in S} sum_{j in S} |<w_i, w_j>| for s = 1 .. order, into babel[s-1].
 * O(m^2 (n + log m)), O(m n) memory. */
dltf_status dltf_babel(dltf_matrix dictionary, int64_t order, double *babel) {
    DL_REQUIRE(babel);
    frame f;
    dltf_status status = check_order(dictionary, order);
    if (status == DLTF_OK)
        status = frame_make(dictionary, &f);
    if (status != DLTF_OK)
        return status;
    for (int64_t s = 0; s < order; s++)
        babel[s] = 0;
    for (int64_t i = 0; i < f.m; i++)
        dl_babel_add(f.row, cosines(&f, i, true), order, babel);
    frame_free(&f);
    return DLTF_OK;
}

/* ||W^T W||_F^2 = ||W W^T||_F^2 >= m^2/n, with equality for tight frames (Benedetto & Fickus), from the
 * smaller of the two. O(m n min(m, n)). */
dltf_status dltf_frame_potential(dltf_matrix dictionary, double *potential) {
    DL_REQUIRE(potential);
    frame f;
    dltf_status status = frame_make(dictionary, &f);
    if (status != DLTF_OK)
        return status;
    int64_t size = f.m < f.n ? f.m : f.n;
    double *gram = NULL, sum = 0;
    DL_TRY(dl_blas_ready(1));
    DL_TRY_NEW(gram, size * size);
    if (f.m < f.n)
        dl_gemm(1, DL_PLAIN, DL_TRANSPOSED, size, size, f.n, 1, f.atoms, f.atoms, 0, gram);
    else
        dl_gemm(1, DL_TRANSPOSED, DL_PLAIN, size, size, f.m, 1, f.atoms, f.atoms, 0, gram);
    for (int64_t i = 0; i < size * size; i++)
        sum += gram[i] * gram[i];
    *potential = sum;
done:
    dl_free(gram);
    frame_free(&f);
    return status;
}
