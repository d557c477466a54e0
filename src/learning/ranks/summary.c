/* Ranks scan the parts of the data (data/samples.h) and exchange the results. */
#include "learning/ranks/summary.h"

#include "base/memory.h"
#include "comm/comm.h"

#include <string.h>

/* The parts of a rank begin here. */
static int64_t first_part(int64_t rows, int rank) {
    return dl_comm_first(dl_summary_parts(rows), rank);
}

/* `all` has a record of `size` bytes for every part, of which this rank has set its own. */
static dltf_status exchange(int64_t rows, int64_t size, void *all) {
    dltf_status status = DLTF_OK;
    int64_t *counts = NULL, own = first_part(rows, dl_comm_rank());
    char *mine = NULL;
    DL_TRY_NEW(counts, dl_comm_size());
    for (int r = 0; r < dl_comm_size(); r++)
        counts[r] = first_part(rows, r + 1) - first_part(rows, r);
    DL_TRY_NEW(mine, counts[dl_comm_rank()] * size);
    memcpy(mine, (char *)all + own * size, (size_t)(counts[dl_comm_rank()] * size));
    dl_comm_gather_all(mine, counts, size, all);
    status = dl_comm_status();
done:
    dl_free(counts);
    dl_free(mine);
    return status;
}

/* The sum of all parts, to be freed. */
static dltf_status sum_parts(const dl_samples *samples, bool squares, double **sum) {
    dltf_status status = DLTF_OK;
    int64_t n = samples->X.cols, rows = samples->X.rows, parts = dl_summary_parts(rows);
    double *sums = NULL, *row = NULL;
    DL_TRY_NEW(sums, parts * n);
    DL_TRY_NEW(row, n);
    for (int64_t part = first_part(rows, dl_comm_rank()); part < first_part(rows, dl_comm_rank() + 1); part++)
        DL_TRY(dl_mean_part(samples, part, squares, row, sums + part * n));
    DL_TRY(exchange(rows, n * (int64_t)sizeof *sums, sums));
    for (int64_t part = 1; part < parts; part++)
        for (int64_t j = 0; j < n; j++)
            sums[j] += sums[part * n + j];
    *sum = sums;
    sums = NULL;
done:
    dl_free(sums);
    dl_free(row);
    return status;
}

dltf_status dl_ranks_mean(const dl_samples *samples, float *mean) {
    double *sum = NULL;
    if (dl_comm_size() == 1)
        return dl_samples_mean(samples, mean);
    dltf_status status = sum_parts(samples, false, &sum);
    if (status == DLTF_OK)
        status = dl_mean_finish(sum, samples->X.cols, mean);
    dl_free(sum);
    return status;
}

dltf_status dl_ranks_deviation(const dl_samples *samples, float *deviation) {
    double *sum = NULL;
    if (dl_comm_size() == 1)
        return dl_samples_deviation(samples, deviation);
    dltf_status status = sum_parts(samples, true, &sum);
    if (status == DLTF_OK)
        status = dl_deviation_finish(samples, sum, deviation);
    dl_free(sum);
    return status;
}

dltf_status dl_ranks_summarise(const dl_samples *samples, dl_summary *summary) {
    dltf_status status = DLTF_OK;
    int64_t rows = samples->X.rows;
    dl_summary *parts = NULL;
    double *row = NULL;
    DL_TRY_NEW(parts, dl_summary_parts(rows));
    DL_TRY_NEW(row, samples->X.cols);
    for (int64_t part = first_part(rows, dl_comm_rank()); part < first_part(rows, dl_comm_rank() + 1); part++)
        DL_TRY(dl_summary_part(samples, part, row, &parts[part]));
    DL_TRY(exchange(rows, sizeof *parts, parts));
    dl_summary_join(samples, parts, summary);
done:
    dl_free(parts);
    dl_free(row);
    return status;
}
