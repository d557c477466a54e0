/* dltf/bind.h: hashes and search. */
#include "api/bind.h"
#include "api/values.h"
#include "data/array.h"

dltf_status dltf_bind_hasher_train(const dltf_array *X, const dltf_options *options, dltf_report_fn report,
                                   void *context, dltf_hasher **hasher) {
    DL_CLEAR(hasher);
    DL_REQUIRE(X, hasher);
    dl_call call;
    dltf_status status = dl_call_begin(&call, "hash", options, report, context);
    return status == DLTF_OK ? dltf_hasher_train(X->matrix, call.options, call.progress, &call, hasher)
                             : status;
}

dltf_status dltf_bind_hasher_resume(const char *path, const dltf_array *X, int64_t threads,
                                    dltf_report_fn report, void *context, dltf_hasher **hasher) {
    DL_CLEAR(hasher);
    DL_REQUIRE(path, X, hasher);
    dl_call call = dl_call_plain(report, context);
    return dltf_hasher_resume(path, X->matrix, threads, call.progress, &call, hasher);
}

dltf_status dltf_bind_hasher_apply(const dltf_hasher *hasher, const dltf_array *X, int64_t threads,
                                   dltf_report_fn report, void *context, uint8_t *hashes) {
    DL_REQUIRE(hasher, X, hashes);
    dl_call call = dl_call_plain(report, context);
    return dltf_hasher_apply(hasher, X->matrix, threads, call.progress, &call, hashes);
}

dltf_status dltf_bind_relevance_by_nearest(const dltf_array *database, const dltf_array *queries,
                                           int64_t count, int64_t threads, dltf_report_fn report,
                                           void *context, dltf_relevance **relevance) {
    DL_CLEAR(relevance);
    DL_REQUIRE(database, queries, relevance);
    dl_call call = dl_call_plain(report, context);
    return dltf_relevance_by_nearest(database->matrix, queries->matrix, count, threads, call.progress, &call,
                                     relevance);
}

dltf_status dltf_bind_relevance_by_radius(const dltf_array *database, const dltf_array *queries,
                                          int64_t count, int64_t threads, dltf_report_fn report,
                                          void *context, dltf_relevance **relevance) {
    DL_CLEAR(relevance);
    DL_REQUIRE(database, queries, relevance);
    dl_call call = dl_call_plain(report, context);
    return dltf_relevance_by_radius(database->matrix, queries->matrix, count, threads, call.progress, &call,
                                    relevance);
}

dltf_status dltf_bind_hashes_evaluate(const dltf_array *database, const dltf_array *queries,
                                      const dltf_relevance *relevance, const dltf_options *options,
                                      dltf_report_fn report, void *context, dltf_values **found) {
    DL_CLEAR(found);
    DL_REQUIRE(database, queries, relevance, found);
    dl_call call;
    dltf_retrieval retrieval;
    dltf_values *made = NULL;
    dltf_status status = dl_call_begin(&call, "hash_evaluate", options, report, context);
    if (status == DLTF_OK)
        status = dltf_hashes_evaluate(database->matrix, queries->matrix, relevance, call.options,
                                      call.progress, &call, &retrieval);
    if (status == DLTF_OK)
        status = dltf_values_new(&made);
    if (status != DLTF_OK)
        return status;
    DL_PUT_NUMBER(made, retrieval, queries);
    DL_PUT_NUMBER(made, retrieval, relevant);
    DL_PUT_NUMBER(made, retrieval, depth);
    DL_PUT_NUMBER(made, retrieval, k);
    DL_PUT_NUMBER(made, retrieval, map);
    DL_PUT_NUMBER(made, retrieval, precision);
    DL_PUT_NUMBER(made, retrieval, recall);
    return dl_values_finish(made, found);
}

/* ---- Search ---- */

dltf_status dltf_bind_index_new(const dltf_array *hashes, dltf_index **index) {
    DL_CLEAR(index);
    DL_REQUIRE(hashes, index);
    return dltf_index_new(hashes->matrix, index);
}

dltf_status dltf_bind_index_add_tables(dltf_index *index, int64_t threads, dltf_report_fn report,
                                       void *context) {
    DL_REQUIRE(index);
    dl_call call = dl_call_plain(report, context);
    return dltf_index_add_tables(index, threads, call.progress, &call);
}

dltf_status dltf_bind_search(const dltf_index *index, const dltf_array *queries, const dltf_options *options,
                             dltf_report_fn report, void *context, dltf_neighbours **neighbours) {
    DL_CLEAR(neighbours);
    DL_REQUIRE(index, queries, neighbours);
    dl_call call;
    dltf_status status = dl_call_begin(&call, "search", options, report, context);
    return status == DLTF_OK
               ? dltf_search(index, queries->matrix, call.options, call.progress, &call, neighbours)
               : status;
}
