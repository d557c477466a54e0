/* dltf_search: checks, the choice of the method, the result. */
#include "base/integer.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/parallel.h"
#include "base/sized.h"
#include "comm/comm.h"
#include "search/cost.h"
#include "search/method.h"
#include "search/search_options.h"

dltf_status dl_job_cancelled(void) {
    return dl_fail(DLTF_CANCELLED, "the search was cancelled");
}

dltf_status dl_job_append(dl_job *job, dl_found *found, int64_t count, int64_t parts) {
    dltf_status status = DLTF_OK;
    for (int64_t q = 0; q < count; q++)
        DL_TRY(dl_neighbours_append(job->result, found + q * parts, parts));
    if (!dl_meter_add(&job->meter, count))
        status = dl_job_cancelled();
done:
    dl_found_free(found, count * parts);
    return status;
}

static dltf_status check(const dltf_index *index, const dltf_index *queries,
                         const dltf_search_options *options) {
    dltf_status status = dl_option_check(dl_search_option_table(), options, NULL);
    if (status != DLTF_OK)
        return status;
    if (queries->width != index->width)
        return dl_fail_about(DLTF_DATA, DLTF_SUBJECT_QUERIES,
                             "codes have %lld bits, but those of the database have %lld",
                             (long long)(8 * queries->width), (long long)(8 * index->width));
    if (options->k > index->rows)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_DATABASE,
                             "has %lld %s, fewer than the %lld neighbours requested", (long long)index->rows,
                             index->rows == 1 ? "code" : "codes", (long long)options->k);
    return DLTF_OK;
}

/* The method with the smaller estimated cost, unless one is requested. */
static dltf_search_method choose(const dltf_index *index, const dltf_search_options *options,
                                 int64_t queries) {
    if (options->method != DLTF_SEARCH_AUTO)
        return options->method;
    dltf_index planned = *index;
    if (index->tables == 0)
        dl_index_place(&planned, dl_index_tables(index->rows, index->width), NULL);
    if (planned.tables == 0 ||
        (index->tables == 0 && (double)planned.table_bytes > dl_memory_of_machine() / 4))
        return DLTF_SEARCH_FLAT;
    double probing = (double)queries * dl_cost_multi_index(&planned, options->k, options->radius);
    double building = index->tables == 0 ? dl_cost_build(&planned) : 0;
    return probing + building < (double)queries * dl_cost_flat(index) ? DLTF_SEARCH_MULTI_INDEX
                                                                      : DLTF_SEARCH_FLAT;
}

/* Builds tables for this search alone if the index has none. If the method was chosen by estimated costs,
 * they limit it; otherwise it is limited to buckets and rows as many as there are codes. */
static dltf_status search_tables(dl_job *job, bool estimated) {
    const dltf_index *index = job->index;
    dltf_index with_tables = *index;
    dltf_status status =
        dltf_index_add_tables(&with_tables, job->threads, job->meter.progress, job->meter.context);
    if (status != DLTF_OK)
        return status;
    job->index = &with_tables;
    job->most = estimated ? dl_cost_flat(index) : (double)index->rows * (DL_COST_BUCKET + DL_COST_ROW);
    status = dl_multi_index_search(job);
    job->index = index;
    if (index->tables == 0)
        dl_free(with_tables.built);
    return status;
}

/* The neighbours among the rows of an index. */
static dltf_status search(const dltf_index *index, const dltf_index *queries,
                          const dltf_search_options *options, dl_meter meter, dltf_neighbours **neighbours) {
    dltf_status status = DLTF_OK;
    dl_job job = {.index = index,
                  .queries = queries,
                  .k = options->k,
                  .radius = options->radius,
                  .threads = dl_thread_count(options->threads),
                  .meter = meter};
    if (dl_comm_size() == 1) /* ranks could not agree on where to stop */
        dl_meter_watch(&job.meter);
    DL_TRY(dl_neighbours_new(queries->rows, options->k, index, &job.result));
    dltf_search_method method = choose(index, options, queries->rows);
    DL_TRY(method == DLTF_SEARCH_FLAT ? dl_flat_search(&job)
                                      : search_tables(&job, options->method == DLTF_SEARCH_AUTO));
    job.result->view.method = method;
    *neighbours = job.result;
    job.result = NULL;
done:
    dl_meter_unwatch(&job.meter);
    dltf_neighbours_free(job.result);
    return status;
}

/* Each rank searches a part of the rows, without the tables of a file, which are for all. */
static dltf_status search_divided(const dltf_index *index, const dltf_index *queries,
                                  const dltf_search_options *options, dl_meter meter,
                                  dltf_neighbours **neighbours) {
    int64_t first = dl_comm_first(index->rows, dl_comm_rank());
    dltf_index part = {.rows = dl_comm_first(index->rows, dl_comm_rank() + 1) - first,
                       .width = index->width,
                       .codes = index->codes + first * index->width};
    dltf_search_options own = *options;
    own.k = dl_min(own.k, part.rows);
    if (index->rows < dl_comm_size())
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_DATABASE, "has fewer codes than there are ranks");
    dltf_status status = search(&part, queries, &own, meter, neighbours);
    if (status == DLTF_OK)
        status = dl_neighbours_collect(index, options->k, first, neighbours);
    return status;
}

dltf_status dltf_search(const dltf_index *index, dltf_matrix queries, const dltf_search_options *options,
                        dltf_progress_fn progress, void *context, dltf_neighbours **neighbours) {
    DL_CLEAR(neighbours);
    DL_REQUIRE(index, neighbours);
    dltf_status status = DLTF_OK;
    dltf_index *codes = NULL;
    dltf_search_options own;
    DL_TRY(DL_READ_OPTIONS(search, options, &own));
    DL_TRY(dl_index_new(queries, DLTF_SUBJECT_QUERIES, &codes));
    DL_TRY(check(index, codes, &own));
    dl_meter meter = dl_meter_new("searching", progress, context, codes->rows);
    status = (dl_comm_size() == 1 ? search : search_divided)(index, codes, &own, meter, neighbours);
done:
    dltf_index_free(codes);
    return status;
}
