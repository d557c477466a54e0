/* How far a dictionary is from orthonormal: coherence, Babel function, frame potential. In the paper's
 * theorems these numbers bound k. */
#include "theory/babel.h"

#include "base/memory.h"
#include "data/matrix.h"
#include "kernels/gram.h"

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

/* mu = max_{i != j} |<w_i, w_j>| over the normalised rows; 0 for a single atom. O(m^2 n), O(m n) memory. */
dltf_status dltf_coherence(dltf_matrix dictionary, double *coherence) {
    frame f;
    dltf_status status = frame_make(dictionary, &f);
    if (status != DLTF_OK)
        return status;
    double largest = 0;
    for (int64_t i = 0; i < f.m; i++) {
        int64_t count = cosines(&f, i, false);
        for (int64_t j = 0; j < count; j++)
            largest = fmax(largest, f.row[j]);
    }
    *coherence = largest;
    frame_free(&f);
    return DLTF_OK;
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

/* ||W^T W||_F^2 = sum_{i,j} <w_i, w_j>^2 >= m^2/n, with equality for tight frames (Benedetto & Fickus). O(m^2
 * n). */
dltf_status dltf_frame_potential(dltf_matrix dictionary, double *potential) {
    frame f;
    dltf_status status = frame_make(dictionary, &f);
    if (status != DLTF_OK)
        return status;
    double sum = 0;
    for (int64_t i = 0; i < f.m; i++) {
        int64_t count = cosines(&f, i, false);
        for (int64_t j = 0; j < count; j++)
            sum += f.row[j] * f.row[j];
    }
    *potential = (double)f.m + 2 * sum;
    frame_free(&f);
    return DLTF_OK;
}
