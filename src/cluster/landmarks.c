/* dltf_landmarks_*: landmark codes. With A the codes of the training samples, each scaled to sum 1, and
 * D = diag(column sums of A), the map is D^(-1/2) V (S / s_1)^power for the d leading right singular vectors
 * V and values S of A D^(-1/2): coordinates of the random walk from sample to landmark to sample. */
#include "cluster/landmarks.h"
#include "base/finite.h"
#include "base/handle.h"
#include "base/memory.h"
#include "base/meter.h"
#include "base/options.h"
#include "base/sized.h"
#include "cluster/landmark_options.h"
#include "comm/comm.h"
#include "data/matrix.h"
#include "dltf/cluster.h"
#include "dltf/encode.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

/* One start, and about as many iterations as landmarks need to settle: they need not be optimal. */
enum { ITERATIONS = 40 };

struct dltf_landmarks {
    dl_handle handle;
    dltf_landmarks_view view;
    dltf_model *model;
    float *map;
};

static dltf_status check(dltf_matrix X, const dltf_landmark_options *o) {
    dltf_status status = dl_option_check(dl_landmark_option_table(), o, NULL);
    if (status == DLTF_OK)
        status = dl_matrix_check(X, DLTF_SUBJECT_DATA);
    if (status == DLTF_OK && o->m > X.rows)
        status =
            dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_DATA, "%lld samples are too few for %lld landmarks",
                          (long long)X.rows, (long long)o->m);
    if (status == DLTF_OK && o->k > o->m)
        status = dl_fail_option(DLTF_ARGUMENT, "k", "%lld is more than the %lld landmarks", (long long)o->k,
                                (long long)o->m);
    if (status == DLTF_OK && o->d > o->m)
        status = dl_fail_option(DLTF_ARGUMENT, "d", "%lld is more than the %lld landmarks", (long long)o->d,
                                (long long)o->m);
    return status;
}

/* Landmarks as a model that codes samples with them. */
static dltf_status make_model(int64_t m, int64_t n, int64_t k, const float *landmarks, dltf_model **model) {
    dltf_model_view parts = {
        .m = m, .n = n, .k = k, .dictionary = landmarks, .unit_norm = true, .select = DLTF_SELECT_POSITIVE};
    return dltf_model_new(&parts, model);
}

static dltf_status find_landmarks(dltf_matrix X, const dltf_landmark_options *o, dltf_progress_fn progress,
                                  void *context, dltf_model **model) {
    dltf_clusters *clusters = NULL;
    dltf_cluster_options means = dltf_cluster_options_default();
    means.clusters = o->m;
    means.restarts = 1;
    means.iterations = ITERATIONS;
    means.spherical = true;
    means.seed = o->seed;
    means.threads = o->threads;
    dltf_status status = dltf_clusters_train(X, &means, progress, context, &clusters);
    if (status != DLTF_OK)
        return status;
    status = make_model(o->m, X.cols, o->k, dltf_clusters_get(clusters).centers, model);
    dltf_clusters_free(clusters);
    return status;
}

static double row_sum(dltf_csr Z, int64_t i) {
    double sum = 0;
    for (int64_t e = Z.indptr[i]; e < Z.indptr[i + 1]; e++)
        sum += (double)Z.values[e];
    return sum;
}

/* relation = A^T A, and the column sums of A. O(N k^2). */
static void relate(dltf_csr Z, double *relation, double *sums) {
    for (int64_t i = 0; i < Z.rows; i++) {
        double total = row_sum(Z, i);
        for (int64_t e = Z.indptr[i]; e < Z.indptr[i + 1]; e++) {
            double a = (double)Z.values[e] / total;
            sums[Z.indices[e]] += a;
            for (int64_t f = Z.indptr[i]; f < Z.indptr[i + 1]; f++)
                relation[Z.indices[e] * Z.cols + Z.indices[f]] += a * (double)Z.values[f] / total;
        }
    }
}

/* Landmarks that code no sample get a zero row. */
static dltf_status make_map(dltf_csr Z, int64_t d, double power, float *map) {
    dltf_status status = DLTF_OK;
    int64_t m = Z.cols;
    double *relation = NULL, *scale = NULL, *values = NULL, *scratch = NULL;
    DL_TRY_NEW(relation, m * m);
    DL_TRY_NEW(scale, m);
    DL_TRY_NEW(values, m);
    DL_TRY_NEW(scratch, dl_eigenvectors_scratch(m));
    relate(Z, relation, scale);
    for (int64_t j = 0; j < m; j++)
        scale[j] = scale[j] > 0 ? 1 / sqrt(scale[j]) : 0;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++)
            relation[i * m + j] *= scale[i] * scale[j];
    if (!dl_eigenvectors(relation, m, values, scratch))
        DL_TRY(dl_fail(DLTF_NUMERIC, "landmarks: the eigenvalue iteration did not converge"));
    for (int64_t l = 0; l < d; l++) {
        const double *vector = relation + (m - 1 - l) * m;
        double weight = pow(fmax(values[m - 1 - l], 0) / values[m - 1], power / 2);
        for (int64_t j = 0; j < m; j++)
            map[j * d + l] = (float)(scale[j] * vector[j] * weight);
    }
    if (!dl_all_finite(map, m * d))
        status =
            dl_fail(DLTF_NUMERIC, "landmarks: their codes do not relate the samples: use fewer landmarks");
