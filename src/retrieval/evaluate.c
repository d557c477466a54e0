/* dltf_hashes_evaluate: for each query, samples and relevant samples at every distance; the expected measures
 * follow from these counts alone. */
#include "base/integer.h"
#include "base/memory.h"
#include "base/meter.h"
#include "base/options.h"
#include "base/parallel.h"
#include "base/sized.h"
#include "data/index.h"
#include "data/matrix.h"
#include "kernels/kernels.h"
#include "retrieval/grades.h"
#include "retrieval/hash_evaluate_options.h"
#include "retrieval/relevance.h"
#include "retrieval/shells.h"

#include <string.h>

enum { QUERIES_PER_REPORT = 64, DEFAULT_K = 100 };

/* Codes as words of 64 bits: word w of row i is data[w * stride + i]. */
typedef struct code_planes {
    int64_t rows, words, stride;
    uint64_t *data;
    int32_t *ones; /* bits that are 1 */
} code_planes;

typedef struct measures {
    double average_precision, found;
    int64_t relevant;
} measures;

typedef struct job {
    code_planes queries, samples;
    const dltf_relevance *relevance;
    dl_grades grades;
    int64_t depth, k;
    int64_t first; /* query in work */
    double *harmonic;
    measures *results; /* by query */
    /* By worker. */
    uint64_t *query;
    uint16_t *differing; /* bits, of every sample */
    int32_t *grade;      /* the same */
    dl_shell *shells;    /* by grade */
} job;

static dltf_status pack(dltf_matrix codes, code_planes *packed) {
    dltf_status status = DLTF_OK;
    const uint8_t *bytes = codes.data;
    packed->rows = codes.rows;
    packed->words = dl_tiles(codes.cols, 8);
    packed->stride = dl_tiles(codes.rows, DL_CODES) * DL_CODES;
    DL_TRY_NEW(packed->data, packed->words * packed->stride);
    DL_TRY_NEW(packed->ones, codes.rows);
    for (int64_t j = 0; j < codes.cols; j++) {
        uint64_t *plane = packed->data + j / 8 * packed->stride;
        for (int64_t i = 0; i < codes.rows; i++) {
            uint64_t byte = bytes[i * codes.row_stride + j * codes.col_stride];
            plane[i] |= byte << 8 * (j % 8);
            packed->ones[i] += __builtin_popcountll(byte);
        }
    }
done:
    return status;
}

static void code_planes_free(code_planes *packed) {
    dl_free(packed->data);
    dl_free(packed->ones);
}

/* The grade of every sample, and the number of samples of every grade. */
static void grade_samples(const job *j, int64_t query, int worker, int32_t *grade, dl_shell *shells) {
    const code_planes *samples = &j->samples;
    uint64_t *words = j->query + worker * dl_apart(samples->words);
    uint16_t *differing = j->differing + worker * samples->stride;
    for (int64_t w = 0; w < samples->words; w++)
        words[w] = j->queries.data[w * j->queries.stride + query];
    dl_kernels_now()->hamming(samples->data, samples->words, samples->stride, words, differing);
    for (int64_t i = 0; i < samples->rows; i++) {
        grade[i] = (int32_t)dl_grades_get(&j->grades, differing[i], j->queries.ones[query], samples->ones[i]);
        shells[grade[i]].samples++;
    }
}

static int64_t count_relevant(const dltf_relevance *r, int64_t query, const int32_t *grade,
                              dl_shell *shells) {
    int64_t relevant = 0;
    for (int64_t i = 0; r->labels && i < r->samples; i++) {
        int32_t same = r->labels[i] == r->query_labels[query];
        shells[grade[i]].relevant += same;
        relevant += same;
    }
    for (int64_t e = r->start[query]; e < r->start[query + 1]; e++) {
        shells[grade[r->index[e]]].relevant++;
        relevant++;
    }
    return relevant;
}

static void evaluate_query(void *context, int64_t task, int worker) {
    const job *j = context;
    int64_t query = j->first + task;
    int64_t levels = j->grades.count;
    int32_t *grade = j->grade + worker * j->samples.rows;
    dl_shell *shells = j->shells + worker * dl_apart(levels);
    measures *result = &j->results[query];
    memset(shells, 0, (size_t)levels * sizeof *shells);
    grade_samples(j, query, worker, grade, shells);
    result->relevant = count_relevant(j->relevance, query, grade, shells);
    result->average_precision = dl_shells_average_precision(shells, levels, j->depth, j->harmonic);
    result->found = dl_shells_found(shells, levels, j->k);
}

/* ---- Checks ---- */

static dltf_status check_codes(dltf_matrix codes, dltf_subject subject) {
    dltf_status status = dl_matrix_check(codes, subject);
    if (status != DLTF_OK)
        return status;
    if (codes.type != DLTF_U8)
        return dl_fail_about(DLTF_DATA, subject, "binary codes must be bytes (uint8)");
    if (dl_hash_bits_expected(8 * codes.cols))
        return dl_fail_about(DLTF_DATA, subject, "codes of %lld bits: expected %s",
                             (long long)(8 * codes.cols), dl_hash_bits_expected(8 * codes.cols));
    return DLTF_OK;
}

