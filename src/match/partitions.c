/* Agreement of two partitions of the same samples: accuracy and normalised mutual information. */
#include "base/memory.h"
#include "base/sized.h"
#include "dltf/cluster.h"
#include "match/hungarian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How often each pair of cluster and label occurs. */
typedef struct table {
    int64_t rows, cols;
    double *counts; /* rows x cols */
} table;

static int compare(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Replaces values by their ranks among the distinct ones; returns how many those are. */
static dltf_status rank_values(const int64_t *values, int64_t count, int64_t *ranks, int64_t *distinct) {
    int64_t *sorted = DL_NEW(int64_t, count);
    if (!sorted)
        return DLTF_MEMORY;
    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare);
    *distinct = 1;
    for (int64_t i = 1; i < count; i++)
        if (sorted[i] != sorted[i - 1])
            sorted[(*distinct)++] = sorted[i];
    for (int64_t i = 0; i < count; i++) {
        const int64_t *at = bsearch(&values[i], sorted, (size_t)*distinct, sizeof *sorted, compare);
        ranks[i] = at - sorted;
    }
    dl_free(sorted);
    return DLTF_OK;
}

static dltf_status make_table(const int32_t *assignment, const int64_t *labels, int64_t count, table *t) {
    dltf_status status = DLTF_OK;
    int64_t *clusters = NULL, *classes = NULL, entries = 0;
    DL_TRY_NEW(clusters, count);
    DL_TRY_NEW(classes, count);
    for (int64_t i = 0; i < count; i++)
        clusters[i] = assignment[i];
    DL_TRY(rank_values(clusters, count, clusters, &t->rows));
    DL_TRY(rank_values(labels, count, classes, &t->cols));
    if (!dl_multiply(t->rows, t->cols, &entries))
        DL_TRY(dl_fail_about(DLTF_MEMORY, DLTF_SUBJECT_LABELS, "%lld different labels are too many",
                             (long long)t->cols));
    DL_TRY_NEW(t->counts, entries);
    for (int64_t i = 0; i < count; i++)
        t->counts[clusters[i] * t->cols + classes[i]]++;
done:
    dl_free(clusters);
    dl_free(classes);
    return status;
}

static dltf_status accuracy_of(const table *t, double count, double *accuracy) {
    int32_t *match = DL_NEW(int32_t, t->rows);
    if (!match)
        return DLTF_MEMORY;
    dltf_status status = dl_assign(t->counts, t->rows, t->cols, match);
    double hits = 0;
    for (int64_t i = 0; status == DLTF_OK && i < t->rows; i++)
        hits += match[i] < 0 ? 0 : t->counts[i * t->cols + match[i]];
    *accuracy = hits / count;
    dl_free(match);
    return status;
}

static double entropy(const double *sums, int64_t size, double count) {
    double sum = 0;
    for (int64_t i = 0; i < size; i++)
        sum -= sums[i] / count * log(sums[i] / count);
    return sum;
}

static dltf_status nmi_of(const table *t, double count, double *nmi) {
    dltf_status status = DLTF_OK;
    double *row = NULL, *col = NULL, information = 0;
    DL_TRY_NEW(row, t->rows);
    DL_TRY_NEW(col, t->cols);
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t j = 0; j < t->cols; j++) {
            row[i] += t->counts[i * t->cols + j];
            col[j] += t->counts[i * t->cols + j];
        }
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t j = 0; j < t->cols; j++) {
            double both = t->counts[i * t->cols + j];
            if (both > 0)
                information += both / count * log(both * count / (row[i] * col[j]));
        }
    double mean = (entropy(row, t->rows, count) + entropy(col, t->cols, count)) / 2;
    *nmi = t->rows == 1 && t->cols == 1 ? 1 : fmin(fmax(information / mean, 0), 1);
done:
    dl_free(row);
    dl_free(col);
    return status;
}

dltf_status dltf_partitions_compare_sized(const int32_t *assignment, const int64_t *labels, int64_t count,
                                          dltf_agreement *agreement, size_t size) {
    DL_REQUIRE(assignment, labels, agreement);
    dltf_status status = DLTF_OK;
    table t = {0};
    dltf_agreement own = {0};
    if (count < 1)
        return dl_fail(DLTF_ARGUMENT, "agreement: no samples");
    if (count > DL_MOST_ELEMENTS)
        return dl_fail(DLTF_ARGUMENT, "agreement: %lld samples are out of range", (long long)count);
    DL_TRY(make_table(assignment, labels, count, &t));
    DL_TRY(accuracy_of(&t, (double)count, &own.accuracy));
    DL_TRY(nmi_of(&t, (double)count, &own.nmi));
    DL_WRITE_STRUCT(dltf_agreement, agreement, size, &own);
done:
    dl_free(t.counts);
    return status;
}
