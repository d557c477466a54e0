/* Compares a learned dictionary and its codes with the true ones. A dictionary is determined only up to the
 * order and signs of its atoms, so atoms must be matched before codes are compared. */
#include "base/memory.h"
#include "base/sized.h"
#include "data/matrix.h"
#include "dltf/measure.h"
#include "kernels/gram.h"
#include "match/hungarian.h"

#include <math.h>

static dltf_status check_dictionaries(dltf_matrix dictionary, dltf_matrix truth) {
    dltf_status status = dl_matrix_check(dictionary, DLTF_SUBJECT_DICTIONARY);
    if (status == DLTF_OK)
        status = dl_matrix_check(truth, DLTF_SUBJECT_TRUE_DICTIONARY);
    if (status == DLTF_OK && dictionary.cols != truth.cols)
        status = dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_TRUE_DICTIONARY,
                               "atoms of %lld entries, but those of the dictionary have %lld",
                               (long long)truth.cols, (long long)dictionary.cols);
    return status;
}

/* Maximises sum_i |<w_i, w0_match(i)>| over one-to-one assignments of the m rows of `dictionary` to the m0
 * rows of `truth`, both normalised first. O(m m0 n) for the cosines, then dl_assign; O(m m0) memory. */
dltf_status dltf_match(dltf_matrix dictionary, dltf_matrix truth, int32_t *match, float *cosine) {
    DL_REQUIRE(match);
    double *W = NULL, *W0 = NULL, *profit = NULL;
    int64_t n = dictionary.cols, m = dictionary.rows, m0 = truth.rows, entries = 0;
    dltf_status status = check_dictionaries(dictionary, truth);
    if (status != DLTF_OK)
        return status;
    if (!dl_multiply(m, m0, &entries))
        return dl_fail(DLTF_ARGUMENT, "match: %lld and %lld atoms are too many", (long long)m, (long long)m0);
    DL_TRY(dl_matrix_unit_rows(dictionary, DLTF_SUBJECT_DICTIONARY, &W));
    DL_TRY(dl_matrix_unit_rows(truth, DLTF_SUBJECT_TRUE_DICTIONARY, &W0));
    DL_TRY_NEW(profit, entries);
    for (int64_t i = 0; i < m; i++)
        dl_gram_row(W + i * n, W0, m0, n, profit + i * m0);
    for (int64_t e = 0; e < entries; e++)
        profit[e] = fmin(fabs(profit[e]), 1);
    DL_TRY(dl_assign(profit, m, m0, match));
    for (int64_t i = 0; cosine && i < m; i++)
        cosine[i] = match[i] < 0 ? 0 : (float)profit[i * m0 + match[i]];
done:
    dl_free(W);
    dl_free(W0);
    dl_free(profit);
    return status;
}

static dltf_status check_codes(dltf_csr Z, dltf_csr Z0, const int32_t *match) {
    if (Z.rows != Z0.rows)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_TRUE_CODES, "%lld rows, but the codes have %lld",
                             (long long)Z0.rows, (long long)Z.rows);
    if (Z.rows < 1)
        return dl_fail(DLTF_ARGUMENT, "score: no samples");
    if (!match && Z.cols != Z0.cols)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_TRUE_CODES,
                             "%lld atoms, but the codes have %lld: pass a match", (long long)Z0.cols,
                             (long long)Z.cols);
    for (int64_t i = 0; match && i < Z.cols; i++)
        if (match[i] < -1 || match[i] >= Z0.cols)
            return dl_fail(DLTF_ARGUMENT,
                           "score: atom %lld is matched to %d, but the true codes have %lld atoms",
                           (long long)i, (int)match[i], (long long)Z0.cols);
    return DLTF_OK;
}

/* |supp(z) xor supp(z0)| of sample i. `mark` has one entry per true atom, none equal to i + 1. A true atom
 * counts as found once, even if a match that is not one-to-one maps two atoms to it. */
static int64_t differences(dltf_csr Z, dltf_csr Z0, const int32_t *match, int64_t i, int64_t *mark) {
    int64_t different = Z0.indptr[i + 1] - Z0.indptr[i];
    for (int64_t e = Z0.indptr[i]; e < Z0.indptr[i + 1]; e++)
        mark[Z0.indices[e]] = i + 1;
    for (int64_t e = Z.indptr[i]; e < Z.indptr[i + 1]; e++) {
        int32_t atom = match ? match[Z.indices[e]] : Z.indices[e];
        if (atom >= 0 && mark[atom] == i + 1) {
            mark[atom] = 0;
            different--;
        } else {
            different++;
        }
    }
    return different;
}

/* The paper's ave_dif and the share of exact supports. O(nnz + atoms). */
dltf_status dltf_supports_score_sized(const dltf_codes *codes, const dltf_codes *truth, const int32_t *match,
                                      dltf_support_score *score, size_t size) {
    DL_REQUIRE(codes, truth, score);
    dltf_csr Z = dltf_codes_csr(codes), Z0 = dltf_codes_csr(truth);
    dltf_status status = check_codes(Z, Z0, match);
    if (status != DLTF_OK)
        return status;
    int64_t *mark = DL_NEW(int64_t, Z0.cols);
    if (!mark)
        return DLTF_MEMORY;
    double total = 0, exact = 0;
    for (int64_t i = 0; i < Z.rows; i++) {
        int64_t different = differences(Z, Z0, match, i, mark);
        total += (double)different / 2;
        exact += different == 0;
    }
    dltf_support_score own = {total / (double)Z.rows, exact / (double)Z.rows};
    DL_WRITE_STRUCT(dltf_support_score, score, size, &own);
    dl_free(mark);
    return DLTF_OK;
}
