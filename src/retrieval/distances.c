/* Distances by products: ||q - x||^2 = ||q||^2 - 2 <q, x> + ||x||^2. The first sample of the database is
 * subtracted from all, so that no digits are lost to a common offset; distances between samples of integers
 * remain exact, and with them ties. */
#include "retrieval/distances.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "data/matrix.h"
#include "linalg/blas.h"

#include <float.h>

enum { SAMPLES = 1024 }; /* of a tile */

/* Rows of a matrix, minus the origin, with their squared norms. */
typedef struct rows {
    dltf_matrix X;
    int64_t first, count;
    const double *origin;
    double *values, *square;
} rows;

typedef struct job {
    rows queries, samples;
    int threads;
    double *origin;
    double *products; /* of a tile */
    const dl_distance_visitor *visitor;
} job;

static void read_row(void *context, int64_t i, int worker) {
    (void)worker;
    const rows *r = context;
    int64_t n = r->X.cols;
    double *row = r->values + i * n, sum = 0;
    dl_matrix_row(r->X, r->first + i, row);
    for (int64_t j = 0; j < n; j++) {
        row[j] -= r->origin[j];
        sum += row[j] * row[j];
    }
    r->square[i] = sum;
}

static dltf_status read_rows(rows *r, int64_t first, int64_t most, int threads, dltf_subject subject) {
    const double largest = DBL_MAX / 4; /* of two such samples, the distance is finite */
    r->first = first;
    r->count = dl_min(most, r->X.rows - first);
    dl_parallel(threads, r->count, read_row, r);
    for (int64_t i = 0; i < r->count; i++)
        if (!(r->square[i] <= largest))
            return dl_fail_about(DLTF_NUMERIC, subject,
                                 "row %lld: its distances overflow double precision: rescale the data",
                                 (long long)(first + i));
    return DLTF_OK;
}

static void visit_query(void *context, int64_t query, int worker) {
    (void)worker;
    const job *j = context;
    int64_t count = j->samples.count;
    double *square = j->products + query * count;
    for (int64_t i = 0; i < count; i++) {
        double distance = j->queries.square[query] - 2 * square[i] + j->samples.square[i];
        square[i] = distance > 0 ? distance : 0;
    }
    j->visitor->visit(j->visitor->context, j->queries.first + query, j->samples.first, square, count);
}

static dltf_status compare_block(job *j, dl_meter *meter) {
    for (int64_t first = 0; first < j->samples.X.rows; first += SAMPLES) {
        dltf_status status = read_rows(&j->samples, first, SAMPLES, j->threads, DLTF_SUBJECT_DATABASE);
        if (status != DLTF_OK)
            return status;
        dl_gemm(j->threads, DL_PLAIN, DL_TRANSPOSED, j->queries.count, j->samples.count, j->queries.X.cols, 1,
                j->queries.values, j->samples.values, 0, j->products);
        dl_parallel(j->threads, j->queries.count, visit_query, j);
        if (!dl_meter_add(meter, j->queries.count * j->samples.count))
            return dl_fail(DLTF_CANCELLED, "the search for neighbours was cancelled");
    }
    return j->visitor->finish(j->visitor->context, j->queries.first, j->queries.count);
}

static dltf_status check(dltf_matrix queries, dltf_matrix database) {
    dltf_status status = dl_matrix_check(queries, DLTF_SUBJECT_QUERIES);
    if (status == DLTF_OK)
        status = dl_matrix_check_finite(queries, DLTF_SUBJECT_QUERIES);
    if (status == DLTF_OK)
        status = dl_matrix_check(database, DLTF_SUBJECT_DATABASE);
    if (status == DLTF_OK)
        status = dl_matrix_check_finite(database, DLTF_SUBJECT_DATABASE);
    if (status == DLTF_OK && queries.cols != database.cols)
        status = dl_fail_about(DLTF_DATA, DLTF_SUBJECT_QUERIES, "%lld columns, but the database has %lld",
                               (long long)queries.cols, (long long)database.cols);
    if (status == DLTF_OK && database.rows > INT32_MAX)
        status = dl_fail_about(DLTF_DATA, DLTF_SUBJECT_DATABASE, "%lld samples are more than 2147483647",
                               (long long)database.rows);
    return status;
}

dltf_status dl_all_distances(dltf_matrix queries, dltf_matrix database, int threads, dl_meter *meter,
                             const dl_distance_visitor *visitor) {
    dltf_status status = check(queries, database);
    if (status != DLTF_OK)
        return status;
    int64_t n = database.cols, block = dl_min(queries.rows, DL_DISTANCE_QUERIES),
            tile = dl_min(database.rows, SAMPLES);
    job j = {.threads = threads, .visitor = visitor, .queries.X = queries, .samples.X = database};
    DL_TRY(dl_blas_ready(threads));
    DL_TRY_NEW(j.origin, n);
    DL_TRY_NEW(j.queries.values, block * n);
    DL_TRY_NEW(j.queries.square, block);
    DL_TRY_NEW(j.samples.values, tile * n);
    DL_TRY_NEW(j.samples.square, tile);
    DL_TRY_NEW(j.products, block * tile);
    dl_matrix_row(database, 0, j.origin);
    j.queries.origin = j.samples.origin = j.origin;
    meter->total += queries.rows * database.rows;
    for (int64_t first = 0; first < queries.rows; first += block) {
        DL_TRY(read_rows(&j.queries, first, block, threads, DLTF_SUBJECT_QUERIES));
        DL_TRY(compare_block(&j, meter));
    }
    DL_TRY(dl_matrix_status(queries));
    status = dl_matrix_status(database);
done:
    dl_free(j.origin);
    dl_free(j.queries.values);
    dl_free(j.queries.square);
    dl_free(j.samples.values);
    dl_free(j.samples.square);
    dl_free(j.products);
    return status;
}
