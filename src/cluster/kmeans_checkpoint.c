/* Checkpoints of k-means. Bounds are part of the state: they decide which distances are computed, and so
 * which of two centers at the same distance, up to rounding, a sample belongs to. */
#include "cluster/bounds.h"
#include "cluster/cluster_options.h"
#include "cluster/kmeans.h"
#include "cluster/moves.h"
#include "data/kind.h"
#include "data/option_notes.h"
#include "data/samples.h"

#include <math.h>
#include <string.h>

enum {
    RESTART,
    INSIDE,
    ITERATIONS,
    CONVERGED,
    BEST_RESTART,
    BEST_ITERATIONS,
    BEST_CONVERGED,
    TILES_DONE,
    CHANGED,
    COUNTS
};
enum { MAX_FIELDS = 16 };

/* Of the points as they are clustered. */
static uint64_t checksum_of(const dl_points *p) {
    uint64_t sum = dl_checksum_add(dl_checksum_add(0xcbf29ce484222325u, (uint64_t)p->N), (uint64_t)p->n);
    int64_t count = p->rows ? p->N * p->n : p->indptr[p->N];
    const float *values = p->rows ? p->rows : p->values;
    for (int64_t e = 0; e < count; e++) {
        uint32_t bits;
        memcpy(&bits, &values[e], sizeof bits);
        sum = dl_checksum_add(sum, bits);
        if (!p->rows)
            sum = dl_checksum_add(sum, (uint64_t)p->indices[e]);
    }
    return sum;
}

static int list_fields(const dl_kmeans *k, dl_field *fields) {
    const dl_lloyd *s = &k->state;
    int64_t N = k->points->N, n = k->points->n, c = s->c;
    int count = 0;
    const dl_field of_result[] = {
        {"best.assignment", DL_TENSOR_I32, N, 0, k->result->assignment},
        {"best.centers", DL_TENSOR_F32, c, n, k->result->centers},
        {"best.sizes", DL_TENSOR_I64, c, 0, k->result->sizes},
        {"best.inertia", DL_TENSOR_F64, 1, 0, &k->result->view.inertia},
    };
    const dl_field of_restart[] = {
        {"assignment", DL_TENSOR_I32, N, 0, s->assignment}, {"centers", DL_TENSOR_F32, c, n, s->centers},
        {"square", DL_TENSOR_F64, c, 0, s->square},         {"sums", DL_TENSOR_F64, c, n, s->moves->sums},
        {"summed", DL_TENSOR_I32, N, 0, s->moves->summed},  {"upper", DL_TENSOR_F32, N, 0, s->bounds->upper},
        {"lower", DL_TENSOR_F32, N, c, s->bounds->lower},   {"move", DL_TENSOR_F32, c, 0, s->bounds->move},
    };
    if (k->restart > 0) {
        memcpy(fields, of_result, sizeof of_result);
        count += (int)(sizeof of_result / sizeof *of_result);
    }
    if (k->inside) {
        memcpy(fields + count, of_restart, sizeof of_restart);
        count += (int)(sizeof of_restart / sizeof *of_restart);
    }
    return count;
}

dltf_status dl_kmeans_to_bundle(const void *kmeans, dl_bundle *bundle) {
    const dl_kmeans *k = kmeans;
    const dltf_clusters_view *best = &k->result->view;
    dltf_status status = DLTF_OK;
    dl_field fields[MAX_FIELDS];
    int64_t counts[] = {[RESTART] = k->restart,
                        [INSIDE] = k->inside,
                        [ITERATIONS] = k->state.iterations,
                        [CONVERGED] = k->state.converged,
                        [BEST_RESTART] = best->restart,
                        [BEST_ITERATIONS] = best->iterations,
                        [BEST_CONVERGED] = best->converged,
                        [TILES_DONE] = k->state.tiles_done,
                        [CHANGED] = k->state.changed};
    DL_TRY(dl_bundle_add_copy(bundle, "counts", DL_TENSOR_I64, COUNTS, 0, counts));
    DL_TRY(dl_fields_to_bundle(fields, list_fields(k, fields), bundle));
    DL_TRY(dl_option_notes_set(&bundle->notes, dl_cluster_option_table(), &k->options));
    DL_TRY(dl_checksum_note(&bundle->notes, checksum_of(k->points)));
    DL_TRY(dl_kind_mark(bundle, DL_KIND_CLUSTERING));
done:
    return status;
}

/* ---- Reading ---- */

dltf_status dl_kmeans_read_options(const dl_bundle *bundle, int64_t threads, dltf_cluster_options *options) {
    *options = dltf_cluster_options_default();
    dltf_status status = dl_kind_check(bundle, DL_KIND_CLUSTERING);
    if (status == DLTF_OK)
        status = dl_option_notes_get(&bundle->notes, dl_cluster_option_table(), options);
    options->threads = threads;
    return status;
}

static dltf_status out_of_range(const char *what) {
    return dl_fail(DLTF_FORMAT, "the checkpoint has an out-of-range %s", what);
}

static dltf_status read_counts(dl_kmeans *k, const dl_bundle *bundle) {
    const void *content = NULL;
    dltf_status status = dl_bundle_get(bundle, "counts", DL_TENSOR_I64, COUNTS, 0, &content);
    if (status != DLTF_OK)
        return status;
    const int64_t *counts = content;
    k->restart = counts[RESTART];
    k->inside = counts[INSIDE] != 0;
    k->state.iterations = counts[ITERATIONS];
    k->state.converged = counts[CONVERGED] != 0;
    k->result->view.restart = counts[BEST_RESTART];
    k->result->view.iterations = counts[BEST_ITERATIONS];
    k->result->view.converged = counts[BEST_CONVERGED] != 0;
    k->state.tiles_done = counts[TILES_DONE];
    k->state.changed = counts[CHANGED];
    bool good = k->restart >= 0 && k->restart <= k->options.restarts && counts[BEST_RESTART] >= 0 &&
                counts[BEST_RESTART] <= k->restart && counts[BEST_ITERATIONS] >= 0 &&
                (!k->inside || (k->restart < k->options.restarts && k->state.iterations >= 0 &&
                                k->state.iterations <= k->options.iterations && k->state.tiles_done >= 0 &&
                                k->state.changed >= 0));
    return good ? DLTF_OK : out_of_range("count");
}

/* Assignments index memory. */
static bool in_range(const int32_t *assignment, int64_t N, int64_t least, int64_t c) {
    for (int64_t i = 0; i < N; i++)
        if (assignment[i] < least || assignment[i] >= c)
            return false;
    return true;
}

dltf_status dl_kmeans_restore(dl_kmeans *k, const dl_bundle *bundle) {
    dltf_status status = DLTF_OK;
    dl_field fields[MAX_FIELDS];
    const dl_lloyd *s = &k->state;
    int64_t N = k->points->N, c = s->c;
    DL_TRY(dl_checksum_check(&bundle->notes, checksum_of(k->points)));
    DL_TRY(read_counts(k, bundle));
    int count = list_fields(k, fields);
    DL_TRY(dl_fields_from_bundle(bundle, fields, count));
    for (int i = 0; i < count; i++) /* the bounds of a single center are infinite */
        if (strcmp(fields[i].name, "upper") != 0 && strcmp(fields[i].name, "lower") != 0)
            DL_TRY(dl_fields_check_finite(&fields[i], 1));
    if (k->restart > 0 && !in_range(k->result->assignment, N, 0, c))
        status = out_of_range("cluster");
    if (k->inside && !(in_range(s->assignment, N, 0, c) && in_range(s->moves->summed, N, -1, c)))
        status = out_of_range("cluster");
done:
    return status;
}