static dltf_status check(dltf_matrix queries, dltf_matrix database, const dltf_relevance *relevance,
                         const dltf_hash_evaluate_options *o) {
    dltf_status status = dl_option_check(dl_hash_evaluate_option_table(), o, NULL);
    if (status == DLTF_OK)
        status = check_codes(queries, DLTF_SUBJECT_QUERIES);
    if (status == DLTF_OK)
        status = check_codes(database, DLTF_SUBJECT_DATABASE);
    if (status != DLTF_OK)
        return status;
    if (queries.cols != database.cols)
        return dl_fail_about(DLTF_DATA, DLTF_SUBJECT_QUERIES, "codes of %lld bits, but the database has %lld",
                             (long long)(8 * queries.cols), (long long)(8 * database.cols));
    if (queries.rows != relevance->queries || database.rows != relevance->samples)
        return dl_fail(DLTF_DATA, "%lld queries and %lld codes, but relevance of %lld and %lld",
                       (long long)queries.rows, (long long)database.rows, (long long)relevance->queries,
                       (long long)relevance->samples);
    if (o->k > database.rows)
        return dl_fail_option(DLTF_ARGUMENT, "k", "%lld is more than the %lld codes of the database",
                              (long long)o->k, (long long)database.rows);
    if (o->depth > database.rows)
        return dl_fail_option(DLTF_ARGUMENT, "depth", "%lld is more than the %lld codes of the database",
                              (long long)o->depth, (long long)database.rows);
    return DLTF_OK;
}

/* ---- Work ---- */

static dltf_status evaluate_all(job *j, int threads, dl_meter *meter) {
    for (; j->first < j->queries.rows; j->first += QUERIES_PER_REPORT) {
        int64_t count = dl_min(QUERIES_PER_REPORT, j->queries.rows - j->first);
        if (!dl_parallel_polled(threads, count, evaluate_query, j) || !dl_meter_add(meter, count))
            return dl_fail(DLTF_CANCELLED, "the evaluation was cancelled");
    }
    return DLTF_OK;
}

/* Means over the queries that have relevant samples, in the order of the queries. */
static dltf_status summarise(const job *j, dltf_retrieval *found) {
    *found = (dltf_retrieval){.depth = j->depth, .k = j->k};
    for (int64_t q = 0; q < j->queries.rows; q++) {
        const measures *m = &j->results[q];
        if (m->relevant == 0)
            continue;
        found->queries++;
        found->relevant += (double)m->relevant;
        found->map += m->average_precision;
        found->precision += m->found / (double)j->k;
        found->recall += m->found / (double)m->relevant;
    }
    if (found->queries == 0)
        return dl_fail_about(DLTF_DATA, DLTF_SUBJECT_QUERIES, "no sample is relevant to any query");
    double queries = (double)found->queries;
    found->relevant /= queries;
    found->map /= queries;
    found->precision /= queries;
    found->recall /= queries;
    return DLTF_OK;
}

static dltf_status job_alloc(job *j, dltf_matrix queries, dltf_matrix database,
                             const dltf_hash_evaluate_options *o, int threads) {
    dltf_status status = DLTF_OK;
    DL_TRY(pack(queries, &j->queries));
    DL_TRY(pack(database, &j->samples));
    DL_TRY(dl_grades_make(o->distance, 8 * database.cols, &j->grades));
    DL_TRY_NEW(j->harmonic, database.rows + 1);
    DL_TRY_NEW(j->query, threads * dl_apart(j->samples.words));
    DL_TRY_NEW(j->differing, threads * j->samples.stride);
    DL_TRY_NEW(j->grade, threads * database.rows);
    DL_TRY_NEW(j->shells, threads * dl_apart(j->grades.count));
    DL_TRY_NEW(j->results, queries.rows);
    for (int64_t i = 1; i <= database.rows; i++)
        j->harmonic[i] = j->harmonic[i - 1] + 1 / (double)i;
    j->depth = o->depth > 0 ? o->depth : database.rows;
    j->k = o->k > 0 ? o->k : dl_min(DEFAULT_K, database.rows);
done:
    return status;
}

static void job_free(job *j) {
    code_planes_free(&j->queries);
    code_planes_free(&j->samples);
    dl_grades_free(&j->grades);
    dl_free(j->harmonic);
    dl_free(j->query);
    dl_free(j->differing);
    dl_free(j->grade);
    dl_free(j->shells);
    dl_free(j->results);
}

dltf_status dltf_hashes_evaluate_sized(dltf_matrix database, dltf_matrix queries,
                                       const dltf_relevance *relevance,
                                       const dltf_hash_evaluate_options *options, dltf_progress_fn progress,
                                       void *context, dltf_retrieval *found, size_t size) {
    DL_REQUIRE(relevance, found);
    dltf_hash_evaluate_options o;
    dltf_status status = DL_READ_OPTIONS(hash_evaluate, options, &o);
    if (status == DLTF_OK)
        status = check(queries, database, relevance, &o);
    if (status != DLTF_OK)
        return status;
    int threads = dl_thread_count(o.threads);
    job j = {.relevance = relevance};
    dl_meter meter = dl_meter_new("evaluating", progress, context, queries.rows);
    dl_meter_watch(&meter);
    DL_TRY(job_alloc(&j, queries, database, &o, threads));
    DL_TRY(evaluate_all(&j, threads, &meter));
    dltf_retrieval own;
    DL_TRY(summarise(&j, &own));
    DL_WRITE_STRUCT(dltf_retrieval, found, size, &own);
done:
    dl_meter_unwatch(&meter);
    job_free(&j);
    return status;
}