done:
    dl_free(relation);
    dl_free(scale);
    dl_free(values);
    dl_free(scratch);
    return status;
}

static dltf_status encode(const dltf_model *model, dltf_matrix X, int64_t threads, dltf_codes **codes) {
    dltf_encode_options encoding = dltf_encode_options_default();
    encoding.threads = threads;
    return dltf_encode(model, X, &encoding, NULL, NULL, codes);
}

dltf_status dltf_landmarks_train(dltf_matrix X, const dltf_landmark_options *options,
                                 dltf_progress_fn progress, void *context, dltf_landmarks **landmarks) {
    DL_CLEAR(landmarks);
    DL_REQUIRE(landmarks);
    dltf_landmark_options o;
    dltf_landmarks *made = NULL;
    dltf_codes *codes = NULL;
    dl_meter meter = dl_meter_new("landmarks", progress, context, 0);
    dltf_status status = DL_READ_OPTIONS(landmark, options, &o);
    if (status == DLTF_OK)
        status = check(X, &o);
    if (status != DLTF_OK)
        return status;
    if (dl_comm_size() == 1) /* ranks could not agree on where to stop */
        dl_meter_watch(&meter);
    DL_TRY(dl_blas_ready(1));
    DL_TRY_HANDLE(made, LANDMARKS);
    DL_TRY_NEW(made->map, o.m * o.d);
    DL_TRY(find_landmarks(X, &o, progress, context, &made->model));
    DL_TRY(encode(made->model, X, o.threads, &codes));
    DL_TRY(make_map(dltf_codes_csr(codes), o.d, o.power, made->map));
    made->view = (dltf_landmarks_view){o.m, X.cols, o.k, o.d, made->model, made->map};
    *landmarks = made;
    made = NULL;
done:
    dl_meter_unwatch(&meter);
    dltf_codes_free(codes);
    dltf_landmarks_free(made);
    return status;
}

dltf_status dl_landmarks_new(int64_t m, int64_t n, int64_t k, int64_t d, const float *landmarks,
                             const float *map, dltf_landmarks **made) {
    dltf_status status = DLTF_OK;
    dltf_landmarks *copy = NULL;
    if (d < 1 || d > m)
        return dl_fail(DLTF_ARGUMENT, "%lld coordinates: expected 1 to %lld, the number of landmarks",
                       (long long)d, (long long)m);
    if (!dl_all_finite(map, m * d))
        return dl_fail(DLTF_DATA, "the map contains NaN or infinity");
    DL_TRY_HANDLE(copy, LANDMARKS);
    DL_TRY_NEW(copy->map, m * d);
    DL_TRY(make_model(m, n, k, landmarks, &copy->model));
    memcpy(copy->map, map, (size_t)(m * d) * sizeof *map);
    copy->view = (dltf_landmarks_view){m, n, k, d, copy->model, copy->map};
    *made = copy;
    copy = NULL;
done:
    dltf_landmarks_free(copy);
    return status;
}

static void project(dltf_csr Z, int64_t i, const float *map, int64_t d, float *out) {
    double square = 0;
    for (int64_t l = 0; l < d; l++)
        out[l] = 0;
    for (int64_t e = Z.indptr[i]; e < Z.indptr[i + 1]; e++)
        for (int64_t l = 0; l < d; l++)
            out[l] += Z.values[e] * map[Z.indices[e] * d + l];
    for (int64_t l = 0; l < d; l++)
        square += (double)out[l] * (double)out[l];
    for (int64_t l = 0; l < d && square > 0; l++)
        out[l] = (float)((double)out[l] / sqrt(square));
}

dltf_status dltf_landmarks_apply(const dltf_landmarks *landmarks, dltf_matrix X, int64_t threads,
                                 float *out) {
    DL_REQUIRE(landmarks, out);
    DL_REQUIRE_THREADS(threads);
    const dltf_landmarks_view *v = &landmarks->view;
    dltf_codes *codes = NULL;
    dltf_status status = encode(v->model, X, threads, &codes);
    if (status != DLTF_OK)
        return status;
    for (int64_t i = 0; i < X.rows; i++)
        project(dltf_codes_csr(codes), i, v->map, v->d, out + i * v->d);
    dltf_codes_free(codes);
    return DLTF_OK;
}

void dltf_landmarks_get_sized(const dltf_landmarks *landmarks, dltf_landmarks_view *found, size_t size) {
    const dltf_landmarks_view none = {0};
    DL_WRITE_STRUCT(dltf_landmarks_view, found, size, landmarks ? &landmarks->view : &none);
}

void dltf_landmarks_free(dltf_landmarks *landmarks) {
    if (!landmarks)
        return;
    dltf_model_free(landmarks->model);
    dl_free(landmarks->map);
    dl_free(landmarks);
}
